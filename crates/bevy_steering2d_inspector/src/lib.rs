//! An egui panel to watch and tune the agents of bevy_steering2d.
