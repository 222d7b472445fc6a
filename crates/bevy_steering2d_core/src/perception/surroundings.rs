//! What a behavior sees of the scene: obstacles, walls and colliders.

use std::borrow::Cow;
use std::ops::Range;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::geometry::nearest_on_segment;
use super::probes::ProbeRanges;
use super::{
    Circle, ColliderProbes, NearProbe, ObstacleIndex, RayProbe, SeenObstacle, SweepProbe, WallHit,
    WallIndex,
};
use crate::{Agent, Behavior};

/// The scene around an agent; the [`World`](crate::Behavior::World) of behaviors that react to
/// obstacles, walls or colliders.
///
/// A behavior asks in [`Behavior::probe`] and gets the answers from [`answers`](Self::answers).
/// [`Obstacle`](crate::Obstacle)s and [`Wall`](crate::Wall)s are always seen, colliders by agents
/// with [`SensesColliders`](crate::SensesColliders). An agent never sees itself.
#[derive(SystemParam)]
pub struct Surroundings<'w, 's> {
    obstacles: Res<'w, ObstacleIndex>,
    walls: Res<'w, WallIndex>,
    probes: Query<'w, 's, &'static ColliderProbes>,
}

impl Surroundings<'_, '_> {
    /// The answers to the probes of a behavior in this tick.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// # use bevy_steering2d_core as bevy_steering2d;
    /// use bevy_steering2d::{Agent, Behavior, ColliderProbes, Influence, Steer, Surroundings};
    ///
    /// /// Stops before whatever is within 2 m ahead.
    /// #[derive(Component, Reflect, Clone, Default)]
    /// #[reflect(Component, Default)]
    /// struct Bumper {
    ///     influence: Influence,
    /// }
    ///
    /// impl Behavior for Bumper {
    ///     type Memory = ();
    ///     type World = Surroundings<'static, 'static>;
    ///
    ///     fn influence(&self) -> &Influence { &self.influence }
    ///     fn influence_mut(&mut self) -> &mut Influence { &mut self.influence }
    ///
    ///     fn probe(&self, me: &Agent, probes: &mut ColliderProbes) {
    ///         probes.ask_ray(me.position, me.position + 2.0 * me.heading);
    ///     }
    /// }
    ///
    /// impl Steer for Bumper {
    ///     fn steer(&self, me: &Agent, _: (), surroundings: &Surroundings) -> Vec2 {
    ///         let is_blocked = surroundings.answers(self, me).rays().any(|ray| ray.hit.is_some());
    ///         if is_blocked { me.track(Vec2::ZERO) } else { Vec2::ZERO }
    ///     }
    /// }
    /// ```
    pub fn answers<B: Behavior>(&self, behavior: &B, me: &Agent) -> ProbeAnswers<'_> {
        let answered = self.probes.get(me.entity).ok();
        let (probes, own) =
            match answered.and_then(|probes| Some((probes, probes.of::<B>(me.source_id)?))) {
                Some((probes, own)) => (Cow::Borrowed(probes), own),
                None => {
                    let mut probes = ColliderProbes::default();
                    behavior.probe(me, &mut probes);
                    let own = probes.all();
                    (Cow::Owned(probes), own)
                }
            };
        ProbeAnswers {
            obstacles: &self.obstacles,
            walls: &self.walls,
            agent: me.entity,
            probes,
            own,
        }
    }

    /// The collider that the ray of a behavior or condition of type `B` meets first.
    pub(crate) fn first_collider<B: 'static>(&self, me: &Agent) -> Option<WallHit> {
        let probes = self.probes.get(me.entity).ok()?;
        let ProbeRanges { rays, .. } = probes.of::<B>(me.source_id)?;
        probes.rays.get(rays)?.first()?.hit
    }

    /// Visits every [`Obstacle`](crate::Obstacle) that touches the bounding square of a disc.
    pub fn for_each_obstacle_near(
        &self,
        me: &Agent,
        Circle { center, radius }: Circle,
        visit: impl FnMut(SeenObstacle),
    ) {
        visit_others(
            &self.obstacles,
            me.entity,
            center - radius,
            center + radius,
            visit,
        );
    }

    /// Whether the line between two points meets no [`Wall`](crate::Wall), and no
    /// [`Obstacle`](crate::Obstacle) of which `hides` is true.
    pub fn is_line_clear(&self, from: Vec2, to: Vec2, hides: impl Fn(Entity) -> bool) -> bool {
        // A wall that only the end touches is not between them, regardless of rounding.
        let between = 0.9999 * from.distance(to);
        let hit = self.walls.first_hit(from, to);
        let mut clear = hit.is_none_or(|hit| hit.distance >= between);
        if clear {
            let (min, max) = (from.min(to), from.max(to));
            self.obstacles
                .for_each_in(min, max, |SeenObstacle { entity, circle, .. }| {
                    let nearest = nearest_on_segment(circle.center, from, to);
                    clear &= nearest.distance(circle.center) > circle.radius || !hides(entity);
                });
        }
        clear
    }

    /// Whether there are any [`Wall`](crate::Wall)s.
    pub(crate) fn has_walls(&self) -> bool {
        !self.walls.is_empty()
    }

    /// Visits every [`Wall`](crate::Wall) within `radius` m of a point, at its nearest point.
    pub fn for_each_wall_near(&self, point: Vec2, radius: f32, visit: impl FnMut(WallHit)) {
        self.walls.for_each_near(point, radius, visit);
    }
}

