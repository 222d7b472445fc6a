//! Path planning around obstacles: a visibility graph of their corners, and shortest paths over it.
//!
//! Planning is action selection and no part of the steering core. Around convex obstacles the
//! shortest path bends at corners only. The nodes are therefore the corners, moved out by the
//! walker's radius and a margin; an edge joins two nodes if the segment between them is clear of
//! obstacles. Passages as narrow as the walker stay open. Segments with a comfortable clearance
//! cost less.

use bevy::math::ops;
use bevy::prelude::*;
use pathfinding::prelude::dijkstra_all;

use crate::Shape;

/// The visibility graph of the obstacles' corners, for walkers of one radius.
#[derive(Clone, Debug)]
pub struct Roadmap {
    obstacles: Vec<(Rect, Shape)>,
    radius: f32,
    nodes: Vec<Vec2>,
    /// For each node the visible nodes, with the cost of going there.
    edges: Vec<Vec<(usize, f32)>>,
}

/// The shortest paths from every node of a [`Roadmap`] to one goal.
#[derive(Clone, Debug)]
pub struct Guide {
    goal: Vec2,
    /// For each node the remaining cost and the next node, `None` if that is the goal.
    onward: Vec<Option<(f32, Option<usize>)>>,
}

impl Roadmap {
    /// Least clearance between body and obstacles, m.
    const TIGHT: f32 = 0.02;
    /// Comfortable clearance between body and obstacles, m.
    const COMFORT: f32 = 0.3;
    /// Cost of a meter with less than the comfortable clearance.
    const DISCOMFORT: f32 = 1.2;

