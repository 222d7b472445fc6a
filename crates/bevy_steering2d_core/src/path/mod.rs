//! [`SteeringPath`]: the polyline that path-following behaviors follow.

mod offset;
mod search;

use std::fmt;
use std::sync::Arc;

use bevy::prelude::*;

use crate::{InvalidParameter, digest};

/// A polyline in world coordinates, open or looped; what any pathfinder returns becomes one.
///
/// Put it on the agent, or on an entity of its own that many agents share; see
/// [`PathFollowing`](crate::PathFollowing). It is immutable and its points are shared, so a clone is
/// cheap. To change the path, insert another one. The transform of its entity is ignored.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{PathFollowing, PathError, PointMass, SteeringPath};
/// fn spawn(mut commands: Commands) -> Result {
///     // One agent with a path of its own.
///     let home = SteeringPath::open([Vec2::ZERO, Vec2::new(9.0, 0.0), Vec2::new(9.0, 5.0)])?;
///     commands.spawn((PointMass::default(), PathFollowing::default(), home));
///
///     // A patrol: three agents share one loop.
///     let round = SteeringPath::looped([Vec2::ZERO, Vec2::new(8.0, 0.0), Vec2::new(4.0, 6.0)])?;
///     let round = commands.spawn(round).id();
///     for _ in 0..3 {
///         commands.spawn((PointMass::default(), PathFollowing::new(round)));
///     }
///     Ok(())
/// }
/// # let mut app = App::new();
/// app.add_systems(Startup, spawn);
/// # app.update();
/// ```
///
/// # Valid points
///
/// | points | result |
/// |---|---|
/// | none | [`PathError::Empty`] |
/// | NaN or infinite | [`PathError::NotFinite`] with the index |
/// | so far apart that the path or a coordinate is beyond 10⁹ m | [`PathError::TooLong`] |
/// | one | a path of length zero: a point to go to |
/// | repeated | merged; in a loop also the last with the first |
///
/// # From a pathfinder
///
/// `NavigateTo` (feature `navigation`) finds paths and inserts them, also over navigation meshes of
/// `vleue_navigator`. With a pathfinder of your own, insert the corners that it returns, two-dimensional and in world
/// coordinates, and insert them again whenever it has replanned; begin the path where the agent is:
///
/// ```text
/// let here = transform.translation.truncate();
/// if let Some(found) = pathfinder.path(here, goal) {
///     let corners = std::iter::once(here).chain(found.path);
///     commands.entity(agent).insert((SteeringPath::open(corners)?, PathFollowing::default()));
/// }
/// ```
///
/// Grid pathfinders such as `bevy_northstar` return cells: map each to the center of its tile
/// first. Project three-dimensional corners with `corners.iter().map(|p| p.truncate())`.
#[derive(Component, Reflect, Clone)]
#[reflect(opaque)]
#[reflect(Component, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(try_from = "Outline", into = "Outline"))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct SteeringPath(Arc<Polyline>);

#[derive(Debug)]
struct Polyline {
    points: Vec<Vec2>,
    /// Arc length from the first point to each point, m.
    arcs: Vec<f32>,
    /// Including the closing segment if looped, m.
    length: f32,
    looped: bool,
    identity: u64,
}

impl SteeringPath {
    /// Copies paths and returns the memory that keeps them, bytes.
    pub(crate) fn copy_all(paths: &[Self], into: &mut Vec<Self>) -> usize {
        paths.clone_into(into);
        let lines = paths.iter().map(|path| &path.0);
        lines
            .map(|it| size_of_val(&*it.points) + size_of_val(&*it.arcs))
            .sum()
    }
}

/// Why points are not a valid path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathError {
    /// There are no points, or no room for an [`offset`](SteeringPath::offset) inside of a loop.
    Empty,
    /// A coordinate is NaN or infinite.
    NotFinite {
        /// The index of the point.
        index: usize,
    },
    /// The length or a coordinate is above [`InvalidParameter::LARGEST`].
    TooLong,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a path needs at least one point"),
            Self::NotFinite { index } => write!(f, "point {index} of the path is not finite"),
            Self::TooLong => f.write_str("the path is longer than 1e9 m, or as far away"),
        }
    }
}

impl std::error::Error for PathError {}

/// A point on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathPoint {
    /// World position, m.
    pub position: Vec2,
    /// Arc length from the first point, m, `0..=length`.
    pub arc: f32,
    /// The segment, from point `segment` to the next.
    pub segment: usize,
}

