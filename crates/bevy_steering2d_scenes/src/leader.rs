//! Follow the leader: whoever ranks highest walks a star, the others walk behind it.
//!
//! At each point of the star the leader turns on its heel and comes back towards those who follow,
//! who have to make way. When it is gone, or no longer what it was, the next in rank takes over.

use std::f32::consts::{FRAC_1_SQRT_2, TAU};

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::LeaderMemory;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::draw;

use crate::bodies::{enable, recolor, set_pace};
use crate::crowd::{Person, free_place};
use crate::look::{Drawn, Look};
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::stage::{InScene, agents_wanted};
use crate::{ActionSelection, CurrentScene, Presses, SceneRandom, overlay, palette, playing};

pub(crate) const SCENE: Scene = Scene {
    name: "leader",
    title: "Follow the leader",
    help: "The gold one leads: of all it has the highest leadership. The others keep behind it, \
           and when it turns back towards them at a point of the star they clear its way (the \
           lane ahead of it). Depose it, and the next in rank leads while it falls in; remove \
           it, and the others hardly stop.",
    keys: &[
        SceneKey::new('d', "Depose the leader"),
        SceneKey::new('k', "Remove it"),
    ],
    chosen: |_| Vec::new(),
    mouse: "",
    crowd: Crowd::new(6, 16, 24),
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment: |_, _| Vec::new(),
};

/// Nobody removes the leader of so few.
const FEWEST: usize = 6;
const RADIUS: f32 = 0.3;
/// Nearer than this somebody in front of the leader stands in its way, m.
const IN_THE_WAY: f32 = 0.01;
/// A new leader comes from the middle of the crowd: it gets so long to come out of it, s.
const SETTLING: f32 = 2.0;

const LEADER_PACE: f32 = 2.5;
const FOLLOWER: Vehicle = Vehicle {
    max_speed: 4.0,
    max_force: 20.0,
    response_time: 0.2,
    radius: None,
};

/// One of the troop.
#[derive(Component, Clone, Copy, Debug)]
struct Member;

/// The star that the leader walks.
#[derive(Component, Clone, Copy, Debug)]
struct Star;

/// Who leads now.
#[derive(Resource, Clone, Copy, Debug, Default)]
struct Lead(Option<Entity>);

/// What has happened.
#[derive(Resource, Default)]
struct Tally {
    leaders: u32,
    /// How far followers are behind their leader, along its heading, m.
    behind: Mean,
    /// Share of the followers who follow somebody, `0..=1`.
    led: Mean,
    /// How long there has been no other leader, s.
    reign: f32,
    /// Time in which somebody stood in the leader's way, s.
    blocked: f32,
    leader_speed: Mean,
    /// How often followers have turned to another leader.
    turned: u32,
    /// Where and in which tick the last leader fell.
    last_fall: Option<(Vec2, u32)>,
}

fn build(app: &mut App) {
    app.add_systems(
        FixedUpdate,
        (read_keys, lead, keep_tally)
            .chain()
            .in_set(ActionSelection)
            .run_if(playing(SCENE.name)),
    );
}

fn setup(world: &mut World) {
    world.insert_resource(Lead::default());
    world.insert_resource(Tally::default());
    // Every second point of a pentagon.
    let point = |i| 9.5 * Vec2::from_angle(TAU * (0.25 + 0.4 * i as f32));
    let path = SteeringPath::looped((0..5).map(point));
    let path = path.unwrap_or_else(|error| unreachable!("a star is a path: {error}"));
    let star = world.spawn((Star, InScene::default(), path)).id();
    let camp = Rect::from_center_half_size(Vec2::ZERO, Vec2::new(4.0, 4.0));
    let mut places = Vec::new();
    let troop = agents_wanted(world);
    for index in 0..troop {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let place = free_place(camp, &places, 1.0, random);
        places.push(place);
        let person = Person {
            name: "member",
            position: place,
            velocity: Vec2::ZERO,
            radius: RADIUS,
            color: palette::SAND,
            vehicle: FOLLOWER,
            solid: true,
        };
        world.spawn((
            Member,
            Leadership((troop - index) as f32),
            LeaderFollowing {
                follow_distance: 3.0,
                // A crowd needs more notice than one or two.
                clearance: 3.0,
                ..default()
            },
            Separation::default(),
            FollowPath::along(star).waypoints(0.5).disabled(),
            person.bundle(),
        ));
    }
}

fn read_keys(
    current: Res<CurrentScene>,
    presses: Res<Presses>,
    lead: Res<Lead>,
    mut tally: ResMut<Tally>,
    mut troop: Query<(&mut Leadership, &Transform), With<Member>>,
    mut commands: Commands,
) {
    let Some(leader) = lead.0 else {
        return;
    };
    let lowest = troop.iter().map(|(it, _)| it.0).fold(0.0, f32::min);
    let count = troop.iter().count();
    let Some(key) = presses.keys().last() else {
        return;
    };
    let Ok((mut leadership, at)) = troop.get_mut(leader) else {
        return;
    };
    match key {
        'd' => leadership.0 = lowest - 1.0,
        'k' if count > FEWEST => commands.entity(leader).despawn(),
        _ => return,
    }
    tally.last_fall = Some((at.translation.truncate(), current.tick()));
}

