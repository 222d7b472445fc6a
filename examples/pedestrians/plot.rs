//! Plots of curves and points, as SVG.

use std::fmt::Write;

/// A plot of one or more series.
pub struct Plot {
    /// Name of its file, without `.svg`.
    pub file: String,
    pub title: String,
    pub x: &'static str,
    pub y: &'static str,
    pub series: Vec<Series>,
}

/// Points of a plot, in the order they are joined.
pub struct Series {
    pub name: String,
    pub points: Vec<(f32, f32)>,
    pub mark: Mark,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Line,
    Dots,
}

impl Series {
    pub fn line(name: impl Into<String>, points: Vec<(f32, f32)>) -> Self {
        Self {
            name: name.into(),
            points,
            mark: Mark::Line,
        }
    }

    pub fn dots(name: impl Into<String>, points: Vec<(f32, f32)>) -> Self {
        Self {
            mark: Mark::Dots,
            ..Self::line(name, points)
        }
    }

    /// A curve `y = f(x)`.
    pub fn curve(name: impl Into<String>, from: f32, to: f32, f: impl Fn(f32) -> f32) -> Self {
        const STEPS: u16 = 60;
        let at = |step| from + (to - from) * f32::from(step) / f32::from(STEPS);
        let points = (0..=STEPS).map(|step| (at(step), f(at(step)))).collect();
        Self::line(name, points)
    }

    /// The points, in a color.
    fn draw(&self, svg: &mut String, axes: Axes, color: &str) {
        let finite = |point: &&(f32, f32)| point.0.is_finite() && point.1.is_finite();
        let points = self.points.iter().filter(finite).map(|&it| axes.place(it));
        match self.mark {
            Mark::Line => {
                let joined: Vec<_> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                let _ = writeln!(
                    svg,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"/>",
                    joined.join(" ")
                );
            }
            Mark::Dots => {
                for (x, y) in points {
                    let _ = writeln!(
                        svg,
                        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>"
                    );
                }
            }
        }
    }
}

const WIDTH: f32 = 480.0;
const HEIGHT: f32 = 300.0;
/// Left, top, right and bottom of the area of the points.
const AREA: [f32; 4] = [56.0, 30.0, 464.0, 256.0];
const COLORS: [&str; 7] = [
    "#1f5fa8", "#c2410c", "#15803d", "#7c3aed", "#a16207", "#be185d", "#475569",
];

/// The range of an axis, and the distance of its marks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    least: f32,
    most: f32,
    step: f32,
}

impl Axis {
    /// From zero, or from the least value if that is negative, in steps of 1, 2 or 5 times a power of ten.
    fn over(values: impl Iterator<Item = f32>) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (least, most) = finite.fold((0.0_f32, f32::MIN_POSITIVE), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        let rough = (most - least) / 5.0;
        let mut step = 1e-6;
        while step < rough {
            let next = [2.0, 5.0, 10.0].map(|factor| factor * step);
            step = next.into_iter().find(|it| *it >= rough).unwrap_or(next[2]);
        }
        Self {
            least: step * (least / step).floor(),
            most: step * (most / step).ceil(),
            step,
        }
    }

    /// From 0 to 1 along the axis.
    fn share(&self, value: f32) -> f32 {
        (value - self.least) / (self.most - self.least)
    }

    fn marks(self) -> impl Iterator<Item = f32> {
        let count = ((self.most - self.least) / self.step).round() as u16;
        (0..=count).map(move |at| self.least + self.step * f32::from(at))
    }
}

/// Both axes.
#[derive(Clone, Copy, Debug)]
struct Axes {
    x: Axis,
    y: Axis,
}

impl Axes {
    /// Where a point is in the picture.
    fn place(self, (x, y): (f32, f32)) -> (f32, f32) {
        let [left, top, right, bottom] = AREA;
        let across = left + (right - left) * self.x.share(x);
        (across, bottom + (top - bottom) * self.y.share(y))
    }

    /// The lines of a grid, with their numbers.
    fn draw(self, svg: &mut String) {
        let [left, top, right, bottom] = AREA;
        for at in self.x.marks() {
            let (across, _) = self.place((at, self.y.least));
            let _ = writeln!(
                svg,
                "<path d=\"M{across:.1} {top}V{bottom}\" stroke=\"#ddd\"/>\
                 <text x=\"{across:.1}\" y=\"270\" text-anchor=\"middle\">{}</text>",
                number(at)
            );
        }
        for at in self.y.marks() {
            let (_, up) = self.place((self.x.least, at));
            let (label, beside) = (up + 4.0, left - 6.0);
            let _ = writeln!(
                svg,
                "<path d=\"M{left} {up:.1}H{right}\" stroke=\"#ddd\"/>\
                 <text x=\"{beside}\" y=\"{label:.1}\" text-anchor=\"end\">{}</text>",
                number(at)
            );
        }
    }
}

impl Plot {
    pub fn svg(&self) -> String {
        let all = || self.series.iter().flat_map(|series| &series.points);
        let axes = Axes {
            x: Axis::over(all().map(|point| point.0)),
            y: Axis::over(all().map(|point| point.1)),
        };
        let [left, top, right, _] = AREA;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"{left}\" y=\"18\" font-size=\"13\">{}</text>\n",
            self.title
        );
        axes.draw(&mut svg);
        let _ = writeln!(
            svg,
            "<text x=\"260\" y=\"290\" text-anchor=\"middle\">{}</text>\
             <text x=\"14\" y=\"143\" text-anchor=\"middle\" transform=\"rotate(-90 14 143)\">{}</text>",
            self.x, self.y
        );
        for (index, series) in self.series.iter().enumerate() {
            let color = COLORS[index % COLORS.len()];
            series.draw(&mut svg, axes, color);
            let line = top + 14.0 * (1.0 + index as f32);
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{line}\" text-anchor=\"end\" fill=\"{color}\">{}</text>",
                right - 6.0,
                series.name
            );
        }
        svg + "</svg>\n"
    }
}

/// Without trailing zeros.
fn number(value: f32) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_mark() {
        let axis = Axis::over([0.3, 1.34].into_iter());
        assert_eq!((axis.least, axis.marks().count()), (0.0, 4));
        assert!((axis.most - 1.5).abs() < 1e-5, "{axis:?}");
        assert!((axis.share(0.75) - 0.5).abs() < 1e-5);
    }

    #[test]
    fn a_plot_leaves_out_what_is_no_number() {
        let plot = Plot {
            file: String::new(),
            title: String::new(),
            x: "",
            y: "",
            series: vec![Series::dots("", vec![(1.0, 2.0), (f32::NAN, 1.0)])],
        };
        assert_eq!(plot.svg().matches("<circle").count(), 1);
        assert!(!plot.svg().contains("NaN"));
    }

    #[test]
    fn numbers_have_no_trailing_zeros() {
        assert_eq!([0.5, 2.0, 0.0, -0.0001].map(number), ["0.5", "2", "0", "0"]);
    }
}
