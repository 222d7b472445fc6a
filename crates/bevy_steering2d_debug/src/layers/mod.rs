//! One system per [`DebugLayer`](crate::DebugLayer); each asks the behaviors what they consider
//! and draws the answer.

mod forces;
mod selection;

pub(crate) use forces::{draw_behavior_forces, draw_total_forces, draw_velocities};
pub(crate) use selection::draw_selection;
