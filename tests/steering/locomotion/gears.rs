//! Cars that change gear where a person would, and not to and fro.

use std::f32::consts::FRAC_PI_2;

use bevy_steering2d::ParkMemory;

use super::*;

/// The share of `seconds` in which a car reverses, and how often it changes gear.
fn gears(app: &mut App, car: Entity, seconds: u32) -> (f32, u32) {
    let reverses = |app: &App| get::<Controls>(app, car).reversing;
    let (mut reversing, mut changes) = (0, 0);
    let mut before = reverses(app);
    for _ in 0..60 * seconds {
        app.update();
        let now = reverses(app);
        reversing += u32::from(now);
        changes += u32::from(now != before);
        before = now;
    }
    (reversing as f32 / (60 * seconds) as f32, changes)
}

fn car_at(app: &mut App, x: f32, agent: impl Bundle) -> Entity {
    car(Backend::PointMass, app, Body::at(x, 0.0), agent)
}

#[test]
fn a_car_that_rolls_backward_wanders_on_ahead() {
    for seed in 0..8 {
        let mut app = point_mass_app(HERTZ);
        app.insert_resource(SteeringSeed(seed));
        let car = car_at(&mut app, 0.0, Wander::default());
        run_ticks(&mut app, 1);
        let mut rolling = app.world_mut().entity_mut(car);
        rolling.get_mut::<PointMass>().unwrap().velocity = Vec2::new(-3.0, 0.0);
        rolling.get_mut::<Controls>().unwrap().reversing = true;
        let (reversing, changes) = gears(&mut app, car, 20);
        assert!(
            reversing < 0.25 && changes < 4,
            "seed {seed}: {reversing}, {changes}"
        );
    }
}

#[test]
fn a_car_backs_away_from_a_threat_without_twitching() {
    for y in [-1.3, -0.7, 0.4, 0.7, 1.1] {
        let mut app = point_mass_app(HERTZ);
        let flee = Flee::new(Vec2::new(8.0, y)).with_panic_distance(30.0);
        let car = car_at(&mut app, 0.0, flee);
        let (_, changes) = gears(&mut app, car, 6);
        assert!(changes <= 4, "{y}: {changes} changes of gear");
    }
}

#[test]
fn a_car_on_a_leash_or_a_road_drives_in_its_circle_and_back() {
    let circle = WanderStyle::Circle {
        radius: 4.0,
        distance: 10.0,
        jitter: 8.0,
    };
    let wander = Wander {
        style: circle,
        ..default()
    };
    let road = [Vec2::new(-1e4, 0.0), Vec2::new(1e4, 0.0)];
    let bounds: [fn(&mut EntityWorldMut, [Vec2; 2]); 2] = [
        |car, _| {
            car.insert(Tether::new(Vec2::ZERO, 25.0));
        },
        |car, road| {
            let stay = StayOnPath {
                half_width: 5.0,
                ..default()
            };
            car.insert((SteeringPath::open(road).unwrap(), stay));
        },
    ];
    for (number, bound) in bounds.into_iter().enumerate() {
        let mut app = point_mass_app(HERTZ);
        let car = car_at(&mut app, 0.0, wander);
        app.world_mut().get_mut::<Vehicle>(car).unwrap().max_speed = 10.0;
        bound(&mut app.world_mut().entity_mut(car), road);
        let (reversing, changes) = gears(&mut app, car, 60);
        assert!(
            reversing < 0.1 && changes < 8,
            "{number}: {reversing}, {changes}"
        );
        let off = match number {
            0 => position(&app, car).length() - 25.0,
            _ => position(&app, car).y.abs() - 5.0,
        };
        assert!(off < 15.0, "{number}: {off} m out");
    }
}

/// A car at the origin that follows a leader at a distance, m; and the leader.
fn car_that_follows(app: &mut App, leader: Body, follow_distance: f32) -> [Entity; 2] {
    let leads = (Vehicle::default(), Leadership(1.0));
    let leader = Backend::PointMass.spawn(app, leader, leads);
    let follow = LeaderFollowing {
        perception_radius: 60.0,
        follow_distance,
        ..default()
    };
    [car_at(app, 0.0, follow), leader]
}

#[test]
fn a_car_turns_around_to_follow_a_leader_that_drives_away() {
    let mut app = point_mass_app(HERTZ);
    let [car, leader] = car_that_follows(&mut app, Body::at(-8.0, 1.0).moving(-8.0, 0.0), 6.0);
    run_seconds(&mut app, 10.0);
    let gap = position(&app, car).distance(position(&app, leader));
    assert!(gap < 20.0, "{gap} m behind");
    assert!(velocity(&app, car).x < -8.0, "it drives ahead after it");
}

#[test]
fn a_car_turns_around_to_follow_a_leader_about_as_fast_as_its_reverse_gear() {
    for speed in [2.5, 2.9, 3.0] {
        let mut app = point_mass_app(HERTZ);
        let away = Body::at(-20.0, 1.0).moving(-speed, 0.0);
        let [car, leader] = car_that_follows(&mut app, away, 8.0);
        run_seconds(&mut app, 30.0);
        let gap = position(&app, car).distance(position(&app, leader));
        assert!(gap < 15.0, "{speed} m/s: {gap} m behind");
        let ahead = get::<Kinematics>(&app, car).heading.x;
        assert!(ahead < -0.9, "{speed} m/s: it follows in reverse");
    }
}

#[test]
fn a_car_turns_around_to_head_with_its_flock() {
    let mut app = point_mass_app(HERTZ);
    for y in [-6.0, 6.0] {
        let boid = Body::at(0.0, y).moving(-14.0, 0.0);
        Backend::PointMass.spawn(&mut app, boid, Vehicle::default());
    }
    let on_its_own = Alignment::new(1e4);
    let car = car_at(&mut app, 0.0, on_its_own);
    let by_entity = car_at(&mut app, 0.0, ());
    app.world_mut().spawn((SteersFor(by_entity), on_its_own));
    let (reversing, _) = gears(&mut app, car, 8);
    assert!(reversing < 0.3, "{reversing}");
    for car in [car, by_entity] {
        let velocity = velocity(&app, car);
        assert!(velocity.x < -13.0, "{velocity}");
        assert!(!get::<Controls>(&app, car).reversing);
    }
}

#[test]
fn a_car_that_updates_less_often_changes_gear_no_more() {
    let changes = |every| {
        let mut app = point_mass_app(HERTZ);
        let arrives = (Arrive::new(Vec2::new(30.0, 3.0)), ThinkEvery(every));
        let car = car_at(&mut app, 0.0, arrives);
        gears(&mut app, car, 12).1
    };
    assert_eq!([1, 4, 8].map(changes), [0; 3]);
}

#[test]
fn a_car_plans_anew_for_another_run_in() {
    let mut app = point_mass_app(HERTZ);
    let place = (Vec2::new(30.0, 10.0), FRAC_PI_2);
    let park = |run_in| Park::new(place.0, place.1).with_run_in(run_in);
    let car = car_at(&mut app, 0.0, park(5.0));
    run_seconds(&mut app, 1.0);
    app.world_mut().entity_mut(car).insert(park(-5.0));
    let mut reverses = false;
    while !get::<ParkMemory>(&app, car).arrived {
        app.update();
        reverses = get::<Controls>(&app, car).reversing;
    }
    assert!(reverses, "it comes in as told last");
}
