//! Paths, and how far somebody has come along them.

use bevy::prelude::*;
use bevy_steering2d_core::behaviors::guide;
use bevy_steering2d_core::{FollowPath, FollowPathMemory, PathStyle, StayOnPath, SteeringPath};

use crate::subjects::{Subjects, has_a_say};
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

pub(crate) fn draw_paths(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    followers: Query<(&FollowPath, &FollowPathMemory, Option<&SteeringPath>)>,
    paths: Query<&SteeringPath>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<FollowPath>();
    let mut roads = Once::default();
    for (subject, (following, progress, own)) in subjects.with(&followers) {
        let (me, place) = (&subject.me, subject.place);
        let Some(path) = guide(following.path, own, me, &paths) else {
            continue;
        };
        if !has_a_say(following) {
            continue;
        }
        let width = match following.style {
            PathStyle::Waypoints { .. } => 0.0,
            PathStyle::Corridor { radius, .. } => radius,
        };
        if roads.is_first(following.path, width) {
            draw_road(&mut gizmos, path, width, colors::QUIET);
        }
        let Some(carrot) = following.carrot(me, path, progress) else {
            continue;
        };
        let lane = carrot
            + if width > 0.0 {
                subject.lag()
            } else {
                Vec2::ZERO
            };
        draw::aim(&mut gizmos, place, lane, color);
        if let PathStyle::Waypoints { reach } = following.style {
            draw::ring(&mut gizmos, carrot, reach, color.with_alpha(0.5));
        }
        let here = path.at(progress.distance).position;
        gizmos.circle_2d(here, 0.12, color);
        // Of many on one road the walked parts would hide each other.
        if following.path.is_none() || subject.is_primary {
            let walked = walked_part(path, progress.distance);
            gizmos.linestrip_2d(walked, color.with_alpha(0.6));
        }
    }
}

pub(crate) fn draw_corridors(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    strollers: Query<(&StayOnPath, Option<&SteeringPath>)>,
    paths: Query<&SteeringPath>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<StayOnPath>();
    let mut roads = Once::default();
    for (subject, (staying, own)) in subjects.with(&strollers) {
        let me = &subject.me;
        let Some(path) = guide(staying.path, own, me, &paths) else {
            continue;
        };
        if !has_a_say(staying) {
            continue;
        }
        if roads.is_first(staying.path, staying.radius) {
            draw_road(&mut gizmos, path, staying.radius, colors::QUIET);
        }
        let (farthest, _) = staying.farthest_off(me, path);
        let farthest = farthest + subject.lag();
        gizmos.line_2d(subject.place, farthest, color.with_alpha(0.4));
        gizmos.circle_2d(farthest, 0.1, color);
        if let Some(back) = staying.way_back(me, path) {
            draw::aim(&mut gizmos, farthest, back, color);
        }
    }
}

/// What has been drawn already: roads that many share need drawing once.
#[derive(Default)]
struct Once(Vec<(Entity, f32)>);

impl Once {
    fn is_first(&mut self, shared: Option<Entity>, width: f32) -> bool {
        let Some(road) = shared.map(|path| (path, width)) else {
            return true;
        };
        let is_first = !self.0.contains(&road);
        if is_first {
            self.0.push(road);
        }
        is_first
    }
}

fn draw_road(
    gizmos: &mut Gizmos<SteeringGizmos>,
    path: &SteeringPath,
    half_width: f32,
    color: Color,
) {
    draw::path(gizmos, path, color.with_alpha(0.6));
    if half_width > 0.0 {
        for offset in [half_width, -half_width] {
            gizmos.linestrip_2d(edge(path, offset), color.with_alpha(0.3));
        }
    }
}

/// The points of a path up to a distance along it, m, and the place there.
fn walked_part(path: &SteeringPath, distance: f32) -> impl Iterator<Item = Vec2> {
    let passed = (0..path.points().len()).take_while(move |&point| path.arc_of(point) < distance);
    passed
        .map(|point| path.points()[point])
        .chain([path.at(distance).position])
}

