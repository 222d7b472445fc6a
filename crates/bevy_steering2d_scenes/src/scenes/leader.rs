//! Leader following: the agent with the highest leadership walks a star, the others follow.
//!
//! At each point of the star the leader turns back towards its followers, which must clear its
//! path. If it is removed or demoted, the agent with the next highest leadership takes over.

use std::f32::consts::{FRAC_1_SQRT_2, TAU};

use bevy::ecs::entity::MapEntities;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::LeaderFollowingMemory;
use bevy_steering2d::prelude::*;
use bevy_steering2d_debug::draw;

use crate::arena::Arena;
use crate::bodies::{Person, enable, recolor, set_max_speed};
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Drawn, Look};
use crate::placement::spot_in;
use crate::report::{Line, Mean};
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "leader",
    title: "Follow the leader",
    help: "The gold agent has the highest leadership and leads. The others stay behind it, and \
           clear the lane ahead of it when it turns back towards them at a point of the star. \
           Demote it, and the next in rank leads while it follows; remove it, and the others \
           follow the next in rank.",
    keys: &[
        SceneKey::new('d', "Demote the leader"),
        SceneKey::new('k', "Remove the leader"),
    ],
    chosen: |_| Vec::new(),
    mouse: "",
    crowd: Crowd::new(6, 16, 24),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment: |_| Vec::new(),
};

/// A leader is only removed if more agents than this are left.
const FEWEST: usize = 6;
const RADIUS: f32 = 0.3;
/// A follower in front of the leader blocks it below this gap, m.
const BLOCKING_GAP: f32 = 0.01;
/// A new leader starts inside the crowd; blocking counts only after this time, s.
const SETTLING: f32 = 2.0;

const LEADER_SPEED: f32 = 2.5;
const FOLLOWER: Vehicle = Vehicle {
    max_speed: 4.0,
    max_force: 20.0,
    response_time: 0.2,
    radius: None,
};

/// An agent of the group.
#[derive(Component, Clone, Copy, Debug, Default)]
struct Member {
    /// The leader in the tick before. Compared with the memory, since going back to an earlier tick counts as
    /// a change of the memory.
    #[entities]
    followed: Option<Entity>,
}

/// The star that the leader walks.
#[derive(Component, Clone, Copy, Debug)]
struct Star;

/// The current leader.
#[derive(Resource, MapEntities, Clone, Copy, Debug, Default)]
struct Lead(#[entities] Option<Entity>);

/// Measurements.
#[derive(Resource, Clone, Default)]
struct Tally {
    leaders: u32,
    /// Distance of followers behind their leader, along its heading, m.
    behind: Mean,
    /// Share of the followers that follow a leader, `0..=1`.
    led: Mean,
    /// Time since the last change of leader, s.
    reign: f32,
    /// Time in which a follower blocked the leader, s.
    blocked: f32,
    leader_speed: Mean,
    /// How often followers have switched to another leader.
    switches: u32,
    /// Position and tick at which the last leader was demoted or removed.
    last_fall: Option<(Vec2, u32)>,
}

fn build(app: &mut App) {
    app.add_scene_component::<Member>()
        .add_scene_resource::<Lead>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (read_keys, lead, keep_tally));
}

fn setup(world: &mut World) {
    world.insert_resource(Lead::default());
    world.insert_resource(Tally::default());
    // Every second point of a pentagon.
    let point = |i| 9.5 * Vec2::from_angle(TAU * (0.25 + 0.4 * i as f32));
    let path = SteeringPath::looped((0..5).map(point));
    let path = path.unwrap_or_else(|error| unreachable!("a star is a path: {error}"));
    let star = world.spawn((Star, InScene::default(), path)).id();
    let area = Rect::from_center_half_size(Vec2::ZERO, Vec2::new(4.0, 4.0));
    let mut places = Vec::new();
    let group = agent_count(world);
    for index in 0..group {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let place = spot_in(area, &places, 1.0, random);
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
            Member::default(),
            Leadership((group - index) as f32),
            LeaderFollowing::default()
                .with_follow_distance(3.0)
                // A crowd needs more time to make way than a single agent.
                .with_clearance(3.0),
            Separation::default(),
            PathFollowing::new(star).with_waypoints(0.5).disabled(),
            person.bundle(),
        ));
    }
}

