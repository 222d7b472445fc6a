//! Draws what the agents of bevy_steering2d see and want, with gizmos.
