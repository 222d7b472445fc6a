//! [`NavigateTo`]: the order to find a way to a target and to keep it, its state and its events.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use bevy_steering2d_core::{InvalidParameter, PathFollowing, SteeringPath, Target};

use super::Lane;
use crate::NoPathReason;

/// Finds a way to a target around the solids of the world, and keeps it.
///
/// It plans a path around [`Wall`](bevy_steering2d_core::Wall)s,
/// [`Obstacle`](bevy_steering2d_core::Obstacle)s that stand still and are no agents, and further
/// [`Solids`](crate::Solids), and writes it as the [`SteeringPath`] of its entity, which
/// [`PathFollowing`] follows, unless its `path` names another entity; a warning tells if nothing follows it. If a behavior of
/// your own does, or one on a behavior entity, disable the `influence` of the `PathFollowing` rather than remove it: its
/// `tolerance` is how near to the end the agent has arrived, once it rests there. A `NavigateTo` must be on the agent itself,
/// not on a behavior entity. Other agents and moving obstacles are left to avoidance behaviors: add
/// [`ReciprocalAvoidance`](bevy_steering2d_core::ReciprocalAvoidance) with
/// [`Combine::WEIGHTED_SUM`](bevy_steering2d_core::Combine::WEIGHTED_SUM), or others.
///
/// It plans again when
/// - the target has moved by more than [`retarget_distance`](Self::retarget_distance), or is another one; while it moves
///   on by less per tick, a search that is under way ends first,
/// - the agent has been pushed off its path by more than [`path_tolerance`](Self::path_tolerance), or a
///   solid is between it and the next waypoint,
/// - the agent has become [`Stuck`](bevy_steering2d_core::Stuck) (with
///   [`StuckDetection`](bevy_steering2d_core::StuckDetection)),
/// - a solid has appeared, moved or gone; searches that began before it end first, if that takes at most 600 ticks. While
///   solids change in every tick, as a door that swings, it plans again every 6 ticks. An obstacle is a solid again 0.1 s
///   after its last movement,
/// - the plan is older than [`refresh_time`](Self::refresh_time).
///
/// Meanwhile the agent follows its last path. [`PathFound`] is triggered for each new path,
/// [`NoPath`] when there is none, and [`Arrived`](bevy_steering2d_core::Arrived) when the agent has come
/// to rest at the end. Without a way the agent stops ([`PathFollowing`] then announces
/// [`PathCompleted`](bevy_steering2d_core::PathCompleted) where it stands; observe
/// [`Arrived`](bevy_steering2d_core::Arrived) and [`NoPath`] instead); it keeps its last path if the target
/// is lost or the search was given up. It plans again when the target, the agent's position, or a solid
/// changes, and when the agent becomes smaller.
///
/// All agents together use a [`NavigationBudget`] per tick. When `NavigateTo` is removed the path stays, and the agent
/// follows it to its end. To halt it, send it to its own position; for a while, set the `pace` of its `PathFollowing` to zero.
///
/// ```
/// use bevy::prelude::*;
/// # mod bevy_steering2d {
/// #     pub use bevy_steering2d_core::{SteeringCorePlugin as SteeringPlugin, *};
/// #     pub use bevy_steering2d_navigation as navigation;
/// # }
/// use bevy_steering2d::navigation::NavigateTo;
/// use bevy_steering2d::{PointMass, SteeringPlugin, Wall};
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, SteeringPlugin::new(Update)));
/// # app.add_plugins(bevy_steering2d::navigation::NavigationPlugin::default());
/// app.world_mut().spawn(Wall::new(Vec2::new(5.0, -4.0), Vec2::new(5.0, 4.0)));
/// app.world_mut().spawn((PointMass::default(), NavigateTo::new(Vec2::new(10.0, 0.0))));
/// app.update();
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(NavigateToMemory, PathFollowing = Self::path_following())]
#[component(on_discard = forget_end, on_remove = forget)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct NavigateTo {
    /// The point or entity to go to. Default the origin.
    #[entities]
    pub target: Target,
    /// A new path is planned when the target has moved farther than this, m, `> 0`. Default `0.5`.
    pub retarget_distance: f32,
    /// A new path is planned when the agent is farther from its path than this and its radius, m, `> 0`.
    /// Default `1`.
    pub path_tolerance: f32,
    /// A new path is planned when the last one is older, s, `> 0`; infinity is allowed. Default infinity.
    /// The first path is replaced sooner, so that agents that were spawned together take turns.
    pub refresh_time: f32,
    /// A search that takes more expansions ends with [`NoPathReason::TooLong`], `≥ 1`. Default `1000000`: the first way
    /// across 3,600 blocks takes a quarter of that.
    pub max_expansions: u32,
    /// How far out it passes corners. Default as near as it can.
    pub lane: Lane,
}

