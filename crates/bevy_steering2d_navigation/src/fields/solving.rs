//! The work of one goal field: costs and goals in, travel times, and a flow field out, in portions.

use std::cmp::Ordering;

use bevy::prelude::*;
use bevy_steering2d_core::FlowField;

use super::ground::Lattice;
use super::travel_times::ring;
use super::{GroundCost, TravelTimes};
use crate::Solid;
use crate::paths::ClearanceGrid;
use crate::terrain::revision_of;

/// The state of a field between ticks.
#[derive(Clone, Debug)]
pub(super) struct Work {
    lattice: Lattice,
    radius: f32,
    times: TravelTimes,
    /// Of ground and solids, by node.
    costs: Vec<f32>,
    /// What the crowd adds, by node; empty without one.
    crowd: Vec<f32>,
    /// Whether the crowd is to be counted as soon as a field is complete.
    pub(super) crowd_is_due: bool,
    revision: Option<u32>,
    /// A digest of the solids that count; `None` before the first.
    near: Option<u32>,
    /// The center lines of those that are no discs.
    walls: ClearanceGrid,
    grounds: Vec<GroundCost>,
    /// The goals in the area, m; `None` when their nodes must be looked up again.
    goals: Option<Vec<Vec2>>,
    /// The free nodes of the goals.
    goal_nodes: Vec<UVec2>,
    /// Whether there are goals in the area, and no free node.
    has_blocked_goal: bool,
    /// The vectors of the next field, row by row, as far as they are computed.
    vectors: Vec<Vec2>,
    /// The last field that was completed.
    field: Option<FlowField>,
    stage: Stage,
}

/// Why goals of a field do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoalFault {
    /// There are goals, and none in the area.
    AllOutside,
    /// No node of the area is free.
    Blocked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Times,
    Vectors,
    Complete,
}

impl Work {
    /// How far around a point in a blocked node a free one is preferred on its side of walls, in nodes, beyond those that
    /// the radius blocks.
    const NEAR: i32 = 3;

    /// So many nodes around the area lead back into it.
    pub(super) const BORDER: i32 = 3;

    pub(super) fn new(lattice: Lattice, radius: f32) -> Self {
        Self {
            lattice,
            radius,
            times: TravelTimes::of_checked(lattice.size, lattice.spacing),
            costs: Vec::new(),
            crowd: Vec::new(),
            crowd_is_due: false,
            revision: None,
            near: None,
            walls: ClearanceGrid::new(&[], lattice.spacing),
            grounds: Vec::new(),
            goals: None,
            goal_nodes: Vec::new(),
            has_blocked_goal: false,
            vectors: Vec::new(),
            field: None,
            stage: Stage::Times,
        }
    }

    /// Whether this is the work of a field with these nodes for agents of this radius.
    pub(super) fn fits(&self, lattice: Lattice, radius: f32) -> bool {
        self.lattice == lattice && self.radius == radius
    }

    pub(super) fn is_complete(&self) -> bool {
        self.stage == Stage::Complete
    }

    /// The field, if it is up to date.
    pub(super) fn field(&self) -> Option<&FlowField> {
        self.field.as_ref().filter(|_| self.is_complete())
    }

    pub(super) fn travel_time(&self, point: Vec2) -> Option<f32> {
        self.lattice.nearest(point)?;
        if self.stage == Stage::Times {
            return None;
        }
        let node = self.start_node(point);
        Some(node.map_or(f32::INFINITY, |node| self.times.time(node)))
    }

    /// The node at which the way from a point begins: of those around it the nearest that has a way and that no wall
    /// separates from it. An agent beside solids may have none; then the nearest free node there is.
    fn start_node(&self, point: Vec2) -> Option<UVec2> {
        let distance = |node: &UVec2| self.lattice.position(*node).distance_squared(point);
        let around = self.lattice.around(point).into_iter();
        let known = around.filter(|node| self.times.time(*node) < f32::INFINITY);
        let seen = known.filter(|node| self.sees(point, self.lattice.position(*node)));
        let nearest = seen.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let near = || self.nearest_node(point, |at| self.sees(point, at));
        nearest.or_else(|| near().map(|(node, _)| node))
    }

    /// Whether no wall separates a node or agent from a point. One on which it is itself does not.
    fn sees(&self, from: Vec2, to: Vec2) -> bool {
        // Between two walls that meet at a corner there is no way, up to rounding.
        let touch = 1e-3 * self.lattice.spacing;
        let separates = |wall: &Solid| {
            wall.distance(from) > touch && wall.distance_to_segment(from, to) <= touch
        };
        self.walls.all_along(from, to, |wall| !separates(wall))
    }

    fn direction(&self, node: UVec2) -> Vec2 {
        let at = |node| self.lattice.position(node);
        let sees = |other| self.sees(at(node), at(other));
        let direction = self.times.direction_in_view(node, sees);
        let is_blocked = self.times.cost(node) == f32::INFINITY;
        if direction != Vec2::ZERO || !is_blocked {
            return direction;
        }
        // In a wall between free nodes: along it, whichever side a follower is on.
        let wall = self.walls.nearest(at(node));
        let along = wall.map_or(Vec2::ZERO, |wall| (wall.to - wall.from).normalize_or_zero());
        self.times.direction_along(node, along)
    }

