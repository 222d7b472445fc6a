//! Ways around obstacles: a map of their corners, and the shortest way over it.
//!
//! Planning is action selection, so it lives here and not in the steering core. Around convex
//! obstacles the shortest way bends at their corners only; so the map's places are the corners,
//! moved out by the walker's radius and a little, and two places are joined where the straight
//! line between them keeps clear of everything. Passages as narrow as the walker stay open. Where
//! there is room, the ways that keep an arm's length count as shorter.

use bevy::math::ops;
use bevy::prelude::*;
use pathfinding::prelude::dijkstra_all;

use crate::Shape;

/// The corners of all obstacles, and which sees which.
#[derive(Clone, Debug)]
pub struct Roadmap {
    obstacles: Vec<(Rect, Shape)>,
    radius: f32,
    places: Vec<Vec2>,
    /// For each place those it sees, with the cost of going there.
    roads: Vec<Vec<(usize, f32)>>,
}

/// How far it is to one goal from every place of a [`Roadmap`].
#[derive(Clone, Debug)]
pub struct Guide {
    goal: Vec2,
    /// Cost of going on from each place, and the next one; `None` for the last before the goal.
    onward: Vec<Option<(f32, Option<usize>)>>,
}

impl Roadmap {
    /// A way keeps at least this clear of obstacles, besides the body, m.
    const TIGHT: f32 = 0.02;
    /// And rather this, m.
    const COMFORT: f32 = 0.3;
    /// Meters that are not comfortable count as so many.
    const DISCOMFORT: f32 = 1.2;

    /// The map for walkers of a radius, m.
    pub fn new(obstacles: &[Shape], radius: f32) -> Self {
        let obstacles: Vec<_> = obstacles
            .iter()
            .map(|shape| (shape.bounds(), shape.clone()))
            .collect();
        let mut map = Self {
            obstacles,
            radius,
            places: Vec::new(),
            roads: Vec::new(),
        };
        let shapes: Vec<_> = map
            .obstacles
            .iter()
            .map(|(_, shape)| shape.clone())
            .collect();
        for shape in &shapes {
            for room in [Self::COMFORT, Self::TIGHT] {
                let corners = corners(shape, radius + 1.05 * room);
                let free = |place: &Vec2| map.clearance(*place, *place) >= radius + room;
                let free: Vec<_> = corners.into_iter().filter(free).collect();
                map.places.extend(free);
            }
        }
        map.join();
        map
    }

    fn join(&mut self) {
        self.roads = vec![Vec::new(); self.places.len()];
        for i in 0..self.places.len() {
            for j in 0..i {
                if let Some(cost) = self.cost(self.places[i], self.places[j]) {
                    self.roads[i].push((j, cost));
                    self.roads[j].push((i, cost));
                }
            }
        }
    }

    /// The distance from the straight way to the nearest obstacle, m, or more than is of interest.
    fn clearance(&self, from: Vec2, to: Vec2) -> f32 {
        let reach = self.radius + 2.0 * Self::COMFORT;
        let way = Rect::from_corners(from, to).inflate(reach);
        let near = self
            .obstacles
            .iter()
            .filter(|(bounds, _)| !bounds.intersect(way).is_empty());
        near.map(|(_, shape)| shape.distance_of_way(from, to))
            .fold(reach, f32::min)
    }

