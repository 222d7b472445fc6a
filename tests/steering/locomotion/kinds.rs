//! Kinds of locomotion: one at a time, changeable, and of the game's own.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{LocomotionRegistry, Propulsion};

use super::{KINDS, car_to_the_east, insert_kind};
use crate::common::*;
use crate::repository::file;

fn kind(app: &App, agent: Entity) -> Option<&'static str> {
    let registry = app.world().resource::<LocomotionRegistry>();
    registry.of(app.world().entity(agent)).map(|it| it.name)
}

#[test]
fn a_kind_comes_with_its_parts_and_takes_them_along() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = car_to_the_east(backend, &mut app);
        run_ticks(&mut app, 1);
        let driven = app.world().entity(agent);
        assert!(driven.contains::<Controls>());
        assert!(driven.contains::<Abilities>() && driven.contains::<Propulsion>());
        app.world_mut().entity_mut(agent).remove::<Wheeled>();
        run_ticks(&mut app, 1);
        let free = app.world().entity(agent);
        assert!(!free.contains::<Controls>());
        assert!(!free.contains::<Abilities>() && !free.contains::<Propulsion>());
        run_seconds(&mut app, 1.0);
        assert!(warnings(&app).is_empty(), "{:?}", warnings(&app));
        assert!(position(&app, agent).x > 1.0);
    }
}

#[test]
fn a_kind_inserted_beside_another_replaces_it_with_a_warning() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = car_to_the_east(backend, &mut app);
        run_ticks(&mut app, 10);
        app.world_mut().entity_mut(agent).insert(Tracked::default());
        run_ticks(&mut app, 10);
        assert_eq!(kind(&app, agent), Some("Tracked"));
        assert!(app.world().entity(agent).contains::<Controls>());
        assert_warned_once(&app, agent, "Wheeled", "two kinds");
        app.world_mut().entity_mut(agent).insert(Holonomic);
        run_ticks(&mut app, 10);
        assert_eq!(kind(&app, agent), Some("Holonomic"));
        assert!(!app.world().entity(agent).contains::<Controls>());
    }
}

#[test]
fn of_two_kinds_inserted_at_once_one_remains() {
    let mut app = point_mass_app(HERTZ);
    let both = (Seek::new(EAST), Wheeled::default(), Tracked::default());
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), both);
    run_ticks(&mut app, 10);
    let left = app.world().entity(agent);
    assert!(left.contains::<Wheeled>() != left.contains::<Tracked>());
    assert_eq!(warnings(&app).len(), 1);
}

#[test]
fn an_agent_may_be_despawned_while_its_kinds_are_removed() {
    fn vanish<K: Component>(removed: On<Remove, K>, mut commands: Commands) {
        commands.entity(removed.entity).try_despawn();
    }
    let mut app = point_mass_app(HERTZ);
    app.add_observer(vanish::<Wheeled>)
        .add_observer(vanish::<Tracked>)
        .add_observer(vanish::<Hull>);
    let kinds = (Wheeled::default(), Tracked::default(), Hull::default());
    let agent = (PointMass::default(), Seek::new(EAST), kinds);
    let agent = app.world_mut().spawn(agent).id();
    run_ticks(&mut app, 1);
    assert!(app.world().get_entity(agent).is_err());
}

#[test]
fn every_kind_moves_by_default() {
    for backend in BACKENDS {
        for number in 0..KINDS {
            let mut app = backend.app(HERTZ);
            let agent = Seek::new(Vec2::new(3.0, 20.0));
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
            insert_kind(&mut app, agent, number);
            run_seconds(&mut app, 5.0);
            let way = position(&app, agent).length();
            assert!(way > 5.0, "{backend:?}, kind {number}: {way} m");
            assert!(warnings(&app).is_empty());
        }
    }
}

/// A sled that glides in the direction it faces.
#[derive(Component, Reflect, Clone, Default)]
#[reflect(Component, Default)]
struct Sled;

impl Locomotion for Sled {
    fn abilities(&self, vehicle: &Vehicle, mass: f32) -> Abilities {
        let most = vehicle.max_force / mass;
        Abilities {
            braking: most,
            cornering: most,
            ..default()
        }
    }

    fn drive(&self, motion: &Motion, desired: Vec2, controls: &mut Controls) {
        controls.throttle = (desired.dot(motion.heading) / motion.max_speed).clamp(0.0, 1.0);
    }

    fn accelerate(&self, motion: &Motion, controls: &Controls) -> Acceleration {
        let desired = controls.throttle * motion.max_speed * motion.heading;
        Acceleration {
            linear: (desired - motion.velocity) / motion.response_time,
            angular: 0.0,
        }
    }
}

#[test]
fn a_game_adds_a_kind_of_its_own() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        app.add_locomotion::<Sled>();
        let agent = (Seek::new(Vec2::new(20.0, 20.0)), Sled);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_seconds(&mut app, 2.0);
        let at = position(&app, agent);
        assert!(at.x > 3.0 && at.y.abs() < 1e-3, "{backend:?}: {at}");
        assert_eq!(kind(&app, agent), Some("Sled"));
    }
}

