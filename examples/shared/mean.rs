//! The mean of measurements.

/// The mean; zero of no samples.
pub fn mean(samples: impl IntoIterator<Item = f32>) -> f32 {
    let (mut sum, mut count) = (0.0_f64, 0_u32);
    for sample in samples {
        sum += f64::from(sample);
        count += 1;
    }
    (sum / f64::from(count.max(1))) as f32
}
