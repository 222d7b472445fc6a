//! Behaviors with a target, and their predictions.

use bevy_steering2d::behaviors::*;

use super::*;

#[test]
fn seek_and_flee_equal_the_listings() {
    let me = unit_agent();
    for point in points() {
        assert_equal(seek(&me, point), listed::seek(&me, point));
        assert_equal(flee(&me, point), listed::flee(&me, point));
        let [seeks, flees] = [seek(&me, point), flee(&me, point)].map(|it| it + me.velocity);
        assert_equal(flees, -seeks);
    }
}

#[test]
fn flee_without_falloff_has_the_listed_hard_edge() {
    for distance in [0.0, 99.0, 100.0, 100.1, 1e4] {
        let listed = if distance > 100.0 { 0.0 } else { 1.0 };
        assert_eq!(panic_urgency(distance, 100.0, 0.0), listed);
    }
}

#[test]
fn arrive_equals_the_listings() {
    let me = unit_agent();
    for point in points() {
        let ours = |braking| arrive(&me, point, braking, 0.01);
        let rates = [Deceleration::Slow, Deceleration::Normal, Deceleration::Fast];
        for (rate, k) in rates.into_iter().zip([3.0, 2.0, 1.0]) {
            let listed = listed::arrive(&me, point, k);
            assert_equal(ours(Braking::Deceleration(rate)), listed);
        }
        for slowing_radius in [20.0, 30.0] {
            let listed = listed::arrive_in_slowing_radius(&me, point, slowing_radius);
            assert_equal(ours(Braking::Ramp { slowing_radius }), listed);
        }
    }
}

#[test]
fn arrive_does_not_slow_down_with_distance_as_the_squared_listing_does() {
    let me = unit_agent(); // 4 m/s at most
    let at = |distance| {
        let target = me.position + distance * Vec2::X;
        let listed = listed::arrive_by_squared_distance(&me, target);
        let slow = Braking::Deceleration(Deceleration::Slow);
        [listed, arrive(&me, target, slow, 0.01)].map(|force| (force + me.velocity).x)
    };
    // Up to √4 m the listing is d / 1 s, ours d / 0.9 s.
    let [listed, ours] = at(1.5);
    assert!((listed - 1.5).abs() < 1e-5 && (ours - 1.5 / 0.9).abs() < 1e-5);
    // From there on the listing is 4 / d.
    let [listed, ours] = at(8.0);
    assert!((listed - 0.5).abs() < 1e-5 && (ours - 4.0).abs() < 1e-5);
}

#[test]
fn pursuit_equals_the_listings_with_each_prediction() {
    let me = unit_agent();
    for point in points() {
        for course in 0..12 {
            let quarry = body(point, 3.0 * Vec2::from_angle(0.5 * course as f32));
            let how = Pursuit::default();
            let listed = listed::pursuit(&me, &quarry);
            assert_equal(pursuit(&me, &quarry, &how), listed);
            // The tutorial never checks whether the quarry faces the agent.
            let how = Pursuit {
                facing_angle: 0.0,
                ..how
            };
            let distance = me.position.distance(point);
            for (prediction, time) in [
                (Prediction::Fixed(3.0), 3.0),
                (Prediction::DistanceOverMaxSpeed, distance / me.max_speed),
                // The thesis seeks the position of the moment.
                (Prediction::Fixed(0.0), 0.0),
            ] {
                let ours = pursuit(&me, &quarry, &how.with_prediction(prediction));
                assert_equal(ours, listed::seek(&me, point + quarry.velocity * time));
            }
        }
    }
}

#[test]
fn evade_equals_the_listing_unless_the_threat_passes_meanwhile() {
    let me = unit_agent();
    let how = Evade::default().with_panic_distance(f32::INFINITY);
    for point in points() {
        let away = (point - me.position).normalize();
        for velocity in [away, away + 3.0 * away.perp(), away - 2.0 * away.perp()] {
            let threat = body(point, velocity);
            let listed = listed::flee(&me, listed::predicted(&me, &threat));
            assert_equal(evade(&me, &threat, &how), listed);
        }
    }
    // At 40 m/s it passes the agent within the predicted 0.45 s: the listing flees towards it, ours
    // sideways.
    let position = me.position + 10.0 * Vec2::X;
    let oncoming = body(position, Vec2::new(-40.0, 0.1));
    let how = how.with_prediction(Prediction::Fixed(0.45));
    let listed = listed::flee(&me, position + 0.45 * oncoming.velocity) + me.velocity;
    let ours = evade(&me, &oncoming, &how) + me.velocity;
    assert!(listed.x > 3.9, "{listed}");
    assert!(ours.x.abs() < 0.5 && ours.y < -3.9, "{ours}");
}