/// The edge of a road, `offset` m to the left of its path: round where the road turns away from
/// it, mitered where it turns towards it.
fn edge(path: &SteeringPath, offset: f32) -> Vec<Vec2> {
    /// Between the points of a round corner, rad.
    const STEP: f32 = 0.3;
    let (points, segments) = (path.points(), path.segments());
    let side = |segment| offset * path.direction(segment).perp();
    let mut edge = Vec::with_capacity(2 * segments + 1);
    for segment in 0..segments {
        let is_last = segment + 1 == segments;
        if segment == 0 && !path.is_looped() {
            edge.push(points[0] + side(0));
        }
        let corner = points[(segment + 1) % points.len()];
        let from = side(segment);
        if is_last && !path.is_looped() {
            edge.push(corner + from);
            break;
        }
        let to = side((segment + 1) % segments);
        let turn = from.angle_to(to);
        if turn * offset > 0.0 {
            // Never farther than the width, or a hairpin would reach to the horizon.
            let miter = (from + to) / (1.0 + turn.cos()).max(0.2);
            edge.push(corner + miter);
        } else {
            let steps = (turn.abs() / STEP).ceil().max(1.0);
            let bend = |step| Vec2::from_angle(turn * step as f32 / steps).rotate(from);
            edge.extend((0..=steps as u32).map(|step| corner + bend(step)));
        }
    }
    if path.is_looped() {
        edge.extend(edge.first().copied());
    }
    edge
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> SteeringPath {
        SteeringPath::looped([(0.0, 0.0), (4.0, 0.0), (4.0, 3.0)].map(Vec2::from)).unwrap()
    }

    #[test]
    fn the_walked_part_ends_where_one_is() {
        let walked = |distance| walked_part(&corner(), distance).collect::<Vec<_>>();
        assert_eq!(walked(0.0), [Vec2::ZERO]);
        let expected = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0)].map(Vec2::from);
        assert_eq!(walked(5.0), expected);
        // On the way back to the first point.
        assert_eq!(walked(9.5).last(), Some(&Vec2::new(2.0, 1.5)));
    }

    #[test]
    fn an_edge_is_mitered_inside_and_round_outside_of_a_corner() {
        let open = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0)].map(Vec2::from);
        let open = SteeringPath::open(open).unwrap();
        let inside = [(0.0, 0.5), (3.5, 0.5), (3.5, 3.0)].map(Vec2::from);
        assert_eq!(edge(&open, 0.5).len(), 3);
        for (point, expected) in edge(&open, 0.5).iter().zip(inside) {
            assert!(point.distance(expected) < 1e-5, "{point}");
        }
        let outside = edge(&open, -0.5);
        let round = &outside[1..outside.len() - 1];
        assert!(round.len() > 4);
        for point in round {
            let distance = point.distance(Vec2::new(4.0, 0.0));
            assert!((distance - 0.5).abs() < 1e-5, "{point}");
        }
        assert_eq!(outside.first(), Some(&Vec2::new(0.0, -0.5)));
        assert_eq!(outside.last(), Some(&Vec2::new(4.5, 3.0)));
    }

    #[test]
    fn the_edge_of_a_round_is_closed_and_that_of_a_point_is_nothing() {
        let round = edge(&corner(), 0.5);
        assert_eq!(round.first(), round.last());
        let point = SteeringPath::open([Vec2::ONE]).unwrap();
        assert!(edge(&point, 0.5).is_empty());
    }

    #[test]
    fn shared_roads_are_drawn_once_and_own_ones_always() {
        let mut world = World::new();
        let [a, b] = [world.spawn_empty().id(), world.spawn_empty().id()];
        let mut once = Once::default();
        assert!(once.is_first(Some(a), 1.0) && !once.is_first(Some(a), 1.0));
        assert!(once.is_first(Some(a), 2.0) && once.is_first(Some(b), 1.0));
        assert!(once.is_first(None, 1.0) && once.is_first(None, 1.0));
    }
}
