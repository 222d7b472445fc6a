//! [`FlowField`]: the grid of vectors that flow field following samples.

use std::fmt;
use std::sync::Arc;

use bevy::prelude::*;

use crate::InvalidParameter;

/// A grid of vectors in world coordinates: direction and urgency of motion.
///
/// Insert it on an entity that many agents share, or on the agent itself. It is immutable and cheap
/// to clone; insert another one to change it.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::FlowField;
/// // A whirl around the origin, 21 by 21 nodes, 1 m apart.
/// let corner = Vec2::splat(-10.0);
/// let whirl = FlowField::new(corner, 1.0, UVec2::splat(21), |node| {
///     (corner + node.as_vec2()).perp().normalize_or_zero()
/// })?;
/// assert_eq!(whirl.sample(Vec2::new(3.0, 0.0)), Vec2::Y);
/// assert_eq!(whirl.sample(Vec2::new(99.0, 0.0)), Vec2::ZERO);
/// # Ok::<(), bevy_steering2d_core::InvalidParameter>(())
/// ```
#[derive(Component, Reflect, Clone, PartialEq)]
#[reflect(opaque)]
#[reflect(Component, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(try_from = "Nodes", into = "Nodes"))]
#[cfg_attr(feature = "serialize", reflect(Serialize, Deserialize))]
pub struct FlowField(Arc<Nodes>);

#[derive(Clone, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Nodes {
    /// Position of the first node, m.
    corner: Vec2,
    /// Distance between adjacent nodes, m.
    spacing: f32,
    size: UVec2,
    /// Row by row.
    vectors: Vec<Vec2>,
    /// The length of the way from each node, m, [`NO_WAY`] where there is none; empty if unknown.
    #[cfg_attr(feature = "serialize", serde(default))]
    distances: Vec<f32>,
}

/// The length of a way that does not exist, m: finite, since not every format of saves knows infinity.
const NO_WAY: f32 = InvalidParameter::LARGEST;

impl Nodes {
    /// The number of nodes that the grid should have.
    fn count(&self) -> u64 {
        u64::from(self.size.x) * u64::from(self.size.y)
    }

    /// All nodes, row by row.
    fn nodes(&self) -> impl Iterator<Item = UVec2> + use<> {
        let UVec2 { x, y } = self.size;
        (0..y).flat_map(move |y| (0..x).map(move |x| UVec2::new(x, y)))
    }

    fn check_grid(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_finite("FlowField.corner", self.corner)?;
        InvalidParameter::unless_positive("FlowField.spacing", self.spacing)?;
        if (1..=FlowField::MAX_NODES).contains(&self.count()) {
            return Ok(());
        }
        let UVec2 { x, y } = self.size;
        Err(InvalidParameter {
            field: "FlowField.size",
            value: format!("{x} × {y} = {} nodes", self.count()).into(),
            must_be: "1 to 16777216 nodes",
        })
    }

    fn check_vectors(&self) -> Result<(), InvalidParameter> {
        let count = self.vectors.len();
        if count as u64 != self.count() {
            return Err(InvalidParameter {
                field: "FlowField.vectors",
                value: count.to_string().into(),
                must_be: "one per node",
            });
        }
        let mut all = self.vectors.iter();
        all.try_for_each(|&it| InvalidParameter::unless_finite("FlowField.vectors", it))
    }

    fn check_distances(&self) -> Result<(), InvalidParameter> {
        let count = self.distances.len();
        if count != 0 && count as u64 != self.count() {
            return Err(InvalidParameter {
                field: "FlowField.distances",
                value: count.to_string().into(),
                must_be: "one per node, or none",
            });
        }
        let mut all = self.distances.iter();
        all.try_for_each(|&it| InvalidParameter::unless_non_negative("FlowField.distances", it))
    }
}

impl FlowField {
    /// The most nodes of a field: 2²⁴, 128 MiB, and 64 MiB more with [distances](Self::with_distances). Single precision
    /// tells that many apart along an axis.
    pub const MAX_NODES: u64 = 1 << 24;

    /// Copies fields and returns the memory that keeps them, bytes.
    pub(crate) fn copy_all(fields: &[Self], into: &mut Vec<Self>) -> usize {
        fields.clone_into(into);
        let nodes = fields.iter().map(|field| &field.0);
        nodes
            .map(|it| size_of_val(&*it.vectors) + size_of_val(&*it.distances))
            .sum()
    }

