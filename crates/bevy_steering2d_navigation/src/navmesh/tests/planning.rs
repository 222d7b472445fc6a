//! The pathfinder alone.

use super::*;

fn planner(mesh: &NavMesh) -> NavmeshPathfinder {
    let mut planner = NavmeshPathfinder::default();
    planner.set_mesh(mesh, 0.0).unwrap();
    planner
}

fn find(planner: &mut dyn Pathfinder, from: Vec2, to: Vec2, radius: f32) -> PathSearch {
    planner.find(&PathQuery { from, to, radius }, &mut u32::MAX.clone())
}

fn path(mesh: &NavMesh, from: (f32, f32), to: (f32, f32), radius: f32) -> Vec<Vec2> {
    match find(&mut planner(mesh), from.into(), to.into(), radius) {
        PathSearch::Found(path) => path,
        other => panic!("{other:?}"),
    }
}

fn length(path: &[Vec2]) -> f32 {
    path.windows(2).map(|leg| leg[0].distance(leg[1])).sum()
}

/// 40 m by 24 m with twelve blocks, between which ways of 1 m to 5 m are left.
fn town() -> NavMesh {
    let blocks: Vec<_> = (0..12)
        .map(|i| {
            let (column, row) = (i % 4, i / 4);
            let at = Vec2::new(5.0 + 10.0 * column as f32, 4.0 + 8.0 * row as f32);
            let size = Vec2::new(5.0 + (i * 5 % 4) as f32 * 1.3, 3.0 + (i * 7 % 5) as f32);
            Rect::from_center_size(at, size)
        })
        .collect();
    mesh(Rect::new(0.0, 0.0, 40.0, 24.0), &blocks)
}

/// Places all over the town that are no nearer than 0.45 m to its border.
fn places(planner: &NavmeshPathfinder, town: &NavMesh) -> Vec<Vec2> {
    let all = (0..160).map(|i| Vec2::new((i * 37 % 160) as f32, (i * 23 % 96) as f32) * 0.25);
    let is_free = |at: &Vec2| planner.border().iter().all(|it| it.distance(*at) > 0.45);
    all.filter(|at| town.is_in_mesh(*at) && is_free(at))
        .collect()
}

#[test]
fn a_path_around_a_hole_keeps_the_radius_and_a_comfortable_clearance() {
    let planner = planner(&holed());
    let path = path(&holed(), (-6.0, 0.5), (6.0, 0.5), 0.5);
    assert!(path.iter().all(|at| at.y > 0.0), "{path:?}");
    for leg in path.windows(2) {
        let clearance = planner.border().iter();
        let clearance = clearance.map(|it| it.distance_to_segment(leg[0], leg[1]));
        assert!(clearance.fold(9.0, f32::min) > 0.6, "{path:?}");
    }
    assert!(length(&path) < 15.5, "{path:?}");
}