fn read_keys(
    current: Res<CurrentScene>,
    presses: Res<Presses>,
    lead: Res<Lead>,
    mut tally: ResMut<Tally>,
    mut group: Query<(&mut Leadership, &Transform), With<Member>>,
    mut commands: Commands,
) {
    let Some(leader) = lead.0 else {
        return;
    };
    let lowest = group.iter().map(|(it, _)| it.0).fold(0.0, f32::min);
    let count = group.iter().count();
    let Some(key) = presses.keys().last() else {
        return;
    };
    let Ok((mut leadership, at)) = group.get_mut(leader) else {
        return;
    };
    match key {
        'd' => leadership.0 = lowest - 1.0,
        'k' if count > FEWEST => commands.entity(leader).despawn(),
        _ => return,
    }
    tally.last_fall = Some((at.translation.truncate(), current.tick()));
}

/// Makes the agent with the highest leadership walk the path and the others follow.
fn lead(
    mut lead: ResMut<Lead>,
    mut tally: ResMut<Tally>,
    ranks: Query<(Entity, &Leadership), With<Member>>,
    mut group: Query<
        (
            Entity,
            &mut PathFollowing,
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
    for (entity, mut path, mut separation, mut vehicle, mut look) in &mut group {
        let leads = Some(entity) == highest;
        enable(&mut path, leads);
        // The others give way to the leader.
        enable(&mut separation, !leads);
        let (max_speed, color) = if leads {
            (LEADER_SPEED, palette::GOLD)
        } else {
            (FOLLOWER.max_speed, palette::SAND)
        };
        set_max_speed(&mut vehicle, max_speed);
        recolor(&mut look, color);
    }
}

fn keep_tally(
    time: Res<Time>,
    lead: Res<Lead>,
    mut tally: ResMut<Tally>,
    leaders: Query<(&Transform, &Velocity, &Kinematics), With<Member>>,
    mut group: Query<(Entity, &Transform, &LeaderFollowingMemory, &mut Member)>,
) {
    let Some((at, velocity, body)) = lead.0.and_then(|leader| leaders.get(leader).ok()) else {
        return;
    };
    tally.leader_speed.add(velocity.linear.length());
    let mut blocked = false;
    for (entity, place, memory, mut member) in &mut group {
        let switches = notice_switch(&mut member, memory.leader);
        if Some(entity) == lead.0 {
            continue;
        }
        tally.led.note(memory.leader.is_some());
        tally.switches += u32::from(switches);
        let offset = (at.translation - place.translation).truncate();
        if memory.leader == lead.0 {
            tally.behind.add(offset.dot(body.heading));
        }
        // A follower at its side does not block it.
        let in_front = -offset.dot(body.heading) > FRAC_1_SQRT_2 * offset.length();
        blocked |= in_front && offset.length() < 2.0 * RADIUS + BLOCKING_GAP;
    }
    tally.reign += time.delta_secs();
    if blocked && tally.reign > SETTLING {
        tally.blocked += time.delta_secs();
    }
}

/// Notes whom a member follows now, and returns whether that is another leader than in the tick before.
fn notice_switch(member: &mut Mut<Member>, leader: Option<Entity>) -> bool {
    let switches = member.followed != leader;
    if switches {
        member.followed = leader;
    }
    switches && leader.is_some()
}

/// Demotes the leader every four seconds, and removes it every fourth time.
fn script(world: &mut World, tick: u32) {
    const EVERY: u32 = 256;
    if tick == 0 || !tick.is_multiple_of(EVERY) {
        return;
    }
    let remove = (tick / EVERY).is_multiple_of(4);
    let key = if remove { 'k' } else { 'd' };
    world.resource_mut::<Presses>().press(key);
}

fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let changes = tally.leaders.saturating_sub(1);
    vec![
        Line::new("mean distance behind the leader", tally.behind.get(), "m"),
        Line::new("leader blocked", tally.blocked, "s"),
        Line::new(
            "mean speed of the leader",
            tally.leader_speed.get(),
            format!("m/s of {LEADER_SPEED:.1}"),
        ),
        Line::new("leader changes", changes, ""),
        Line::new("switches to another leader", tally.switches, ""),
        Line::new("followers led", tally.led.percent(), "% of the time"),
    ]
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    current: Res<CurrentScene>,
    lead: Res<Lead>,
    tally: Res<Tally>,
    star: Single<&SteeringPath, With<Star>>,
    group: Query<(Entity, &Drawn, &LeaderFollowingMemory, &LeaderFollowing), With<Member>>,
    mut gizmos: Gizmos,
) {
    overlay::path(&mut gizmos, &star, palette::FENCE);
    for (entity, drawn, memory, following) in &group {
        let center = drawn.pose.position;
        if let Some(leader) = memory.leader
            && let Ok((_, leader, ..)) = group.get(leader)
            && Some(entity) != lead.0
        {
            let color = palette::GOLD.with_alpha(0.12);
            gizmos.line_2d(center, leader.pose.position, color);
        }
        if Some(entity) == lead.0 {
            // The area that followers keep clear, see `LeaderFollowing::clearance`.
            let ahead = drawn.pose.facing * Vec2::X;
            let lane = following.clear_zone(2.0 * RADIUS, LEADER_SPEED);
            let outline = draw::way_outline(center, center + lane.x * ahead, lane.y);
            gizmos.lineloop_2d(outline, palette::RED.with_alpha(0.35));
            let place = following.place_behind(center, ahead);
            overlay::cross(&mut gizmos, place, 0.3, palette::GOLD);
        }
    }
    overlay::splash(&mut gizmos, &current, tally.last_fall);
}