    /// A field of `size` nodes, `spacing` m apart, the first one at `corner`. `vector` returns the
    /// vector of a node: the direction of motion, with the urgency, `0..=1`, as its length.
    ///
    /// # Errors
    /// If the corner or a vector is not finite, the spacing is not positive, or there are no nodes
    /// or more than [`MAX_NODES`](Self::MAX_NODES). `vector` is called only for a valid grid.
    pub fn new(
        corner: Vec2,
        spacing: f32,
        size: UVec2,
        mut vector: impl FnMut(UVec2) -> Vec2,
    ) -> Result<Self, InvalidParameter> {
        let mut field = Nodes {
            corner,
            spacing,
            size,
            vectors: Vec::new(),
            distances: Vec::new(),
        };
        field.check_grid()?;
        field.vectors = field.nodes().map(&mut vector).collect();
        Self::checked(field)
    }

    /// The same field with the length of the way from each node to where the field leads, m, `≥ 0`; infinite where there is
    /// no way. Agents with [`ReciprocalAvoidance`](crate::ReciprocalAvoidance) then know who of them has the shorter way, as
    /// those that follow paths do, and get through a door sooner. The field of a `GoalField` has them.
    ///
    /// # Errors
    /// If a length is negative or not a number.
    pub fn with_distances(
        self,
        mut distance: impl FnMut(UVec2) -> f32,
    ) -> Result<Self, InvalidParameter> {
        let mut nodes = Self::into_nodes(self);
        // Not a number stays one, and is refused.
        let known = |distance: f32| if distance > NO_WAY { NO_WAY } else { distance };
        nodes.distances = nodes.nodes().map(|node| known(distance(node))).collect();
        nodes.check_distances()?;
        Ok(Self(Arc::new(nodes)))
    }

    fn into_nodes(self) -> Nodes {
        Arc::try_unwrap(self.0).unwrap_or_else(|shared| Nodes::clone(&shared))
    }

    fn checked(nodes: Nodes) -> Result<Self, InvalidParameter> {
        nodes.check_grid()?;
        nodes.check_vectors()?;
        nodes.check_distances()?;
        Ok(Self(Arc::new(nodes)))
    }

    /// The position of the first node, m.
    pub fn corner(&self) -> Vec2 {
        self.0.corner
    }

    /// The distance between adjacent nodes, m.
    pub fn spacing(&self) -> f32 {
        self.0.spacing
    }

    /// The number of nodes along x and along y.
    pub fn size(&self) -> UVec2 {
        self.0.size
    }

    /// The vector at a position, m, interpolated between the four nodes around it. Beyond the
    /// outermost nodes it fades to zero over one spacing, and is exactly zero from there on.
    pub fn sample(&self, position: Vec2) -> Vec2 {
        let Some((cell, share)) = self.cell(position) else {
            return Vec2::ZERO;
        };
        let node = |x, y| self.node(cell + IVec2::new(x, y));
        let below = node(0, 0).lerp(node(1, 0), share.x);
        let above = node(0, 1).lerp(node(1, 1), share.x);
        below.lerp(above, share.y)
    }

    /// The length of the way from a position, m: over the best of the four nodes around it. `None` if there is no way, the
    /// field has no [distances](Self::with_distances), and outside of it.
    pub fn distance_at(&self, position: Vec2) -> Option<f32> {
        let Nodes {
            spacing, distances, ..
        } = &*self.0;
        let (cell, share) = self.cell(position)?;
        let over = |step: IVec2| {
            let left = *distances.get(self.index(cell + step)?)?;
            (left < NO_WAY).then(|| left + spacing * share.distance(step.as_vec2()))
        };
        let around = [IVec2::ZERO, IVec2::X, IVec2::Y, IVec2::ONE];
        around.into_iter().filter_map(over).min_by(f32::total_cmp)
    }

    /// The first of the four nodes around a position, perhaps outside the grid, and how far the position is from it, in
    /// spacings; `None` if all four are outside.
    fn cell(&self, position: Vec2) -> Option<(IVec2, Vec2)> {
        let grid = (position - self.0.corner) / self.0.spacing;
        let outside = grid.cmple(Vec2::NEG_ONE) | grid.cmpge(self.0.size.as_vec2());
        if outside.any() || !grid.is_finite() {
            return None;
        }
        let cell = grid.floor();
        Some((cell.as_ivec2(), grid - cell))
    }

    /// The index of a node; `None` outside the grid.
    fn index(&self, at: IVec2) -> Option<usize> {
        let size = self.0.size.as_ivec2();
        let inside = at.cmpge(IVec2::ZERO) & at.cmplt(size);
        inside
            .all()
            .then(|| at.y as usize * self.0.size.x as usize + at.x as usize)
    }

    /// The vector of a node; zero outside the grid.
    fn node(&self, at: IVec2) -> Vec2 {
        self.index(at).map_or(Vec2::ZERO, |at| self.0.vectors[at])
    }
}

