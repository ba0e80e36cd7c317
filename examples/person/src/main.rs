//! Says of each test scene whether a person is in it.

use person::network::detector;
use person::scenes::{self, SIDE, Scene};

fn main() {
    println!("{}\n{}", detector::PLAN, detector::PLAN.map());
    let mut arena = detector::Arena::new();

    // One with a person and one without.
    for wanted in [1, 0] {
        let mut pairs = scenes::scenes().iter().zip(scenes::truth());
        let Some((scene, _)) = pairs.find(|(_, truth)| **truth == wanted) else { continue };
        draw(scene);
        let [nobody, somebody] = scores(&mut arena, scene);
        println!("{}\n", if somebody > nobody { "a person" } else { "nobody" });
    }

    let pairs = scenes::scenes().iter().zip(scenes::truth());
    let right = pairs.filter(|(scene, truth)| {
        let [nobody, somebody] = scores(&mut arena, scene);
        (somebody > nobody) == (**truth == 1)
    });
    println!("right in {} of {} scenes", right.count(), scenes::scenes().len());
}

fn scores(arena: &mut detector::Arena, scene: &Scene) -> [i8; 2] {
    let mut frame = arena.frame();
    for (slot, pixel) in frame.image().iter_mut().zip(scene) {
        *slot = scenes::to_i8(*pixel);
    }
    *frame.run().output_0()
}

/// Every second row, since letters are twice as high as wide.
fn draw(scene: &Scene) {
    const SHADES: [char; 5] = [' ', '.', '+', '#', '@'];
    for row in scene.chunks(SIDE).step_by(2) {
        println!("  |{}|", row.iter().map(|pixel| SHADES[usize::from(*pixel) / 52]).collect::<String>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_is_that_of_tensorflow_lite_micro() {
        let mut arena = detector::Arena::new();
        for (scene, wanted) in scenes::scenes().iter().zip(scenes::scores()) {
            assert_eq!(scores(&mut arena, scene), wanted.map(u8::cast_signed));
        }
    }
}
