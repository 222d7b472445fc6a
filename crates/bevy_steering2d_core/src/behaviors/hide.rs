//! Hide: keeps an obstacle between an agent and a threat.

use bevy::math::ops;
use bevy::prelude::*;

use super::arrive::{Braking, arrive};
use super::embeds_influence;
use super::evade::{Evade, evade};
use super::flee::panic_urgency;
use crate::perception::{Circle, ColliderProbes, SeenObstacle, Surroundings};
use crate::{Agent, Behavior, Influence, InvalidParameter, Kinematics, Steer, Target, Targets};

/// Keeps an obstacle between the agent and a threat.
///
#[doc = include_str!("figures/hide.svg")]
///
/// Use it for prey and snipers, and with [`HideGoal::Approach`] for stalkers. The agent hides behind
/// [`Obstacle`](crate::Obstacle)s and, with [`SensesColliders`](crate::SensesColliders), behind colliders.
/// Beyond the threat distance the force is zero, and with [`HideGoal::Safety`] also while the agent is outside the
/// threat's field of view.
/// To get away without cover, use [`Evade`](crate::Evade): a threat that walks around the obstacle drives a
/// hiding agent around it as well.
///
/// Each obstacle within the search distance has a hiding spot
/// `center + dir(threat → center) · (radius + own radius + standoff)`, m. The agent goes to the nearest
/// one like [`Arrive`](crate::Arrive); without one it flees like [`Evade`](crate::Evade). It changes to
/// another obstacle only if the distance shrinks by a third. The force fades over the last tenth of the
/// threat distance. (Buckland 2005)
#[doc(alias("Esconderse", "Escondarse", "Ocultarse"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Hide {
    /// What to hide from. Default the origin.
    #[entities]
    pub threat: Target,
    /// Distance within which the threat counts, m, `> 0`; infinity is allowed. Default `15`.
    pub threat_distance: f32,
    /// Distance to their nearest points within which obstacles count, m, `> 0`. Default `20`.
    pub search_distance: f32,
    /// Distance to keep between the obstacle and the body, m, `≥ 0`. Default `0.5`.
    pub standoff: f32,
    /// Field of view of the threat, rad, `> 0`, half of it on each side of its heading; from `2π` on it sees in all
    /// directions. Default `2π`.
    pub threat_field_of_view: f32,
    /// What the agent hides for. Default [`HideGoal::Safety`].
    pub goal: HideGoal,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// What an agent hides for.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Debug, PartialEq, Hash, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum HideGoal {
    /// To stay out of sight. The default.
    #[default]
    Safety,
    /// To get near the threat unseen: a stalker and its prey. While the threat looks elsewhere (see
    /// [`Hide::threat_field_of_view`]) the agent goes to the nearest hiding spot that is nearer to the
    /// threat; while it looks at the agent, to the nearest of all. Behind the last cover the agent
    /// waits: the attack is up to another behavior.
    Approach,
}

/// The state of a [`Hide`]: its hiding spot.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct HideMemory {
    /// The obstacle it hides behind; `None` while it does not hide.
    #[entities]
    pub obstacle: Option<Entity>,
    /// The hiding spot, m.
    pub spot: Vec2,
}

impl Hide {
    /// Hides from an entity or a point.
    pub fn new(threat: impl Into<Target>) -> Self {
        Self {
            threat: threat.into(),
            ..Self::default()
        }
    }

    /// Visits the hiding spots to choose from, m, each with its obstacle.
    pub fn for_each_spot(
        &self,
        me: &Agent,
        threat: &Kinematics,
        surroundings: &Surroundings,
        mut visit: impl FnMut(SeenObstacle, Vec2),
    ) {
        surroundings
            .answers(self, me)
            .for_each_obstacle(|obstacle| {
                let circle = obstacle.circle;
                // The search visits all that touch a square around the disc.
                let reach = self.search_distance + circle.radius;
                if me.position.distance(circle.center) <= reach
                    && Target::Entity(obstacle.entity) != self.threat
                    && let Some(spot) = hiding_spot(me, threat.position, circle, self.standoff)
                {
                    visit(obstacle, spot);
                }
            });
    }
}