impl Default for NavigateTo {
    fn default() -> Self {
        Self {
            target: Target::default(),
            retarget_distance: 0.5,
            path_tolerance: 1.0,
            refresh_time: f32::INFINITY,
            max_expansions: 1_000_000,
            lane: Lane::default(),
        }
    }
}

impl NavigateTo {
    /// Goes to a point or an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
            ..Self::default()
        }
    }

    /// The [`PathFollowing`] that an agent gets with it, unless it has one: it turns within 0.2 m of the corners of the
    /// path, which are no farther from solids than the agent needs.
    ///
    /// In a passage hardly wider than the body, corners are about a radius apart. An agent with a radius below 0.2 m skips some
    /// of them and runs into the solid, unless it turns within a smaller distance, such as half of its radius, at a
    /// [`pace`](PathFollowing::pace) at which it can.
    ///
    /// ```
    /// # use bevy_steering2d_core::PathFollowing;
    /// # use bevy_steering2d_navigation::NavigateTo;
    /// // It has arrived within a meter of the target, for instance beside others who stand there.
    /// let follow = PathFollowing { tolerance: 1.0, ..NavigateTo::path_following() };
    /// // A robot with a radius of 5 cm.
    /// let precise = NavigateTo::path_following().with_waypoints(0.025);
    /// ```
    pub fn path_following() -> PathFollowing {
        PathFollowing::default().with_waypoints(0.2)
    }

    /// Sets the [`retarget_distance`](Self::retarget_distance).
    #[must_use]
    pub fn with_retarget_distance(mut self, retarget_distance: f32) -> Self {
        self.retarget_distance = retarget_distance;
        self
    }

    /// Sets the [`path_tolerance`](Self::path_tolerance).
    #[must_use]
    pub fn with_path_tolerance(mut self, path_tolerance: f32) -> Self {
        self.path_tolerance = path_tolerance;
        self
    }

    /// Sets the [`refresh_time`](Self::refresh_time).
    #[must_use]
    pub fn with_refresh_time(mut self, seconds: f32) -> Self {
        self.refresh_time = seconds;
        self
    }

    /// Sets the [`max_expansions`](Self::max_expansions).
    #[must_use]
    pub fn with_max_expansions(mut self, max_expansions: u32) -> Self {
        self.max_expansions = max_expansions;
        self
    }

    /// Sets the [`lane`](Self::lane).
    #[must_use]
    pub fn with_lane(mut self, lane: Lane) -> Self {
        self.lane = lane;
        self
    }

    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// Names the first field that is not.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        self.target.check("NavigateTo.target")?;
        InvalidParameter::unless_positive("NavigateTo.retarget_distance", self.retarget_distance)?;
        InvalidParameter::unless_positive("NavigateTo.path_tolerance", self.path_tolerance)?;
        InvalidParameter::unless_positive_or_infinite(
            "NavigateTo.refresh_time",
            self.refresh_time,
        )?;
        InvalidParameter::unless_at_least_one("NavigateTo.max_expansions", self.max_expansions)?;
        self.lane.check()
    }
}

/// The state of a [`NavigateTo`]. Insert the default to plan at once.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct NavigateToMemory {
    /// What it does.
    pub state: NavigationState,
    /// The target that the last plan is for.
    #[entities]
    pub(super) target: Option<Target>,
    /// The position of that target when it was planned, m.
    pub(super) planned_to: Vec2,
    /// The agent's position when it was planned, m.
    pub(super) planned_from: Vec2,
    /// The agent's radius when it was planned, m.
    pub(super) planned_radius: f32,
    /// How old the last plan is, or the answer that there is no path, s.
    pub(super) age: f32,
    /// The solids that it considered, by their [digest](crate::Terrain::revision).
    pub(super) revision: u32,
    /// How often the agent had been stuck then.
    pub(super) times_stuck: u32,
    /// Expansions used by the search so far.
    pub(super) spent: u32,
    /// Whether a search is due or under way.
    pub(super) searching: bool,
    /// The tick in which that search began.
    pub(super) began: u32,
    /// Two points, m, over which a straight path is led.
    pub(super) detour: Option<[Vec2; 2]>,
}

