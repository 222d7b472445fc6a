//! Means, straight lines and sums over samples.

pub use crate::shared::mean::mean;

/// The standard error of the mean of independent samples; zero of fewer than two.
pub fn standard_error(samples: &[f32]) -> f32 {
    let count = samples.len() as f32;
    if count < 2.0 {
        return 0.0;
    }
    let middle = mean(samples.iter().copied());
    let square = mean(samples.iter().map(|it| (it - middle) * (it - middle)));
    (square / (count - 1.0)).sqrt()
}

/// The top of the parabola through the three points with the largest y. If it does not lie among them, the
/// highest point.
pub fn top(points: &[(f32, f32)]) -> (f32, f32) {
    let mut highest = points.to_vec();
    highest.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [a, b, c] = match highest[..] {
        [a, b, c, ..] => [a, b, c],
        [a, ..] => return a,
        [] => return (0.0, 0.0),
    };
    // Newton's form through a, b and c.
    let first = (b.1 - a.1) / (b.0 - a.0);
    let second = ((c.1 - a.1) / (c.0 - a.0) - first) / (c.0 - b.0);
    let x = 0.5 * (a.0 + b.0) - 0.5 * first / second;
    let among = a.0.min(b.0).min(c.0)..=a.0.max(b.0).max(c.0);
    if second < 0.0 && among.contains(&x) {
        (x, a.1 + first * (x - a.0) + second * (x - a.0) * (x - b.0))
    } else {
        a
    }
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
        let weighted: Vec<_> = points.iter().map(|(x, y)| (*x, *y, 1.0)).collect();
        Self::weighted(&weighted)
    }

    /// Of points x and y with their weights.
    pub fn weighted(points: &[(f32, f32, f32)]) -> Self {
        let whole = mean(points.iter().map(|it| it.2)).max(f32::MIN_POSITIVE);
        let x = mean(points.iter().map(|it| it.2 * it.0)) / whole;
        let y = mean(points.iter().map(|it| it.2 * it.1)) / whole;
        let moment = |f: fn(f32, f32) -> f32| {
            mean(points.iter().map(|it| it.2 * f(it.0 - x, it.1 - y))) / whole
        };
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
    fn a_point_without_weight_does_not_move_the_line() {
        let line = Line::weighted(&[(0.0, 1.0, 2.0), (1.0, 3.0, 5.0), (2.0, 9.0, 0.0)]);
        assert!((line.intercept - 1.0).abs() < 1e-5 && (line.slope - 2.0).abs() < 1e-5);
    }

    #[test]
    fn the_top_of_a_parabola_lies_between_its_points() {
        let parabola = |x: f32| (x, 2.0 - (x - 1.6) * (x - 1.6));
        let (x, y) = top(&[0.5, 1.0, 1.5, 2.0, 3.0].map(parabola));
        assert!((x - 1.6).abs() < 1e-4 && (y - 2.0).abs() < 1e-4);
        assert_eq!(top(&[(0.0, 0.0), (1.0, 1.0), (2.0, 4.0)]), (2.0, 4.0));
    }

    #[test]
    fn the_standard_error_is_the_deviation_over_the_root_of_the_number() {
        // Deviation √2 of two samples.
        assert!((standard_error(&[1.0, 3.0]) - 1.0).abs() < 1e-6);
        assert_eq!(standard_error(&[1.0]), 0.0);
    }

    #[test]
    fn points_around_a_line_are_explained_in_part() {
        let points = [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 1.0)];
        // Slope 0.2; of the variance 0.25 the line explains 0.2² · 1.25.
        let line = Line::through(&points);
        assert!((line.slope - 0.2).abs() < 1e-6 && (line.explained - 0.2).abs() < 1e-5);
    }
}
