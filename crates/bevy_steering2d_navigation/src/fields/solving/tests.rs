//! The nodes of goals and the work of a field, without an app.

use super::*;
use crate::paths::testing::point;
use proptest::prelude::*;

/// Up to eight walls, some of them thick, and discs.
fn solids() -> impl Strategy<Value = Vec<Solid>> {
    let ends = (point(5.0), point(4.0), 0.0..0.4_f32);
    let kinds = (ends, any::<bool>(), any::<bool>());
    let solid = kinds.prop_map(|((from, way, radius), is_thin, is_disc)| Solid {
        from,
        to: if is_disc { from } else { from + way },
        radius: if is_thin && !is_disc { 0.0 } else { radius },
    });
    prop::collection::vec(solid, 0..8)
}

fn work(radius: f32, solids: &[Solid]) -> Work {
    let lattice = Lattice {
        corner: Vec2::new(-3.1, -2.3),
        spacing: 0.4,
        size: UVec2::new(16, 13),
    };
    let mut work = Work::new(lattice, radius);
    work.set_ground(revision_of(solids.iter()), solids, &[]);
    work
}

fn complete(work: &mut Work) {
    while !work.is_complete() {
        work.advance(1_000);
    }
}

impl Work {
    /// The distance from a goal to the nearest free node, by a look at all of them, m.
    fn distance_by_brute_force(&self, goal: Vec2, solids: &[Solid]) -> Option<f32> {
        let middle = self.lattice.nearest(goal)?.as_ivec2();
        let is_near = |it: &UVec2| (it.as_ivec2() - middle).abs().max_element() <= self.rings();
        let is_free = |at: Vec2| {
            let least = self.radius.max(0.51 * self.lattice.spacing);
            solids.iter().all(|it| it.distance(at) >= least)
        };
        let free = self
            .lattice
            .nodes()
            .map(|node| (node, self.lattice.position(node)));
        let free: Vec<_> = free.filter(|(_, at)| is_free(*at)).collect();
        let near = free.iter().filter(|(node, _)| is_near(node));
        let near: Vec<_> = near.map(|(_, at)| *at).collect();
        let touch = 1e-3 * self.lattice.spacing;
        let is_seen = |at: Vec2| {
            let mut walls = solids.iter().filter(|it| it.from != it.to);
            walls.all(|it| Solid::segment(it.from, it.to).distance_to_segment(goal, at) > touch)
        };
        let nearest =
            |all: &mut dyn Iterator<Item = Vec2>| all.map(|at| at.distance(goal)).reduce(f32::min);
        let mut seen = near.iter().copied().filter(|&at| is_seen(at));
        nearest(&mut seen)
            .or_else(|| nearest(&mut near.iter().copied()))
            .or_else(|| nearest(&mut free.iter().map(|(_, at)| *at)))
    }
}

proptest! {
    #[test]
    fn the_node_of_a_goal_is_the_nearest_free_one_on_its_side_of_walls(
        solids in solids(),
        goal in point(3.5),
        radius in 0.0..0.8_f32,
    ) {
        let work = work(radius, &solids);
        // On a wall, it is rounding that decides on the side.
        prop_assume!(solids.iter().all(|it| (it.distance(goal) + it.radius).abs() > 2e-3));
        let found = work.nearest_free(goal);
        let found = found.map(|node| work.lattice.position(node).distance(goal));
        prop_assert_eq!(found, work.distance_by_brute_force(goal, &solids));
    }

    #[test]
    fn a_field_whose_ground_has_changed_equals_a_new_one(
        before in solids(),
        now in solids(),
        goal in point(2.0),
        portion in 1..400_u32,
    ) {
        let mut changed = work(0.3, &before);
        changed.set_goals(std::iter::once(goal));
        changed.advance(portion);
        complete(&mut changed);
        let mut fresh = work(0.3, &now);
        for work in [&mut changed, &mut fresh] {
            work.set_ground(revision_of(now.iter()), &now, &[]);
            work.set_goals(std::iter::once(goal));
            complete(work);
        }
        prop_assert_eq!(&changed.goal_nodes, &fresh.goal_nodes);
        for node in changed.lattice.nodes() {
            let (a, b) = (changed.times.time(node), fresh.times.time(node));
            prop_assert!(a == b || (a - b).abs() < 0.02, "{}: {} and {}", node, a, b);
        }
    }
}

#[test]
fn a_goal_close_to_a_thick_wall_leads_to_its_side() {
    let wall = Solid {
        radius: 0.1,
        ..Solid::segment(Vec2::new(0.0, -9.0), Vec2::new(0.0, 9.0))
    };
    for side in [1.0, -1.0] {
        // Free nodes are at 0.61 m on the other side, and at 0.89 m on this one.
        let lattice = Lattice {
            corner: Vec2::new(if side > 0.0 { -4.61 } else { -4.89 }, -4.0),
            spacing: 0.5,
            size: UVec2::splat(20),
        };
        let mut work = Work::new(lattice, 0.5);
        work.set_ground(1, &[wall], &[]);
        let goal = Vec2::new(0.12 * side, 0.0);
        let node = work.nearest_free(goal).unwrap();
        assert!(
            (side * lattice.position(node).x - 0.89).abs() < 1e-3,
            "{node}"
        );
    }
}

#[test]
fn a_slit_too_narrow_for_a_body_that_is_shut_hides_what_is_behind_it() {
    let wall = |from: f32, to: f32| Solid::segment(Vec2::new(0.0, from), Vec2::new(0.0, to));
    let slit = [wall(-9.0, -0.3), wall(0.3, 9.0)];
    let shut = [slit[0], slit[1], wall(-0.3, 0.3)];
    let lattice = Lattice {
        corner: Vec2::new(-3.8, -3.0),
        spacing: 0.5,
        size: UVec2::new(16, 13),
    };
    let solve = |work: &mut Work, solids: &[Solid]| {
        work.set_ground(revision_of(solids.iter()), solids, &[]);
        work.set_goals(std::iter::once(Vec2::new(-2.0, 0.0)));
        complete(work);
        work.vectors.clone()
    };
    let mut changed = Work::new(lattice, 0.5);
    let before = solve(&mut changed, &slit);
    let mut fresh = Work::new(lattice, 0.5);
    let now = solve(&mut fresh, &shut);
    assert_ne!(now, before, "beside the slit a body gets out on its side");
    assert_eq!(solve(&mut changed, &shut), now);
}
