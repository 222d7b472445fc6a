//! Single behaviors, one module each, in whole apps.

mod arrive;
mod containment;
mod flee;
mod flow_field;
mod hide;
mod interpose;
mod match_velocity;
mod offset_pursuit;
mod orbit;
mod pursuit;
mod seek;
mod tether;
mod wander;
