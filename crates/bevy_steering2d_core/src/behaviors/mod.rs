//! The behaviors, one file each: what it does, its parameters, its formula, its registration, its
//! tests.
//!
//! Each has a component with its parameters, a memory component where it remembers something, and
//! its formula: mostly a plain function of an [`Agent`] that a behavior of your own may call. The other
//! files hold what several behaviors share.

use bevy::prelude::*;

use crate::{Agent, SteeringAppExt};

mod arrive;
mod arrive_at_moving;
mod backing;
mod collision_avoidance;
mod containment;
mod corridor;
mod crowd_path_following;
mod danger;
mod evade;
mod feelers;
mod flee;
mod flocking;
mod flow_field;
mod half_planes;
mod headway;
mod hide;
mod interpose;
mod leader_following;
mod maneuver;
mod match_velocity;
mod obstacle_avoidance;
mod offset_pursuit;
mod park;
mod path_following;
mod path_progress;
mod pedestrian;
mod prediction;
mod pursuit;
mod queuing;
mod reciprocal_avoidance;
mod seek;
mod sidestep;
mod stay_on_path;
mod target_speed;
#[cfg(test)]
pub(crate) mod testing;
mod tether;
mod tight_corner;
mod touch;
mod wall_avoidance;
mod wall_following;
mod wander;

/// The list of behaviors. Each line names the step, the file, the behavior and its other public types;
/// the order is that of registration, and so of a ledger among equal priorities.
macro_rules! behaviors {
    ($($step:ident $file:ident: $($type:ident),+;)*) => {
        $(pub use $file::*;)*

        /// The components of all behaviors, and the types they are made of.
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
    steer containment: Containment, Area;
    steer wall_avoidance: WallAvoidance, WallResponse;
    steer obstacle_avoidance: ObstacleAvoidance;
    steer collision_avoidance: CollisionAvoidance;
    steer queuing: Queuing, QueuingMemory;
    steer sidestep: Sidestep;
    steer evade: Evade, EvadeMemory;
    steer flee: Flee;
    several flocking: Flocking, Separation, Alignment, Cohesion;
    steer match_velocity: MatchVelocity;
    steer stay_on_path: StayOnPath;
    steer tether: Tether;
    steer seek: Seek;
    steer arrive: Arrive, ArriveMemory, Braking, Deceleration;
    steer park: Park, ParkMemory;
    steer pursuit: Pursuit, PursuitMemory;
    steer offset_pursuit: OffsetPursuit, OffsetPursuitMemory;
    steer leader_following: LeaderFollowing, LeaderFollowingMemory, Leadership;
    steer interpose: Interpose;
    steer hide: Hide, HideMemory, HideGoal;
    steer wall_following: WallFollowing;
    steer path_following: PathFollowing, PathStyle;
    steer flow_field: FlowFieldFollowing, FlowField;
    steer target_speed: TargetSpeed;
    steer wander: Wander, WanderMemory, WanderStyle;
    adjust headway: Headway;
    adjust reciprocal_avoidance: ReciprocalAvoidance, ReciprocalAvoidanceMemory, Intent;
    types crowd_path_following: CrowdPathFollowing;
    types pedestrian: Pedestrian;
    types prediction: Prediction, Predictions, Predictor, PredictorType, ReflectPredictor, Encounter, Sighting;
    types maneuver: Maneuver;
    types feelers: Feeler, Feelers, Whisker;
    types path_progress: PathFollowingMemory;
    types touch: Touch;
}

pub(crate) use crate::behavior::embeds_influence;
pub use arrive_at_moving::arrive_at_moving;
pub use corridor::corridor_following;
pub(crate) use prediction::register_predictor;

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