impl fmt::Debug for FlowField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlowField")
            .field("corner", &self.0.corner)
            .field("spacing", &self.0.spacing)
            .field("size", &self.0.size)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "serialize")]
impl TryFrom<Nodes> for FlowField {
    type Error = InvalidParameter;

    fn try_from(nodes: Nodes) -> Result<Self, InvalidParameter> {
        Self::checked(nodes)
    }
}

#[cfg(feature = "serialize")]
impl From<FlowField> for Nodes {
    fn from(field: FlowField) -> Self {
        Self::clone(&field.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::assert_close;

    /// 2 by 2 nodes, 2 m apart, from (10, 10); x and y grow with the coordinates.
    fn field() -> FlowField {
        FlowField::new(Vec2::splat(10.0), 2.0, UVec2::splat(2), |node| {
            node.as_vec2()
        })
        .unwrap()
    }

    #[test]
    fn samples_are_interpolated_between_nodes() {
        let at = |x, y| field().sample(Vec2::new(x, y));
        assert_close(at(10.0, 10.0), Vec2::ZERO);
        assert_close(at(12.0, 12.0), Vec2::ONE);
        assert_close(at(11.0, 10.5), Vec2::new(0.5, 0.25));
    }

    #[test]
    fn samples_fade_to_exactly_zero_outside() {
        let at = |x, y| field().sample(Vec2::new(x, y));
        assert_close(at(13.0, 12.0), Vec2::splat(0.5));
        for (x, y) in [(14.0, 12.0), (-1e9, 3.0), (12.0, 1e30), (f32::NAN, 12.0)] {
            assert_eq!(at(x, y), Vec2::ZERO);
        }
    }

    #[test]
    fn invalid_fields_are_rejected() {
        let new = |spacing, size, vector| FlowField::new(Vec2::ZERO, spacing, size, |_| vector);
        let field = |result: Result<FlowField, InvalidParameter>| result.unwrap_err().field;
        assert_eq!(field(new(0.0, UVec2::ONE, Vec2::X)), "FlowField.spacing");
        assert_eq!(field(new(1.0, UVec2::ZERO, Vec2::X)), "FlowField.size");
        assert_eq!(field(new(1.0, UVec2::ONE, Vec2::NAN)), "FlowField.vectors");
        for corner in [Vec2::NAN, Vec2::INFINITY] {
            let nowhere = FlowField::new(corner, 1.0, UVec2::ONE, |_| Vec2::X);
            assert_eq!(field(nowhere), "FlowField.corner");
        }
    }

    #[test]
    fn a_field_with_too_many_nodes_is_rejected_before_any_vector_is_computed() {
        for (size, number) in [
            (UVec2::MAX, "18446744065119617025"),
            (UVec2::new(4097, 4096), "16781312"),
            (UVec2::new(1, u32::MAX), "4294967295"),
        ] {
            let new = FlowField::new(Vec2::ZERO, 1.0, size, |node| panic!("{node}"));
            let error = new.unwrap_err();
            assert_eq!(error.field, "FlowField.size");
            for part in [number, &FlowField::MAX_NODES.to_string()] {
                assert!(error.to_string().contains(part), "{error}");
            }
        }
    }

    #[test]
    fn the_distance_is_that_over_the_best_node_around() {
        assert_eq!(field().distance_at(Vec2::splat(11.0)), None, "unknown");
        let left = |node: UVec2| if node.y == 0 { 7.0 } else { f32::INFINITY };
        let field = field().with_distances(left).unwrap();
        let at = |x, y| field.distance_at(Vec2::new(x, y));
        assert_eq!(at(10.0, 10.0), Some(7.0));
        assert_eq!(at(10.5, 10.0), Some(7.5));
        assert_eq!(at(11.5, 10.0), Some(7.5));
        assert_eq!(at(10.0, 13.0), None, "no way");
        for (x, y) in [(10.0, 99.0), (-1e30, 10.0), (f32::NAN, 10.0)] {
            assert_eq!(at(x, y), None, "outside");
        }
    }

    #[test]
    fn distances_that_are_negative_or_no_number_are_rejected() {
        for distance in [-1.0, f32::NAN] {
            let error = field().with_distances(|_| distance).unwrap_err();
            assert_eq!(error.field, "FlowField.distances");
        }
    }

    #[test]
    fn a_field_returns_its_corner_spacing_and_size() {
        let field = field();
        assert_eq!((field.corner(), field.spacing()), (Vec2::splat(10.0), 2.0));
        assert_eq!(field.size(), UVec2::splat(2));
    }
}
