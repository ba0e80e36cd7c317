use super::{Npz, NpzError};
use planner_core::dtype::DType;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A `.npy` file of two bytes.
fn array(values: [u8; 2]) -> Vec<u8> {
    let header = "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }\n";
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.bytes().chain(values));
    file
}

fn archive(entries: &[(&str, CompressionMethod, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, method, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn reads_stored_and_deflated_arrays() {
    let (stored, deflated) = (array([1, 2]), array([3, 4]));
    let archive =
        archive(&[("b.npy", CompressionMethod::Stored, &stored), ("a.npy", CompressionMethod::Deflated, &deflated)]);
    let npz = Npz::read(&archive).unwrap();
    assert_eq!(npz.names().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(npz.get("a").unwrap().convert(DType::I8).unwrap().as_ref(), [3, 4]);
    assert_eq!(npz.get("b").unwrap().shape(), [2]);
    assert!(npz.get("c").is_none());
}

#[test]
fn names_the_damaged_array() {
    let whole = archive(&[("x.npy", CompressionMethod::Stored, &array([1, 2])[..5])]);
    assert!(matches!(Npz::read(&whole), Err(NpzError::Entry { name, .. }) if name == "x"));
    assert!(matches!(Npz::read(&whole[..whole.len() / 2]), Err(NpzError::Archive(_))));
}
