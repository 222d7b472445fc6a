//! The behaviors, one file each: what it does, its parameters, its formula, its tests.
//!
//! Every file has the same three parts: a component that holds parameters, a memory component
//! where it must remember something, and the formula as a plain function of an
//! [`Agent`](crate::Agent) that you may call from a behavior of your own.

mod arrive;
mod collision_avoidance;
mod evade;
mod flee;
mod flocking;
mod leader_following;
mod prediction;
mod pursuit;
mod queuing;
mod seek;
#[cfg(test)]
pub(crate) mod testing;
mod wander;

pub use arrive::{Arrive, ArriveMemory, Braking, Deceleration, arrive};
pub use collision_avoidance::{CollisionAvoidance, avoid_collision};
pub use evade::{Evade, evade};
pub use flee::{Flee, flee, panic_urgency};
pub use flocking::{Alignment, Cohesion, Flocking, Separation};
pub(crate) use flocking::{Flock, classify_flock, steer_flock, walk_flock};
pub use leader_following::{LeaderFollowing, LeaderMemory, Leadership};
pub use prediction::{CustomPrediction, Prediction};
pub use pursuit::{Pursuit, pursuit};
pub use queuing::Queuing;
pub use seek::{Seek, seek};
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
