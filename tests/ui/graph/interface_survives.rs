// The interface of a network with errors is still there, so that its users have none.
waterline::graph! {
    /// Everything about its interface is known.
    mod net {
        input image: f32[1, 8, 8, 1];
        input gains: f32[8] kept;
        input table: f32[1, 8] borrowed;
        param w: f32[8, 3, 3, 1] = random(1);
        let h = image.conv2d(w, strid = 2, padding = same).relu().mul(gains);
        let pooled: f32[1, 8] = h.global_avg_pool().reshape(shape = [1, 8]);
        output scores: f32[1, 8] = softmax(add(pooled, table));
        output features: f32[1, 8] kept = pooled;
        output quantised: i8[1, 8] q(0.5, 0) = quantize(pooled);
        output table_again = table;
    }
}

waterline::graph! {
    mod broken {
        input x: f33[4];
        input n: f32 4;
        input q: i8[4] q(0.5, 0);
        output y = relu(x);
        output z = relu(q);
    }
}

fn main() {
    let table = [0.0; 8];
    let mut arena = net::Arena::new();
    let mut frame = arena.frame(&table);
    frame.image()[27] = 1.0;
    *frame.image() = [0.0; 64];
    *frame.gains() = [1.0; 8];
    let outputs = frame.run_with(&mut ());
    let scores: &[f32; 8] = outputs.scores();
    let _ = (scores, outputs.features(), outputs.table_again(), net::Outputs::QUANTISED.dequantize(outputs.quantised()[0]));
    let frame = arena.frame(&table);
    let _: &[f32; 8] = frame.features();
    let mut stepper = frame.steps();
    while let Some(step) = stepper.step() {
        let _ = step.name;
    }
    let _ = stepper.finish();
    let _ = net::run(&mut arena, &[0.0; 64], &[0.0; 8], &table).scores();
    let _ = (net::ARENA_BYTES, net::PLAN.steps, net::MACS);

    let mut arena = broken::Arena::new();
    let mut frame = arena.frame();
    frame.x().fill(1.0);
    frame.n().fill(1.0);
    frame.q()[0] = broken::Frame::Q.quantize(1.0);
    let outputs = frame.run();
    let _: f32 = outputs.y().iter().sum();
    let _ = outputs.z();
}