/// Puts the highest in rank on the path and everybody else in line.
fn lead(
    mut lead: ResMut<Lead>,
    mut tally: ResMut<Tally>,
    ranks: Query<(Entity, &Leadership), With<Member>>,
    mut troop: Query<
        (
            Entity,
            &mut FollowPath,
            &mut Separation,
            &mut Vehicle,
            &mut Look,
        ),
        With<Member>,
    >,
) {
    let highest = ranks
        .iter()
        .max_by(|a, b| a.1.0.total_cmp(&b.1.0))
        .map(|(entity, _)| entity);
    if highest == lead.0 {
        return;
    }
    lead.0 = highest;
    tally.leaders += 1;
    tally.reign = 0.0;
    for (entity, mut path, mut separation, mut vehicle, mut look) in &mut troop {
        let leads = Some(entity) == highest;
        enable(&mut path, leads);
        // It lets the others make room.
        enable(&mut separation, !leads);
        let (pace, color) = if leads {
            (LEADER_PACE, palette::GOLD)
        } else {
            (FOLLOWER.max_speed, palette::SAND)
        };
        set_pace(&mut vehicle, pace);
        recolor(&mut look, color);
    }
}

fn keep_tally(
    time: Res<Time>,
    lead: Res<Lead>,
    mut tally: ResMut<Tally>,
    troop: Query<
        (
            Entity,
            &Transform,
            &Velocity,
            &Kinematics,
            Ref<LeaderMemory>,
        ),
        With<Member>,
    >,
) {
    let Some((_, at, velocity, body, _)) = lead.0.and_then(|leader| troop.get(leader).ok()) else {
        return;
    };
    tally.leader_speed.add(velocity.linear.length());
    let mut blocked = false;
    for (entity, place, _, _, memory) in &troop {
        if Some(entity) == lead.0 {
            continue;
        }
        tally.led.add(f32::from(memory.leader.is_some()));
        tally.turned += u32::from(memory.is_changed() && memory.leader.is_some());
        let offset = (at.translation - place.translation).truncate();
        if memory.leader == lead.0 {
            tally.behind.add(offset.dot(body.heading));
        }
        // Not at its shoulder, where nobody stops it.
        let in_front = -offset.dot(body.heading) > FRAC_1_SQRT_2 * offset.length();
        blocked |= in_front && offset.length() < 2.0 * RADIUS + IN_THE_WAY;
    }
    tally.reign += time.delta_secs();
    if blocked && tally.reign > SETTLING {
        tally.blocked += time.delta_secs();
    }
}

/// Every four seconds the leader falls, once in four times for good.
fn script(world: &mut World, tick: u32) {
    const EVERY: u32 = 256;
    if tick == 0 || !tick.is_multiple_of(EVERY) {
        return;
    }
    let for_good = (tick / EVERY).is_multiple_of(4);
    let key = if for_good { 'k' } else { 'd' };
    world.resource_mut::<Presses>().press(key);
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let led = tally.led.get().map(|share| 100.0 * share);
    let changes = tally.leaders.saturating_sub(1);
    vec![
        Line::new("mean distance behind the leader", tally.behind.get(), "m"),
        Line::new("somebody in the leader's way", tally.blocked, "s"),
        Line::new(
            "mean speed of the leader",
            tally.leader_speed.get(),
            format!("m/s of {LEADER_PACE:.1}"),
        ),
        Line::new("leader changes", changes, ""),
        Line::new("turns to another leader", tally.turned, ""),
        Line::new("followers who follow", led, "% of the time"),
    ]
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, explain.run_if(playing(SCENE.name)));
}

fn explain(
    current: Res<CurrentScene>,
    lead: Res<Lead>,
    tally: Res<Tally>,
    star: Single<&SteeringPath, With<Star>>,
    troop: Query<(Entity, &Drawn, &LeaderMemory, &LeaderFollowing), With<Member>>,
    mut gizmos: Gizmos,
) {
    overlay::path(&mut gizmos, &star, palette::FENCE);
    for (entity, drawn, memory, following) in &troop {
        let center = drawn.pose.position;
        if let Some(leader) = memory.leader
            && let Ok((_, leader, ..)) = troop.get(leader)
            && Some(entity) != lead.0
        {
            let color = palette::GOLD.with_alpha(0.12);
            gizmos.line_2d(center, leader.pose.position, color);
        }
        if Some(entity) == lead.0 {
            // What its followers keep free, see `LeaderFollowing::clearance`.
            let ahead = drawn.pose.facing * Vec2::X;
            let lane = following.lane(2.0 * RADIUS, LEADER_PACE);
            let outline = draw::way_outline(center, center + lane.x * ahead, lane.y);
            gizmos.lineloop_2d(outline, palette::RED.with_alpha(0.35));
            let place = following.spot(center, ahead);
            overlay::cross(&mut gizmos, place, 0.3, palette::GOLD);
        }
    }
    if let Some((place, tick)) = tally.last_fall {
        overlay::splash(&mut gizmos, place, current.tick() - tick);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::tests::number;

    #[test]
    fn nobody_stands_in_the_leaders_way_for_more_than_a_moment() {
        // The leader turns back into its troop again and again.
        for seed in 1..=3 {
            let report = headless::run(&SCENE, seed, 2_000);
            let blocked = number(&report, "somebody in the leader's way");
            assert!(blocked < 0.1, "{report}");
            let behind = number(&report, "mean distance behind the leader");
            assert!((1.0..4.0).contains(&behind), "{report}");
        }
    }

    #[test]
    fn each_follower_turns_once_when_the_leader_falls() {
        let report = headless::run(&SCENE, 1, 500);
        assert_eq!(number(&report, "leader changes"), 1.0, "{report}");
        // Once to the first leader, once to the second; the second and the first turn once.
        let turns = 2.0 * (16.0 - 1.0);
        assert_eq!(
            number(&report, "turns to another leader"),
            turns,
            "{report}"
        );
    }
}
