//! Classifies handwritten digits with the same network in f32, in int8 and from a `.tflite` file.

use digits::images::{self, Image, SIDE};
use digits::networks::{f32 as float, int8, tflite};

fn main() {
    println!("{}\n{}", float::PLAN, float::PLAN.map());
    println!("{}\n{}", int8::PLAN, int8::PLAN.map());
    println!("{}\n{}", tflite::PLAN, tflite::PLAN.map());

    let mut float_arena = float::Arena::new();
    let mut int8_arena = int8::Arena::new();
    let mut tflite_arena = tflite::Arena::new();

    for (image, label) in images::images().iter().zip(images::labels()).take(1) {
        draw(image);
        let digit = classify_f32(&mut float_arena, image);
        println!("this is a {label}; the network says {digit}\n");
    }

    println!("accuracy over {} test images:", images::images().len());
    println!("  f32          {:.4}", accuracy(|image| classify_f32(&mut float_arena, image)));
    println!("  int8         {:.4}", accuracy(|image| classify_int8(&mut int8_arena, image)));
    println!("  int8 .tflite {:.4}", accuracy(|image| classify_tflite(&mut tflite_arena, image)));
}

fn classify_f32(arena: &mut float::Arena, image: &Image) -> usize {
    let mut frame = arena.frame();
    for (slot, pixel) in frame.image().iter_mut().zip(image) {
        *slot = images::to_f32(*pixel);
    }
    largest(frame.run().scores())
}

fn classify_int8(arena: &mut int8::Arena, image: &Image) -> usize {
    let mut frame = arena.frame();
    for (slot, pixel) in frame.image().iter_mut().zip(image) {
        *slot = images::to_i8(*pixel);
    }
    largest(frame.run().scores())
}

fn classify_tflite(arena: &mut tflite::Arena, image: &Image) -> usize {
    let mut frame = arena.frame();
    for (slot, pixel) in frame.image().iter_mut().zip(image) {
        *slot = images::to_i8(*pixel);
    }
    largest(frame.run().scores())
}

/// The index of the largest score, the first of equal ones.
fn largest<T: PartialOrd>(scores: &[T]) -> usize {
    (0..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best })
}

/// The share of test images that `classify` names right.
#[allow(clippy::cast_precision_loss, reason = "a few hundred images")]
fn accuracy(mut classify: impl FnMut(&Image) -> usize) -> f64 {
    let pairs = images::images().iter().zip(images::labels());
    let right = pairs.filter(|(image, label)| classify(image) == usize::from(**label)).count();
    right as f64 / images::images().len() as f64
}

fn draw(image: &Image) {
    const SHADES: [char; 5] = [' ', '.', '+', '#', '@'];
    for row in image.chunks(SIDE) {
        let line: String = row.iter().flat_map(|pixel| [SHADES[usize::from(*pixel).div_ceil(4)]; 2]).collect();
        println!("  |{line}|");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_is_accurate() {
        let (mut float_arena, mut int8_arena) = (float::Arena::new(), int8::Arena::new());
        let mut tflite_arena = tflite::Arena::new();
        let float = accuracy(|image| classify_f32(&mut float_arena, image));
        let int8 = accuracy(|image| classify_int8(&mut int8_arena, image));
        assert!(float >= 0.95, "{float}");
        let tflite = accuracy(|image| classify_tflite(&mut tflite_arena, image));
        assert!((float - int8).abs() <= 0.01, "{float} and {int8}");
        assert!((float - tflite).abs() <= 0.01, "{float} and {tflite}");
    }
}
