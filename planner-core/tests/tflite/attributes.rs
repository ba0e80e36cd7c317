//! Every field of every table of options: another value gives another network, or is refused, or says nothing, for
//! the reason that stands here.

use super::families::net;
use super::flatbuffer::{Field, Table};
use super::network::{F32, I8, I32, Network};
use super::{import, refusal};
use std::collections::BTreeSet;

const I64: u8 = 4;

/// What another value of a field does.
enum Other {
    /// It changes the network or is refused.
    Told(Field),
    /// Nothing, because of this.
    Silent(Field, &'static str),
}
use Other::{Silent, Told};

/// A table of options.
struct Row {
    /// Its number in the schema's union.
    tag: u8,
    /// The options of the network that is changed.
    base: Table,
    /// For each field of the schema, in order, another value.
    others: Vec<Other>,
    /// The network with these options.
    network: Box<dyn Fn(Table) -> Network>,
}

fn row(tag: u8, base: Table, others: Vec<Other>, network: impl Fn(Table) -> Network + 'static) -> Row {
    Row { tag, base, others, network: Box::new(network) }
}

/// A row whose network is one operator over f32.
fn one(
    (code, tag): (i32, u8),
    inputs: &'static [&'static [i32]],
    lists: &'static [&'static [i32]],
    y: &'static [i32],
    base: Table,
    others: Vec<Other>,
) -> Row {
    row(tag, base, others, move |options| {
        let inputs: Vec<(u8, &[i32])> = inputs.iter().map(|dims| (F32, *dims)).collect();
        net(code, &inputs, lists, (F32, y), (tag, options))
    })
}

fn byte(value: u8) -> Other {
    Told(Field::U8(value))
}

fn int(value: i32) -> Other {
    Told(Field::I32(value))
}

/// A layer of f32 weights of shape `w`.
fn layer((code, tag): (i32, u8), x: &[i32], w: &[i32], y: &[i32], options: Table) -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, x);
    let count = w.iter().product::<i32>();
    let w = file.floats("w", w, &vec![0.5; usize::try_from(count).unwrap()]);
    let y = file.tensor("y", F32, y);
    file.operator(code, &[x, w, -1], &[y], tag, options);
    file.outputs.push(y);
    file
}

/// Weights of i8, for layers whose other tensors are f32.
fn bytes(file: &mut Network, shape: &[i32]) -> i32 {
    let count = shape.iter().product::<i32>();
    let w = file.constant("w", I8, shape, &vec![1; usize::try_from(count).unwrap()]);
    file.quantize(w, &[0.25], &[0], 0);
    w
}

/// Matrices times constant ones of i8.
fn matrices(options: Table) -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[3, 3]);
    let w = file.constant("w", I8, &[3, 3], &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    file.quantize(w, &[0.25], &[0], 0);
    let y = file.tensor("y", F32, &[3, 3]);
    file.operator(126, &[x, w], &[y], 101, options);
    file.outputs.push(y);
    file
}

/// A dense layer of i8 weights under an f32 input.
fn hybrid(options: Table) -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[2, 3, 4]);
    let w = bytes(&mut file, &[5, 4]);
    let y = file.tensor("y", F32, &[6, 5]);
    file.operator(9, &[x, w, -1], &[y], 8, options);
    file.outputs.push(y);
    file
}

fn transposed(options: Table) -> Network {
    let mut file = Network::new();
    let size = file.ints(&[1, 6, 6, 3]);
    let w = file.floats("w", &[3, 2, 2, 2], &[0.5; 24]);
    let x = file.input("x", F32, &[1, 3, 3, 2]);
    let y = file.tensor("y", F32, &[1, 6, 6, 3]);
    file.operator(67, &[size, w, x], &[y], 49, options);
    file.outputs.push(y);
    file
}

fn state(file: &mut Network, name: &str, dims: &[i32]) -> i32 {
    let state = file.tensor(name, F32, dims);
    file.set(state, 5, Field::U8(1));
    state
}

fn svdf(options: Table) -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[1, 4]);
    let [features, time] = [[2, 4], [2, 3]].map(|shape| bytes(&mut file, &shape));
    let memory = state(&mut file, "memory", &[1, 6]);
    let y = file.tensor("y", F32, &[1, 2]);
    file.operator(27, &[x, features, time, -1, memory], &[y], 6, options);
    file.outputs.push(y);
    file
}