impl NavigateToMemory {
    /// The points over which straight paths are led, m.
    pub(crate) fn detour(&self) -> Option<[Vec2; 2]> {
        self.detour
    }

    /// Leads straight paths over two points from now on, or no longer, and plans anew unless the agent is at its end.
    pub(crate) fn set_detour(&mut self, detour: Option<[Vec2; 2]>) {
        self.detour = detour;
        if !self.is_at_end() {
            self.target = None;
        }
    }

    /// Whether the agent has arrived, or has found that there is no path.
    pub(super) fn is_at_end(&self) -> bool {
        matches!(
            self.state,
            NavigationState::Arrived | NavigationState::NoPath(_)
        )
    }

    /// Whether the agent follows a path to this target, and no search is under way.
    pub(crate) fn follows_path_to(&self, target: Target) -> bool {
        let has_path = matches!(
            self.state,
            NavigationState::Following | NavigationState::Arrived
        );
        has_path && !self.searching && self.target == Some(target)
    }
}

/// What a [`NavigateTo`] does.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum NavigationState {
    /// It has no path yet.
    #[default]
    Planning,
    /// The agent follows the path.
    Following,
    /// The agent has come to rest at the end of the path.
    Arrived,
    /// There is no path.
    NoPath(NoPathReason),
}

/// Expansions that the pathfinder may use per tick, for all agents together. It is a number of steps and
/// no time, so that runs are reproducible.
///
/// Agents that wait for a path get portions of it in turn, first those that have had none yet, since one is enough for
/// a short way; of these first the one with the oldest plan. Where more than 16 wait, half of it is for those that have
/// used the most, so that their searches end.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Resource, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct NavigationBudget {
    /// Expansions per tick, `≥ 1`. Default `1000`. One of the built-in pathfinder takes some 4 µs, so a thousand take a
    /// quarter of a tick at 60 Hz; between long straight rows of solids all of it.
    pub expansions: u32,
}

impl Default for NavigationBudget {
    fn default() -> Self {
        Self { expansions: 1_000 }
    }
}

/// A [`NavigateTo`] has found a path. Triggered for every new path.
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Event, Debug, PartialEq, Clone)]
pub struct PathFound {
    /// The agent.
    pub entity: Entity,
    /// The target.
    pub target: Target,
    /// The length of the path, m.
    pub length: f32,
}

/// A [`NavigateTo`] has found that there is no path, or a [`GroupArrive`](crate::GroupArrive) that there is no room for this
/// member. Triggered once, and again only after the target, the agent's position, or a solid has changed, or the agent has
/// become smaller.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_navigation::{NavigateTo, NoPath};
/// fn give_up(refused: On<NoPath>, mut commands: Commands) {
///     println!("{}: {}", refused.entity, refused.reason);
///     commands.entity(refused.entity).remove::<NavigateTo>();
/// }
/// # let mut app = App::new();
/// app.add_observer(give_up);
/// ```
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Event, Debug, PartialEq, Clone)]
pub struct NoPath {
    /// The agent.
    pub entity: Entity,
    /// The target; of a member without room that of its group.
    pub target: Target,
    /// Why there is no path.
    pub reason: NoPathReason,
}

/// An agent that is at its end plans anew when a `NavigateTo` is inserted in place of another, so that the events come
/// again. A search that is under way goes on, since a game may insert it in every tick.
fn forget_end(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut memory) = world.get_mut::<NavigateToMemory>(context.entity)
        && memory.is_at_end()
    {
        memory.target = None;
    }
}

/// Resets the memory, so that a `NavigateTo` that is inserted again plans at once.
fn forget(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut memory) = world.get_mut::<NavigateToMemory>(context.entity) {
        *memory = NavigateToMemory::default();
    }
}

/// The path of an agent that is to stop: the point at which it is.
pub(super) fn stop_at(position: Vec2) -> Option<SteeringPath> {
    SteeringPath::open([position]).ok()
}