    /// Updates the costs if the solids, by their digest, or the grounds have changed and the field for the last
    /// ones is complete: with a solid that moves in every tick it would never be if it began anew.
    pub(super) fn set_ground(&mut self, revision: u32, solids: &[Solid], grounds: &[GroundCost]) {
        let same = self.revision == Some(revision) && self.grounds == grounds;
        if same || self.revision.is_some() && !self.is_complete() {
            return;
        }
        self.revision = Some(revision);
        let solids_near = || self.lattice.solids_near(solids, self.radius);
        let near = Some(revision_of(solids_near()));
        if self.near == near && self.grounds == grounds {
            return;
        }
        let walls = solids_near().filter(|it| it.from != it.to);
        let walls: Vec<_> = walls.map(|it| Solid::segment(it.from, it.to)).collect();
        self.walls = ClearanceGrid::new(&walls, self.lattice.spacing);
        self.near = near;
        self.grounds = grounds.to_vec();
        let costs = self.lattice.costs(solids, &self.grounds, self.radius);
        let changed = |index: usize| self.costs.get(index) != Some(&costs[index]);
        let changed: Vec<_> = (0..costs.len()).filter(|&it| changed(it)).collect();
        self.costs = costs;
        for index in changed {
            self.update_cost(index);
        }
        // A goal may have lost its node, or got it back. Where no cost has changed, walls may still hide other nodes.
        self.goals = None;
        self.stage = Stage::Times;
    }

    fn update_cost(&mut self, index: usize) {
        let width = self.lattice.size.x as usize;
        let node = UVec2::new((index % width) as u32, (index / width) as u32);
        let crowd = self.crowd.get(index).copied().unwrap_or_default();
        // An infinite cost would block the node.
        let crowd = crowd.min(TravelTimes::LARGEST_COST);
        self.times.set_cost(node, self.costs[index] + crowd);
        self.stage = Stage::Times;
    }

    /// Sets what the crowd adds to the cost of each node: `cost` for each agent per square meter.
    pub(super) fn set_crowd(&mut self, agents: impl Iterator<Item = Vec2>, cost: f32) {
        // Half the side of the square in which an agent counts, m: with a node in it, wherever the agent is.
        let half = (0.5 * self.lattice.spacing).max(1.0);
        let mut crowd = vec![0.0; self.costs.len()];
        let share = cost / (4.0 * half * half);
        for agent in agents {
            let area = Rect::from_center_half_size(agent, Vec2::splat(half));
            let lattice = self.lattice;
            lattice.for_each_in(area, |node| crowd[lattice.index(node)] += share);
        }
        let before = std::mem::take(&mut self.crowd);
        let changed = |index: usize| before.get(index).copied().unwrap_or_default() != crowd[index];
        let changed: Vec<_> = (0..crowd.len()).filter(|&it| changed(it)).collect();
        self.crowd = crowd;
        for index in changed {
            self.update_cost(index);
        }
    }

    /// The crowd adds nothing from now on.
    pub(super) fn clear_crowd(&mut self) {
        let before = std::mem::take(&mut self.crowd);
        for index in (0..before.len()).filter(|&it| before[it] > 0.0) {
            self.update_cost(index);
        }
    }

    /// Sets the goals once the field leads to the last ones. Returns what is wrong with those it leads to.
    pub(super) fn set_goals(
        &mut self,
        goals: impl Iterator<Item = Vec2> + Clone,
    ) -> Option<GoalFault> {
        // A field for goals that move on is completed first: it would never be if it began anew.
        if !self.has_goals() || self.is_complete() {
            let lattice = self.lattice;
            let inside = goals
                .clone()
                .filter(move |goal| lattice.nearest(*goal).is_some());
            let same = self
                .goals
                .as_ref()
                .is_some_and(|it| it.iter().copied().eq(inside.clone()));
            if !same {
                self.lead_to(inside.collect());
            }
        }
        if self.has_blocked_goal {
            Some(GoalFault::Blocked)
        } else if !self.has_goals() && goals.count() > 0 {
            Some(GoalFault::AllOutside)
        } else {
            None
        }
    }

    /// Whether it has goals in the area.
    fn has_goals(&self) -> bool {
        self.goals.as_ref().is_some_and(|it| !it.is_empty())
    }

    /// Looks up the nodes of these goals; begins new times if they are others than before.
    fn lead_to(&mut self, goals: Vec<Vec2>) {
        let free = goals.iter().filter_map(|&goal| self.nearest_free(goal));
        let free: Vec<_> = free.collect();
        self.has_blocked_goal = free.len() < goals.len();
        if free != self.goal_nodes {
            self.times.set_goals(free.iter().copied());
            self.goal_nodes = free;
            self.stage = Stage::Times;
        }
        self.goals = Some(goals);
    }

