//! The behaviors as components, and their formulas as functions: `seek(&agent, point)` is the force of [`Seek`], N, without an
//! `App`.
//!
//! A formula computes with an [`Agent`], plain numbers, so that a behavior of your own may call it, and a test. Most behaviors
//! have one.

use bevy::prelude::*;

use crate::{Agent, SteeringAppExt};

// A behavior is one file: its component, its memory if it has one, its formula, its registration and its tests. Types that
// several use, such as `Braking`, are in files of their own; what else they share is in `shared`.
mod arrive;
mod braking;
mod collision_avoidance;
mod contacts;
mod containment;
mod crowd_path_following;
mod evade;
mod feelers;
mod flee;
mod flocking;
mod flow_field;
mod headway;
mod hide;
mod interpose;
mod leader_following;
mod maneuver;
mod match_velocity;
mod obstacle_avoidance;
mod offset_pursuit;
mod orbit;
mod park;
mod path_following;
mod path_progress;
mod pedestrian;
mod prediction;
mod pursuit;
mod queuing;
mod reciprocal_avoidance;
mod seek;
mod shared;
mod sidestep;
mod stay_on_path;
mod target_speed;
#[cfg(test)]
pub(crate) mod testing;
mod tether;
mod unguided;
mod wall_avoidance;
mod wall_following;
mod wander;

/// The list of behaviors. Each line names the step, the file, the behavior and its other public types, and its
/// formulas; the order is that of registration, and so of a ledger among equal priorities.
macro_rules! behaviors {
    ($($step:ident $file:ident: $($type:ident),+ $(=> $($formula:ident),+)?;)*) => {
        pub use types::*;
        $($(pub use $file::{$($formula),+};)?)*

        /// The components of all behaviors, and the types they are made of.
        #[doc(hidden)]
        pub mod types {
            $(pub use super::$file::{$($type),+};)*
        }

        /// Registers every behavior.
        pub(crate) fn register(app: &mut App) {
            $(behaviors!(@$step app, $file, $($type),+);)*
        }
    };
    // A behavior of the Steer step.
    (@steer $app:ident, $file:ident, $behavior:ident $(, $part:ident)*) => {
        $app.add_behavior::<$file::$behavior>();
    };
    // A behavior of the Adjust step.
    (@adjust $app:ident, $file:ident, $behavior:ident $(, $part:ident)*) => {
        $app.add_adjustment::<$file::$behavior>();
    };
    // Several behaviors with a registration of their own.
    (@several $app:ident, $file:ident, $($type:ident),+) => {
        $file::register($app);
    };
    // A bundle, or types that several behaviors share: nothing to register.
    (@types $app:ident, $file:ident, $($type:ident),+) => {};
}

behaviors! {
    steer containment: Containment, Area => containment;
    steer wall_avoidance: WallAvoidance, WallResponse => wall_avoidance;
    steer obstacle_avoidance: ObstacleAvoidance => obstacle_avoidance;
    steer collision_avoidance: CollisionAvoidance => collision_avoidance;
    steer queuing: Queuing, QueuingMemory => queuing;
    steer sidestep: Sidestep => sidestep;
    steer evade: Evade, EvadeMemory => evade;
    steer flee: Flee => flee, panic_urgency;
    several flocking: Flocking, Separation, Alignment, Cohesion => alignment, cohesion, separation;
    steer match_velocity: MatchVelocity => match_velocity;
    steer stay_on_path: StayOnPath => stay_on_path;
    steer tether: Tether => tether;
    steer seek: Seek => seek;
    steer arrive: Arrive, ArriveMemory => arrive;
    steer park: Park, ParkMemory => park;
    steer pursuit: Pursuit, PursuitMemory => pursuit;
    steer orbit: Orbit, OrbitDirection => orbit;
    steer offset_pursuit: OffsetPursuit, OffsetPursuitMemory => formation_slot, offset_pursuit;
    steer leader_following: LeaderFollowing, LeaderFollowingMemory, Leadership => leader_following;
    steer interpose: Interpose => interpose;
    steer hide: Hide, HideMemory, HideGoal => hide, hiding_spot;
    steer wall_following: WallFollowing, FollowedWall => wall_following;
    steer path_following: PathFollowing, PathStyle => path_following, corridor_following;
    steer flow_field: FlowFieldFollowing, FlowField => flow_field_following;
    steer target_speed: TargetSpeed => target_speed;
    steer wander: Wander, WanderMemory, WanderStyle => wander;
    adjust headway: Headway;
    adjust reciprocal_avoidance: ReciprocalAvoidance, ReciprocalAvoidanceMemory, Intent;
    types braking: Braking, Deceleration;
    types crowd_path_following: CrowdPathFollowing;
    types pedestrian: Pedestrian;
    types prediction: Prediction, Predictions, Predictor, PredictorType, ReflectPredictor, Encounter, Sighting;
    types maneuver: Maneuver;
    types feelers: Feeler, Feelers, Whisker;
    types path_progress: PathFollowingMemory;
    types contacts: Touch;
}

pub(crate) use crate::behavior::embeds_influence;
pub(crate) use prediction::register_predictor;
pub(crate) use unguided::register_guide_planner;

/// The path or field that guides a behavior: the one it names, else the one on its own entity, else
/// the one on its agent.
pub fn guide<'a, T: Component>(
    named: Option<Entity>,
    own: Option<&'a T>,
    me: &Agent,
    all: &'a Query<&T>,
) -> Option<&'a T> {
    match named {
        Some(entity) => all.get(entity).ok(),
        None => own.or_else(|| all.get(me.entity).ok()),
    }
}
