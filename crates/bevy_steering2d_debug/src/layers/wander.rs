//! Wander layer: the circle of `Wander` and the target on it.

use bevy::prelude::*;
use bevy_steering2d_core::{Wander, WanderMemory};

use crate::subjects::Subjects;
use crate::{SteeringGizmos, draw};

pub(crate) fn draw_wander(
    subjects: Res<Subjects>,
    wanderers: Query<(&Wander, &WanderMemory)>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for (subject, (wander, memory)) in subjects.with(&wanderers) {
        if subjects.acts(subject, wander) {
            draw::wander(&mut gizmos, subject.place, subject.lag(), wander, memory);
        }
    }
}