    /// The free node nearest to a goal, `None` outside; on the other side of a wall only if there is none near on this side.
    fn nearest_free(&self, goal: Vec2) -> Option<UVec2> {
        self.lattice.nearest(goal)?;
        let here = self.nearest_node(goal, |at| self.sees(goal, at));
        here.or_else(|| self.nearest_node(goal, |_| true))
            .or_else(|| self.nearest_of(self.lattice.nodes(), goal, |_| true))
            .map(|(node, _)| node)
    }

    /// How far a [near node](Self::nearest_node) may be, in rings of nodes around the one at the point.
    fn rings(&self) -> i32 {
        (self.radius / self.lattice.spacing).ceil().min(1e3) as i32 + Self::NEAR
    }

    /// The free node nearest to a point, of those near it and at admitted places, and the square of its distance, m².
    fn nearest_node(&self, point: Vec2, admits: impl Fn(Vec2) -> bool) -> Option<(UVec2, f32)> {
        let middle = self.lattice.nearest(point)?;
        let mut nearest: Option<(UVec2, f32)> = None;
        for number in 0..=self.rings() {
            // No node of this ring or a wider one is nearer, m.
            let least = (number as f32 - 0.5) * self.lattice.spacing;
            if nearest.is_some_and(|(_, square)| least * least > square) {
                break;
            }
            let nodes = ring(number).map(|offset| (middle.as_ivec2() + offset).as_uvec2());
            let found = self.nearest_of(nodes, point, &admits);
            nearest = nearest.into_iter().chain(found).min_by(nearer);
        }
        nearest
    }

    /// Of some nodes, the free one nearest to a point, of those at admitted places, and the square of its distance, m².
    fn nearest_of(
        &self,
        nodes: impl Iterator<Item = UVec2>,
        point: Vec2,
        admits: impl Fn(Vec2) -> bool,
    ) -> Option<(UVec2, f32)> {
        // Of equally near ones the first.
        nodes
            .filter(|&node| self.times.cost(node) < f32::INFINITY)
            .map(|node| (node, self.lattice.position(node)))
            .filter(|&(_, at)| admits(at))
            .map(|(node, at)| (node, at.distance_squared(point)))
            .min_by(nearer)
    }

    /// Computes so many nodes; returns the field when it is complete.
    pub(super) fn advance(&mut self, nodes: u32) -> Option<FlowField> {
        match self.stage {
            Stage::Times => {
                if !self.times.advance(nodes) {
                    self.vectors.clear();
                    self.stage = Stage::Vectors;
                }
                None
            }
            Stage::Vectors => {
                let UVec2 {
                    x: width,
                    y: height,
                } = self.lattice.size;
                let all = (width * height) as usize;
                let until = (self.vectors.len() + nodes as usize).min(all);
                for index in self.vectors.len()..until {
                    let (x, y) = (index as u32 % width, index as u32 / width);
                    self.vectors.push(self.direction(UVec2::new(x, y)));
                }
                (until == all).then(|| self.complete())?
            }
            Stage::Complete => None,
        }
    }

    /// A field of zeros.
    pub(super) fn still_field(&self) -> Option<FlowField> {
        let Lattice {
            corner, spacing, ..
        } = self.lattice;
        FlowField::new(corner, spacing, UVec2::ONE, |_| Vec2::ZERO).ok()
    }

    fn complete(&mut self) -> Option<FlowField> {
        self.stage = Stage::Complete;
        let Lattice {
            corner,
            spacing,
            size,
        } = self.lattice;
        let field = |border: i32| {
            let corner = corner - border as f32 * spacing;
            let vector = |node: UVec2| self.vector(node.as_ivec2() - border);
            let distance = |node: UVec2| self.distance(node.as_ivec2() - border);
            let field = FlowField::new(corner, spacing, size + 2 * border as u32, vector);
            field.and_then(|it| it.with_distances(distance)).ok()
        };
        // The largest field has no room for a border.
        self.field = field(Self::BORDER).or_else(|| field(0));
        self.field.clone()
    }

    /// The vector of a node; of one around the area back into it, for followers that overshoot the border.
    fn vector(&self, node: IVec2) -> Vec2 {
        let inside = self.nearest_inside(node);
        let back = (inside - node).as_vec2();
        let inside = inside.as_uvec2();
        if back == Vec2::ZERO {
            self.vectors[self.lattice.index(inside)]
        } else if self.times.time(inside) < f32::INFINITY {
            back.normalize()
        } else {
            Vec2::ZERO
        }
    }

    /// The node of the area nearest to one in it or around it.
    fn nearest_inside(&self, node: IVec2) -> IVec2 {
        node.max(IVec2::ZERO).min(self.lattice.size.as_ivec2() - 1)
    }

    /// The travel time of a node; of one around the area over the nearest node in it.
    fn distance(&self, node: IVec2) -> f32 {
        let inside = self.nearest_inside(node);
        let back = (inside - node).as_vec2().length() * self.lattice.spacing;
        back + self.times.time(inside.as_uvec2())
    }
}

/// The order of nodes by the squares of their distances.
fn nearer(a: &(UVec2, f32), b: &(UVec2, f32)) -> Ordering {
    a.1.total_cmp(&b.1)
}

#[cfg(test)]
mod tests;
