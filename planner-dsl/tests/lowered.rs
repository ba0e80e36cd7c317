//! What the expansion is given besides the model's structure.

mod support;

use planner_core::model::{Data, InputMode};
use planner_core::options::{Effort, Layout, Options, Order, Prefer};
use planner_dsl::files::Files;
use planner_dsl::lower::lower;
use planner_dsl::parse::parse;
use support::{Outcome, folder, front_end, pointed};

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The bytes of `param p: {text};`.
fn bytes(text: &str) -> Vec<u8> {
    let Outcome { lowered, found, .. } = front_end(&format!("mod net {{ param p: {text}; }}"));
    assert_eq!(found.to_string(), "");
    match &lowered.model.params[0].data {
        Data::Bytes(bytes) => bytes.to_vec(),
        Data::External(_) => panic!("{text} is external"),
    }
}

#[test]
fn params_hold_the_numbers_of_their_source() {
    let eight = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    assert_eq!(bytes(r#"f32[2, 4] = "eight.npy""#), eight);
    assert_eq!(bytes(r#"f32[8] = "./beside.npy""#), eight);
    assert_eq!(bytes(r#"f32[4, 2] = "raw.bin""#), eight);
    assert_eq!(bytes(r#"i8[32] = "raw.bin""#), eight);
    assert_eq!(bytes(r#"f32[2, 2] = "half.npy""#), floats(&[1.0, 2.0, 3.0, 4.0]));
    assert_eq!(bytes(r#"f32[2, 2] = "net.safetensors"["block1.w"]"#), floats(&[5.0, 6.0, 7.0, 8.0]));
    assert_eq!(bytes("i32[2] = zeros"), [0; 8]);
    assert_eq!(bytes("f32[2] = splat(-0.5)"), floats(&[-0.5, -0.5]));
    assert_eq!(bytes("i8[3] = splat(-128)"), [0x80; 3]);
    assert_eq!(bytes("i32[1] = splat(1 - 3)"), (-2i32).to_le_bytes());
    assert_eq!(bytes("f32[4] = random(1)"), bytes("f32[4] = random(1)"));
    assert_ne!(bytes("f32[4] = random(1)"), bytes("f32[4] = random(2)"));
}

#[test]
fn indexed_params_read_their_own_tensor() {
    let Outcome { lowered, .. } = front_end(
        r#"mod net {
            param unreadable[i in 0..2]: f32[2, 2] = "net.safetensors"["block{1 - 0}.w"];
            param v[i in 0..2]: f32[2, 2] = "net.safetensors"["block{i}.w"];
            param r[i in 0..2]: f32[2, 2] = random(7);
        }"#,
    );
    let names: Vec<&str> = lowered.model.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(names, ["unreadable_0", "unreadable_1", "v_0", "v_1", "r_0", "r_1"]);
    let data: Vec<&Data> = lowered.model.params[2..].iter().map(|param| &param.data).collect();
    assert_ne!(data[0], data[1]);
    assert_ne!(data[2], data[3], "placeholders differ, or they would be stored once and the plan would be too small");
}

#[test]
fn constants_of_the_crate_are_kept_as_paths() {
    let text = "mod net { param a: f32[2, 3] = crate::weights::W; param b: i8[4] = B; param c: i32[1] = $crate::C; }";
    let Outcome { parsed, lowered, found } = front_end(&text.replace('$', ""));
    assert_eq!(found.to_string(), "");
    let externals: Vec<String> =
        lowered.externals.iter().map(|e| format!("{}: {}", e.path.to_string().replace(' ', ""), e.ty)).collect();
    assert_eq!(externals, ["crate::weights::W: f32[2, 3]", "B: i8[4]", "crate::C: i32[1]"]);
    assert_eq!(lowered.model.params[1].data, Data::External(1));
    assert_eq!(pointed(&text.replace('$', ""), &parsed.spans, lowered.externals[0].src), "crate::weights::W");
}

#[test]
fn the_plan_block_becomes_options() {
    let text = "mod net { plan { budget = 4 KiB, order = memory, layout = size_class, effort = fast, align = n, alpha = 0.5, beta = 1,
        views = off, in_place = off, concat = off, overlap = off, elimination = off, prefer = speed, size_classes = [1 KiB, 64, 256B, 64] } const n = 16; }";
    let Outcome { parsed, lowered, .. } = front_end(text);
    let (budget, src) = lowered.options.budget.unwrap();
    assert_eq!((budget, pointed(text, &parsed.spans, src)), (4096, "4 KiB"));
    let expected = Options {
        budget: Some((budget, src)),
        order: Order::Memory,
        layout: Layout::SizeClass,
        align: Some(16),
        alpha: 0.5,
        beta: 1.0,
        views: false,
        in_place: false,
        concat: false,
        overlap: false,
        elimination: false,
        size_classes: vec![64, 256, 1024],
        effort: Effort::Fast,
        prefer: Prefer::Speed,
    };
    assert_eq!(lowered.options, expected);
    assert_eq!(front_end("mod net {}").lowered.options, Options::default());
}

#[test]
fn documentation_and_visibility_are_carried() {
    let Outcome { parsed, lowered, found } = front_end(
        "/// A network.\n#[allow(dead_code)] pub(in crate::a) mod net {
            /// The picture.
            input x: f32[4] borrowed;
            input z: f32[4] kept;
            /// What is seen.
            /// Softly.
            output y kept = add(x, z);
        }",
    );
    assert_eq!(found.to_string(), "");
    let ast = parsed.ast.unwrap();
    assert_eq!(ast.vis.to_string(), "pub (in crate :: a)");
    assert_eq!(ast.attrs.to_string(), "# [doc = \" A network.\"] # [allow (dead_code)]");
    assert_eq!(lowered.input_docs[0].to_string(), "# [doc = \" The picture.\"]");
    assert!(lowered.input_docs[1].is_empty());
    assert_eq!(lowered.output_docs[0].to_string(), "# [doc = \" What is seen.\"] # [doc = \" Softly.\"]");
    assert_eq!(lowered.model.inputs[0].mode, InputMode::Borrowed);
    assert_eq!(lowered.model.inputs[1].mode, InputMode::Kept);
    assert!(lowered.model.outputs[0].kept);
}

#[test]
fn every_file_that_was_read_is_watched() {
    let text = r#"mod net {
        param a: f32[2, 4] = "eight.npy";
        param b: f32[8] = "./beside.npy";
        param c: f32[2, 2] = "net.safetensors"["block0.w"];
        param d: f32[2, 2] = "net.safetensors"["block1.w"];
        param e: f32[2, 2] = "eight.npy";
    }"#;
    let files = front_end(text).lowered.files;
    let expected = ["package/eight.npy", "package/net.safetensors", "source/beside.npy"];
    assert_eq!(files, expected.map(|path| std::path::absolute(folder().join(path)).unwrap()));
}

#[test]
fn an_unknown_source_file_is_no_error() {
    let parsed = parse(
        r#"mod net { param a: f32[8] = "./beside.npy"; input x: f32[8]; output y = add(x, a); }"#.parse().unwrap(),
    );
    let (lowered, found) = lower(&parsed.ast.unwrap(), &parsed.spans, &mut Files::new(folder().join("package")));
    assert_eq!(found.to_string(), "");
    assert!(lowered.incomplete);
    assert_eq!(lowered.model.inputs.len(), 1);
    assert_eq!((lowered.model.outputs.len(), lowered.stubs.len()), (1, 0), "the type is known without the file");
}

#[test]
fn broken_inputs_and_outputs_leave_stubs() {
    let Outcome { lowered, .. } = front_end(
        "mod net {
            input a: f32[0];
            input b f32[4];
            input c: f32[4];
            output d: f32[1, 2] = nothing(c);
            output e = relu c;
            output f = relu(c);
        }",
    );
    let stubs: Vec<String> =
        lowered.stubs.iter().map(|stub| format!("{:?} {} {}", stub.port, stub.name.name, stub.declared)).collect();
    let output = "Output { kept: false }";
    let outputs = [format!("{output} d f32[1, 2]"), format!("{output} e ")];
    assert_eq!(stubs[..2], ["Input(Plain) a f32", "Input(Plain) b "]);
    assert_eq!(stubs[2..], outputs);
    assert_eq!(lowered.model.inputs.len(), 1);
    assert_eq!(lowered.model.outputs.len(), 1);
}

#[test]
fn invisible_groups_of_macros_are_looked_through() {
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    let wrap = |text: &str| TokenTree::Group(Group::new(Delimiter::None, text.parse().unwrap()));
    let inside = [
        "input x : f32".parse::<TokenStream>().unwrap(),
        TokenTree::Group(Group::new(Delimiter::Bracket, TokenStream::from(wrap("2 + 2")))).into(),
        "; output y =".parse().unwrap(),
        wrap("relu(x)").into(),
        ";".parse().unwrap(),
    ];
    let module = TokenTree::Group(Group::new(Delimiter::Brace, inside.into_iter().collect()));
    let header: TokenStream = "mod net".parse().unwrap();
    let tokens = [wrap("pub").into(), header, module.into()];
    let Outcome { lowered, found, .. } = support::front_end_of(tokens.into_iter().collect());
    assert_eq!(found.to_string(), "");
    assert_eq!(lowered.model.to_string(), "mod net\ninput x: f32[4]\ny = relu(x)\noutput y\n");
}
