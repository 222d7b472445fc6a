//! Flow field layer: the field around each agent, and the sample it follows.

use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy_steering2d_core::behaviors::guide;
use bevy_steering2d_core::{FlowField, FlowFieldFollowing};

use crate::subjects::Subjects;
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

/// Nodes drawn to each side of an agent.
const NODES: i32 = 4;

pub(crate) fn draw_flow_fields(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    followers: Query<(&FlowFieldFollowing, Option<&FlowField>)>,
    fields: Query<&FlowField>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<FlowFieldFollowing>();
    // Agents close to each other share most nodes: draw each node once.
    let mut drawn = HashSet::new();
    for (subject, (following, own)) in subjects.with(&followers) {
        let Some(field) = guide(following.field, own, &subject.me, &fields) else {
            continue;
        };
        if !subjects.acts(subject, following) {
            continue;
        }
        let place = following.sample_point(&subject.me);
        // As `guide` finds it.
        let nearest = match own {
            Some(_) => subject.source,
            None => subject.me.entity,
        };
        let owner = following.field.unwrap_or(nearest);
        for (node, at) in nodes_around(field, place) {
            if drawn.insert((owner, node)) {
                let flow = 0.8 * field.spacing() * field.sample(at).clamp_length_max(1.0);
                draw::arrow(
                    &mut gizmos,
                    at - 0.5 * flow,
                    flow,
                    colors::QUIET.with_alpha(0.6),
                );
            }
        }
        let sample = field.sample(place).clamp_length_max(1.0);
        gizmos.circle_2d(place + subject.lag(), 0.1, color);
        draw::arrow(&mut gizmos, place + subject.lag(), sample, color);
    }
}

/// The nodes of a field around a position: index, and position in m.
fn nodes_around(field: &FlowField, place: Vec2) -> impl Iterator<Item = (IVec2, Vec2)> {
    let (corner, spacing) = (field.corner(), field.spacing());
    let nearest = ((place - corner) / spacing).round().as_ivec2();
    let last = field.size().as_ivec2() - 1;
    let from = nearest.saturating_sub(IVec2::splat(NODES)).max(IVec2::ZERO);
    let to = nearest.saturating_add(IVec2::splat(NODES)).min(last);
    (from.y..=to.y)
        .flat_map(move |y| (from.x..=to.x).map(move |x| IVec2::new(x, y)))
        .map(move |node| (node, corner + spacing * node.as_vec2()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_around_are_inside_the_field_and_near() {
        let size = UVec2::new(30, 3);
        let field = FlowField::new(Vec2::ONE, 2.0, size, |_| Vec2::X).unwrap();
        let around = |x, y| nodes_around(&field, Vec2::new(x, y)).collect::<Vec<_>>();
        assert_eq!(around(21.0, 3.0).len(), 9 * 3);
        assert_eq!(around(1.0, 1.0).len(), 5 * 3);
        assert_eq!(around(1.0, 1.0)[1], (IVec2::new(1, 0), Vec2::new(3.0, 1.0)));
        for far in [1e4, -1e4, 1e30, f32::NAN] {
            assert!(around(far, far).len() <= 5 * 3, "{far}");
        }
        assert!(around(1e30, 1e30).is_empty());
    }
}
