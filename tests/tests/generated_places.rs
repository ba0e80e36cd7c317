//! Where a `graph!` may stand, and what its constants mean there.

const HERE: [f32; 2] = [1.0, 2.0];

waterline::graph! { pub mod one { input x: f32[2]; param w: f32[2] = HERE; output y = add(x, w); } }
waterline::graph! { pub(crate) mod two { input x: f32[2]; param w: f32[2] = self::HERE; output y = mul(x, w); } }

mod outer {
    pub mod weights {
        pub const W: [f32; 2] = [30.0, 40.0];
    }

    pub mod inner {
        use super::weights;

        waterline::graph! {
            pub mod three {
                input x: f32[2];
                param up: f32[2] = super::weights::W;
                param used: f32[2] = weights::W;
                param root: f32[2] = crate::HERE;
                output y = add(add(x, up), add(used, root));
            }
        }
    }
}

#[test]
fn several_stand_in_one_module() {
    assert_eq!(one::run(&mut one::Arena::new(), &[1.0, 1.0]).y(), &[2.0, 3.0]);
    assert_eq!(two::run(&mut two::Arena::new(), &[3.0, 3.0]).y(), &[3.0, 6.0]);
}

#[test]
fn paths_mean_what_they_mean_beside_the_graph() {
    use outer::inner::three;
    assert_eq!(three::run(&mut three::Arena::new(), &[0.0, 0.0]).y(), &[61.0, 82.0]);
}

#[test]
fn functions_have_graphs_of_their_own() {
    const HERE: [f32; 2] = [100.0, 200.0];
    waterline::graph! { mod local { input x: f32[2]; param w: f32[2] = HERE; output y = add(x, w); } }
    assert_eq!(local::run(&mut local::Arena::new(), &[1.0, 1.0]).y(), &[101.0, 201.0]);
    {
        const HERE: [f32; 2] = [7.0, 8.0];
        waterline::graph! { mod local { input x: f32[2]; param w: f32[2] = HERE; output y = add(x, w); } }
        assert_eq!(local::run(&mut local::Arena::new(), &[1.0, 1.0]).y(), &[8.0, 9.0]);
    }
}
