//! Drawing systems, one or two per [`DebugLayer`](crate::DebugLayer). Each draws the results of the
//! behaviors' own methods.

mod areas;
mod desired_velocities;
mod feelers;
mod flow_field;
mod forces;
mod hiding_spots;
mod locomotion;
mod neighbors;
mod paths;
mod predictions;
mod selection;
mod slots;
mod targets;
mod trails;
mod wander;

pub(crate) use areas::draw_areas;
pub(crate) use desired_velocities::draw_desired_velocities;
pub(crate) use feelers::{draw_detection_boxes, draw_feelers};
pub(crate) use flow_field::draw_flow_fields;
pub(crate) use forces::{draw_behavior_forces, draw_total_forces, draw_velocities};
pub(crate) use hiding_spots::draw_hiding_spots;
pub(crate) use locomotion::draw_locomotion;
pub(crate) use neighbors::draw_neighbors;
pub(crate) use paths::{draw_corridors, draw_paths};
pub(crate) use predictions::{draw_closest_approaches, draw_predictions};
pub(crate) use selection::draw_selection;
pub(crate) use slots::draw_slots;
pub(crate) use targets::{draw_aims, draw_targets};
pub(crate) use trails::{Trails, clear_trails, draw_trails};
pub(crate) use wander::draw_wander;
