//! Property tests: for random agents, targets and vehicles, forces are finite and within the limit,
//! and steering never accelerates a body past its top speed.

use bevy::prelude::*;
use bevy_steering2d::behaviors;
use bevy_steering2d::prelude::*;
use proptest::prelude::*;

use crate::common::*;

/// A random agent before it is spawned.
#[derive(Clone, Debug)]
struct RandomAgent {
    position: Vec2,
    velocity: Vec2,
    mass: f32,
    vehicle: Vehicle,
    combine: Combine,
    limit: SpeedLimit,
    target: Aim,
    behaviors: [bool; 6],
    weight: f32,
    probability: f32,
}

/// Its target: a point or another agent.
#[derive(Clone, Copy, Debug)]
enum Aim {
    Point(Vec2),
    Agent(usize),
}

/// Numbers of every size, from a micrometer to a million kilometers, and zero.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        Just(0.0_f32),
        -10.0..10.0_f32,
        -1e-6..1e-6_f32,
        -1e9..1e9_f32,
    ]
}

fn point() -> impl Strategy<Value = Vec2> {
    prop_oneof![
        Just(Vec2::ZERO),
        (number(), number()).prop_map(|(x, y)| Vec2::new(x, y)),
    ]
}

/// From 0.001 to 1000, uniform over the orders of magnitude.
fn magnitude() -> impl Strategy<Value = f32> {
    (-3.0..3.0_f32).prop_map(|exponent| ops::powf(10.0, exponent))
}

fn vehicle() -> impl Strategy<Value = Vehicle> {
    (magnitude(), magnitude(), magnitude()).prop_map(|(max_speed, max_force, response_time)| {
        Vehicle {
            max_speed,
            max_force,
            response_time,
            radius: None,
        }
    })
}

fn combine() -> impl Strategy<Value = Combine> {
    prop_oneof![
        Just(Combine::WEIGHTED_SUM),
        Just(Combine::AVERAGE),
        Just(Combine::PRIORITIZED),
        Just(Combine::DITHERED),
    ]
}

fn agent() -> impl Strategy<Value = RandomAgent> {
    let limit = prop_oneof![Just(SpeedLimit::Soft), Just(SpeedLimit::Hard)];
    let target = prop_oneof![
        point().prop_map(Aim::Point),
        (0..8_usize).prop_map(Aim::Agent)
    ];
    let body = (point(), point(), magnitude());
    let say = (0.0..1e3_f32, 0.01..=1.0_f32);
    let behaviors = any::<[bool; 6]>();
    (body, vehicle(), combine(), limit, target, behaviors, say).prop_map(
        |((position, velocity, mass), vehicle, combine, limit, target, behaviors, say)| {
            RandomAgent {
                position,
                velocity: velocity.clamp_length_max(300.0),
                mass,
                vehicle,
                combine,
                limit,
                target,
                behaviors,
                weight: say.0,
                probability: say.1,
            }
        },
    )
}

impl RandomAgent {
    fn spawn(&self, backend: Backend, app: &mut App) -> Entity {
        let body = Body {
            position: self.position,
            velocity: self.velocity,
            mass: self.mass,
        };
        backend.spawn(app, body, (self.vehicle, self.combine, self.limit))
    }

    fn behave(&self, world: &mut World, agent: Entity, agents: &[Entity]) {
        let target = match self.target {
            Aim::Point(point) => Target::Point(point),
            Aim::Agent(index) => Target::Entity(agents[index % agents.len()]),
        };
        let mut agent = world.entity_mut(agent);
        let [seek, flee, arrive, pursuit, evade, wander] = self.behaviors;
        if seek {
            agent.insert(self.say(Seek::new(target)));
        }
        if flee {
            agent.insert(self.say(Flee::new(target).with_panic_distance(f32::INFINITY)));
        }
        if arrive {
            agent.insert(self.say(Arrive::new(target)));
        }
        if pursuit {
            agent.insert(self.say(Pursuit::new(target).with_prediction(Prediction::Intercept)));
        }
        if evade {
            agent.insert(self.say(Evade::new(target)));
        }
        if wander {
            agent.insert(self.say(Wander::default()));
        }
    }