    /// What it costs to go straight; `None` where something is in the way.
    fn cost(&self, from: Vec2, to: Vec2) -> Option<f32> {
        // Whoever is squeezed against a wall may walk along it.
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

    /// Whether one can walk straight from one point to another.
    pub fn is_free(&self, from: Vec2, to: Vec2) -> bool {
        self.cost(from, to).is_some()
    }

    /// The ways from everywhere to a goal, for all who share it.
    pub fn guide(&self, goal: Vec2) -> Guide {
        let goal_place = self.places.len();
        let mut sees_goal = vec![Vec::new(); self.places.len() + 1];
        for (place, &at) in self.places.iter().enumerate() {
            if let Some(cost) = self.cost(at, goal) {
                sees_goal[goal_place].push((place, cost));
            }
        }
        let neighbors = |&place: &usize| {
            let roads = self.roads.get(place).unwrap_or(&sees_goal[place]);
            let millimeters = |cost: f32| (1_000.0 * cost) as u32;
            roads
                .iter()
                .map(move |&(next, cost)| (next, millimeters(cost)))
                .collect::<Vec<_>>()
        };
        let reached = dijkstra_all(&goal_place, neighbors);
        let onward = (0..self.places.len())
            .map(|place| {
                let &(next, cost) = reached.get(&place)?;
                let next = (next != goal_place).then_some(next);
                Some((cost as f32 * 1e-3, next))
            })
            .collect();
        Guide { goal, onward }
    }

    /// The corners of the shortest way from a point to the guide's goal, both included; `None`
    /// where there is no way.
    pub fn way(&self, from: Vec2, guide: &Guide) -> Option<Vec<Vec2>> {
        let mut best = self.cost(from, guide.goal).map(|cost| (cost, None));
        if best.is_none_or(|(cost, _)| cost > 1.001 * from.distance(guide.goal)) {
            let mut at_least: Vec<(f32, usize)> = guide
                .onward
                .iter()
                .enumerate()
                .filter_map(|(place, onward)| {
                    let (cost, _) = (*onward)?;
                    Some((from.distance(self.places[place]) + cost, place))
                })
                .collect();
            at_least.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (least, place) in at_least {
                if best.is_some_and(|(cost, _)| cost <= least) {
                    break;
                }
                let Some(first) = self.cost(from, self.places[place]) else {
                    continue;
                };
                let cost = least - from.distance(self.places[place]) + first;
                if best.is_none_or(|(known, _)| cost < known) {
                    best = Some((cost, Some(place)));
                }
            }
        }
        let (_, mut next) = best?;
        let mut way = vec![from];
        while let Some(place) = next {
            way.push(self.places[place]);
            next = guide.onward[place].and_then(|(_, next)| next);
        }
        way.push(guide.goal);
        Some(way)
    }
}

impl Guide {
    /// Where it leads.
    pub fn goal(&self) -> Vec2 {
        self.goal
    }
}

/// The corners of a shape, moved out so far that the sides keep the distance.
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

    fn length(way: &[Vec2]) -> f32 {
        way.windows(2).map(|leg| leg[0].distance(leg[1])).sum()
    }

    #[test]
    fn an_open_field_is_crossed_straight() {
        let map = Roadmap::new(&[], 0.5);
        let goal = Vec2::new(10.0, 4.0);
        let way = map.way(Vec2::ZERO, &map.guide(goal)).unwrap();
        assert_eq!(way, [Vec2::ZERO, goal]);
    }

    #[test]
    fn a_wall_is_walked_around_at_an_arms_length() {
        let wall = Shape::block(Rect::new(-0.5, -4.0, 0.5, 20.0));
        let map = Roadmap::new(std::slice::from_ref(&wall), 0.5);
        let way = map
            .way(Vec2::new(-6.0, 0.0), &map.guide(Vec2::new(6.0, 0.0)))
            .unwrap();
        for leg in way.windows(2) {
            assert!(wall.distance_of_way(leg[0], leg[1]) >= 0.79, "{way:?}");
        }
        // To touch the corners would take 14.6 m; a body's and an arm's length more all around.
        assert!(length(&way) < 16.2, "{way:?}");
    }

    #[test]
    fn a_gap_as_narrow_as_the_walker_is_a_way() {
        let walls = [
            Shape::block(Rect::new(0.0, 0.55, 1.0, 9.0)),
            Shape::block(Rect::new(0.0, -9.0, 1.0, -0.55)),
        ];
        let map = Roadmap::new(&walls, 0.5);
        let way = map
            .way(Vec2::new(-5.0, 3.0), &map.guide(Vec2::new(5.0, -2.0)))
            .unwrap();
        assert!(length(&way) < 12.0, "through the gap: {way:?}");
    }

    #[test]
    fn whoever_is_walled_in_has_no_way() {
        let walls = [
            Rect::new(-3.0, 2.0, 3.0, 3.0),
            Rect::new(-3.0, -3.0, 3.0, -2.0),
            Rect::new(2.0, -3.0, 3.0, 3.0),
            Rect::new(-3.0, -3.0, -2.0, 3.0),
        ]
        .map(Shape::block);
        let map = Roadmap::new(&walls, 0.5);
        assert_eq!(map.way(Vec2::ZERO, &map.guide(Vec2::new(9.0, 0.0))), None);
    }
}