impl SteeringPath {
    /// An open path, with a start and an end.
    ///
    /// # Errors
    /// Without points, with one that is not finite, or if it is longer than
    /// [`InvalidParameter::LARGEST`] or as far away.
    pub fn open(points: impl IntoIterator<Item = Vec2>) -> Result<Self, PathError> {
        Self::new(points, false)
    }

    /// A looped path: the last point is connected to the first.
    ///
    /// # Errors
    /// Without points, with one that is not finite, or if it is longer than
    /// [`InvalidParameter::LARGEST`] or as far away.
    #[doc(alias("closed"))]
    pub fn looped(points: impl IntoIterator<Item = Vec2>) -> Result<Self, PathError> {
        Self::new(points, true)
    }

    fn new(points: impl IntoIterator<Item = Vec2>, looped: bool) -> Result<Self, PathError> {
        let points = merged(points, looped)?;
        let identity = fingerprint(&points, looped);
        Self::measured(points, looped, identity)
    }

    fn measured(points: Vec<Vec2>, looped: bool, identity: u64) -> Result<Self, PathError> {
        let mut length = 0.0;
        let mut arcs = Vec::with_capacity(points.len());
        for (index, &point) in points.iter().enumerate() {
            if index > 0 {
                length += points[index - 1].distance(point);
            }
            arcs.push(length);
        }
        if looped {
            length += points[points.len() - 1].distance(points[0]);
        }
        let is_near = points.iter().copied().all(InvalidParameter::is_in_range);
        if !is_near || length > InvalidParameter::LARGEST {
            return Err(PathError::TooLong);
        }
        Ok(Self(Arc::new(Polyline {
            points,
            arcs,
            length,
            looped,
            identity,
        })))
    }

    /// The same path moved by an offset, m. Agents keep their progress along it, while any other
    /// new path resets it.
    ///
    /// # Errors
    /// When a point is not finite after the move, or is farther away than
    /// [`InvalidParameter::LARGEST`].
    pub fn translated(&self, by: Vec2) -> Result<Self, PathError> {
        let points: Vec<_> = self.points().iter().map(|point| point + by).collect();
        if let Some(index) = points.iter().position(|point| !point.is_finite()) {
            return Err(PathError::NotFinite { index });
        }
        Self::measured(points, self.is_looped(), self.0.identity)
    }

    /// The points without repetitions, m; at least one.
    pub fn points(&self) -> &[Vec2] {
        &self.0.points
    }

    /// Whether the last point is connected to the first.
    pub fn is_looped(&self) -> bool {
        self.0.looped
    }

    /// The length, m; of a loop, once around.
    pub fn length(&self) -> f32 {
        self.0.length
    }

    /// The number of segments, including the one that closes a loop.
    pub fn segments(&self) -> usize {
        let points = self.points().len();
        if self.is_looped() && points > 1 {
            points
        } else {
            points - 1
        }
    }

    /// A fingerprint of the path; [`translated`](Self::translated) keeps it.
    pub(crate) fn identity(&self) -> u64 {
        self.0.identity
    }

    /// An arc length within `0..=length`: wrapped around a loop, clamped for an open path.
    pub fn wrap(&self, arc: f32) -> f32 {
        let length = self.length();
        if self.is_looped() && length > 0.0 {
            let wrapped = arc.rem_euclid(length);
            // Rounding can give the length itself.
            if wrapped < length { wrapped } else { 0.0 }
        } else {
            arc.max(0.0).min(length)
        }
    }

    /// The way along the path from one arc length to another, m; negative if that is behind. On a loop it is the shorter way
    /// around, `−length/2..length/2`: what a car has driven since its last arc length, or how far another is ahead.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_steering2d_core::SteeringPath;
    /// let square = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)].map(Vec2::from);
    /// let track = SteeringPath::looped(square)?;
    /// assert_eq!(track.ahead(39.0, 1.0), 2.0);
    /// assert_eq!(track.ahead(1.0, 39.0), -2.0);
    /// # Ok::<(), bevy_steering2d_core::PathError>(())
    /// ```
    pub fn ahead(&self, from: f32, to: f32) -> f32 {
        if self.is_looped() {
            let half = 0.5 * self.length();
            self.wrap(to - from + half) - half
        } else {
            self.wrap(to) - self.wrap(from)
        }
    }

    /// The arc length at a point of the path, m.
    ///
    /// # Panics
    /// When the path has no such point.
    pub fn arc_of(&self, point: usize) -> f32 {
        self.0.arcs[point]
    }

