//! Spawns a case in a Bevy world and directs its walkers from goal to goal.

use std::str::FromStr;

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::navigation::{ActivePathfinder, NavigateTo};
use bevy_steering2d::prelude::*;

use crate::case::{area, sides};
use crate::{Case, Goal, Shape};

/// The physics of the walkers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// [`PointMass`]: only steering keeps walkers apart. Scores are measured with it.
    #[default]
    PointMass,
    /// Rapier balls, solid to each other and to the obstacles. Needs the Rapier plugin.
    Rapier,
}

impl Body {
    /// The names that [`FromStr`] accepts.
    pub const NAMES: &str = "point-mass or rapier";
}

impl FromStr for Body {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "point-mass" => Ok(Self::PointMass),
            "rapier" => Ok(Self::Rapier),
            _ => Err(format!("unknown body \"{name}\"")),
        }
    }
}

/// Directs the walkers of a case: sends them from goal to goal by [`NavigateTo`], and despawns walkers that
/// have reached their last one.
///
/// Needs the steering plugin, with navigation, in the same schedule. Does nothing without a case.
pub struct CasePlugin {
    schedule: InternedScheduleLabel,
}

impl CasePlugin {
    /// Runs in the schedule that steering runs in.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self {
            schedule: schedule.intern(),
        }
    }
}

impl Default for CasePlugin {
    /// Runs in `FixedUpdate`.
    fn default() -> Self {
        Self::new(FixedUpdate)
    }
}

impl Plugin for CasePlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(
            self.schedule,
            direct_walkers
                .before(SteeringSystems::Sense)
                .run_if(resource_exists::<Town>),
        );
    }
}

/// Marks every entity that [`spawn_case`] spawns; despawn them to remove the case.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct OfCase;

/// The goals of a walker, and how many it has reached.
#[derive(Component, Clone, Debug)]
pub struct Itinerary {
    /// Index into [`Case::walkers`].
    pub walker: usize,
    /// Radius of the body, m.
    pub radius: f32,
    goals: Vec<Goal>,
    /// Number of goals reached.
    pub reached: usize,
}

impl Itinerary {
    /// The next goal.
    pub fn goal(&self) -> Option<&Goal> {
        self.goals.get(self.reached)
    }

    /// How many goals it has reached when it is at a position, m.
    fn reached_at(&self, position: Vec2) -> usize {
        let mut reached = self.reached;
        while let Some(goal) = self.goals.get(reached)
            && goal.is_reached(position)
        {
            reached += 1;
        }
        reached
    }

    /// Whether it has reached its last goal when it is at a position, m.
    pub(crate) fn is_home_at(&self, position: Vec2) -> bool {
        self.reached_at(position) >= self.goals.len()
    }
}

/// The walkers of a case that have reached their last goal.
#[derive(Resource, Clone, Debug, Default)]
pub struct Town {
    ticks: u32,
    /// Walkers that have reached their last goal, and after how many ticks.
    pub home: Vec<(usize, u32)>,
}

/// Ticks after which a walker that heads for an area looks anew for its nearest point.
const AIM: u32 = 8;

/// A path older than this is planned again, s: others push walkers to where another way is shorter. That is every
/// eighth tick of 0.05 s.
const REPLAN: f32 = 0.375;

/// Spawns a case: each walker as a [`Pedestrian`] with its own pace, the obstacles as [`Wall`]s and
/// [`Obstacle`]s. All entities are [`OfCase`] and have no visuals; positions are those of the case, m.
/// [`Case::pathfinder`] becomes the [`ActivePathfinder`].
///
/// Returns the walkers in the order of the case.
pub fn spawn_case(world: &mut World, case: &Case, body: Body) -> Vec<Entity> {
    world.insert_resource(ActivePathfinder::new(Box::new(case.pathfinder())));
    world.insert_resource(Town::default());
    for obstacle in &case.obstacles {
        spawn_obstacle(world, obstacle, body);
    }
    let walkers = case.walkers.iter().enumerate();
    walkers
        .map(|(index, walker)| {
            let rotation = Quat::from_rotation_z(walker.heading.to_angle());
            let velocity = walker.speed * walker.heading;
            let mut pedestrian = Pedestrian::default();
            pedestrian.vehicle.radius = Some(walker.radius);
            let mut entity = world.spawn((
                OfCase,
                Transform::from_translation(walker.position.extend(0.0)).with_rotation(rotation),
                pedestrian,
                NavigateTo::new(walker.position).with_refresh_time(REPLAN),
                FaceVelocity::default(),
                Itinerary {
                    walker: index,
                    radius: walker.radius,
                    goals: walker.goals.clone(),
                    reached: 0,
                },
            ));
            match body {
                Body::PointMass => entity.insert(PointMass {
                    velocity,
                    mass: 1.0,
                }),
                Body::Rapier => entity.insert((
                    RigidBody::Dynamic,
                    Collider::ball(walker.radius),
                    ColliderMassProperties::Mass(1.0),
                    Friction::coefficient(0.0),
                    Velocity::linear(velocity),
                )),
            };
            entity.id()
        })
        .collect()
}