fn lstm(options: Table) -> Network {
    let mut file = Network::new();
    // As many steps as pictures, so that both orders of the two have the same shape.
    let x = file.input("x", F32, &[2, 2, 3]);
    let mut inputs = vec![x];
    inputs.extend([3; 4].map(|count| bytes(&mut file, &[5, count])));
    inputs.extend([5; 4].map(|count| bytes(&mut file, &[5, count])));
    inputs.extend([-1; 3]);
    inputs.extend((0..4).map(|_| file.floats("b", &[5], &[0.5; 5])));
    inputs.extend([-1; 2]);
    inputs.extend([state(&mut file, "h", &[2, 5]), state(&mut file, "c", &[2, 5])]);
    inputs.extend([-1; 4]);
    let y = file.tensor("y", F32, &[2, 2, 5]);
    file.operator(44, &inputs, &[y], 71, options);
    file.outputs.push(y);
    file
}

/// Operator `code` with `parts` results.
fn cut((code, tag): (i32, u8), lists: &[&[i32]], x: &[i32], parts: &[i32], options: Table) -> Network {
    let mut file = Network::new();
    let mut inputs: Vec<i32> = lists.iter().map(|list| file.ints(list)).collect();
    inputs.push(file.input("x", F32, x));
    let outputs = [file.tensor("y", F32, parts), file.tensor("z", F32, parts)];
    file.operator(code, &inputs, &outputs, tag, options);
    file.outputs.extend(outputs);
    file
}

/// `x` reshaped by its own shape.
fn shape(options: Table) -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[2, 3]);
    let list = file.tensor("shape", I32, &[2]);
    file.operator(77, &[x], &[list], 55, options);
    let y = file.tensor("y", F32, &[2, 3]);
    file.operator(22, &[x, list], &[y], 17, vec![]);
    file.outputs.push(y);
    file
}

/// A variable that is read and then given the input; another is only read.
fn variable(options: Table) -> Network {
    let mut file = Network::new();
    let x = file.input("x", F32, &[2]);
    let handles = [("a", options), ("b", vec![(0, Field::Text("c".into())), (1, Field::Text("v".into()))])];
    let handles = handles.map(|(name, options)| {
        let handle = file.tensor(name, 13, &[]);
        file.operator(142, &[], &[handle], 111, options);
        handle
    });
    let old = file.tensor("old", F32, &[2]);
    file.operator(143, &[handles[0]], &[old], 112, vec![]);
    file.operator(144, &[handles[1], x], &[], 113, vec![]);
    let y = file.tensor("y", F32, &[2]);
    file.operator(0, &[x, old], &[y], 11, vec![]);
    file.outputs.push(y);
    file
}

/// Nothing is initialised by the network itself.
fn call_once(options: Table) -> Network {
    let mut file = net(19, &[(F32, &[2])], &[], (F32, &[2]), (0, vec![]));
    file.operator(129, &[], &[], 103, options);
    file
}

fn index(element: u8) -> Vec<Other> {
    vec![byte(element)]
}