    /// The point at an arc length.
    pub fn at(&self, arc: f32) -> PathPoint {
        let arc = self.wrap(arc);
        // The last point at or before the arc starts the segment.
        let before = self.0.arcs.partition_point(|&start| start <= arc);
        let last = self.segments().saturating_sub(1);
        let segment = before.saturating_sub(1).min(last);
        let (from, _) = self.segment(segment);
        PathPoint {
            position: from + self.direction(segment) * (arc - self.0.arcs[segment]),
            arc,
            segment,
        }
    }

    /// The position at an arc length of an open path, m, at or behind the segment that leads to a point. The search begins
    /// there.
    pub(crate) fn position_from(&self, point: usize, arc: f32) -> Vec2 {
        let Polyline { points, arcs, .. } = &*self.0;
        let ahead = |&at: &usize| arcs[at] >= arc;
        let Some(next) = (point.max(1)..points.len()).find(ahead) else {
            return points[points.len() - 1];
        };
        // Far along a path, two points may have one arc length.
        let length = (arcs[next] - arcs[next - 1]).max(f32::MIN_POSITIVE);
        let share = (arc - arcs[next - 1]) / length;
        points[next - 1].lerp(points[next], share.clamp(0.0, 1.0))
    }

    /// Unit vector along a segment; zero for a path of one point.
    ///
    /// # Panics
    /// When the path has no such segment.
    pub fn direction(&self, segment: usize) -> Vec2 {
        let (from, to) = self.segment(segment);
        (to - from).normalize_or_zero()
    }

    fn segment(&self, segment: usize) -> (Vec2, Vec2) {
        let points = self.points();
        let next = (segment + 1) % points.len();
        (points[segment], points[next])
    }
}

/// Points at less than this distance are merged, relative to their distance from the origin.
const SAME: f32 = 2.0 * f32::EPSILON;

fn same(a: Vec2, b: Vec2) -> bool {
    a.distance(b) <= SAME * a.abs().max(b.abs()).max_element().max(1.0)
}

fn merged(points: impl IntoIterator<Item = Vec2>, looped: bool) -> Result<Vec<Vec2>, PathError> {
    let mut kept: Vec<Vec2> = Vec::new();
    let mut end = Vec2::ZERO;
    for (index, point) in points.into_iter().enumerate() {
        if !point.is_finite() {
            return Err(PathError::NotFinite { index });
        }
        if kept.last().is_none_or(|&last| !same(last, point)) {
            kept.push(point);
        }
        end = point;
    }
    if !looped && let [_, .., last] = &mut kept[..] {
        *last = end;
    }
    while looped && kept.len() > 1 && same(kept[0], kept[kept.len() - 1]) {
        kept.pop();
    }
    if kept.is_empty() {
        return Err(PathError::Empty);
    }
    kept.shrink_to_fit();
    Ok(kept)
}

/// A digest of the points, bit for bit: equal for equal paths, on every run.
fn fingerprint(points: &[Vec2], looped: bool) -> u64 {
    let bits = points.iter().flat_map(Vec2::to_array);
    let words = bits.map(f32::to_bits).chain([u32::from(looped)]);
    digest(words.flat_map(u32::to_le_bytes))
}

impl fmt::Debug for SteeringPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SteeringPath")
            .field("points", &self.points())
            .field("looped", &self.is_looped())
            .finish()
    }
}

impl PartialEq for SteeringPath {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.points() == other.points() && self.is_looped() == other.is_looped())
    }
}

/// The serialized form of a path.
#[cfg(feature = "serialize")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Outline {
    points: Vec<Vec2>,
    looped: bool,
    /// Of a translated path, the identity of the one that it was made from; else it follows from the points.
    #[serde(default)]
    identity: Option<u64>,
}

#[cfg(feature = "serialize")]
impl TryFrom<Outline> for SteeringPath {
    type Error = PathError;

    fn try_from(outline: Outline) -> Result<Self, PathError> {
        let path = Self::new(outline.points.iter().copied(), outline.looped)?;
        match outline.identity {
            Some(identity) if path.points() == outline.points => {
                Self::measured(outline.points, outline.looped, identity)
            }
            _ => Ok(path),
        }
    }
}

