//! Paths layer: paths and corridors, and the progress of agents along them.

use bevy::prelude::*;
use bevy_steering2d_core::behaviors::guide;
use bevy_steering2d_core::{
    PathFollowing, PathFollowingMemory, PathStyle, StayOnPath, SteeringPath,
};

use crate::subjects::Subjects;
use crate::{SteeringDebug, SteeringGizmos, colors, draw};

pub(crate) fn draw_paths(
    debug: Res<SteeringDebug>,
    subjects: Res<Subjects>,
    followers: Query<(&PathFollowing, &PathFollowingMemory, Option<&SteeringPath>)>,
    paths: Query<&SteeringPath>,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    let color = debug.color::<PathFollowing>();
    let mut drawn = DrawnPaths::default();
    for (subject, (following, progress, own)) in subjects.with(&followers) {
        let (me, place) = (&subject.me, subject.place);
        let Some(path) = guide(following.path, own, me, &paths) else {
            continue;
        };
        if !subjects.acts(subject, following) {
            continue;
        }
        let width = match following.style {
            PathStyle::Waypoints { .. } => 0.0,
            PathStyle::Corridor { half_width, .. } => half_width,
        };
        if drawn.is_first(following.path, width) {
            draw_corridor(&mut gizmos, path, width, colors::QUIET);
        }
        let Some(aim_point) = following.aim_point(me, path, progress) else {
            continue;
        };
        // In a corridor the aim point depends on the agent's position; a waypoint does not.
        let lag = if width > 0.0 {
            subject.lag()
        } else {
            Vec2::ZERO
        };
        draw::aim(&mut gizmos, place, aim_point + lag, color);
        if let PathStyle::Waypoints { tolerance } = following.style {
            draw::ring(&mut gizmos, aim_point, tolerance, color.with_alpha(0.5));
        }
        let here = path.at(progress.distance).position;
        gizmos.circle_2d(here, 0.12, color);
        // On a shared path, draw the progress of the primary agent only.
        if following.path.is_none() || subject.is_primary {
            let passed = passed_part(path, progress.distance);
            gizmos.linestrip_2d(passed, color.with_alpha(0.6));
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
    let mut drawn = DrawnPaths::default();
    for (subject, (staying, own)) in subjects.with(&strollers) {
        let me = &subject.me;
        let Some(path) = guide(staying.path, own, me, &paths) else {
            continue;
        };
        if !subjects.acts(subject, staying) {
            continue;
        }
        if drawn.is_first(staying.path, staying.half_width) {
            draw_corridor(&mut gizmos, path, staying.half_width, colors::QUIET);
        }
        let (farthest, _) = staying.farthest_prediction(me, path);
        let farthest = farthest + subject.lag();
        gizmos.line_2d(subject.place, farthest, color.with_alpha(0.4));
        gizmos.circle_2d(farthest, 0.1, color);
        if let Some(back) = staying.return_point(me, path) {
            draw::aim(&mut gizmos, farthest, back, color);
        }
    }
}

/// The shared paths already drawn in this frame, with their corridor widths.
#[derive(Default)]
struct DrawnPaths(Vec<(Entity, f32)>);

impl DrawnPaths {
    fn is_first(&mut self, shared: Option<Entity>, width: f32) -> bool {
        let Some(corridor) = shared.map(|path| (path, width)) else {
            return true;
        };
        let is_first = !self.0.contains(&corridor);
        if is_first {
            self.0.push(corridor);
        }
        is_first
    }
}

fn draw_corridor(
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

/// The points of a path up to a distance along it, m, and the point at that distance.
fn passed_part(path: &SteeringPath, distance: f32) -> impl Iterator<Item = Vec2> {
    let passed = (0..path.points().len()).take_while(move |&point| path.arc_of(point) < distance);
    passed
        .map(|point| path.points()[point])
        .chain([path.at(distance).position])
}

/// The edge of a corridor, `offset` m to the left of its path: round on the outside of a corner,
/// mitered on the inside.
fn edge(path: &SteeringPath, offset: f32) -> Vec<Vec2> {
    /// The angle between points of a round corner, rad.
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
            // The lower bound limits the miter of sharp turns.
            let miter = (from + to) / (1.0 + ops::cos(turn)).max(0.2);
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
    fn passed_part_ends_at_the_distance() {
        let passed = |distance| passed_part(&corner(), distance).collect::<Vec<_>>();
        assert_eq!(passed(0.0), [Vec2::ZERO]);
        let expected = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0)].map(Vec2::from);
        assert_eq!(passed(5.0), expected);
        // On the segment back to the first point.
        assert_eq!(passed(9.5).last(), Some(&Vec2::new(2.0, 1.5)));
    }

    #[test]
    fn edge_is_mitered_inside_and_round_outside_of_a_corner() {
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
    fn edge_of_a_looped_path_is_closed_and_of_a_point_is_empty() {
        let looped = edge(&corner(), 0.5);
        assert_eq!(looped.first(), looped.last());
        let point = SteeringPath::open([Vec2::ONE]).unwrap();
        assert!(edge(&point, 0.5).is_empty());
    }

    #[test]
    fn shared_paths_are_drawn_once_and_own_paths_always() {
        let mut world = World::new();
        let [a, b] = [world.spawn_empty().id(), world.spawn_empty().id()];
        let mut drawn = DrawnPaths::default();
        assert!(drawn.is_first(Some(a), 1.0) && !drawn.is_first(Some(a), 1.0));
        assert!(drawn.is_first(Some(a), 2.0) && drawn.is_first(Some(b), 1.0));
        assert!(drawn.is_first(None, 1.0) && drawn.is_first(None, 1.0));
    }
}
