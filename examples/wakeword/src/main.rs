//! Listens to a recording.

use wakeword::network::{WARM_UP, wakeword as network};
use wakeword::recording;

/// The score, of 127 at most, above which the word was said.
const SURE: i8 = 100;

fn main() {
    println!("{}\n{}", network::PLAN, network::PLAN.map());
    let mut arena = network::Arena::new();
    let mut listening = true;
    for (index, score) in listen(&mut arena).enumerate().skip(WARM_UP) {
        if score > SURE && listening {
            println!("at {}.{:02} s: waterline!", index / 50, index % 50 * 2);
        }
        listening = score <= SURE;
    }
}

/// The score after each frame.
fn listen(arena: &mut network::Arena) -> impl Iterator<Item = i8> {
    (0..recording::COUNT).map(|index| {
        let mut frame = arena.frame();
        *frame.frame() = recording::frame(index);
        let [score] = *frame.run().heard();
        score
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_at_a_time_gives_what_all_at_once_gives() {
        let mut arena = network::Arena::new();
        let scores: Vec<i8> = listen(&mut arena).skip(WARM_UP).collect();
        let wanted: Vec<i8> = recording::scores().iter().map(|score| score.cast_signed()).collect();
        assert_eq!(scores, wanted);

        // As good as new: nothing of the end is heard at the beginning.
        let first: Vec<i8> = listen(&mut network::Arena::new()).take(WARM_UP).collect();
        arena.reset();
        assert_eq!(listen(&mut arena).take(WARM_UP).collect::<Vec<_>>(), first);
    }
}