#[allow(clippy::too_many_lines, reason = "a row a table")]
fn rows() -> Vec<Row> {
    let activation = || byte(1);
    let steps = || vec![(1, Field::I32(1)), (2, Field::I32(1))];
    let dilated = |more: &[usize]| {
        let fields = more.iter().map(|&field| (field, Field::I32(1)));
        steps().into_iter().chain(fields).collect::<Table>()
    };
    let image: &'static [&'static [i32]] = &[&[1, 6, 6, 4]];
    let pair: &'static [&'static [i32]] = &[&[2, 3], &[2, 3]];
    let only_i16 = |value| Silent(value, "how sums of i16 are computed; they have one way here");
    let resized = || vec![byte(1), byte(1)];
    vec![
        row(1, dilated(&[4, 5]), vec![byte(1), int(2), int(2), activation(), int(2), int(2), byte(I64)], |options| {
            layer((3, 1), &[1, 7, 7, 2], &[4, 3, 2, 2], &[1, 7, 7, 4], options)
        }),
        row(
            2,
            dilated(&[5, 6]),
            vec![
                byte(1),
                int(2),
                int(2),
                Silent(Field::I32(7), "it follows from the filter's shape"),
                activation(),
                int(2),
                int(2),
            ],
            |options| layer((4, 2), &[1, 7, 7, 2], &[1, 3, 3, 4], &[1, 7, 7, 4], options),
        ),
        one(
            (1, 5),
            image,
            &[],
            &[1, 6, 6, 4],
            dilated(&[3, 4]),
            vec![byte(1), int(2), int(2), int(2), int(2), activation()],
        ),
        row(6, vec![(0, Field::I32(1))], vec![int(2), activation(), byte(1)], svdf),
        row(8, vec![], vec![activation(), byte(1), byte(1), byte(1), byte(I64)], hybrid),
        one((25, 9), &[&[2, 3]], &[], &[2, 3], vec![(0, Field::F32(1.0))], vec![Told(Field::F32(0.5))]),
        one((2, 10), pair, &[], &[4, 3], vec![], vec![int(1), activation()]),
        one((0, 11), pair, &[], &[2, 3], vec![], vec![activation(), only_i16(Field::U8(1))]),
        one((11, 12), &[&[2, 3]], &[], &[2, 3], vec![], vec![activation()]),
        one(
            (23, 15),
            image,
            &[&[8, 9]],
            &[1, 8, 9, 4],
            vec![],
            [Silent(Field::I32(3), "a tensor says it"), Silent(Field::I32(3), "a tensor says it")]
                .into_iter()
                .chain(resized())
                .collect(),
        ),
        one(
            (22, 17),
            &[&[2, 6]],
            &[],
            &[3, 4],
            vec![(0, Field::Ints(vec![3, 4]))],
            vec![Told(Field::Ints(vec![4, 3]))],
        ),
        one((26, 19), image, &[], &[1, 3, 3, 16], vec![(0, Field::I32(2))], vec![int(3)]),
        one((18, 21), pair, &[], &[2, 3], vec![], vec![activation()]),
        row(23, vec![], vec![int(1), int(1)], |options| {
            net(36, &[(F32, &[2, 2, 2]), (I32, &[2, 2])], &[], (F32, &[2, 2, 2, 2]), (23, options))
        }),
        one((40, 27), image, &[&[1, 2]], &[1, 4], vec![], vec![byte(1)]),
        one((41, 28), pair, &[], &[2, 3], vec![], vec![activation(), only_i16(Field::U8(1))]),
        one((42, 29), pair, &[], &[2, 3], vec![], vec![activation()]),
        one((43, 30), &[&[1, 3, 1]], &[], &[3], vec![], vec![Told(Field::Ints(vec![0]))]),
        one(
            (45, 32),
            &[&[4, 4]],
            &[&[1, 1], &[3, 3], &[1, 1]],
            &[2, 2],
            vec![],
            vec![int(1), int(1), int(1), int(1), int(1), byte(1)],
        ),
        row(35, vec![(0, Field::I32(2))], vec![int(3)], |options| cut((49, 35), &[&[1]], &[2, 6], &[2, 3], options)),
        row(40, vec![(0, Field::U8(I32))], index(I64), |options| {
            net(56, &[(F32, &[2, 3])], &[&[1]], (I32, &[2]), (40, options))
        }),
        row(
            49,
            vec![(1, Field::I32(2)), (2, Field::I32(2))],
            vec![byte(1), int(1), int(1), activation(), byte(I64)],
            transposed,
        ),
        row(
            55,
            vec![(0, Field::U8(I32))],
            vec![Silent(Field::U8(I64), "a list of either type holds the same numbers")],
            shape,
        ),
        row(57, vec![(0, Field::U8(I32))], index(I64), |options| {
            net(79, &[(F32, &[2, 3])], &[&[1]], (I32, &[2]), (57, options))
        }),
        one(
            (83, 59),
            pair,
            &[],
            &[2, 2, 3],
            vec![(0, Field::I32(2))],
            vec![Silent(Field::I32(3), "the inputs are counted"), int(1)],
        ),
        row(64, vec![(0, Field::I32(2))], vec![Silent(Field::I32(3), "the outputs are counted"), int(1)], |options| {
            cut((88, 64), &[], &[2, 2], &[2], options)
        }),
        row(
            71,
            vec![(0, Field::U8(4))],
            {
                let clip = || Field::F32(0.5);
                vec![
                    byte(1),
                    Told(clip()),
                    Silent(clip(), "a projection, which it clips, is refused"),
                    byte(1),
                    byte(1),
                    byte(1),
                ]
            },
            lstm,
        ),
        one((97, 74), image, &[&[8, 9]], &[1, 8, 9, 4], vec![], resized()),
        one((98, 75), &[&[2, 3]], &[], &[2, 3], vec![(0, Field::F32(0.5))], vec![Told(Field::F32(0.25))]),
        one((100, 77), &[&[2, 3]], &[&[0, 1, 1, 0]], &[3, 4], vec![], vec![byte(1)]),
        one((5, 94), image, &[], &[1, 12, 12, 1], vec![(0, Field::I32(2))], vec![int(1)]),
        row(101, vec![], vec![byte(1), byte(1), byte(1)], matrices),
        one((128, 102), &[&[2, 3]], &[&[1]], &[2, 3], vec![], vec![byte(1), byte(1)]),
        row(103, vec![], vec![int(1)], call_once),
        row(
            111,
            vec![(0, Field::Text("c".into())), (1, Field::Text("v".into()))],
            vec![Told(Field::Text("d".into())), Told(Field::Text("w".into()))],
            variable,
        ),
        one((150, 116), &[&[2, 3]], &[], &[2, 3], vec![], vec![byte(1)]),
    ]
}