#[test]
fn paths_are_as_short_as_those_of_the_roadmap() {
    let town = town();
    let mut over_mesh = planner(&town);
    let mut around_walls = RoadmapPathfinder::default();
    around_walls.set_solids(over_mesh.border());
    let places = places(&over_mesh, &town);
    assert!(places.len() > 40, "{}", places.len());
    let pairs = places.iter().zip(places.iter().rev());
    let mut compared = 0;
    for (&from, &to) in pairs.filter(|(from, to)| from.distance(**to) > 1.0) {
        let one = find(&mut over_mesh, from, to, 0.4);
        let other = find(&mut around_walls, from, to, 0.4);
        match (one, other) {
            (PathSearch::Found(one), PathSearch::Found(other)) => {
                let ratio = length(&one) / length(&other);
                assert!((0.95..1.05).contains(&ratio), "{ratio}: {one:?} {other:?}");
                for leg in one.windows(2) {
                    let distance = |it: &Solid| it.distance_to_segment(leg[0], leg[1]);
                    assert!(
                        over_mesh.border().iter().all(|it| distance(it) > 0.4),
                        "{one:?}"
                    );
                }
                compared += 1;
            }
            (one, other) => assert_eq!(one, other, "{from} {to}"),
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn a_gap_is_taken_if_the_body_fits_through() {
    // A wall across the room with a gap of 1.1 m in the middle and one of 4 m at its upper end.
    let room = Rect::new(-10.0, -6.0, 10.0, 12.0);
    let gap = mesh(
        room,
        &[
            Rect::new(-0.5, -6.5, 0.5, -0.55),
            Rect::new(-0.5, 0.55, 0.5, 8.0),
        ],
    );
    let narrow = path(&gap, (-5.0, 0.0), (5.0, -3.0), 0.5);
    assert!(length(&narrow) < 12.0, "{narrow:?}");
    let wide = path(&gap, (-5.0, 0.0), (5.0, -3.0), 0.6);
    assert!(wide.iter().any(|at| at.y > 8.5), "{wide:?}");
}

#[test]
fn a_wall_that_the_mesh_does_not_know_is_gone_around() {
    let room = mesh(Rect::new(-10.0, -6.0, 10.0, 6.0), &[]);
    let mut planner = planner(&room);
    planner.set_solids(&[Solid::segment(Vec2::new(0.0, -6.0), Vec2::new(0.0, 3.0))]);
    let found = find(&mut planner, Vec2::new(-5.0, 0.0), Vec2::new(5.0, 0.0), 0.5);
    let PathSearch::Found(path) = found else {
        panic!("{found:?}");
    };
    assert!(path.iter().any(|at| at.y > 3.5), "{path:?}");
    planner.set_solids(&[Solid::segment(Vec2::new(0.0, -7.0), Vec2::new(0.0, 7.0))]);
    let found = find(&mut planner, Vec2::new(-5.0, 0.0), Vec2::new(5.0, 0.0), 0.5);
    assert_eq!(found, PathSearch::None(NoPathReason::Unreachable));
}

#[test]
fn a_body_close_to_the_border_or_a_little_beside_it_finds_its_way() {
    for from in [
        (-1.1, 0.0),
        (-1.45, 3.9),
        (-0.9, 0.0),
        (-9.95, -5.95),
        (-10.3, 0.0),
    ] {
        let path = path(&holed(), from, (6.0, 0.0), 0.5);
        assert_eq!(path[0], Vec2::from(from));
        assert!(length(&path) < Vec2::from(from).distance(Vec2::new(6.0, 0.0)) + 9.0);
    }
}

#[test]
fn a_target_close_to_the_border_is_reached_where_there_is_room() {
    for to in [(1.1, 0.0), (9.9, 5.9), (10.3, 0.0), (0.8, 3.0)] {
        let path = path(&holed(), (-6.0, 0.0), to, 0.5);
        let end = path[path.len() - 1];
        assert!(end.distance(to.into()) < 1.0, "{path:?}");
        let planner = planner(&holed());
        assert!(planner.border().iter().all(|it| it.distance(end) > 0.5));
    }
}

#[test]
fn a_search_in_small_portions_finds_the_same_path() {
    let (from, to) = (Vec2::new(0.7, 1.0), Vec2::new(39.0, 23.0));
    let whole = path(&town(), from.into(), to.into(), 0.4);
    let mut planner = planner(&town());
    let query = PathQuery {
        from,
        to,
        radius: 0.4,
    };
    let mut portions = 0;
    let found = loop {
        portions += 1;
        assert!(portions < 1_000);
        let mut left = 2;
        match planner.find(&query, &mut left) {
            PathSearch::Found(path) => break path,
            other => assert_eq!((other, left), (PathSearch::Unfinished, 0)),
        }
    };
    assert!(portions > 1);
    assert_eq!(found, whole);
}

#[test]
fn a_body_that_moves_while_its_search_goes_on_gets_a_path_from_where_it_is() {
    let mut planner = planner(&town());
    let to = Vec2::new(39.0, 23.0);
    let mut from = Vec2::new(0.7, 1.0);
    for _ in 0..1_000 {
        let query = PathQuery {
            from,
            to,
            radius: 0.4,
        };
        if let PathSearch::Found(path) = planner.find(&query, &mut 1) {
            assert_eq!(path[0], from);
            assert!(
                path.windows(2)
                    .all(|leg| planner.is_clear(leg[0], leg[1], 0.4))
            );
            return;
        }
        from.y += 0.02;
    }
    panic!("no path");
}

#[test]
fn a_search_is_not_continued_from_the_other_side_of_a_wall() {
    let mut planner = planner(&mesh(Rect::new(-10.0, -6.0, 10.0, 6.0), &[]));
    let wall = |x: f32| Solid::segment(Vec2::new(x, -6.0), Vec2::new(x, 3.0));
    planner.set_solids(&[wall(0.0), wall(5.0)]);
    let query = |x: f32| PathQuery {
        from: Vec2::new(x, -4.0),
        to: Vec2::new(8.0, -4.0),
        radius: 0.2,
    };
    let (left, right) = (query(-0.35), query(0.35));
    assert_eq!(planner.find(&left, &mut 1), PathSearch::Unfinished);
    let found = planner.find(&right, &mut u32::MAX.clone());
    let PathSearch::Found(path) = found else {
        panic!("{found:?}");
    };
    let mut legs = path.windows(2);
    assert!(
        legs.all(|leg| planner.is_clear(leg[0], leg[1], 0.2)),
        "{path:?}"
    );
}

#[test]
fn ways_that_polyanya_misses_are_found_all_the_same() {
    let hall = mesh(
        Rect::new(-15.0, -8.0, 15.0, 8.0),
        &[
            Rect::new(-9.0, -3.0, -5.0, 3.0),
            Rect::new(3.0, -9.0, 6.0, -1.5),
            Rect::new(3.0, 1.5, 6.0, 9.0),
        ],
    );
    let mut planner = planner(&hall);
    for (from, to) in [
        ((6.2656, -1.0943599), (2.6426067, -5.6792307)),
        ((6.257637, -1.0737782), (-14.0, -4.7)),
        ((2.5962524, 1.2027149), (10.9, 2.5)),
    ] {
        let query = PathQuery {
            from: from.into(),
            to: to.into(),
            radius: 0.5,
        };
        let mut portions = (0..1_000).map(|_| planner.find(&query, &mut 16));
        let found = portions.find(|it| *it != PathSearch::Unfinished);
        let Some(PathSearch::Found(path)) = found else {
            panic!("{from:?}: {found:?}");
        };
        assert_eq!(path[0], query.from);
        assert!(
            length(&path) < 1.2 * query.from.distance(query.to) + 2.0,
            "{path:?}"
        );
    }
}

#[test]
fn the_same_queries_give_the_same_bits() {
    let bits = || -> Vec<u32> {
        let town = town();
        let mut planner = planner(&town);
        let places = places(&planner, &town);
        let paths =
            places
                .windows(2)
                .filter_map(|ends| match find(&mut planner, ends[0], ends[1], 0.4) {
                    PathSearch::Found(path) => Some(path),
                    _ => None,
                });
        let points = paths.flatten().flat_map(|it| it.to_array());
        points.map(f32::to_bits).collect()
    };
    assert_eq!(bits(), bits());
}
