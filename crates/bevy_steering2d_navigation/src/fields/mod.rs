//! Flow fields from goals, for many agents: [`GoalField`], and the solver of their travel times.

mod buckets;
mod goal_field;
mod ground;
mod solving;
#[cfg(test)]
mod tests;
mod travel_times;

pub use goal_field::{GoalField, TravelMap};
pub use ground::GroundCost;
pub use travel_times::TravelTimes;

pub(crate) use goal_field::{register, solve_fields};
