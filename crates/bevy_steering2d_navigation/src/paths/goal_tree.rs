//! [`GoalTree`]: the cheapest ways from corners of a roadmap to one goal, grown as far as queries need.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bevy::prelude::*;

use super::roadmap::Roadmap;
use super::room::{Room, Spot};

/// The cheapest ways of bodies of one radius to one goal, shared by all queries to it.
///
/// It grows from the goal by A*, towards the start of the query at hand. Costs of closed corners are
/// exact whatever the start was, so that later queries use them.
#[derive(Clone, Debug)]
pub(crate) struct GoalTree {
    room: Room,
    goal: Spot,
    /// What a leg to a right turn costs, relative to its length, `≥ 1`.
    right_turns: f32,
    ways: Vec<Way>,
    /// Corners with a finite cost.
    reached: Vec<u32>,
    /// Whether all of them are closed.
    is_exhausted: bool,
}

/// The best known way from a corner to the goal.
#[derive(Clone, Copy, Debug)]
struct Way {
    cost: f32,
    /// The next corner; [`GOAL`] if that is the goal itself.
    next: u32,
    /// Whether the cost is final.
    closed: bool,
}

const GOAL: u32 = u32::MAX;

/// The best known path from a start: its cost, and its first corner or [`GOAL`].
#[derive(Clone, Copy, Debug)]
struct Best(Option<(f32, u32)>);

impl Best {
    /// Takes a path if it is cheaper.
    fn offer(&mut self, cost: f32, corner: u32) {
        if self.0.is_none_or(|(known, _)| cost < known) {
            self.0 = Some((cost, corner));
        }
    }

    /// Whether it costs no more than this.
    fn costs_at_most(self, cost: f32) -> bool {
        self.0.is_some_and(|(known, _)| known <= cost)
    }
}

/// Pays for a step of a search. The last step may cost more than is left.
fn pay(expansions: &mut u32, cost: u32) {
    *expansions = expansions.saturating_sub(cost);
}

/// The outcome of a query so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Search {
    Found(Vec<Vec2>),
    /// The corners that can be reached from the goal do not include one visible from the start.
    Unreachable,
    OutOfBudget,
}

impl GoalTree {
    /// Expansions to find the legs of a corner.
    const LEGS: u32 = 8;
    /// Expansions that a query pays at most to revisit closed corners.
    const REVISITS: u32 = 8;

    pub(crate) fn new(map: &mut Roadmap, room: Room, goal: Spot, right_turns: f32) -> Self {
        let unknown = Way {
            cost: f32::INFINITY,
            next: GOAL,
            closed: false,
        };
        let ways = map.ways_from(goal, &room);
        let mut tree = Self {
            room,
            goal,
            right_turns,
            ways: vec![unknown; map.corner_count()],
            reached: Vec::new(),
            is_exhausted: false,
        };
        for (corner, cost) in ways {
            tree.improve(corner, cost, GOAL);
        }
        tree
    }

    /// Continues the search for the cheapest path from a start.
    pub(crate) fn search(&mut self, map: &mut Roadmap, from: Spot, expansions: &mut u32) -> Search {
        // So many corners that are looked at again cost an expansion.
        let looks_per_expansion = (map.corner_count() as u32).div_ceil(Self::REVISITS);
        let mut looks = 0_u32;
        if self.is_exhausted && *expansions > 0 {
            pay(expansions, 1);
            return self.search_closed(map, from);
        }
        // Those looks may use up the budget. One more corner is closed all the same, so that any budget leads on.
        let mut leads_on = *expansions > 0;
        let mut best = self.straight(from);
        let mut heap: BinaryHeap<_> = self
            .reached
            .iter()
            .map(|&it| self.entry(map, from, it))
            .collect();
        while let Some(Reverse((bound, corner))) = heap.pop() {
            let at_least = f32::from_bits(bound);
            if best.costs_at_most(at_least) {
                break;
            }
            let way = self.ways[corner as usize];
            if at_least > way.cost + map.position(corner).distance(from.at) {
                // An entry from before the way was improved.
                continue;
            }
            if way.closed {
                if looks.is_multiple_of(looks_per_expansion) {
                    pay(expansions, 1);
                }
                looks += 1;
            } else {
                if *expansions == 0 && !leads_on {
                    return Search::OutOfBudget;
                }
                leads_on = false;
                pay(expansions, Self::price(map, corner));
                self.close(map, corner, |tree, map, improved| {
                    heap.push(tree.entry(map, from, improved));
                });
            }
            if let Some(first) = map.cost_to_corner(from, corner, &self.room) {
                best.offer(self.cost_over(map, from, corner, first), corner);
            }
        }
        // Without a path the search has closed all corners that it has reached.
        self.is_exhausted |= best.0.is_none();
        self.found(map, from, best)
    }

