//! The behaviors, one file each: what it does, its parameters, its formula, its tests.
//!
//! Each has a component that holds its parameters, a memory component where it must remember
//! something, and its formula: mostly a plain function of an [`Agent`] that you may call from a
//! behavior of your own. The other files hold what several of them share.

use bevy::prelude::*;

use crate::Agent;

mod arrive;
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
mod follow_path;
mod half_planes;
mod hide;
mod interpose;
mod leader_following;
mod match_velocity;
mod obstacle_avoidance;
mod offset_pursuit;
mod path_progress;
mod pedestrian;
mod prediction;
mod pursuit;
mod queuing;
mod reach;
mod reciprocal_avoidance;
mod seek;
mod sidestep;
mod stay_on_path;
#[cfg(test)]
pub(crate) mod testing;
mod tether;
mod touch;
mod wall_avoidance;
mod wall_following;
mod wander;

pub use arrive::{Arrive, ArriveMemory, Braking, Deceleration, arrive, arrive_at_moving};
pub use collision_avoidance::{CollisionAvoidance, avoid_collision};
pub use containment::{Area, Containment, contain};
pub use corridor::follow_corridor;
pub use crowd_path_following::CrowdPathFollowing;
pub use evade::{Evade, evade};
pub use feelers::{Feeler, Feelers, Whisker};
pub use flee::{Flee, flee, panic_urgency};
pub use flocking::{Alignment, Cohesion, Flocking, Separation};
pub(crate) use flocking::{
    Flock, FlockClasses, FlockRules, Flocker, Flockers, classify_flock, declassify, walk_flock,
};
pub use flow_field::{FlowField, FlowFieldFollowing, follow_flow};
pub use follow_path::{FollowPath, PathStyle, follow_path};
pub use hide::{Hide, HideMemory, hiding_spot};
pub use interpose::{Interpose, interpose};
pub(crate) use leader_following::index_leaders;
pub use leader_following::{LeaderData, LeaderFollowing, LeaderMemory, Leaders, Leadership};
pub use match_velocity::{MatchVelocity, match_velocity};
pub use obstacle_avoidance::{ObstacleAvoidance, avoid_obstacles};
pub use offset_pursuit::{OffsetPursuit, OffsetPursuitMemory, offset_pursuit, slot};
pub use path_progress::FollowPathMemory;
pub use pedestrian::Pedestrian;
pub use prediction::{CustomPrediction, Prediction};
pub use pursuit::{Pursuit, pursuit};
pub use queuing::Queuing;
pub(crate) use reach::note_reach;
pub(crate) use reciprocal_avoidance::note_intents;
pub use reciprocal_avoidance::{Intent, ReciprocalAvoidance, ReciprocalMemory, ReciprocalWorld};
pub use seek::{Seek, seek};
pub use sidestep::{Sidestep, sidestep};
pub use stay_on_path::{StayOnPath, stay_on_path};
pub use tether::{Tether, tether};
pub use touch::Touch;
pub use wall_avoidance::{WallAvoidance, WallResponse, avoid_walls};
pub use wall_following::{WallFollowing, follow_wall};
pub use wander::{Wander, WanderMemory, WanderStyle};

/// The two accessors every behavior has, for a component with a field `influence`.
macro_rules! embeds_influence {
    () => {
        fn influence(&self) -> &$crate::Influence {
            &self.influence
        }

        fn influence_mut(&mut self) -> &mut $crate::Influence {
            &mut self.influence
        }
    };
}
pub(crate) use embeds_influence;

/// What a behavior is guided by (a path, a field): the one it names, else its carrier's own,
/// else its agent's.
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