impl Default for Hide {
    fn default() -> Self {
        Self {
            threat: Target::default(),
            threat_distance: 15.0,
            search_distance: 20.0,
            standoff: 0.5,
            threat_field_of_view: core::f32::consts::TAU,
            goal: HideGoal::Safety,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for Hide {
    const PRIORITY: i16 = 40;
    const COLOR: Option<[u8; 3]> = Some([101, 246, 61]);

    type Memory = &'static mut HideMemory;
    type World = (Surroundings<'static, 'static>, Targets<'static, 'static>);

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.threat), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.threat.check("Hide.threat")?;
        InvalidParameter::unless_positive_or_infinite(
            "Hide.threat_distance",
            self.threat_distance,
        )?;
        InvalidParameter::unless_positive("Hide.search_distance", self.search_distance)?;
        InvalidParameter::unless_non_negative("Hide.standoff", self.standoff)?;
        let angle = self.threat_field_of_view;
        InvalidParameter::unless_positive("Hide.threat_field_of_view", angle)
    }

    fn probe(&self, me: &Agent, probes: &mut ColliderProbes) {
        probes.ask_area(Circle::new(me.position, self.search_distance));
    }
}

impl Steer for Hide {
    fn steer(
        &self,
        me: &Agent,
        mut memory: Mut<HideMemory>,
        (surroundings, targets): &(Surroundings, Targets),
    ) -> Vec2 {
        let threat = targets.get(self.threat);
        let Some(threat) = threat.filter(|threat| self.is_near(me, threat)) else {
            memory.set_if_neq(HideMemory::default());
            return Vec2::ZERO;
        };
        let choose = |counts: &dyn Fn(Vec2) -> bool| {
            let mut choice = Choice::new(memory.obstacle);
            self.for_each_spot(me, &threat, surroundings, |obstacle, spot| {
                if counts(spot) {
                    choice.consider(me, obstacle, spot);
                }
            });
            choice.chosen()
        };
        let is_looking = sees(&threat, me.position, self.threat_field_of_view);
        let chosen = match self.goal {
            _ if is_looking => choose(&|_| true),
            HideGoal::Safety => {
                memory.set_if_neq(HideMemory::default());
                return Vec2::ZERO;
            }
            HideGoal::Approach => {
                let nearer = |spot| brings_nearer(me, threat.position, spot);
                choose(&nearer).or_else(|| choose(&|_| true))
            }
        };
        memory.set_if_neq(chosen.unwrap_or_default());
        hide(me, &threat, chosen.map(|memory| memory.spot), self)
    }
}

impl Hide {
    fn is_near(&self, me: &Agent, threat: &Kinematics) -> bool {
        me.position.distance(threat.position) <= self.threat_distance
    }
}

/// Whether a hiding spot is nearer to the threat than the agent is.
fn brings_nearer(me: &Agent, threat: Vec2, spot: Vec2) -> bool {
    /// The least gain, as a share of the distance, so that small changes make no agent move.
    const GAIN: f32 = 0.1;
    spot.distance(threat) < (1.0 - GAIN) * me.position.distance(threat)
}

/// Whether a point lies in the threat's field of view; a threat without a heading sees everything.
fn sees(threat: &Kinematics, point: Vec2, field_of_view: f32) -> bool {
    let direction = (point - threat.position).normalize_or_zero();
    let is_undirected = threat.heading == Vec2::ZERO || direction == Vec2::ZERO;
    // A tolerance, so that 2π sees everything in spite of rounding.
    is_undirected
        || field_of_view >= core::f32::consts::TAU - 1e-3
        || threat.heading.dot(direction) >= ops::cos(0.5 * field_of_view)
}

/// The hiding spot behind an obstacle, m; `None` if the threat is at the obstacle's center.
pub fn hiding_spot(me: &Agent, threat: Vec2, obstacle: Circle, standoff: f32) -> Option<Vec2> {
    let away = (obstacle.center - threat).try_normalize()?;
    let spot = obstacle.center + (obstacle.radius + me.radius + standoff) * away;
    spot.is_finite().then_some(spot)
}

/// The force of [`Hide`] to the chosen hiding spot, N; without one, away from the threat.
pub fn hide(me: &Agent, threat: &Kinematics, spot: Option<Vec2>, how: &Hide) -> Vec2 {
    let evading = Evade {
        threat: how.threat,
        panic_distance: how.threat_distance,
        falloff: FALLOFF,
        ..default()
    };
    let Some(spot) = spot else {
        return evade(me, threat, &evading);
    };
    let distance = me.position.distance(threat.position);
    let urgency = panic_urgency(distance, how.threat_distance, FALLOFF);
    urgency * arrive(me, spot, Braking::Physical, TOLERANCE)
}

/// Share of the threat distance over which the force fades.
const FALLOFF: f32 = 0.1;

/// Distance within which the agent has arrived, m.
const TOLERANCE: f32 = 0.1;

/// A change of hiding spot needs a distance below this share of the distance to the current one.
const CHANGE_BELOW: f32 = 2.0 / 3.0;

/// The nearest hiding spot so far, and the current one.
struct Choice {
    current: Option<Entity>,
    kept: Option<Spot>,
    best: Option<Spot>,
}

#[derive(Clone, Copy)]
struct Spot {
    obstacle: Entity,
    place: Vec2,
    distance: f32,
}

impl Choice {
    fn new(current: Option<Entity>) -> Self {
        Self {
            current,
            kept: None,
            best: None,
        }
    }

    fn consider(&mut self, me: &Agent, obstacle: SeenObstacle, place: Vec2) {
        let spot = Spot {
            obstacle: obstacle.entity,
            place,
            distance: me.position.distance(place),
        };
        if self.current == Some(obstacle.entity) {
            self.kept = Some(spot);
        }
        if self.best.is_none_or(|best| spot.distance < best.distance) {
            self.best = Some(spot);
        }
    }

