//! The rest of the way of an agent: along the path or the flow field that it follows.

use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use crate::{
    Agent, FlowField, FlowFieldFollowing, Influence, PathFollowing, PathFollowingMemory,
    SteeringPath,
};

/// What is left of the way of an agent: of an open path, or along a field with [distances](FlowField::with_distances).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rest {
    /// m
    pub(super) length: f32,
    /// The straight way to a point farther ahead on it, m.
    pub(super) soon: Vec2,
    /// The straight way to the end of the path, m.
    pub(super) end: Option<Vec2>,
    /// The next point of the path, m, unless that is the end.
    pub(super) door: Option<Vec2>,
}

/// The behaviors that lead an agent along a way.
#[derive(QueryData)]
pub(super) struct Follows {
    path: Option<(&'static PathFollowing, &'static PathFollowingMemory)>,
    field: Option<&'static FlowFieldFollowing>,
}

/// The ways of all agents.
#[derive(SystemParam)]
pub(crate) struct Ways<'w, 's> {
    paths: Query<'w, 's, &'static SteeringPath>,
    fields: Query<'w, 's, &'static FlowField>,
}

impl FollowsItem<'_, '_> {
    /// Only what acts.
    pub(super) fn acting(self, acts: impl Fn(&Influence) -> bool) -> Self {
        Self {
            path: self.path.filter(|(it, _)| acts(&it.influence)),
            field: self.field.filter(|it| acts(&it.influence)),
        }
    }

    /// The speed at which the agent prefers to follow its way, m/s.
    pub(super) fn pace(&self, me: &Agent) -> f32 {
        let on_path = self.path.map(|(it, _)| it.preferred_speed(me));
        let on_field = self.field.map(|it| it.preferred_speed(me));
        on_path.or(on_field).unwrap_or(me.max_speed)
    }

    /// The rest of the agent's path, or else of its way along its field, with the point that it would reach within the
    /// horizon, s.
    pub(super) fn rest(&self, me: &Agent, ways: &Ways, horizon: f32) -> Option<Rest> {
        let of_path = self.path.and_then(|(how, progress)| {
            let path = ways.paths.get(how.path.unwrap_or(me.entity)).ok()?;
            let ahead = horizon * how.preferred_speed(me);
            along_path(path, progress, ahead, me.position)
        });
        of_path.or_else(|| {
            let how = self.field?;
            let field = ways.fields.get(how.field.unwrap_or(me.entity)).ok()?;
            let ahead = horizon * how.preferred_speed(me);
            along_field(field, ahead, me.position)
        })
    }
}

/// The rest of an open path, seen from a position, with the point that is `ahead` m farther on it.
fn along_path(
    path: &SteeringPath,
    progress: &PathFollowingMemory,
    ahead: f32,
    position: Vec2,
) -> Option<Rest> {
    let (&end, before) = path.points().split_last()?;
    if path.is_looped() || !progress.is_about(path) {
        return None;
    }
    let length = path.length() - progress.distance;
    let soon = path.position_from(progress.waypoint, progress.distance + ahead);
    Some(Rest {
        length,
        soon: soon - position,
        end: Some(end - position),
        door: before.get(progress.waypoint).copied(),
    })
}

/// Into how many steps the way ahead along a field is divided.
const STEPS: u8 = 8;

/// The rest of the way along a field, seen from a position, with the point that is `ahead` m farther on it.
fn along_field(field: &FlowField, ahead: f32, position: Vec2) -> Option<Rest> {
    let length = field.distance_at(position)?;
    let step = ahead / f32::from(STEPS);
    let soon = (0..STEPS).fold(position, |at, _| {
        at + step * field.sample(at).normalize_or_zero()
    });
    Some(Rest {
        length,
        soon: soon - position,
        end: None,
        door: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_path_is_that_of_an_open_one_that_the_agent_is_on() {
        let points = [Vec2::ZERO, 6.0 * Vec2::X, Vec2::new(6.0, 8.0)];
        let open = SteeringPath::open(points).expect("three points");
        let looped = SteeringPath::looped(points).expect("three points");
        let me = Agent::default();
        let on = |path: &SteeringPath| {
            let how = PathFollowing::default();
            PathFollowingMemory::default().after_a_tick(&me, path, &how)
        };
        let (on_open, on_looped) = (on(&open), on(&looped));
        let rest = |path, progress, ahead| along_path(path, progress, ahead, me.position);
        let of_path = Rest {
            length: 14.0,
            soon: Vec2::new(6.0, 3.0),
            end: Some(Vec2::new(6.0, 8.0)),
            door: Some(6.0 * Vec2::X),
        };
        assert_eq!(rest(&open, &on_open, 9.0), Some(of_path));
        let soon = rest(&open, &on_open, 20.0).map(|it| it.soon);
        assert_eq!(soon, of_path.end, "not beyond the end");
        assert_eq!(rest(&looped, &on_looped, 9.0), None);
        assert_eq!(rest(&open, &on_looped, 9.0), None, "another path");
    }

    #[test]
    fn the_rest_along_a_field_leads_where_the_field_does() {
        // Along x, and from x = 2 on along y.
        let field = FlowField::new(Vec2::ZERO, 0.25, UVec2::splat(41), |node| {
            if node.x < 8 { Vec2::X } else { Vec2::Y }
        });
        let field = field.expect("a valid field");
        assert_eq!(along_field(&field, 4.0, Vec2::Y), None, "unknown lengths");
        let with_lengths = field.with_distances(|node| 20.0 - 0.25 * node.x as f32);
        let field = with_lengths.expect("valid lengths");
        let rest = along_field(&field, 4.0, Vec2::Y).expect("a way");
        assert_eq!((rest.length, rest.end, rest.door), (20.0, None, None));
        let around_the_bend = Vec2::new(2.0, 2.0);
        assert!(rest.soon.distance(around_the_bend) < 0.3, "{}", rest.soon);
        assert_eq!(along_field(&field, 4.0, Vec2::splat(99.0)), None, "outside");
    }
}
