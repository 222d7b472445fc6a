//! [`GroundCost`], and the costs of a field's cells: solids, ground and crowd.

use std::cmp::Ordering;

use bevy::prelude::*;
use bevy_steering2d_core::InvalidParameter;
use bevy_steering2d_core::perception::order_of;

use super::TravelTimes;
use crate::Solid;

/// Ground that is slower or faster to cross, for [`GoalField`](crate::GoalField)s: mud, a road. Where
/// several overlap their costs are multiplied.
///
/// It changes which way agents choose, not how fast they move.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundCost {
    /// The ground, in world coordinates, m. Default a square of 1 m around the origin.
    pub area: Rect,
    /// Cost of a meter, where it is 1 elsewhere, `0.1..=100`. Default `5`.
    pub cost: f32,
}

impl Default for GroundCost {
    fn default() -> Self {
        Self {
            area: Rect::from_center_size(Vec2::ZERO, Vec2::ONE),
            cost: 5.0,
        }
    }
}

impl GroundCost {
    /// Ground in an area, m, with a cost per meter.
    pub fn new(area: Rect, cost: f32) -> Self {
        Self { area, cost }
    }

    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// Names the first field that is not.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_finite("GroundCost.area", self.area.min)?;
        InvalidParameter::unless_finite("GroundCost.area", self.area.max)?;
        if self.area.is_empty() {
            return Err(InvalidParameter {
                field: "GroundCost.area",
                value: self.area.size().into(),
                must_be: "wider and higher than zero",
            });
        }
        let range = TravelTimes::SMALLEST_COST..=TravelTimes::LARGEST_COST;
        if range.contains(&self.cost) {
            return Ok(());
        }
        Err(InvalidParameter {
            field: "GroundCost.cost",
            value: self.cost.into(),
            must_be: "between 0.1 and 100",
        })
    }

    /// By place, then by cost.
    pub(super) fn total_order(&self, other: &Self) -> Ordering {
        let key = |it: &Self| {
            let Rect { min, max } = it.area;
            [min.x, min.y, max.x, max.y, it.cost]
        };
        order_of(key(self), key(other))
    }
}

/// The nodes of a field: where they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    pub(super) corner: Vec2,
    pub(super) spacing: f32,
    pub(super) size: UVec2,
}

impl Lattice {
    pub(super) fn position(&self, node: UVec2) -> Vec2 {
        self.corner + self.spacing * node.as_vec2()
    }

    /// All nodes, row by row.
    pub(super) fn nodes(&self) -> impl Iterator<Item = UVec2> + use<> {
        let UVec2 { x, y } = self.size;
        (0..y).flat_map(move |y| (0..x).map(move |x| UVec2::new(x, y)))
    }

    /// The node nearest to a point; `None` outside.
    pub(super) fn nearest(&self, point: Vec2) -> Option<UVec2> {
        let node = ((point - self.corner) / self.spacing).round();
        let inside = node.cmpge(Vec2::ZERO) & node.cmplt(self.size.as_vec2());
        inside.all().then(|| node.as_uvec2())
    }

    /// The four nodes around a point, perhaps outside.
    pub(super) fn around(&self, point: Vec2) -> [UVec2; 4] {
        let first = ((point - self.corner) / self.spacing).floor().as_ivec2();
        [IVec2::ZERO, IVec2::X, IVec2::Y, IVec2::ONE].map(|step| (first + step).as_uvec2())
    }

    pub(super) fn index(&self, node: UVec2) -> usize {
        node.y as usize * self.size.x as usize + node.x as usize
    }

    /// Visits the nodes within a rectangle, m.
    pub(super) fn for_each_in(&self, area: Rect, mut visit: impl FnMut(UVec2)) {
        let node = |point: Vec2| (point - self.corner) / self.spacing;
        let first = node(area.min).ceil().max(Vec2::ZERO).as_uvec2();
        let last = node(area.max).floor().min(self.size.as_vec2() - 1.0);
        if last.cmplt(Vec2::ZERO).any() {
            return;
        }
        let last = last.as_uvec2();
        for y in first.y..=last.y {
            for x in first.x..=last.x {
                visit(UVec2::new(x, y));
            }
        }
    }

    /// Visits the nodes that may be within `margin` m of a solid, and perhaps some others, row by row.
    fn for_each_near(&self, solid: &Solid, margin: f32, mut visit: impl FnMut(UVec2)) {
        let Rect { min, max } = solid.bounds(margin);
        let row = |height: f32| (height - self.corner.y) / self.spacing;
        let last = row(max.y).floor().min(self.size.y as f32 - 1.0);
        if last < 0.0 {
            return;
        }
        for y in row(min.y).ceil().max(0.0) as u32..=last as u32 {
            let height = self.position(UVec2::new(0, y)).y;
            if let Some((left, right)) = solid.reach_beside(height, margin) {
                let middle = Vec2::new(left.midpoint(right), height);
                let half_size = Vec2::new(0.5 * (right - left), 0.25 * self.spacing);
                self.for_each_in(Rect::from_center_half_size(middle, half_size), &mut visit);
            }
        }
    }

    /// A body of `radius` m has no room at a node that is nearer to a solid than this, m.
    fn margin(&self, radius: f32) -> f32 {
        // At least so much that two adjacent nodes are never on two sides of a wall.
        radius.max(0.51 * self.spacing)
    }

    /// The solids on which the costs depend.
    pub(super) fn solids_near<'a>(
        &self,
        solids: &'a [Solid],
        radius: f32,
    ) -> impl Iterator<Item = &'a Solid> {
        let margin = self.margin(radius);
        let last = self.position(self.size - 1);
        let area = Rect::from_corners(self.corner, last);
        let near = solids.iter();
        near.filter(move |solid| !solid.bounds(margin).intersect(area).is_empty())
    }

    /// The cost of each node, row by row: that of the ground, infinite where a body of `radius` m has no room. Nodes beside
    /// solids cost no more than others: else all ways through a door would lead through its middle.
    pub(super) fn costs(&self, solids: &[Solid], grounds: &[GroundCost], radius: f32) -> Vec<f32> {
        /// So that the product of many grounds stays finite.
        const MOST: f32 = 1e30;
        let mut costs = vec![1.0; self.size.x as usize * self.size.y as usize];
        for ground in grounds {
            self.for_each_in(ground.area, |node| {
                let cost = &mut costs[self.index(node)];
                *cost = (*cost * ground.cost).min(MOST);
            });
        }
        let margin = self.margin(radius);
        for solid in solids {
            self.for_each_near(solid, margin, |node| {
                if solid.distance(self.position(node)) < margin {
                    costs[self.index(node)] = f32::INFINITY;
                }
            });
        }
        costs
    }
}