/// Can do nothing, and panics if it is asked for that although its parameters or its body are refused.
#[derive(Component, Reflect, Clone, Default)]
#[reflect(Component, Default)]
struct Rocket {
    thrust: f32,
}

impl Locomotion for Rocket {
    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Rocket.thrust", self.thrust)
    }

    fn abilities(&self, _: &Vehicle, mass: f32) -> Abilities {
        assert!(self.thrust > 0.0 && mass > 0.0);
        Abilities::default()
    }

    fn drive(&self, _: &Motion, _: Vec2, _: &mut Controls) {}

    fn accelerate(&self, _: &Motion, _: &Controls) -> Acceleration {
        Acceleration::default()
    }
}

#[test]
fn a_kind_is_not_asked_what_it_can_do_with_parameters_that_it_refuses() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        app.add_locomotion::<Rocket>();
        let agent = (Seek::new(EAST), Rocket::default());
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, 10);
        assert_warned_once(&app, agent, "Rocket.thrust", "refused");
        assert_eq!(position(&app, agent), Vec2::ZERO);
    }
}

// The recipe of a car that the player drives shows these lines; a test compares them.
#[rustfmt::skip]
#[derive(Component, Reflect, Clone, Default)]
struct PlayerCar {
    car: Wheeled,
    pedal: f32,    // from -1, backward, to 1
    steering: f32, // from -1, right, to 1
}

#[rustfmt::skip]
impl Locomotion for PlayerCar {
    fn check(&self) -> Result<(), InvalidParameter> { self.car.check() }
    fn abilities(&self, vehicle: &Vehicle, mass: f32) -> Abilities { self.car.abilities(vehicle, mass) }

    fn drive(&self, motion: &Motion, _: Vec2, controls: &mut Controls) {
        let (speed, pressed) = (motion.forward_speed(), self.pedal.abs());
        let brakes = self.pedal * speed < 0.0 && speed.abs() > 0.1;
        let limit = if self.pedal < 0.0 { self.car.reverse_speed } else { motion.max_speed };
        controls.throttle = if brakes || speed.abs() > limit { 0.0 } else { pressed };
        controls.brake = if brakes { pressed } else if pressed == 0.0 { 0.05 } else { 0.0 };
        controls.reversing = self.pedal < 0.0 && !brakes;
        let most = self.car.steering_rate * motion.delta;
        let turn = self.steering * self.car.max_steering - controls.steering;
        controls.steering += turn.max(-most).min(most);
    }

    fn accelerate(&self, motion: &Motion, controls: &Controls) -> Acceleration {
        self.car.accelerate(motion, controls)
    }
}

#[test]
fn the_recipe_shows_the_car_that_is_driven_here() {
    let here = file("tests/steering/locomotion/kinds.rs");
    let recipes = file("docs/recipes.md");
    let items: Vec<&str> = here.split("#[rustfmt::skip]\n").skip(1).collect();
    assert_eq!(items.len(), 2, "the type and its locomotion");
    for item in items {
        let (code, _) = item.split_once("\n}\n").unwrap();
        assert!(recipes.contains(code), "{code}");
    }
}

#[test]
fn a_player_drives_a_car_without_behaviors() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        app.add_locomotion::<PlayerCar>();
        let agent = (Vehicle::new(14.0, 9_600.0), PlayerCar::default());
        let body = Body::at(0.0, 0.0).weighing(1_200.0);
        let car = backend.spawn(&mut app, body, agent);
        let drive = |app: &mut App, pedal: f32, steering: f32, seconds: f32| {
            let mut player = app.world_mut().get_mut::<PlayerCar>(car).unwrap();
            (player.pedal, player.steering) = (pedal, steering);
            run_seconds(app, seconds);
        };
        drive(&mut app, 1.0, 0.0, 2.0);
        let at = position(&app, car);
        assert!(at.x > 5.0 && at.y.abs() < 1e-3, "{backend:?}: {at}");
        drive(&mut app, 0.0, 0.3, 1.0);
        let facing = facing(&app, car);
        assert!(facing.y > 0.2, "{backend:?}: a turn to the left, {facing}");
        drive(&mut app, 1.0, 0.0, 5.0);
        let speed = velocity(&app, car).length();
        assert!((13.5..14.2).contains(&speed), "{backend:?}: {speed} m/s");
        drive(&mut app, -1.0, 0.0, 4.0);
        let speed = get::<Kinematics>(&app, car).forward_speed();
        assert!((-3.2..-2.8).contains(&speed), "{backend:?}: {speed} m/s");
        drive(&mut app, 0.0, 0.0, 12.0);
        let (at, speed) = (position(&app, car), velocity(&app, car).length());
        assert!(speed < 0.01, "{backend:?}: it rolls at {speed} m/s");
        drive(&mut app, 1.0, 0.0, 2.0);
        let way = position(&app, car).distance(at);
        assert!(way > 5.0, "{backend:?}: from rest {way} m");
    }
}
