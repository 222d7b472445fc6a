//! The behaviors, one file each: what it does, its parameters, its formula, its tests.
//!
//! Every file has the same three parts: a component that holds parameters, a memory component
//! where it must remember something, and the formula as a plain function of an
//! [`Agent`](crate::Agent) that you may call from a behavior of your own.

mod arrive;
mod containment;
mod danger;
mod evade;
mod feelers;
mod flee;
mod hide;
mod obstacle_avoidance;
mod prediction;
mod pursuit;
mod seek;
#[cfg(test)]
pub(crate) mod testing;
mod touch;
mod wall_avoidance;
mod wall_following;
mod wander;

pub use arrive::{Arrive, ArriveMemory, Braking, Deceleration, arrive};
pub use containment::{Area, Containment, contain};
pub use evade::{Evade, evade};
pub use feelers::{Feeler, Feelers, Whisker};
pub use flee::{Flee, flee, panic_urgency};
pub use hide::{Hide, HideMemory, hiding_spot};
pub use obstacle_avoidance::{ObstacleAvoidance, avoid_obstacles};
pub use prediction::{CustomPrediction, Prediction};
pub use pursuit::{Pursuit, pursuit};
pub use seek::{Seek, seek};
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
