//! The warning of agents that look for walls or obstacles, among colliders that they do not sense.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::{
    BehaviorInfo, BehaviorRegistry, Hide, LedgerEntry, Obstacle, ObstacleAvoidance,
    SensesColliders, SteeringClock, SteeringDisabled, SteeringForce, SteeringWarnings, SteersFor,
    Vehicle, Wall, WallAvoidance, WallFollowing,
};

use crate::owners::Owners;

/// Ticks between two looks.
const LOOK_TICKS: u32 = 64;

/// How long there may be none of them, s: the game may still load them.
const PATIENCE: f32 = 5.0;

/// Entities with a behavior that sees nothing but walls, or nothing but obstacles.
type Seekers = Or<(
    With<WallAvoidance>,
    With<WallFollowing>,
    With<ObstacleAvoidance>,
    With<Hide>,
)>;

/// Warns of an agent whose behaviors look for walls or obstacles where all of them are colliders, which it does not sense. One
/// warning is enough for all such agents.
pub(crate) fn warn_of_unsensed_colliders(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    registry: Res<BehaviorRegistry>,
    walls: Query<(), With<Wall>>,
    obstacles: Query<(), With<Obstacle>>,
    seekers: Query<(Entity, &SteeringForce), Seekers>,
    steers_for: Query<&SteersFor>,
    blind: Query<
        (),
        (
            With<Vehicle>,
            Without<SensesColliders>,
            Without<SteeringDisabled>,
        ),
    >,
    contexts: Query<(&RapierContextColliders, &RapierRigidBodySet)>,
    owners: Owners,
    mut waited: Local<f32>,
) {
    if !clock.is_due(LOOK_TICKS, 0) {
        return;
    }
    let [walls, obstacles] = [
        walls.is_empty().then_some("Walls"),
        obstacles.is_empty().then_some("Obstacles"),
    ];
    let sought = [
        (registry.of::<WallAvoidance>(), walls),
        (registry.of::<WallFollowing>(), walls),
        (registry.of::<ObstacleAvoidance>(), obstacles),
        (registry.of::<Hide>(), obstacles),
    ];
    // What a behavior looks for, if the world has none of it.
    let missing = |entry: &LedgerEntry| {
        let is_this =
            |it: &&(Option<&BehaviorInfo>, _)| it.0.is_some_and(|it| it.id == entry.behavior);
        sought.iter().find(is_this)?.1
    };
    let in_vain = |(source, force): (Entity, &SteeringForce)| {
        let agent = steers_for.root_ancestor(source);
        let mut own = force
            .ledger()
            .filter(|it| it.is_considered() && !it.is_from_behavior_entity());
        let (behavior, what) = own.find_map(|it| Some((it.behavior, missing(&it)?)))?;
        let name = registry.get(behavior).name;
        blind.contains(agent).then_some((agent, name, what))
    };
    let mut colliders = contexts
        .iter()
        .flat_map(|(colliders, bodies)| colliders.colliders.iter().map(move |it| (it.1, bodies)));
    let found = seekers.iter().filter_map(in_vain).min();
    let stands = found.filter(|_| colliders.any(|(it, bodies)| owners.is_solid(it, bodies)));
    let Some((agent, name, what)) = stands else {
        *waited = 0.0;
        return;
    };
    if *waited >= PATIENCE {
        warnings.raise(&clock, agent, "SensesColliders", || {
            format!(
                "{name} sees no colliders, and there are no {what}; insert SensesColliders::default() on the agent"
            )
        });
    }
    *waited += LOOK_TICKS as f32 * clock.delta;
}