/// The answers to one behavior's probes; see [`Surroundings::answers`].
///
/// They combine the physics backend's answers with [`Obstacle`](crate::Obstacle)s and
/// [`Wall`](crate::Wall)s, in the order in which the behavior asked.
#[derive(Clone, Debug)]
pub struct ProbeAnswers<'a> {
    obstacles: &'a ObstacleIndex,
    walls: &'a WallIndex,
    agent: Entity,
    probes: Cow<'a, ColliderProbes>,
    own: ProbeRanges,
}

impl ProbeAnswers<'_> {
    /// The rays, each with the nearest hit.
    pub fn rays(&self) -> impl Iterator<Item = RayProbe> {
        let rays = self.probes.rays.get(self.own.rays.clone());
        rays.unwrap_or_default().iter().map(|ray| RayProbe {
            hit: WallHit::nearer(self.walls.first_hit(ray.from, ray.to), ray.hit),
            ..*ray
        })
    }

    /// The projected points, each with the nearest wall or collider.
    pub fn near(&self) -> impl Iterator<Item = NearProbe> {
        let near = self.probes.near.get(self.own.near.clone());
        near.unwrap_or_default().iter().map(|near| NearProbe {
            hit: WallHit::nearer(self.walls.nearest(near.point, near.radius), near.hit),
            ..*near
        })
    }

    /// The disc casts. [`for_each_obstacle`](Self::for_each_obstacle) visits what they meet.
    pub fn sweeps(&self) -> &[SweepProbe] {
        let sweeps = self.probes.sweeps.get(self.own.sweeps.clone());
        sweeps.unwrap_or_default()
    }

    /// Visits the obstacles and colliders in and near the swept discs and the areas. Something that is
    /// both an obstacle and a collider is visited twice.
    pub fn for_each_obstacle(&self, mut visit: impl FnMut(SeenObstacle)) {
        for sweep in self.sweeps() {
            let (from, to, radius) = (sweep.from, sweep.to, sweep.radius);
            let (min, max) = (from.min(to) - radius, from.max(to) + radius);
            visit_others(self.obstacles, self.agent, min, max, &mut visit);
            self.found(&sweep.found)
                .iter()
                .copied()
                .for_each(&mut visit);
        }
        let areas = self.probes.areas.get(self.own.areas.clone());
        for probe in areas.unwrap_or_default() {
            let Circle { center, radius } = probe.area;
            let (min, max) = (center - radius, center + radius);
            visit_others(self.obstacles, self.agent, min, max, &mut visit);
            let found = self.found(&probe.found).iter();
            found
                .filter(|obstacle| obstacle.circle.touches(min, max))
                .for_each(|obstacle| visit(*obstacle));
        }
    }

    fn found(&self, of: &Range<usize>) -> &[SeenObstacle] {
        self.probes.found.get(of.clone()).unwrap_or_default()
    }
}

/// Visits the obstacles that touch an upright rectangle, except those that are part of the agent.
fn visit_others(
    obstacles: &ObstacleIndex,
    agent: Entity,
    min: Vec2,
    max: Vec2,
    visit: impl FnMut(SeenObstacle),
) {
    obstacles.for_each_of_others(min, max, |owner| owner == agent, visit);
}
