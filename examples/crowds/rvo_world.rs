//! A world with RVO2, scored like a run of ours.

use std::borrow::Cow;

use bevy::prelude::*;
use bevy_steering2d::navigation::PathQuery;
use bevy_steering2d_steerbench::{
    Case, LIMIT, Score, Scorer, Shape, Sighting, TICK, Walker, shortest_path,
};
use dodgy_2d::{Agent, AvoidanceOptions, Obstacle};

use crate::rvo::{MAX_SPEED, OPTIONS, to_dodgy};

/// Each walker considers so many others, the nearest.
const NEIGHBORS: usize = 16;

/// What a walker asks a pathfinder.
pub fn way(from: Vec2, to: Vec2) -> PathQuery {
    PathQuery {
        from,
        to,
        radius: Walker::RADIUS,
    }
}

/// A walker of RVO2 on its way.
struct Pedestrian {
    index: usize,
    agent: Agent,
}

impl Pedestrian {
    fn position(&self) -> Vec2 {
        self.agent.position.to_array().into()
    }
}

/// The score of a world whose walkers have one goal each. Each prefers the shortest way.
pub fn run(world: &Case) -> Score {
    let mut pathfinder = world.pathfinder();
    let obstacles: Vec<Obstacle> = world.obstacles.iter().map(solid).collect();
    let obstacles: Vec<Cow<Obstacle>> = obstacles.iter().map(Cow::Borrowed).collect();
    let goal = |walker: &Pedestrian| &world.walkers[walker.index].goals[0];
    let walkers = world.walkers.iter().enumerate();
    let mut walkers: Vec<Pedestrian> = walkers
        .map(|(index, walker)| Pedestrian {
            index,
            agent: Agent {
                position: to_dodgy(walker.position),
                velocity: to_dodgy(Vec2::ZERO),
                radius: walker.radius,
                avoidance_responsibility: 1.0,
            },
        })
        .collect();
    let mut scorer = Scorer::new(world);
    scorer.watch(&sightings(&walkers), 0.0);
    for tick in 1..=(LIMIT / TICK) as u32 {
        let chosen: Vec<_> = walkers
            .iter()
            .map(|walker| {
                let (agent, position) = (&walker.agent, walker.position());
                let target = goal(walker).aim(position);
                let path = shortest_path(&mut pathfinder, &way(position, target));
                let aim = path.map_or(target, |path| path[1]);
                let wish = Walker::PACE * (aim - position).normalize_or_zero();
                agent.compute_avoiding_velocity(
                    &nearest(&walkers, walker),
                    &obstacles,
                    to_dodgy(wish),
                    MAX_SPEED,
                    TICK,
                    &AvoidanceOptions {
                        obstacle_margin: agent.radius,
                        ..OPTIONS
                    },
                )
            })
            .collect();
        for (walker, velocity) in walkers.iter_mut().zip(chosen) {
            walker.agent.velocity = velocity;
            walker.agent.position += velocity * TICK;
        }
        scorer.watch(&sightings(&walkers), TICK);
        walkers.retain(|walker| {
            let is_home = goal(walker).is_reached(walker.position());
            if is_home {
                scorer.home(tick as f32 * TICK);
            }
            !is_home
        });
        if walkers.is_empty() {
            break;
        }
    }
    scorer.score()
}

/// The nearest others.
fn nearest<'a>(walkers: &'a [Pedestrian], walker: &Pedestrian) -> Vec<Cow<'a, Agent>> {
    let position = walker.agent.position;
    let others = walkers.iter().filter(|other| other.index != walker.index);
    let mut others: Vec<_> = others.map(|other| &other.agent).collect();
    if others.len() > NEIGHBORS {
        let square = |other: &Agent| other.position.distance_squared(position);
        others.select_nth_unstable_by(NEIGHBORS, |a, b| square(a).total_cmp(&square(b)));
        others.truncate(NEIGHBORS);
    }
    others.into_iter().map(Cow::Borrowed).collect()
}

fn sightings(walkers: &[Pedestrian]) -> Vec<Sighting> {
    let seen = |walker: &Pedestrian| Sighting {
        walker: walker.index,
        position: walker.position(),
        velocity: walker.agent.velocity.to_array().into(),
    };
    walkers.iter().map(seen).collect()
}

fn solid(shape: &Shape) -> Obstacle {
    let Shape::Polygon(corners) = shape else {
        unreachable!("every obstacle of these worlds is a block");
    };
    Obstacle::Closed {
        vertices: corners.iter().map(|&corner| to_dodgy(corner)).collect(),
    }
}
