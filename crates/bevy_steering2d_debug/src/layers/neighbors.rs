//! Who sees whom.

use bevy::prelude::*;
use bevy_steering2d_core::{
    Alignment, Cohesion, CollisionAvoidance, Neighbor, NeighborView, Neighbors, Queuing,
    Separation, SteeringGroups,
};

use crate::subjects::{Scenery, Subject, Subjects, has_a_say};
use crate::{SteeringDebug, SteeringGizmos, draw};

/// Lines per look, the nearest first; more would be a blot.
pub(super) const MOST: usize = 32;

/// How a rule of flocks looks around.
#[derive(Clone, Copy, PartialEq)]
struct Look {
    radius: f32,
    field_of_view: f32,
    groups: SteeringGroups,
    max_neighbors: u32,
}

impl Look {
    fn view(self, subject: &Subject) -> NeighborView {
        NeighborView {
            field_of_view: self.field_of_view,
            ..NeighborView::around(&subject.me, self.radius, self.groups)
        }
    }
}

macro_rules! look_of {
    ($rule:expr) => {
        $rule.filter(|rule| has_a_say(*rule)).map(|rule| Look {
            radius: rule.radius,
            field_of_view: rule.field_of_view,
            groups: rule.groups,
            max_neighbors: rule.max_neighbors,
        })
    };
}

pub(crate) fn draw_neighbors(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    flocks: Query<(Option<&Separation>, Option<&Alignment>, Option<&Cohesion>)>,
    avoiders: Query<&CollisionAvoidance>,
    queues: Query<&Queuing>,
    neighbors: Res<Neighbors>,
    scenery: Scenery,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let mut pen = Pen {
        scenery: &scenery,
        gizmos: &mut gizmos,
    };
    let rules = [
        debug.color::<Separation>(),
        debug.color::<Alignment>(),
        debug.color::<Cohesion>(),
    ];
    for (subject, (separation, alignment, cohesion)) in subjects.with(&flocks) {
        let looks = [
            look_of!(separation),
            look_of!(alignment),
            look_of!(cohesion),
        ];
        for (i, look) in looks.iter().enumerate() {
            // Rules that look alike see alike.
            if let Some(it) = look.filter(|_| !looks[..i].contains(look)) {
                let view = it.view(subject);
                let most = MOST.min(it.max_neighbors as usize);
                let seen = neighbors.nearest_in_view(view, most);
                pen.draw(subject, &view, rules[i], seen.into_iter());
            }
        }
    }
    for (subject, avoidance) in subjects.with(&avoiders) {
        if has_a_say(avoidance) {
            let me = &subject.me;
            let view = NeighborView::around(me, avoidance.radius, avoidance.groups);
            let minded = |other: &Neighbor| avoidance.closest_approach(me, other).is_some();
            let minded = neighbors.in_view(view).filter(minded);
            pen.draw(subject, &view, debug.color::<CollisionAvoidance>(), minded);
        }
    }
    for (subject, queuing) in subjects.with(&queues) {
        if has_a_say(queuing) {
            let view = queuing.view(&subject.me, neighbors.largest_radius());
            let minded = |other: &Neighbor| queuing.minds(&subject.me, other);
            let minded = neighbors.in_view(view).filter(minded);
            pen.draw(subject, &view, debug.color::<Queuing>(), minded);
        }
    }
}

struct Pen<'a, 'w, 's, 'gw, 'gs> {
    scenery: &'a Scenery<'w, 's>,
    gizmos: &'a mut Gizmos<'gw, 'gs, SteeringGizmos>,
}

impl Pen<'_, '_, '_, '_, '_> {
    /// A view, and lines to those who count.
    fn draw(
        &mut self,
        subject: &Subject,
        view: &NeighborView,
        color: Color,
        count: impl Iterator<Item = Neighbor>,
    ) {
        let view = NeighborView {
            position: subject.place,
            ..*view
        };
        draw::view(self.gizmos, &view, color.with_alpha(0.25));
        for other in count.take(MOST) {
            let place = other.position + self.scenery.lag_of(other.entity);
            self.gizmos
                .line_2d(subject.place, place, color.with_alpha(0.22));
        }
    }
}