#[cfg(test)]
mod tests {
    use bevy_steering2d::SteeringSnapshot;

    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn followers_hardly_block_the_leader() {
        // The leader turns back towards its followers again and again.
        for seed in 1..=3 {
            let report = headless::run(&SCENE, seed, 2_000);
            let blocked = number(&report, "leader blocked");
            assert!(blocked < 0.1, "{report}");
            let behind = number(&report, "mean distance behind the leader");
            assert!((1.0..4.0).contains(&behind), "{report}");
        }
    }

    #[test]
    fn each_follower_switches_once_per_new_leader() {
        let report = headless::run(&SCENE, 1, 500);
        assert_eq!(number(&report, "leader changes"), 1.0, "{report}");
        // All but the leader switch once to the first and once to the second leader.
        let switches = 2.0 * (16.0 - 1.0);
        assert_eq!(
            number(&report, "switches to another leader"),
            switches,
            "{report}"
        );
    }

    #[test]
    fn a_removed_leader_is_back_and_leads_in_an_earlier_tick() {
        let mut app = headless::app(&SCENE, 1);
        headless::advance(&mut app, 20);
        let snapshot = SteeringSnapshot::take(app.world_mut());
        app.world_mut().resource_mut::<Presses>().press('k');
        headless::advance(&mut app, 1);
        snapshot.restore(app.world_mut());
        let leads = |app: &mut App| {
            let world = app.world_mut();
            let mut members = world.query_filtered::<&Look, With<Member>>();
            assert_eq!(members.iter(world).count(), 16);
            let leader = world.resource::<Lead>().0.unwrap();
            let look = members.get(world, leader);
            look.is_ok_and(|look| look.color == palette::GOLD)
        };
        assert!(leads(&mut app));
        headless::advance(&mut app, 20);
        assert!(leads(&mut app));
        let tally = app.world().resource::<Tally>();
        assert_eq!(tally.leaders, 1);
        let mut undisturbed = headless::app(&SCENE, 1);
        headless::advance(&mut undisturbed, 40);
        let expected = undisturbed.world().resource::<Tally>();
        assert_eq!(tally.switches, expected.switches, "none by going back");
    }
}
