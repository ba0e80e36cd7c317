//! Allocation problems as CSV.

mod common;

use common::random::Random;
use planner_core::diagnostic::Kind;
use planner_core::import::csv::{read, write};
use planner_core::layout::search::{Buffer, Life, check, solve};
use planner_core::options::Effort;

const ALL_COLUMNS: &str = "\
size,id,alignment,gaps,upper,lower,offset
4,b1,1,,3,0,
16,b2,8,5-6 7-8@0:4,9,3,
8,b3,4,,9,0,32
";

fn life(first: usize, last: usize, low: usize, high: usize) -> Life {
    Life { first, last, low, high }
}

#[test]
fn the_example_of_minimalloc() {
    let text = "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n";
    let problem = read(text.as_bytes()).unwrap();
    assert_eq!(write(&problem, None), text);
    let solution = solve(&problem.instance, Effort::Default.limits(&problem.instance), Some(12));
    assert_eq!((solution.bytes, solution.is_proved()), (12, true));
    let solved = read(write(&problem, Some(&solution.offsets)).as_bytes()).unwrap();
    assert_eq!(solved.ids, ["b1", "b2", "b3", "b4", "b5"]);
    let pinned: Vec<Option<usize>> = solved.instance.buffers().iter().map(|buffer| buffer.pinned).collect();
    assert_eq!(pinned, solution.offsets.iter().map(|&offset| Some(offset)).collect::<Vec<_>>());
    assert_eq!(solve(&solved.instance, Effort::Fast.limits(&solved.instance), None).offsets, solution.offsets);
}

#[test]
fn every_column_in_any_order() {
    let problem = read(ALL_COLUMNS.as_bytes()).unwrap();
    assert_eq!(problem.ids, ["b1", "b2", "b3"]);
    let lives = vec![life(3, 4, 0, 16), life(6, 6, 0, 16), life(7, 7, 0, 4), life(8, 8, 0, 16)];
    let buffers = [
        Buffer::new(4, 0, 2),
        Buffer { align: 8, lives, ..Buffer::new(16, 0, 0) },
        Buffer { align: 4, pinned: Some(32), ..Buffer::new(8, 0, 8) },
    ];
    assert_eq!(problem.instance.buffers(), buffers);
    let written = write(&problem, None);
    assert_eq!(written.lines().next(), Some("id,lower,upper,size,alignment,gaps,offset"));
    assert_eq!(read(written.as_bytes()).unwrap(), problem);
    assert_eq!(check(&problem.instance, &[0, 8, 32]), Ok(40));
}

#[test]
fn an_end_is_the_last_step() {
    let lower_upper = read(b"id,lower,upper,size,gaps\na,0,9,4,2-5\nb,3,4,4,\n").unwrap();
    for header in ["buffer,start,end,size,gaps", "buffer_id,begin,end,size,gaps"] {
        let text = format!("{header}\r\na, 0 , 8,4,2-4\r\nb,3,3,4,\r\n\r\n");
        assert_eq!(read(text.as_bytes()).unwrap(), lower_upper);
    }
}

#[test]
fn a_buffer_that_is_never_in_use_survives() {
    let problem = read(b"id,lower,upper,size,gaps\na,2,5,4,2-5\nb,2,5,4,2-5@1:1\n").unwrap();
    assert_eq!(problem.instance.buffers()[0].lives, []);
    assert_eq!(read(write(&problem, None).as_bytes()).unwrap(), problem);
}

#[test]
fn a_gap_in_which_as_much_is_in_use_as_beside_it_is_none() {
    let problem = read(b"id,lower,upper,size,gaps\na,0,9,4,2-4@0:4 5-6@1:2 6-7@1:2\n").unwrap();
    assert_eq!(problem.instance.buffers()[0].lives, [life(0, 4, 0, 4), life(5, 6, 1, 2), life(7, 8, 0, 4)]);
    assert_eq!(read(write(&problem, None).as_bytes()).unwrap(), problem);
}

/// Message and kind of the only defect of `text`.
fn defect(text: &str) -> (Kind, String) {
    let defects = read(text.as_bytes()).unwrap_err().0;
    assert_eq!(defects.len(), 1, "{defects:?}");
    (defects[0].kind, defects[0].to_string())
}

