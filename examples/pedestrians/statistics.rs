//! Means, straight lines and sums over samples.

/// The mean; zero of no samples.
pub fn mean(samples: impl IntoIterator<Item = f32>) -> f32 {
    let (mut sum, mut count) = (0.0_f64, 0_u32);
    for sample in samples {
        sum += f64::from(sample);
        count += 1;
    }
    (sum / f64::from(count.max(1))) as f32
}

/// The line of least squares through points, `y = intercept + slope · x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub intercept: f32,
    pub slope: f32,
    /// Share of the variance of y that the line explains, R².
    pub explained: f32,
}

impl Line {
    pub fn through(points: &[(f32, f32)]) -> Self {
        let x = mean(points.iter().map(|point| point.0));
        let y = mean(points.iter().map(|point| point.1));
        let moment = |f: fn(f32, f32) -> f32| mean(points.iter().map(|p| f(p.0 - x, p.1 - y)));
        let (xx, xy, yy) = (
            moment(|x, _| x * x),
            moment(|x, y| x * y),
            moment(|_, y| y * y),
        );
        let slope = xy / xx.max(f32::MIN_POSITIVE);
        Self {
            intercept: y - slope * x,
            slope,
            explained: slope * xy / yy.max(f32::MIN_POSITIVE),
        }
    }

    pub fn at(&self, x: f32) -> f32 {
        self.intercept + self.slope * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_give_that_line() {
        let points = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)];
        let line = Line::through(&points);
        assert!((line.intercept - 1.0).abs() < 1e-6 && (line.slope - 2.0).abs() < 1e-6);
        assert!((line.explained - 1.0).abs() < 1e-6 && (line.at(3.0) - 7.0).abs() < 1e-5);
    }

    #[test]
    fn points_around_a_line_are_explained_in_part() {
        let points = [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 1.0)];
        // Slope 0.2; of the variance 0.25 the line explains 0.2² · 1.25.
        let line = Line::through(&points);
        assert!((line.slope - 0.2).abs() < 1e-6 && (line.explained - 0.2).abs() < 1e-5);
    }
}
