//! The work of one goal field: costs and goals in, travel times, and a flow field out, in portions.

use bevy::prelude::*;
use bevy_steering2d_core::FlowField;

use super::ground::Lattice;
use super::{GroundCost, TravelTimes};
use crate::Solid;

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
    revision: Option<u32>,
    grounds: Vec<GroundCost>,
    /// The nodes of the goals; `None` when they must be looked up again.
    goals: Option<Vec<UVec2>>,
    /// Whether a goal has no free node near.
    has_blocked_goal: bool,
    /// The vectors of the next field, row by row, as far as they are computed.
    vectors: Vec<Vec2>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Times,
    Vectors,
    Complete,
}

impl Work {
    /// How far a goal in a blocked node may be from its nearest free one, in nodes, beyond those that the
    /// radius blocks.
    const NEAR: i32 = 3;

    pub(super) fn new(lattice: Lattice, radius: f32) -> Self {
        Self {
            lattice,
            radius,
            times: TravelTimes::new(lattice.size, lattice.spacing),
            costs: Vec::new(),
            crowd: Vec::new(),
            revision: None,
            grounds: Vec::new(),
            goals: None,
            has_blocked_goal: false,
            vectors: Vec::new(),
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

    pub(super) fn travel_time(&self, point: Vec2) -> Option<f32> {
        let node = self.lattice.nearest(point)?;
        (self.stage != Stage::Times).then(|| self.times.time(node))
    }

    /// Updates the costs if the solids, by their digest, or the grounds have changed.
    pub(super) fn set_ground(&mut self, revision: u32, solids: &[Solid], grounds: &[GroundCost]) {
        if self.revision == Some(revision) && self.grounds == grounds {
            return;
        }
        self.revision = Some(revision);
        self.grounds = grounds.to_vec();
        let costs = self.lattice.costs(solids, &self.grounds, self.radius);
        let changed = |index: usize| self.costs.get(index) != Some(&costs[index]);
        let changed: Vec<_> = (0..costs.len()).filter(|&it| changed(it)).collect();
        self.costs = costs;
        for index in changed {
            self.update_cost(index);
        }
        // A goal may have lost its node, or got it back.
        self.goals = None;
    }

    fn update_cost(&mut self, index: usize) {
        let width = self.lattice.size.x as usize;
        let node = UVec2::new((index % width) as u32, (index / width) as u32);
        let crowd = self.crowd.get(index).copied().unwrap_or_default();
        self.times.set_cost(node, self.costs[index] + crowd);
        self.stage = Stage::Times;
    }

    /// Sets what the crowd adds to the cost of each node: `cost` for each agent per square meter.
    pub(super) fn set_crowd(&mut self, agents: impl Iterator<Item = Vec2>, cost: f32) {
        /// Half the side of the square in which an agent counts, m.
        const HALF: f32 = 1.0;
        let mut crowd = vec![0.0; self.costs.len()];
        let share = cost / (4.0 * HALF * HALF);
        for agent in agents {
            let area = Rect::from_center_half_size(agent, Vec2::splat(HALF));
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

    /// Sets the goals once the field leads to the last ones. Returns whether one has no free node near.
    pub(super) fn set_goals(&mut self, goals: impl Iterator<Item = Vec2> + Clone) -> bool {
        // A field for goals that move on is completed first: it would never be if it began anew.
        let leads_somewhere = self.goals.as_ref().is_some_and(|it| !it.is_empty());
        if leads_somewhere && !self.is_complete() {
            return self.has_blocked_goal;
        }
        let nodes = goals.filter_map(|goal| self.lattice.nearest(goal));
        let same = self
            .goals
            .as_ref()
            .is_some_and(|it| it.iter().copied().eq(nodes.clone()));
        if !same {
            let nodes: Vec<_> = nodes.collect();
            let free = nodes.iter().filter_map(|&node| self.nearest_free(node));
            let free: Vec<_> = free.collect();
            self.has_blocked_goal = free.len() < nodes.len();
            self.times.set_goals(free);
            self.goals = Some(nodes);
            self.stage = Stage::Times;
        }
        self.has_blocked_goal
    }

    /// The free node nearest to a node.
    fn nearest_free(&self, node: UVec2) -> Option<UVec2> {
        let rings = (self.radius / self.lattice.spacing).ceil().min(1e3) as i32 + Self::NEAR;
        let ring = |ring: i32| {
            let side = -ring..=ring;
            let all = side
                .clone()
                .flat_map(move |y| side.clone().map(move |x| IVec2::new(x, y)));
            let nodes = all.filter(move |offset| offset.abs().max_element() == ring);
            let there = nodes.map(|offset| (offset, (node.as_ivec2() + offset).as_uvec2()));
            there
                .filter(|(_, node)| self.times.cost(*node) < f32::INFINITY)
                .min_by_key(|(offset, node)| (offset.length_squared(), node.y, node.x))
                .map(|(_, node)| node)
        };
        (0..=rings).find_map(ring)
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
                    self.vectors.push(self.times.direction(UVec2::new(x, y)));
                }
                (until == all).then(|| self.complete())?
            }
            Stage::Complete => None,
        }
    }

    fn complete(&mut self) -> Option<FlowField> {
        self.stage = Stage::Complete;
        let Lattice {
            corner,
            spacing,
            size,
        } = self.lattice;
        let vector = |node| self.vectors[self.lattice.index(node)];
        FlowField::new(corner, spacing, size, vector).ok()
    }
}