    /// The map for walkers of this radius, m.
    pub fn new(obstacles: &[Shape], radius: f32) -> Self {
        let obstacles: Vec<_> = obstacles
            .iter()
            .map(|shape| (shape.bounds(), shape.clone()))
            .collect();
        let mut map = Self {
            obstacles,
            radius,
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        let shapes: Vec<_> = map
            .obstacles
            .iter()
            .map(|(_, shape)| shape.clone())
            .collect();
        for shape in &shapes {
            for margin in [Self::COMFORT, Self::TIGHT] {
                let corners = corners(shape, radius + 1.05 * margin);
                let free = |corner: &Vec2| map.clearance(*corner, *corner) >= radius + margin;
                let free: Vec<_> = corners.into_iter().filter(free).collect();
                map.nodes.extend(free);
            }
        }
        map.join();
        map
    }

    fn join(&mut self) {
        self.edges = vec![Vec::new(); self.nodes.len()];
        for i in 0..self.nodes.len() {
            for j in 0..i {
                if let Some(cost) = self.cost(self.nodes[i], self.nodes[j]) {
                    self.edges[i].push((j, cost));
                    self.edges[j].push((i, cost));
                }
            }
        }
    }

    /// Distance from the segment to the nearest obstacle, m, capped above the comfortable clearance.
    fn clearance(&self, from: Vec2, to: Vec2) -> f32 {
        let cap = self.radius + 2.0 * Self::COMFORT;
        let area = Rect::from_corners(from, to).inflate(cap);
        let near = self
            .obstacles
            .iter()
            .filter(|(bounds, _)| !bounds.intersect(area).is_empty());
        near.map(|(_, shape)| shape.segment_distance(from, to))
            .fold(cap, f32::min)
    }

    /// Cost of the straight segment; `None` if an obstacle blocks it.
    fn cost(&self, from: Vec2, to: Vec2) -> Option<f32> {
        // A walker squeezed against a wall may walk along it.
        let squeezed = self.clearance(from, from).min(self.clearance(to, to)) - 1e-3;
        let needed = (self.radius + Self::TIGHT).min(squeezed);
        let clearance = self.clearance(from, to);
        if clearance < needed || clearance <= 0.0 {
            return None;
        }
        let comfortable = clearance >= self.radius + Self::COMFORT;
        let factor = if comfortable { 1.0 } else { Self::DISCOMFORT };
        Some(factor * from.distance(to))
    }

    /// Whether a walker can go straight from one point to the other.
    pub fn is_free(&self, from: Vec2, to: Vec2) -> bool {
        self.cost(from, to).is_some()
    }

    /// The shortest paths from all nodes to a goal; walkers with the same goal share them.
    pub fn guide(&self, goal: Vec2) -> Guide {
        let goal_node = self.nodes.len();
        let mut sees_goal = vec![Vec::new(); self.nodes.len() + 1];
        for (node, &at) in self.nodes.iter().enumerate() {
            if let Some(cost) = self.cost(at, goal) {
                sees_goal[goal_node].push((node, cost));
            }
        }
        let neighbors = |&node: &usize| {
            let edges = self.edges.get(node).unwrap_or(&sees_goal[node]);
            edges
                .iter()
                .map(|&(next, cost)| (next, millimeters(cost)))
                .collect::<Vec<_>>()
        };
        let reached = dijkstra_all(&goal_node, neighbors);
        let onward = (0..self.nodes.len())
            .map(|node| {
                let &(next, cost) = reached.get(&node)?;
                let next = (next != goal_node).then_some(next);
                Some((cost as f32 * 1e-3, next))
            })
            .collect();
        Guide { goal, onward }
    }

    /// The shortest path from a point to the guide's goal, both included; `None` if there is none.
    pub fn path(&self, from: Vec2, guide: &Guide) -> Option<Vec<Vec2>> {
        let mut best = self.cost(from, guide.goal).map(|cost| (cost, None));
        if best.is_none_or(|(cost, _)| cost > 1.001 * from.distance(guide.goal)) {
            let mut at_least: Vec<(f32, usize)> = guide
                .onward
                .iter()
                .enumerate()
                .filter_map(|(node, onward)| {
                    let (cost, _) = (*onward)?;
                    Some((from.distance(self.nodes[node]) + cost, node))
                })
                .collect();
            at_least.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (least, node) in at_least {
                if best.is_some_and(|(cost, _)| cost <= least) {
                    break;
                }
                let Some(first) = self.cost(from, self.nodes[node]) else {
                    continue;
                };
                let cost = least - from.distance(self.nodes[node]) + first;
                if best.is_none_or(|(known, _)| cost < known) {
                    best = Some((cost, Some(node)));
                }
            }
        }
        let (_, mut next) = best?;
        let mut path = vec![from];
        while let Some(node) = next {
            path.push(self.nodes[node]);
            next = guide.onward[node].and_then(|(_, next)| next);
        }
        path.push(guide.goal);
        Some(path)
    }
}

impl Guide {
    /// The goal of the paths.
    pub fn goal(&self) -> Vec2 {
        self.goal
    }
}

/// A cost as an integer, so that costs have an order. The limit keeps a sum of costs from overflowing.
fn millimeters(cost: f32) -> u64 {
    ((1_000.0 * cost) as u64).min(1 << 44)
}

/// The corners of a shape whose sides are moved out by the distance.
fn corners(shape: &Shape, distance: f32) -> Vec<Vec2> {
    const ROUND: usize = 12;
    match shape {
        Shape::Disc { center, radius } => {
            let angle = std::f32::consts::TAU / ROUND as f32;
            let out = (radius + distance) / ops::cos(0.5 * angle);
            (0..ROUND)
                .map(|i| center + out * Vec2::from_angle(i as f32 * angle))
                .collect()
        }
        Shape::Polygon(corners) => {
            let count = corners.len();
            (0..count)
                .map(|i| {
                    let before = corners[(i + count - 1) % count];
                    let (corner, after) = (corners[i], corners[(i + 1) % count]);
                    let a = -(corner - before).normalize_or_zero().perp();
                    let b = -(after - corner).normalize_or_zero().perp();
                    corner + distance * (a + b) / (1.0 + a.dot(b)).max(0.2)
                })
                .collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(path: &[Vec2]) -> f32 {
        path.windows(2).map(|leg| leg[0].distance(leg[1])).sum()
    }

    #[test]
    fn a_path_without_obstacles_is_straight() {
        let map = Roadmap::new(&[], 0.5);
        let goal = Vec2::new(10.0, 4.0);
        let path = map.path(Vec2::ZERO, &map.guide(goal)).unwrap();
        assert_eq!(path, [Vec2::ZERO, goal]);
    }

    #[test]
    fn a_path_around_a_wall_keeps_a_comfortable_clearance() {
        let wall = Shape::block(Rect::new(-0.5, -4.0, 0.5, 20.0));
        let map = Roadmap::new(std::slice::from_ref(&wall), 0.5);
        let path = map
            .path(Vec2::new(-6.0, 0.0), &map.guide(Vec2::new(6.0, 0.0)))
            .unwrap();
        for leg in path.windows(2) {
            assert!(wall.segment_distance(leg[0], leg[1]) >= 0.79, "{path:?}");
        }
        // A path that touches the corners has 14.6 m; radius and clearance add to it.
        assert!(length(&path) < 16.2, "{path:?}");
    }

    #[test]
    fn a_path_leads_through_a_gap_as_narrow_as_the_walker() {
        let walls = [
            Shape::block(Rect::new(0.0, 0.55, 1.0, 9.0)),
            Shape::block(Rect::new(0.0, -9.0, 1.0, -0.55)),
        ];
        let map = Roadmap::new(&walls, 0.5);
        let path = map
            .path(Vec2::new(-5.0, 3.0), &map.guide(Vec2::new(5.0, -2.0)))
            .unwrap();
        assert!(length(&path) < 12.0, "through the gap: {path:?}");
    }

    #[test]
    fn a_path_around_a_distant_wall_has_a_cost() {
        let wall = Shape::block(Rect::new(-1e7, -1e9, 1e7, 1e9));
        let map = Roadmap::new(&[wall], 1e6);
        let path = map.path(Vec2::new(-2e9, 0.0), &map.guide(Vec2::new(2e9, 0.0)));
        assert_eq!(path.unwrap().len(), 4);
    }

    #[test]
    fn a_walled_in_walker_has_no_path() {
        let walls = [
            Rect::new(-3.0, 2.0, 3.0, 3.0),
            Rect::new(-3.0, -3.0, 3.0, -2.0),
            Rect::new(2.0, -3.0, 3.0, 3.0),
            Rect::new(-3.0, -3.0, -2.0, 3.0),
        ]
        .map(Shape::block);
        let map = Roadmap::new(&walls, 0.5);
        assert_eq!(map.path(Vec2::ZERO, &map.guide(Vec2::new(9.0, 0.0))), None);
    }
}