    fn chosen(self) -> Option<HideMemory> {
        let best = self.best?;
        let spot = match self.kept {
            Some(kept) if best.distance >= CHANGE_BELOW * kept.distance => kept,
            _ => best,
        };
        Some(HideMemory {
            obstacle: Some(spot.obstacle),
            spot: spot.place,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::assert_close;
    use std::f32::consts::{FRAC_PI_2, PI, TAU};

    fn threat(x: f32, y: f32) -> Kinematics {
        Kinematics {
            heading: Vec2::X,
            ..Kinematics::at(Vec2::new(x, y))
        }
    }

    fn obstacle(index: u32, x: f32, y: f32) -> SeenObstacle {
        SeenObstacle {
            entity: Entity::from_raw_u32(index).unwrap(),
            circle: Circle::new(Vec2::new(x, y), 1.0),
            velocity: Vec2::ZERO,
        }
    }

    fn choose(me: &Agent, current: Option<Entity>, obstacles: &[SeenObstacle]) -> HideMemory {
        let mut choice = Choice::new(current);
        for obstacle in obstacles {
            let spot = hiding_spot(me, Vec2::new(-10.0, 0.0), obstacle.circle, 0.5);
            choice.consider(me, *obstacle, spot.unwrap());
        }
        choice.chosen().unwrap()
    }

    #[test]
    fn the_hiding_spot_lies_behind_the_obstacle() {
        // 5 m from the threat along (0.6, 0.8); 1 + 0.5 + 0.5 behind the center.
        let rock = Circle::new(Vec2::new(3.0, 4.0), 1.0);
        let spot = hiding_spot(&Agent::default(), Vec2::ZERO, rock, 0.5).unwrap();
        assert_close(spot, Vec2::new(4.2, 5.6));
        let on_it = hiding_spot(&Agent::default(), rock.center, rock, 0.5);
        assert_eq!(on_it, None);
    }

    #[test]
    fn the_nearest_hiding_spot_is_chosen() {
        let me = Agent::default();
        let rocks = [obstacle(1, 8.0, 0.0), obstacle(2, 4.0, 1.0)];
        assert_eq!(choose(&me, None, &rocks).obstacle, Some(rocks[1].entity));
    }

    #[test]
    fn the_choice_does_not_flip_between_equally_distant_obstacles() {
        let rocks = [obstacle(1, 0.0, 6.0), obstacle(2, 0.0, -6.0)];
        let mut memory = HideMemory::default();
        let mut changes = 0;
        for tick in 0..200 {
            // The agent oscillates about the midpoint.
            let me = Agent {
                position: Vec2::new(0.0, if tick % 2 == 0 { 0.5 } else { -0.5 }),
                ..default()
            };
            let chosen = choose(&me, memory.obstacle, &rocks);
            changes += u32::from(chosen.obstacle != memory.obstacle);
            memory = chosen;
        }
        assert_eq!(changes, 1, "chosen once");
    }

    #[test]
    fn a_much_nearer_obstacle_is_chosen() {
        let me = Agent::default();
        let rocks = [obstacle(1, 12.0, 0.0), obstacle(2, 0.0, 3.0)];
        let chosen = choose(&me, Some(rocks[0].entity), &rocks);
        assert_eq!(chosen.obstacle, Some(rocks[1].entity));
    }

    #[test]
    fn a_stalker_counts_only_spots_that_bring_it_nearer() {
        let me = Agent::default();
        let prey = Vec2::new(10.0, 0.0);
        assert!(brings_nearer(&me, prey, Vec2::new(5.0, 3.0)));
        assert!(
            !brings_nearer(&me, prey, Vec2::new(0.5, 0.0)),
            "hardly nearer"
        );
        assert!(!brings_nearer(&me, prey, Vec2::new(0.0, 4.0)), "beside it");
    }

    #[test]
    fn without_obstacles_the_agent_evades() {
        let me = Agent::default();
        let force = hide(&me, &threat(5.0, 0.0), None, &Hide::default());
        assert_close(force, Vec2::new(-20.0, 0.0));
    }

    #[test]
    fn the_force_fades_at_the_threat_distance() {
        let me = Agent::default();
        let at = |x: f32, spot| hide(&me, &threat(x, 0.0), spot, &Hide::default()).length();
        for spot in [None, Some(Vec2::new(0.0, 9.0))] {
            assert!((at(10.0, spot) - 20.0).abs() < 1e-3);
            assert!((at(14.25, spot) - 10.0).abs() < 1e-2);
            assert!(at(14.999, spot) < 0.1);
        }
        assert!(!Hide::default().is_near(&me, &threat(15.01, 0.0)));
    }

    #[test]
    fn a_threat_that_looks_elsewhere_does_not_count() {
        let ahead = Vec2::new(9.0, 1.0);
        assert!(sees(&threat(0.0, 0.0), ahead, FRAC_PI_2));
        assert!(!sees(&threat(0.0, 0.0), -ahead, FRAC_PI_2));
        assert!(!sees(&threat(0.0, 0.0), Vec2::new(-1.0, 3.0), PI));
        assert!(sees(&threat(0.0, 0.0), Vec2::NEG_X, TAU));
        assert!(sees(&Kinematics::at(Vec2::ZERO), -ahead, FRAC_PI_2));
    }
}
