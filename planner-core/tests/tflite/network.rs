//! A builder of small `.tflite` files.

use super::flatbuffer::{Field, Table, tables, union, write};

/// Numbers of element types in the schema.
pub(super) const F32: u8 = 0;
pub(super) const F16: u8 = 1;
pub(super) const I32: u8 = 2;
pub(super) const I8: u8 = 9;

/// The parts of a file, to be filled and written.
#[derive(Clone, Default)]
pub(super) struct Network {
    pub(super) codes: Vec<Table>,
    pub(super) tensors: Vec<Table>,
    pub(super) operators: Vec<Table>,
    pub(super) buffers: Vec<Table>,
    pub(super) signatures: Vec<Table>,
    pub(super) inputs: Vec<i32>,
    pub(super) outputs: Vec<i32>,
}

impl Network {
    /// Nothing but the empty buffer that every file has.
    pub(super) fn new() -> Self {
        Self { buffers: vec![Vec::new()], ..Self::default() }
    }

    fn add(&mut self, tensor: Table) -> i32 {
        self.tensors.push(tensor);
        i32::try_from(self.tensors.len() - 1).unwrap()
    }

    /// A tensor that something computes.
    pub(super) fn tensor(&mut self, name: &str, element: u8, shape: &[i32]) -> i32 {
        self.add(vec![(0, Field::Ints(shape.into())), (1, Field::U8(element)), (3, Field::Text(name.into()))])
    }

    /// A tensor of i8 that something computes.
    pub(super) fn quantized(&mut self, name: &str, shape: &[i32], scale: f32, zero_point: i64) -> i32 {
        let id = self.tensor(name, I8, shape);
        self.quantize(id, &[scale], &[zero_point], 0);
        id
    }

    /// Gives `tensor` scales and zero points along `axis`.
    pub(super) fn quantize(&mut self, tensor: i32, scales: &[f32], zero_points: &[i64], axis: i32) {
        let quantization =
            vec![(2, Field::Floats(scales.into())), (3, Field::Longs(zero_points.into())), (6, Field::I32(axis))];
        self.set(tensor, 4, Field::Table(quantization));
    }

    /// Sets a field of `tensor`.
    pub(super) fn set(&mut self, tensor: i32, field: usize, value: Field) {
        self.tensors[usize::try_from(tensor).unwrap()].push((field, value));
    }

    /// An input of the network.
    pub(super) fn input(&mut self, name: &str, element: u8, shape: &[i32]) -> i32 {
        let id = self.tensor(name, element, shape);
        self.inputs.push(id);
        id
    }

    /// A constant tensor.
    pub(super) fn constant(&mut self, name: &str, element: u8, shape: &[i32], bytes: &[u8]) -> i32 {
        let id = self.tensor(name, element, shape);
        self.set(id, 2, Field::I32(i32::try_from(self.buffers.len()).unwrap()));
        self.buffers.push(vec![(0, Field::Bytes(bytes.into()))]);
        id
    }

    /// A list of integers.
    pub(super) fn ints(&mut self, values: &[i32]) -> i32 {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant("list", I32, &[i32::try_from(values.len()).unwrap()], &bytes)
    }

    /// A constant of f32.
    pub(super) fn floats(&mut self, name: &str, shape: &[i32], values: &[f32]) -> i32 {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, F32, shape, &bytes)
    }

    /// An operator of the builtin `code`, with options of this tag if it has fields.
    pub(super) fn operator(&mut self, code: i32, inputs: &[i32], outputs: &[i32], tag: u8, options: Table) {
        let mut table = vec![
            (0, Field::I32(i32::try_from(self.codes.len()).unwrap())),
            (1, Field::Ints(inputs.into())),
            (2, Field::Ints(outputs.into())),
        ];
        if tag != 0 {
            table.extend(union(3, tag, options));
        }
        self.operators.push(table);
        let old = u8::try_from(code.min(127)).unwrap();
        self.codes.push(vec![(0, Field::U8(old)), (2, Field::I32(1)), (3, Field::I32(code))]);
    }

    /// A signature: its names of inputs and outputs.
    pub(super) fn signature(&mut self, key: &str, inputs: &[(&str, i32)], outputs: &[(&str, i32)]) {
        let names = |list: &[(&str, i32)]| {
            let entry = |(name, id): &(&str, i32)| vec![(0, Field::Text((*name).into())), (1, Field::I32(*id))];
            tables(list.iter().map(entry).collect())
        };
        self.signatures.push(vec![(0, names(inputs)), (1, names(outputs)), (2, Field::Text(key.into()))]);
    }

    /// The root of the file.
    pub(super) fn root(&self) -> Table {
        let subgraph = vec![
            (0, tables(self.tensors.clone())),
            (1, Field::Ints(self.inputs.clone())),
            (2, Field::Ints(self.outputs.clone())),
            (3, tables(self.operators.clone())),
        ];
        vec![
            (0, Field::I32(3)),
            (1, tables(self.codes.clone())),
            (2, tables(vec![subgraph])),
            (4, tables(self.buffers.clone())),
            (7, tables(self.signatures.clone())),
        ]
    }

    /// The file.
    pub(super) fn write(&self) -> Vec<u8> {
        write(*b"TFL3", &self.root())
    }
}