fn spawn_obstacle(world: &mut World, obstacle: &Shape, body: Body) {
    let solid = |collider| (RigidBody::Fixed, collider, Friction::coefficient(0.0));
    match obstacle {
        Shape::Disc { center, radius } => {
            let center = Transform::from_translation(center.extend(0.0));
            let mut disc = world.spawn((OfCase, center, Obstacle { radius: *radius }));
            if body == Body::Rapier {
                disc.insert(solid(Collider::ball(*radius)));
            }
        }
        Shape::Polygon(corners) => {
            for (from, to) in sides(corners) {
                world.spawn((OfCase, Wall::new(from, to)));
            }
            if body == Body::Rapier && !corners.is_empty() {
                world.spawn((OfCase, Transform::default(), solid(polygon(corners))));
            }
        }
    }
}

/// A polygon thinner than this is a line, m: Rapier builds no hull of one without an area.
const THIN: f32 = 1e-4;

fn polygon(corners: &[Vec2]) -> Collider {
    let (from, to) = farthest(corners);
    let hull = (area(corners) > THIN * from.distance(to))
        .then(|| Collider::convex_hull(corners))
        .flatten();
    hull.unwrap_or_else(|| Collider::segment(from, to))
}

/// The two corners with the greatest distance.
fn farthest(corners: &[Vec2]) -> (Vec2, Vec2) {
    let pairs = corners
        .iter()
        .flat_map(|&a| corners.iter().map(move |&b| (a, b)));
    pairs
        .max_by(|(a, b), (c, d)| a.distance(*b).total_cmp(&c.distance(*d)))
        .unwrap_or_default()
}

fn direct_walkers(
    mut town: ResMut<Town>,
    mut active: ResMut<ActivePathfinder>,
    mut walkers: Query<(
        Entity,
        &Transform,
        &mut Itinerary,
        &mut NavigateTo,
        &mut PathFollowing,
    )>,
    mut commands: Commands,
) {
    let ticks = town.ticks;
    let mut home = Vec::new();
    for (entity, at, mut itinerary, mut navigate, mut follow) in &mut walkers {
        let position = at.translation.truncate();
        let before = itinerary.reached;
        let reached = itinerary.reached_at(position);
        if reached != before {
            itinerary.reached = reached;
        }
        let Some(&goal) = itinerary.goals.get(reached) else {
            home.push((itinerary.walker, ticks));
            commands.entity(entity).despawn();
            continue;
        };
        let aims = (itinerary.walker as u32 + ticks).is_multiple_of(AIM);
        if ticks > 0 && reached == before && !aims {
            continue;
        }
        follow.pace = Some(goal.pace);
        let aim = goal.aim(position);
        let sees_area = goal.area.is_some()
            && active
                .pathfinder_mut()
                .is_clear(position, aim, itinerary.radius);
        navigate.target = if sees_area { aim } else { goal.target }.into();
    }
    home.sort_unstable();
    town.home.extend(home);
    town.ticks += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(min: Vec2, max: Vec2) -> Vec<Vec2> {
        match Shape::block(Rect { min, max }) {
            Shape::Polygon(corners) => corners,
            Shape::Disc { .. } => unreachable!("a block has corners"),
        }
    }

    #[test]
    fn a_box_is_a_polygon_and_one_without_an_area_is_a_line() {
        let at = |x, y| Vec2::new(x, y);
        let solid = polygon(&corners(at(1.0, 2.0), at(3.0, 2.5)));
        assert!(solid.as_convex_polygon().is_some());
        for (min, max) in [
            (at(1.0, 2.0), at(3.0, 2.0)),
            (at(1.0, 2.0), at(1.0, 5.0)),
            (at(1.0, 2.0), at(1.0, 2.0)),
            (at(1e5, -1e5), at(1e5, -1e5 + 0.001)),
        ] {
            let line = polygon(&corners(min, max));
            let line = line.as_segment().expect("it is a line");
            assert_eq!(line.a().distance(line.b()), min.distance(max));
        }
    }

    #[test]
    fn a_walker_gets_past_solid_boxes_without_an_area() {
        let case = Case::named("flat")
            .with_walker(crate::Walker::new(Vec2::new(-5.0, 0.0)).to(Vec2::new(5.0, 0.0)))
            .with_obstacle(Shape::block(Rect::new(-1.0, 1.0, 1.0, 1.0)))
            .with_obstacle(Shape::block(Rect::new(0.0, -3.0, 0.0, -1.0)))
            .with_obstacle(Shape::block(Rect::new(2.0, -1.0, 2.0, -1.0)));
        let score = crate::run(&case, Body::Rapier).score;
        assert_eq!(score.home, 1, "{score:?}");
    }
}
