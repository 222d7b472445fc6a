//! Bodies that share a roadmap with larger ones.

use super::*;

/// What bodies of a radius find that share their roadmap with no others.
fn find_alone(solids: &[Solid], from: Vec2, to: Vec2, radius: f32) -> PathSearch {
    let mut planner = planner(solids);
    let room = planner.room(radius);
    let (least, most) = (radius, radius);
    let ends = ends(solids);
    let mut map = Map {
        roadmap: Roadmap::new(planner.grid(radius), Sizes { least, most }, &ends, ROUND),
        trees: BTreeMap::new(),
        right_turns: 1.0,
        used: 0,
    };
    let (query, mut plenty) = (PathQuery { from, to, radius }, u32::MAX);
    match Trip::new(&query, &room) {
        Ok(trip) => map.find(trip, &room, 0, &mut plenty),
        Err(reason) => PathSearch::None(reason),
    }
}

#[test]
fn a_gap_beside_a_disc_that_fits_a_body_but_no_edge_around_the_disc_is_found() {
    let wall = Solid::segment(Vec2::new(-7.689, -2.441), Vec2::new(-7.689, 1.296));
    let disc = Circle::new(Vec2::new(-9.245, -4.529), 1.452).into();
    let (from, to) = (Vec2::new(10.0, -11.3), Vec2::new(-11.4, -2.8));
    let path = path(&[wall, disc], from, to, 0.51);
    // Around the disc it is 25.3 m.
    assert!(length(&path) < 23.5, "{path:?}");
}

proptest! {
    #[test]
    fn bodies_that_share_a_roadmap_find_the_ways_of_one_of_their_own(
        solids in solids(12.0, 24),
        from in point(12.0),
        to in point(12.0),
        radius in 0.2..0.6_f32,
    ) {
        let shared = find(&mut planner(&solids), from, to, radius);
        match (shared, find_alone(&solids, from, to, radius)) {
            (PathSearch::Found(shared), PathSearch::Found(alone)) => {
                let (shared, alone) = (length(&shared), length(&alone));
                prop_assert!(shared <= 1.1 * alone + 0.5, "{shared} m instead of {alone} m");
            }
            (shared, alone) => prop_assert_eq!(shared, alone),
        }
    }
}
