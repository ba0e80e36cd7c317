//! No bytes make a reader panic, and what it accepts is whole.

use super::array::Array;
use super::npy;
use super::safetensors::SafeTensors;

fn npy_file() -> Vec<u8> {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), &[1; 24]].concat()
}

fn safetensors_file() -> Vec<u8> {
    let header = r#"{"__metadata__":{"k":"\u00e9"},"a":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]},"b":{"dtype":"I8","shape":[3],"data_offsets":[8,11]}}"#;
    let length = u64::try_from(header.len()).unwrap().to_le_bytes();
    [length.as_slice(), header.as_bytes(), &[2; 11]].concat()
}

/// Reads everything that there is to read; true if it was accepted.
fn read_all(bytes: &[u8]) -> bool {
    let whole = |array: &Array<'_>| {
        let elements: usize = array.shape().iter().product();
        for dtype in crate::dtype::DType::ALL {
            assert!(array.convert(dtype).is_none_or(|data| data.len() == elements * dtype.bytes()));
        }
    };
    let npy = npy::read(bytes);
    npy.iter().for_each(whole);
    let tensors = SafeTensors::read(bytes);
    if let Ok(tensors) = &tensors {
        tensors.keys().flat_map(|key| tensors.get(key).unwrap()).for_each(|array| whole(&array));
    }
    npy.is_ok() || tensors.is_ok()
}

#[test]
fn truncated_files_are_refused() {
    for file in [npy_file(), safetensors_file()] {
        assert!(read_all(&file));
        for length in 0..file.len() {
            assert!(!read_all(&file[..length]), "the first {length} bytes are accepted");
        }
        assert!(!read_all(&[file.as_slice(), &[0]].concat()), "a byte too many is accepted");
    }
}

#[test]
fn mutated_files_are_refused_or_whole() {
    let mut state = 7u64;
    let mut random = move |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % bound
    };
    // Bytes that mean something to a reader are likelier to get past its first check.
    let meaningful = b"\0\xff0123456789{}[](),:'\"\\u-.eTF ";
    for file in [npy_file(), safetensors_file()] {
        for _ in 0..20_000 {
            let mut file = file.clone();
            for _ in 0..=random(4) {
                let at = random(file.len());
                let byte = if random(2) == 0 {
                    meaningful[random(meaningful.len())]
                } else {
                    u8::try_from(random(256)).unwrap()
                };
                match random(3) {
                    0 => file[at] = byte,
                    1 => file.insert(at, byte),
                    _ => drop(file.remove(at)),
                }
            }
            read_all(&file);
        }
    }
}