    fn say<B: Behavior>(&self, behavior: B) -> B {
        behavior
            .with_weight(self.weight)
            .with_probability(self.probability)
    }

    /// Checks the limits after one tick.
    fn check(&self, app: &App, agent: Entity, before: Vec2) -> Result<(), TestCaseError> {
        let force = total(app, agent);
        prop_assert!(force.is_finite(), "{self:?}: {force} N");
        let limit = self.vehicle.max_force * (1.0 + 1e-5);
        prop_assert!(force.length() <= limit, "{self:?}: {} N", force.length());
        let after = velocity(app, agent);
        prop_assert!(
            after.is_finite() && position(app, agent).is_finite(),
            "{self:?}"
        );
        let allowed = before.length().max(self.vehicle.max_speed) * (1.0 + 1e-5);
        prop_assert!(
            after.length() <= allowed,
            "{self:?}: {before} to {after} m/s"
        );
        Ok(())
    }
}

fn check_limits(backend: Backend, specs: &[RandomAgent]) -> Result<(), TestCaseError> {
    let mut app = backend.app(HERTZ);
    let agents: Vec<Entity> = specs
        .iter()
        .map(|one| one.spawn(backend, &mut app))
        .collect();
    for (one, &agent) in specs.iter().zip(&agents) {
        one.behave(app.world_mut(), agent, &agents);
    }
    for _ in 0..30 {
        let before: Vec<Vec2> = agents.iter().map(|&agent| velocity(&app, agent)).collect();
        app.update();
        for ((one, &agent), before) in specs.iter().zip(&agents).zip(before) {
            one.check(&app, agent, before)?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_point_mass_stays_within_its_limits(specs in prop::collection::vec(agent(), 1..8)) {
        check_limits(Backend::PointMass, &specs)?;
    }

    #[test]
    fn any_rapier_body_stays_within_its_limits(specs in prop::collection::vec(agent(), 1..8)) {
        check_limits(Backend::Rapier, &specs)?;
    }
}

/// Few distinct coordinates, so that points coincide and align, and some far away.
fn any_point() -> impl Strategy<Value = Vec2> {
    let coordinate = || prop_oneof![(-2..3).prop_map(|c| c as f32), -1e6_f32..1e6];
    (coordinate(), coordinate()).prop_map(Vec2::from)
}

fn any_kinematics() -> impl Strategy<Value = Kinematics> {
    (any_point(), any_point(), any::<bool>()).prop_map(|(position, velocity, has_heading)| {
        let heading = velocity.normalize_or(Vec2::X);
        Kinematics {
            position,
            velocity,
            heading: if has_heading { heading } else { Vec2::ZERO },
            ..default()
        }
    })
}

proptest! {
    #[test]
    fn every_force_is_finite_and_bounded(
        position in any_point(),
        velocity in any_point(),
        grams in 1..1_000_000_u32,
        first in any_kinematics(),
        second in any_kinematics(),
        offset in any_point(),
        length in 0.0_f32..100.0,
        points in proptest::collection::vec(any_point(), 1..9),
        looped: bool,
    ) {
        let mass = grams as f32 / 1e3;
        let me = Agent { position, velocity, mass, ..default() };
        let path = if looped { SteeringPath::looped(points) } else { SteeringPath::open(points) };
        let leash = Tether { length, ..default() };
        let road = StayOnPath { half_width: length + 0.01, ..default() };
        let place = OffsetPursuit { offset, ..default() };
        let slot = behaviors::formation_slot(&first, offset);
        for force in [
            behaviors::interpose(&me, &first, &second, &Interpose::default()),
            behaviors::offset_pursuit(&me, &first, slot, second.velocity, &place),
            behaviors::tether(&me, &first, &leash),
            behaviors::match_velocity(&me, first.velocity),
            behaviors::flow_field_following(&me, offset),
            behaviors::stay_on_path(&me, &path.unwrap(), &road),
        ] {
            assert!(force.is_finite() && force.length() <= 1.0001 * me.max_force, "{force}");
        }
    }
}
