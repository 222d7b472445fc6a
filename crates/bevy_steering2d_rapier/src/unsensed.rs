//! The warning of agents that avoid or follow walls, among colliders that they do not sense.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::{
    BehaviorRegistry, SensesColliders, SteeringClock, SteeringDisabled, SteeringForce,
    SteeringWarnings, SteersFor, Vehicle, Wall, WallAvoidance, WallFollowing,
};

use crate::owners::Owners;

/// Ticks between two looks.
const LOOK_TICKS: u32 = 64;

/// How long there may be no walls, s: the game may still load them.
const PATIENCE: f32 = 5.0;

/// Entities with a behavior that sees nothing but walls.
type Seekers = Or<(With<WallAvoidance>, With<WallFollowing>)>;

/// Warns of an agent whose behaviors look for walls where all walls are colliders, which it does not sense. One warning is
/// enough for all such agents.
pub(crate) fn warn_of_unsensed_walls(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    registry: Res<BehaviorRegistry>,
    walls: Query<(), With<Wall>>,
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
    let (Some(avoids), Some(follows)) = (
        registry.of::<WallAvoidance>(),
        registry.of::<WallFollowing>(),
    ) else {
        return;
    };
    let in_vain = |(source, force): (Entity, &SteeringForce)| {
        let agent = steers_for.root_ancestor(source);
        let entry = force.ledger().find(|it| {
            let looks = it.behavior == avoids.id || it.behavior == follows.id;
            looks && it.is_considered() && !it.is_from_behavior_entity()
        })?;
        let name = registry.get(entry.behavior).name;
        blind.contains(agent).then_some((agent, name))
    };
    let mut colliders = contexts
        .iter()
        .flat_map(|(colliders, bodies)| colliders.colliders.iter().map(move |it| (it.1, bodies)));
    let found = if walls.is_empty() {
        seekers.iter().filter_map(in_vain).min()
    } else {
        None
    };
    let stands = found.filter(|_| colliders.any(|(it, bodies)| owners.is_solid(it, bodies)));
    let Some((agent, name)) = stands else {
        *waited = 0.0;
        return;
    };
    if *waited >= PATIENCE {
        warnings.raise(&clock, agent, "SensesColliders", || {
            format!(
                "{name} sees no colliders, and there are no Walls; insert SensesColliders::default() on the agent"
            )
        });
    }
    *waited += LOOK_TICKS as f32 * clock.delta;
}