/// `base` with another `value` for `field`.
fn with(base: &Table, field: usize, value: &Field) -> Table {
    let mut options: Table = base.iter().filter(|(own, _)| *own != field).cloned().collect();
    options.push((field, value.clone()));
    options
}

/// The network in the file, or nothing if that is refused.
fn network(file: &Network) -> Option<String> {
    import(&file.write()).ok().map(|model| format!("{model:?}"))
}

#[test]
fn each_is_honoured_or_refused() {
    for Row { tag, base, others, network: of } in rows() {
        let file = of(base.clone());
        // An initialiser that is missing is what its row is about.
        let plain = if tag == 103 { Some(refusal(&file.write())) } else { network(&file) };
        let plain = plain.unwrap_or_else(|| panic!("table {tag}: {}", refusal(&file.write())));
        for (field, other) in others.iter().enumerate() {
            let changed = |value| {
                let file = of(with(&base, field, value));
                network(&file).unwrap_or_else(|| refusal(&file.write()))
            };
            match other {
                Told(value) => assert_ne!(changed(value), plain, "field {field} of table {tag} is ignored"),
                Silent(value, why) => {
                    assert_eq!(changed(value), plain, "field {field} of table {tag} says more: {why}");
                }
            }
        }
        let beyond = of(with(&base, others.len(), &Field::I32(1))).write();
        let text = refusal(&beyond);
        let unknown = format!("its options have a field {} that this reader does not know", others.len());
        assert!(text.contains(&unknown), "table {tag}: {text}");
    }
}

/// The tables that the importer reads are those above.
#[test]
fn every_table_is_among_them() {
    let source = include_str!("../../src/import/tflite/schema/options.rs");
    let number = |text: &str| text.trim().trim_end_matches(';').parse::<usize>().ok();
    let mut read = BTreeSet::new();
    let mut tag = None;
    for line in source.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("const TAG: u8 = ") {
            tag = number(text);
        } else if let Some(fields) = line.strip_prefix("const FIELDS: usize = ").and_then(number) {
            read.extend(tag.take().map(|tag| (tag, fields)));
        } else if let Some((_, numbers)) = line.split_once(" = ").filter(|_| line.contains(" {")) {
            let numbers = numbers.split(" {").next().and_then(|text| text.split_once(", "));
            read.extend(numbers.and_then(|(tag, fields)| number(tag).zip(number(fields))));
        }
    }
    let rows: BTreeSet<_> = rows().iter().map(|row| (usize::from(row.tag), row.others.len())).collect();
    assert_eq!(read, rows, "tag and number of fields of each table");
}
