//! A case in a world: bodies, walls, and the action selection that leads everybody home.

use bevy::ecs::schedule::{InternedScheduleLabel, ScheduleLabel};
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use crate::case::sides;
use crate::plan::{Guide, Roadmap};
use crate::{Case, Goal, Shape};

/// Who moves the walkers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// [`PointMass`]: nothing but steering keeps them apart. What scores are made with.
    #[default]
    PointMass,
    /// Balls of Rapier, solid to each other and to the obstacles. Needs its plugin.
    Rapier,
}

/// Leads the walkers of a case: plans their ways, and takes those away who are home.
///
/// Needs the steering plugin in the same schedule. Without a case it rests.
pub struct CasePlugin {
    schedule: InternedScheduleLabel,
}

impl CasePlugin {
    /// In the schedule that steering runs in.
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self {
            schedule: schedule.intern(),
        }
    }
}

impl Default for CasePlugin {
    /// In `FixedUpdate`.
    fn default() -> Self {
        Self::new(FixedUpdate)
    }
}

impl Plugin for CasePlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(
            self.schedule,
            lead_home
                .before(SteeringSystems::Sense)
                .run_if(resource_exists::<Town>),
        );
    }
}

/// Everything of a case that [`spawn_case`] has spawned; despawn them to clear it away.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct OfCase;

/// Which walker of the case this is, and how far it has come.
#[derive(Component, Clone, Debug)]
pub struct Itinerary {
    /// Index into [`Case::walkers`].
    pub walker: usize,
    /// Radius of its body, m.
    pub radius: f32,
    /// All goals, each with its place in [`Town`].
    goals: Vec<(Goal, usize)>,
    /// How many of them have been reached.
    pub reached: usize,
}

impl Itinerary {
    /// Where it wants to go now.
    pub fn goal(&self) -> Option<&Goal> {
        self.goals.get(self.reached).map(|(goal, _)| goal)
    }
}

/// The ways of a case, and who has come home.
#[derive(Resource, Clone, Debug, Default)]
pub struct Town {
    maps: Vec<(f32, Roadmap)>,
    /// With the map it belongs to.
    guides: Vec<(usize, Guide)>,
    ticks: u32,
    /// Walkers and the number of ticks after which they were home.
    pub home: Vec<(usize, u32)>,
}

impl Town {
    /// Ticks between two looks for a shorter way.
    const REPLAN: u32 = 8;

    fn map(&mut self, obstacles: &[Shape], radius: f32) -> usize {
        let known = self.maps.iter().position(|(of, _)| *of == radius);
        known.unwrap_or_else(|| {
            self.maps.push((radius, Roadmap::new(obstacles, radius)));
            self.maps.len() - 1
        })
    }

    fn guide(&mut self, map: usize, goal: Vec2) -> usize {
        let known = |(on, guide): &(usize, Guide)| *on == map && guide.goal() == goal;
        self.guides.iter().position(known).unwrap_or_else(|| {
            let guide = self.maps[map].1.guide(goal);
            self.guides.push((map, guide));
            self.guides.len() - 1
        })
    }

    /// The way of somebody at a place: the corners up to the goal.
    fn way(&self, from: Vec2, goal: &Goal, guide: usize) -> Option<Vec<Vec2>> {
        let (map, guide) = &self.guides[guide];
        let map = &self.maps[*map].1;
        let aim = goal.aim(from);
        if goal.area.is_some() && map.is_free(from, aim) {
            return Some(vec![from, aim]);
        }
        map.way(from, guide)
    }
}

/// Spawns a case: a [`Pedestrian`] for each walker, at its start and with its own pace, the
/// obstacles as [`Wall`]s and [`Obstacle`]s, and the [`Town`] that [`CasePlugin`] leads them by.
/// All entities are [`OfCase`]; positions are the case's, in meters. Give them a look as you like.
///
/// Returns the walkers in the case's order.
pub fn spawn_case(world: &mut World, case: &Case, body: Body) -> Vec<Entity> {
    let mut town = Town::default();
    for obstacle in &case.obstacles {
        spawn_obstacle(world, obstacle, body);
    }
    let walkers = case.walkers.iter().enumerate();
    let entities = walkers
        .map(|(index, walker)| {
            let map = town.map(&case.obstacles, walker.radius);
            let goals: Vec<_> = walker
                .goals
                .iter()
                .map(|goal| (*goal, town.guide(map, goal.target)))
                .collect();
            let rotation = Quat::from_rotation_z(walker.heading.to_angle());
            let velocity = walker.speed * walker.heading;
            let mut pedestrian = Pedestrian::default();
            pedestrian.vehicle.radius = Some(walker.radius);
            let mut entity = world.spawn((
                OfCase,
                Transform::from_translation(walker.position.extend(0.0)).with_rotation(rotation),
                pedestrian,
                FaceVelocity::default(),
                Itinerary {
                    walker: index,
                    radius: walker.radius,
                    goals,
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
        .collect();
    world.insert_resource(town);
    entities
}

fn spawn_obstacle(world: &mut World, obstacle: &Shape, body: Body) {
    let solid = |collider| (RigidBody::Fixed, collider, Friction::coefficient(0.0));
    match obstacle {
        Shape::Disc { center, radius } => {
            let place = Transform::from_translation(center.extend(0.0));
            let mut disc = world.spawn((OfCase, place, Obstacle { radius: *radius }));
            if body == Body::Rapier {
                disc.insert(solid(Collider::ball(*radius)));
            }
        }
        Shape::Polygon(corners) => {
            for (from, to) in sides(corners) {
                world.spawn((OfCase, Wall::new(from, to)));
            }
            if body == Body::Rapier
                && let Some(hull) = Collider::convex_hull(corners)
            {
                world.spawn((OfCase, Transform::default(), solid(hull)));
            }
        }
    }
}

fn lead_home(
    mut town: ResMut<Town>,
    mut walkers: Query<(Entity, &Transform, &mut Itinerary, &mut FollowPath)>,
    mut commands: Commands,
) {
    let ticks = town.ticks;
    let mut home = Vec::new();
    for (entity, at, mut itinerary, mut follow) in &mut walkers {
        let position = at.translation.truncate();
        let before = itinerary.reached;
        let mut reached = before;
        while let Some((goal, _)) = itinerary.goals.get(reached)
            && goal.is_reached(position)
        {
            reached += 1;
        }
        if reached != before {
            itinerary.reached = reached;
        }
        let Some(&(goal, guide)) = itinerary.goals.get(reached) else {
            home.push((itinerary.walker, ticks));
            commands.entity(entity).despawn();
            continue;
        };
        let turn = (itinerary.walker as u32 + ticks).is_multiple_of(Town::REPLAN);
        if ticks > 0 && reached == before && !turn {
            continue;
        }
        follow.pace = Some(goal.pace);
        if let Some(way) = town.way(position, &goal, guide)
            && let Ok(path) = SteeringPath::open(way)
        {
            commands.entity(entity).insert(path);
        }
    }
    home.sort_unstable();
    town.home.extend(home);
    town.ticks += 1;
}
