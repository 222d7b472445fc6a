//! Places of people, and worlds that repeat.

use super::*;

#[test]
fn the_nearest_image_is_across_the_end() {
    let period = Vec2::new(16.0, 0.0);
    let offset = nearest_offset(Vec2::new(1.0, 0.0), Vec2::new(15.0, 3.0), period);
    assert_eq!(offset, Vec2::new(-2.0, 3.0));
}

#[test]
fn people_have_places_without_overlap() {
    let area = Rect::new(0.0, 0.0, 16.0, 3.6);
    for people in [10, 100, 320] {
        let usual = places(area, people, &mut random(1));
        let scattered = (1..=10).map(|seed| scattered_places(area, people, &mut random(seed)));
        for places in std::iter::once(usual).chain(scattered) {
            assert_eq!(places.len(), people);
            for (at, one) in places.iter().enumerate() {
                assert!(area.contains(*one));
                let apart = |other: &Vec2| one.distance(*other) > 1.98 * RADIUS;
                assert!(places[at + 1..].iter().all(apart), "{people} at {one}");
            }
        }
    }
}

#[test]
fn scattered_rows_lie_elsewhere_for_each_seed() {
    let area = Rect::new(0.0, 0.0, 16.0, 10.0);
    let lowest = |seed| {
        let places = scattered_places(area, 160, &mut random(seed));
        places.iter().map(|it| it.y).fold(f32::INFINITY, f32::min)
    };
    let all: Vec<f32> = (1..=10).map(lowest).collect();
    let most = all.iter().copied().fold(0.0, f32::max);
    let least = all.iter().copied().fold(f32::INFINITY, f32::min);
    assert!(most - least > 0.2, "{all:?}");
}

#[test]
fn who_leaves_at_one_end_comes_in_at_the_other() {
    let mut crowd = Crowd::repeating(Vec2::new(16.0, 0.0));
    crowd.add(Person::new(Vec2::new(15.5, 1.0), Vec2::X));
    let mut farthest = 0.0_f32;
    crowd.run(4.0, |crowd| {
        farthest = farthest.max(crowd.seen()[0].position.x);
    });
    let now = crowd.seen()[0];
    assert!(
        now.position.x < 6.0 && farthest < 16.2,
        "{now:?}, {farthest}"
    );
    assert!(
        now.velocity.x > 1.2 && now.velocity.y.abs() < 0.01,
        "{now:?}"
    );
}

#[test]
fn people_keep_away_from_those_across_the_end() {
    // One walks up to another who waits, across the end of the world.
    let mut crowd = Crowd::repeating(Vec2::new(16.0, 0.0));
    crowd.add(Person::new(Vec2::new(13.5, 1.0), Vec2::X));
    crowd.add(Person {
        reaction: 100.0,
        ..Person::new(Vec2::new(1.0, 1.0), Vec2::X)
    });
    let mut nearest = f32::INFINITY;
    crowd.run(6.0, |crowd| {
        let seen = crowd.seen();
        let period = Vec2::new(16.0, 0.0);
        let offset = nearest_offset(seen[0].position, seen[1].position, period);
        nearest = nearest.min(offset.length());
    });
    assert!(nearest > 1.5 * RADIUS, "{nearest}");
}

#[test]
fn numbers_of_the_normal_distribution_have_its_moments() {
    let mut random = random(3);
    let numbers: Vec<f32> = (0..20_000).map(|_| normal(&mut random)).collect();
    let mean = crate::statistics::mean(numbers.iter().copied());
    let square = crate::statistics::mean(numbers.iter().map(|it| it * it));
    assert!(
        mean.abs() < 0.03 && (square - 1.0).abs() < 0.05,
        "{mean}, {square}"
    );
}

#[test]
fn who_leaves_takes_the_images_along() {
    let mut crowd = Crowd::repeating(Vec2::splat(16.0));
    crowd.add(Person::new(Vec2::splat(8.0), Vec2::X));
    let images = |crowd: &mut Crowd| {
        let world = crowd.app.world_mut();
        world.query::<&Image>().iter(world).count()
    };
    assert_eq!(images(&mut crowd), 3);
    assert_eq!(crowd.leave(|_| true).len(), 1);
    assert_eq!(images(&mut crowd), 0);
    crowd.tick();
}
