//! Neighbors layer: perception radius, field of view and neighbors of flocking, avoidance and queuing.

use bevy::prelude::*;
use bevy_steering2d_core::{
    Alignment, Cohesion, CollisionAvoidance, Neighbor, NeighborView, Neighbors, Queuing,
    ReciprocalAvoidance, Separation, SteeringGroups,
};

use crate::subjects::{DrawnPlaces, Subject, Subjects};
use crate::{SteeringDebug, SteeringGizmos, draw};

/// The maximum number of neighbor lines per behavior, to stay readable.
pub(super) const MOST: usize = 32;

/// The perception parameters of a flocking behavior.
#[derive(Clone, Copy, PartialEq)]
struct FlockView {
    radius: f32,
    field_of_view: f32,
    groups: SteeringGroups,
    max_neighbors: u32,
}

impl FlockView {
    fn view(self, subject: &Subject) -> NeighborView {
        NeighborView {
            field_of_view: self.field_of_view,
            ..NeighborView::around(&subject.me, self.radius, self.groups)
        }
    }
}

macro_rules! flock_view {
    ($subjects:expr, $subject:expr, $behavior:expr) => {
        $behavior
            .filter(|behavior| $subjects.acts($subject, *behavior))
            .map(|behavior| FlockView {
                radius: behavior.perception_radius,
                field_of_view: behavior.field_of_view,
                groups: behavior.groups,
                max_neighbors: behavior.max_neighbors,
            })
    };
}

pub(crate) fn draw_neighbors(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    flocks: Query<(Option<&Separation>, Option<&Alignment>, Option<&Cohesion>)>,
    avoiders: Query<&CollisionAvoidance>,
    crowds: Query<&ReciprocalAvoidance>,
    queues: Query<&Queuing>,
    neighbors: Res<Neighbors>,
    places: DrawnPlaces,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let nothing = Neighbors::default();
    let mut painter = Painter {
        debug: &debug,
        subjects: &subjects,
        neighbors: perceived(&neighbors, &nothing),
        places: &places,
        gizmos: &mut gizmos,
    };
    painter.flocks(&flocks);
    painter.avoiders(&avoiders);
    painter.crowds(&crowds);
    painter.queues(&queues);
}

/// The index, or `nothing` while it is empty, since it warns if it is asked before an agent perceives. In a pause an agent is
/// drawn from its spawn on, but indexed in the next tick only.
pub(super) fn perceived<'a>(index: &'a Neighbors, nothing: &'a Neighbors) -> &'a Neighbors {
    if index.is_empty() { nothing } else { index }
}

/// The neighbors in view, after large bodies of which only the edge is.
pub(super) fn in_view_by_edges(
    neighbors: &Neighbors,
    view: NeighborView,
) -> impl Iterator<Item = Neighbor> {
    let large = neighbors.large_in_view(view);
    let large = large.filter(move |it| !view.sees(it));
    large.chain(neighbors.in_view(view))
}

struct Painter<'a, 'w, 's, 'gw, 'gs> {
    debug: &'a SteeringDebug,
    subjects: &'a Subjects,
    neighbors: &'a Neighbors,
    places: &'a DrawnPlaces<'w, 's>,
    gizmos: &'a mut Gizmos<'gw, 'gs, SteeringGizmos>,
}

impl Painter<'_, '_, '_, '_, '_> {
    fn flocks(
        &mut self,
        flocks: &Query<(Option<&Separation>, Option<&Alignment>, Option<&Cohesion>)>,
    ) {
        let (subjects, neighbors) = (self.subjects, self.neighbors);
        let colors = [
            self.debug.color::<Separation>(),
            self.debug.color::<Alignment>(),
            self.debug.color::<Cohesion>(),
        ];
        for (subject, (separation, alignment, cohesion)) in subjects.with(flocks) {
            let views = [
                flock_view!(subjects, subject, separation),
                flock_view!(subjects, subject, alignment),
                flock_view!(subjects, subject, cohesion),
            ];
            for (i, view) in views.iter().enumerate() {
                // Behaviors with equal parameters have the same neighbors: draw them once.
                if let Some(it) = view.filter(|_| !views[..i].contains(view)) {
                    let view = it.view(subject);
                    let most = MOST.min(it.max_neighbors as usize);
                    let seen = neighbors.nearest_in_view(view, most);
                    self.draw(subject, &view, colors[i], seen.into_iter());
                }
            }
        }
    }

    fn avoiders(&mut self, avoiders: &Query<&CollisionAvoidance>) {
        let (subjects, neighbors) = (self.subjects, self.neighbors);
        let color = self.debug.color::<CollisionAvoidance>();
        for (subject, avoidance) in subjects.active(avoiders) {
            let me = &subject.me;
            let view = avoidance.view(me);
            let considered = in_view_by_edges(neighbors, view)
                .filter(|other| avoidance.closest_approach(me, other).is_some());
            self.draw(subject, &view, color, considered);
        }
    }

    fn crowds(&mut self, crowds: &Query<&ReciprocalAvoidance>) {
        let (subjects, neighbors) = (self.subjects, self.neighbors);
        let color = self.debug.color::<ReciprocalAvoidance>();
        for (subject, avoidance) in subjects.active(crowds) {
            let me = &subject.me;
            let view = avoidance.view(me);
            let most = MOST.min(avoidance.max_neighbors as usize);
            let nearest = neighbors.nearest_in_view(view, most);
            let is_other = |it: &Neighbor| nearest.iter().all(|other| other.entity != it.entity);
            let large = neighbors.large_in_view(view).filter(is_other);
            self.draw(subject, &view, color, nearest.iter().copied().chain(large));
        }
    }

    fn queues(&mut self, queues: &Query<&Queuing>) {
        let (subjects, neighbors) = (self.subjects, self.neighbors);
        let color = self.debug.color::<Queuing>();
        for (subject, queuing) in subjects.active(queues) {
            let view = queuing.view(&subject.me, neighbors.largest_radius());
            let considered = neighbors
                .in_view(view)
                .filter(|other| queuing.queues_behind(&subject.me, other));
            self.draw(subject, &view, color, considered);
        }
    }

    /// Draws a view, and lines to the considered neighbors.
    fn draw(
        &mut self,
        subject: &Subject,
        view: &NeighborView,
        color: Color,
        considered: impl Iterator<Item = Neighbor>,
    ) {
        let view = NeighborView {
            position: subject.place,
            ..*view
        };
        draw::view(self.gizmos, &view, color.with_alpha(0.25));
        for other in considered.take(MOST) {
            let place = other.position + self.places.lag_of(other.entity);
            self.gizmos
                .line_2d(subject.place, place, color.with_alpha(0.22));
        }
    }
}