#[cfg(feature = "serialize")]
impl From<SteeringPath> for Outline {
    fn from(path: SteeringPath) -> Self {
        let own = fingerprint(path.points(), path.is_looped());
        Self {
            points: path.points().to_vec(),
            looped: path.is_looped(),
            identity: (path.identity() != own).then_some(path.identity()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::behaviors::testing::assert_close;

    pub(crate) fn corner() -> [Vec2; 3] {
        // 4 m east, then 3 m north; the closing segment is 5 m.
        [Vec2::ZERO, Vec2::new(4.0, 0.0), Vec2::new(4.0, 3.0)]
    }

    #[test]
    fn open_paths_end_and_loops_are_closed() {
        let open = SteeringPath::open(corner()).unwrap();
        assert_eq!((open.length(), open.segments()), (7.0, 2));
        assert_eq!(open.at(99.0).position, Vec2::new(4.0, 3.0));
        assert_eq!(open.at(-1.0).position, Vec2::ZERO);
        let looped = SteeringPath::looped(corner()).unwrap();
        assert_eq!((looped.length(), looped.segments()), (12.0, 3));
        // Halfway along the closing segment.
        assert_close(looped.at(9.5).position, Vec2::new(2.0, 1.5));
        assert_close(looped.at(12.0 + 9.5).position, Vec2::new(2.0, 1.5));
        assert_eq!(looped.at(-2.5).segment, 2);
    }

    #[test]
    fn a_position_is_found_from_a_point_before_it() {
        let open = SteeringPath::open(corner()).unwrap();
        for arc in [0.0, 1.0, 4.0, 6.5, 7.0, 99.0] {
            assert_close(open.position_from(0, arc), open.at(arc).position);
        }
        assert_close(open.position_from(2, 6.5), open.at(6.5).position);
        let point = SteeringPath::open([Vec2::X]).unwrap();
        assert_eq!(point.position_from(0, 1.0), Vec2::X);
    }

    #[test]
    fn repeated_points_are_merged() {
        let repeated = corner().into_iter().flat_map(|point| [point, point]);
        let path = SteeringPath::open(repeated).unwrap();
        assert_eq!(path.points(), corner());
        let closed_explicitly = corner().into_iter().chain([Vec2::ZERO]);
        let looped = SteeringPath::looped(closed_explicitly).unwrap();
        assert_eq!(looped.points(), corner());
    }

    #[test]
    fn a_path_far_from_the_origin_ends_at_its_last_point() {
        let xs = [3e5, 300_030.0, 300_030.25];
        let path = SteeringPath::open(xs.map(|x| Vec2::new(x, 0.0))).unwrap();
        assert_eq!(path.points().last(), Some(&Vec2::new(xs[2], 0.0)));
        let end = Vec2::new(3e5 + 0.03, 0.0);
        let path = SteeringPath::open([Vec2::ZERO, Vec2::new(3e5, 0.0), end]).unwrap();
        assert_eq!(path.points().last(), Some(&end));
    }

    #[test]
    fn one_point_is_a_path_of_length_zero() {
        let here = Vec2::new(2.0, 1.0);
        for path in [
            SteeringPath::open([here; 3]),
            SteeringPath::looped([here; 3]),
        ] {
            let path = path.unwrap();
            assert_eq!((path.length(), path.segments()), (0.0, 0));
            assert_eq!(path.at(5.0).position, here);
            assert_eq!(path.closest(Vec2::ZERO).position, here);
            assert_eq!(path.closest_between(Vec2::ZERO, -1.0, 3.0).position, here);
            assert_eq!(path.direction(0), Vec2::ZERO);
            assert_eq!(path.corners_between(-1.0, 3.0).count(), 0);
        }
    }

    #[test]
    fn invalid_points_are_rejected_with_an_error() {
        assert_eq!(SteeringPath::open([]), Err(PathError::Empty));
        let error = SteeringPath::looped([Vec2::ZERO, Vec2::NAN]).unwrap_err();
        assert_eq!(error.to_string(), "point 1 of the path is not finite");
        let error = SteeringPath::open([Vec2::splat(f32::MIN), Vec2::splat(f32::MAX)]);
        assert_eq!(error, Err(PathError::TooLong));
    }

    #[test]
    fn translation_keeps_the_identity_of_a_path() {
        let path = SteeringPath::open(corner()).unwrap();
        let moved = path.translated(Vec2::new(0.0, 5.0)).unwrap();
        assert_eq!(moved.points()[1], Vec2::new(4.0, 5.0));
        assert_eq!(moved.identity(), path.identity());
        let looped = SteeringPath::looped(corner()).unwrap();
        assert_ne!(looped.identity(), path.identity());
        assert!(path.translated(Vec2::INFINITY).is_err());
    }
}