#[test]
fn defects_name_line_and_column() {
    let header = "id,lower,upper,size,alignment,gaps,offset";
    let cases = [
        ("a,0,3,x,,,", Kind::Syntax, "line 2, column 7: not a whole number of at least 0\n  got: `x`"),
        ("a, -1,3,4,,,", Kind::Syntax, "line 2, column 4: not a whole number"),
        ("a,0,3,99999999999999999999,,,", Kind::Dimension, "line 2, column 7: the number is too large"),
        ("ä,3,3,4,,,", Kind::Attribute, "line 2, column 5: the buffer is never in use"),
        ("a,0,3,4,0,,", Kind::Attribute, "line 2, column 9: the alignment is 0"),
        ("a,0,3,4", Kind::Syntax, "line 2: not as many fields as columns\n  got: 4\n  wanted: 7"),
        (",0,3,4,,,", Kind::Syntax, "line 2, column 1: the id is empty"),
        ("a,0,9,4,,1,", Kind::Syntax, "line 2, column 10: not a list of gaps"),
        ("a,0,9,4,,1-2@3,", Kind::Syntax, "line 2, column 10: not a list of gaps"),
        ("a,0,9,4,,1-10,", Kind::Attribute, "line 2, column 10: a gap is empty or outside"),
        ("a,0,9,4,,1-3 2-4,", Kind::Attribute, "line 2, column 10: two gaps overlap"),
        ("a,0,9,4,,1-3@2:5,", Kind::Attribute, "line 2, column 10: the bytes in use are not within"),
        ("a,0,9,4,8,,12", Kind::Attribute, "line 2: the pinned offset is not a multiple"),
        ("a,0,9,4,,,4\nb,8,9,4,,,7", Kind::Attribute, "line 3: two pinned buffers are in the same place"),
        ("a,0,9,4,,,4\n\na,9,10,4,,,7", Kind::DuplicateName, "line 4, column 1: two buffers have the same id"),
        ("a,0,9,1,,,\nb,0,9,9000000000000000000,,,", Kind::Dimension, "line 3: the buffers are too large"),
    ];
    for (rows, kind, message) in cases {
        let (found, text) = defect(&format!("{header}\n{rows}\n"));
        assert!(text.starts_with(message), "{rows}: {text}");
        assert_eq!(found, kind, "{rows}");
    }
    assert!(defect("id,lower,uper,size\n").1.contains("`uper`"));
    assert!(defect("id,lower,upper,size,end\n").1.contains("line 1, column 21: a second column"));
    assert!(defect("id,lower,upper\n").1.contains("there is no column `size`"));
    assert!(defect("\n \n").1.contains("nothing in the file"));
    let binary = read(b"id,lower,upper,size\na,0,1,\xff\n").unwrap_err().to_string();
    assert_eq!(binary, "line 2: not UTF-8 text");
}

#[test]
fn many_defects_are_not_all_told() {
    let text = format!("id,lower,upper,size\n{}", "a,b,c,d\n".repeat(1_000));
    assert_eq!(read(text.as_bytes()).unwrap_err().0.len(), 20);
}

#[test]
fn mutated_files_are_refused_or_solved() {
    let mut random = Random::new(3);
    let meaningful = b"0123456789,\n-@: \r\xffaes";
    let mut solved = 0;
    for _ in 0..20_000 {
        let mut file = ALL_COLUMNS.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(file.len());
            if file.is_empty() {
                break;
            }
            match random.below(4) {
                0 => file[at] = random.pick(meaningful),
                1 => file.insert(at, random.pick(meaningful)),
                2 => drop(file.remove(at)),
                _ => file.truncate(at + 1),
            }
        }
        let Ok(problem) = read(&file) else { continue };
        let solution = solve(&problem.instance, Effort::Fast.limits(&problem.instance), None);
        assert_eq!(check(&problem.instance, &solution.offsets), Ok(solution.bytes));
        assert_eq!(read(write(&problem, None).as_bytes()).as_ref(), Ok(&problem));
        solved += 1;
    }
    assert!(solved > 500, "only {solved} files were read at all");
}