    /// The cheapest path from a start, once all corners that can be reached from the goal are closed.
    fn search_closed(&self, map: &mut Roadmap, from: Spot) -> Search {
        let mut best = self.straight(from);
        for (corner, first) in map.ways_from(from, &self.room) {
            if self.ways[corner as usize].closed {
                best.offer(self.cost_over(map, from, corner, first), corner);
            }
        }
        self.found(map, from, best)
    }

    /// The cost of the path from a start over a corner, to which the first leg costs so much without its turn.
    fn cost_over(&self, map: &Roadmap, from: Spot, corner: u32, first: f32) -> f32 {
        first * self.turning(map, from.at, corner) + self.ways[corner as usize].cost
    }

    /// The straight path from a start to the goal, if it is free.
    fn straight(&self, from: Spot) -> Best {
        let cost = self.room.cost_between(from, self.goal);
        Best(cost.map(|cost| (cost, GOAL)))
    }

    /// The outcome of a search that has ended with this path.
    fn found(&self, map: &Roadmap, from: Spot, best: Best) -> Search {
        match best.0 {
            Some((_, first)) => Search::Found(self.path(map, from, first)),
            None => Search::Unreachable,
        }
    }

    /// A corner with the least cost of a path from the start through it. The bits of positive floats
    /// have the order of their values.
    fn entry(&self, map: &Roadmap, from: Spot, corner: u32) -> Reverse<(u32, u32)> {
        let bound = self.ways[corner as usize].cost + map.position(corner).distance(from.at);
        Reverse((bound.to_bits(), corner))
    }

    /// The expansions that it costs to close a corner.
    fn price(map: &Roadmap, corner: u32) -> u32 {
        if map.knows_legs(corner) {
            1
        } else {
            Self::LEGS
        }
    }

    /// Makes the cost of a corner final and improves the ways of its neighbors.
    fn close(
        &mut self,
        map: &mut Roadmap,
        corner: u32,
        mut improved: impl FnMut(&Self, &Roadmap, u32),
    ) {
        self.ways[corner as usize].closed = true;
        let so_far = self.ways[corner as usize].cost;
        let count = map.legs(corner).len();
        for index in 0..count {
            let leg = map.legs(corner)[index];
            let turning = self.turning(map, map.position(leg.corner), corner);
            // A look along a leg that is of no use is left out.
            if self.is_improved_by(leg.corner, so_far + leg.length * turning) {
                let cost = so_far + map.leg_cost(corner, index, &self.room) * turning;
                if self.improve(leg.corner, cost, corner) {
                    improved(self, map, leg.corner);
                }
            }
        }
    }

    /// What a leg costs, relative to its length, by the turn at its end.
    fn turning(&self, map: &Roadmap, from: Vec2, corner: u32) -> f32 {
        let at = map.position(corner);
        let next = match self.ways[corner as usize].next {
            GOAL => self.goal.at,
            next => map.position(next),
        };
        let turns_right = (at - from).perp_dot(next - at) < 0.0;
        if turns_right { self.right_turns } else { 1.0 }
    }

    /// Whether a way of a cost would be cheaper than the known one.
    fn is_improved_by(&self, corner: u32, cost: f32) -> bool {
        let way = &self.ways[corner as usize];
        !way.closed && cost < way.cost
    }

    /// Records a way if it is cheaper than the known one.
    fn improve(&mut self, corner: u32, cost: f32, next: u32) -> bool {
        if !self.is_improved_by(corner, cost) {
            return false;
        }
        let way = &mut self.ways[corner as usize];
        if way.cost == f32::INFINITY {
            self.reached.push(corner);
        }
        (way.cost, way.next) = (cost, next);
        true
    }

    fn path(&self, map: &Roadmap, from: Spot, first: u32) -> Vec<Vec2> {
        let mut path = vec![from.at];
        let mut corner = first;
        while corner != GOAL {
            path.push(map.position(corner));
            corner = self.ways[corner as usize].next;
        }
        path.push(self.goal.at);
        path
    }
}
