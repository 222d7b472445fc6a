//! [`GoalField`]: a flow field towards goals, kept up to date, and the system that solves all of them.

use bevy::prelude::*;
use bevy_steering2d_core::{
    FlowField, InvalidParameter, Kinematics, SnapshotAppExt, SnapshotKind, SteeringAppExt,
    SteeringClock, SteeringGroups, SteeringWarnings, Target, Targets, Vehicle,
};

use super::GroundCost;
use super::ground::Lattice;
use super::solving::{GoalFault, Work};
use crate::terrain::Terrain;

/// A flow field that leads from everywhere to the nearest of its goals, around the solids of the world.
///
/// Use it for many agents with few goals: it costs by area, not by agent. It writes the [`FlowField`] of
/// its entity, which agents follow with
/// [`FlowFieldFollowing::new(entity)`](bevy_steering2d_core::FlowFieldFollowing::new). The field is
/// updated where something changes: a goal, a solid, a [`GroundCost`], and, with
/// [`crowd_cost`](Self::crowd_cost), the crowd itself. Until an update is complete the last field stays; what
/// changes meanwhile counts in the next update.
///
/// Directions are those of the eikonal equation, smooth and not along eight axes; see
/// [`TravelTimes`](crate::TravelTimes). Nodes nearer to a solid than [`radius`](Self::radius), or than 0.51
/// [`spacing`](Self::spacing)s if that is more, are blocked:
///
/// - A gap is open for certain if it is one spacing wider than the body, or √2 spacings if it is slanted. A body narrower than
///   1.02 spacings counts as that wide.
/// - A gap in a wall thinner than the spacing may be open from a width of `√(4·radius² − spacing²)` on, since no node is in
///   the wall. A radius of `√(radius² + spacing²/4)` closes those that are narrower than the body.
/// - Nodes without a way have a zero vector; blocked ones lead on and out of the solid, on their side of a wall, and those in a
///   wall along it.
/// - Three more nodes on each side of the area lead straight back into it, for agents that overshoot its border.
///
/// ```
/// use bevy::prelude::*;
/// # mod bevy_steering2d {
/// #     pub use bevy_steering2d_core::*;
/// #     pub use bevy_steering2d_navigation as navigation;
/// # }
/// use bevy_steering2d::navigation::GoalField;
/// use bevy_steering2d::{FlowFieldFollowing, PointMass};
///
/// fn spawn(mut commands: Commands) {
///     let area = Rect::new(-20.0, -20.0, 20.0, 20.0);
///     let field = commands.spawn(GoalField::new(area).with_goal(Vec2::new(15.0, 0.0))).id();
///     for _ in 0..1000 {
///         commands.spawn((PointMass::default(), FlowFieldFollowing::new(field)));
///     }
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(TravelMap)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct GoalField {
    /// The area of the field, in world coordinates, m. Default 20 m by 20 m around the origin.
    pub area: Rect,
    /// Distance between adjacent nodes, m, `> 0`. Default `0.5`. The radius of the agents suits.
    pub spacing: f32,
    /// Where the field leads: points and entities. Those outside of the area do not count; instead
    /// of a blocked node the nearest free one does; up to three nodes beyond the radius, if possible on the same side of a
    /// wall. To lead to all sides of a building, set goals around it; to lead a crowd out through a door, along a line
    /// behind it, since towards a single point all press together. Default none.
    #[entities]
    pub goals: Vec<Target>,
    /// Radius of the agents, m, `≥ 0`. Default `0.5`.
    pub radius: f32,
    /// Additional cost of a meter for each agent per square meter, `≥ 0`. With `0.5` the field leads pedestrians on about the
    /// quickest ways: that is how people slow each other down at up to two per square meter (Weidmann 1992). Agents with
    /// [`SteeringGroups::NONE`] do not count. Default `0`.
    pub crowd_cost: f32,
    /// How many nodes are computed in a tick, `≥ 1`. Default `20000`, about 2 ms.
    pub nodes_per_tick: u32,
}

impl Default for GoalField {
    fn default() -> Self {
        Self {
            area: Rect::from_center_size(Vec2::ZERO, Vec2::splat(20.0)),
            spacing: 0.5,
            goals: Vec::new(),
            radius: 0.5,
            crowd_cost: 0.0,
            nodes_per_tick: 20_000,
        }
    }
}

impl GoalField {
    /// The most nodes of a field: 2¹⁹. More are refused.
    pub const MAX_NODES: u64 = 1 << 19;

    /// A field without goals.
    pub fn new(area: Rect) -> Self {
        Self {
            area,
            ..Self::default()
        }
    }

    /// With one more goal.
    #[must_use]
    pub fn with_goal(mut self, goal: impl Into<Target>) -> Self {
        self.goals.push(goal.into());
        self
    }

    /// Sets the [`spacing`](Self::spacing).
    #[must_use]
    pub fn with_spacing(mut self, spacing: f32) -> Self {
        self.spacing = spacing;
        self
    }

    /// Sets the [`radius`](Self::radius).
    #[must_use]
    pub fn with_radius(mut self, radius: f32) -> Self {
        self.radius = radius;
        self
    }

    /// Sets the [`crowd_cost`](Self::crowd_cost).
    #[must_use]
    pub fn with_crowd_cost(mut self, crowd_cost: f32) -> Self {
        self.crowd_cost = crowd_cost;
        self
    }

    /// Sets the [`nodes_per_tick`](Self::nodes_per_tick).
    #[must_use]
    pub fn with_nodes_per_tick(mut self, nodes_per_tick: u32) -> Self {
        self.nodes_per_tick = nodes_per_tick;
        self
    }

    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// Names the first field that is not; an area with too many nodes with their number.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_finite("GoalField.area", self.area.min)?;
        InvalidParameter::unless_finite("GoalField.area", self.area.max)?;
        InvalidParameter::unless_positive("GoalField.spacing", self.spacing)?;
        InvalidParameter::unless_non_negative("GoalField.radius", self.radius)?;
        InvalidParameter::unless_non_negative("GoalField.crowd_cost", self.crowd_cost)?;
        InvalidParameter::unless_at_least_one("GoalField.nodes_per_tick", self.nodes_per_tick)?;
        for goal in &self.goals {
            goal.check("GoalField.goals")?;
        }
        if self.area.is_empty() {
            return Err(InvalidParameter {
                field: "GoalField.area",
                value: self.area.size().into(),
                must_be: "wider and higher than zero",
            });
        }
        let [x, y] = self.nodes_along_axes();
        if x.saturating_mul(y) > Self::MAX_NODES {
            return Err(InvalidParameter {
                field: "GoalField.spacing",
                value: format!("{} ({x} × {y} nodes)", self.spacing).into(),
                must_be: "wide enough for at most 524288 nodes",
            });
        }
        Ok(())
    }

    fn nodes_along_axes(&self) -> [u64; 2] {
        let steps = (self.area.size() / self.spacing).ceil();
        steps.to_array().map(|steps| steps as u64 + 1)
    }

    /// The nodes of a checked field.
    pub(super) fn lattice(&self) -> Lattice {
        let [x, y] = self.nodes_along_axes().map(|nodes| nodes as u32);
        Lattice {
            corner: self.area.min,
            spacing: self.spacing,
            size: UVec2::new(x, y),
        }
    }
}

/// The travel times of a [`GoalField`], as far as they are computed. Insert the default to compute them anew.
/// It is made anew after loading.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Debug, Clone)]
pub struct TravelMap {
    #[reflect(ignore)]
    work: Option<Box<Work>>,
}

impl TravelMap {
    /// Whether the field is up to date.
    pub fn is_complete(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.is_complete())
    }

    /// The travel time from a point to the nearest goal, in meters of ground of cost 1: that of the nearest of the four
    /// nodes around the point that has one, or else of the nearest node that is not blocked, on this side of walls.
    /// Infinite if there is no way, `None` outside of the field and while the times are computed.
    pub fn travel_time(&self, point: Vec2) -> Option<f32> {
        self.work.as_ref()?.travel_time(point)
    }
}

pub(crate) fn register(app: &mut App) {
    app.add_saved_component_with_targets::<GoalField>(|it, into| {
        into.extend(it.goals.iter().copied().filter_map(Target::entity));
    })
    .add_saved_component::<GroundCost>(SnapshotKind::Parameter)
    .register_type::<TravelMap>()
    .add_guide_planner::<GoalField>()
    .require_part::<GoalField, TravelMap>();
}

/// Ticks between two counts of the crowd.
const CROWD_TICKS: u32 = 32;

type Agents<'w, 's> =
    Query<'w, 's, (&'static Kinematics, Option<&'static SteeringGroups>), With<Vehicle>>;

pub(crate) fn solve_fields(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    terrain: Res<Terrain>,
    mut fields: Query<(Entity, &GoalField, &mut TravelMap, Option<&mut FlowField>)>,
    grounds: Query<(Entity, &GroundCost)>,
    agents: Agents,
    targets: Targets,
    mut sound_grounds: Local<Vec<GroundCost>>,
    mut commands: Commands,
) {
    if fields.is_empty() {
        return;
    }
    list_grounds(&grounds, &mut sound_grounds, &clock, &warnings);
    for (entity, how, mut memory, written) in &mut fields {
        if let Err(error) = how.check() {
            warnings.raise_invalid(&clock, entity, &error, "the field stays as it is");
            continue;
        }
        let work = memory.bypass_change_detection().work_for(how);
        let goals = how.goals.iter().filter_map(|goal| targets.get(*goal));
        let mut goals = goals.map(|goal| goal.position).peekable();
        let next = if goals.peek().is_none() && !how.goals.is_empty() {
            warnings.raise(&clock, entity, "GoalField.goals", || {
                "GoalField.goals are lost; until one exists the field stays as it is".into()
            });
            None
        } else {
            // Before the ground is set: with a solid that moves in every tick the work is complete only then.
            let was_complete = work.is_complete();
            work.set_ground(terrain.revision(), terrain.solids(), &sound_grounds);
            if let Some(fault) = work.set_goals(goals) {
                warnings.raise(&clock, entity, "GoalField.goals", || fault.message(how));
            }
            work.crowd_is_due |= clock.is_due(CROWD_TICKS, 0);
            if was_complete {
                count_crowd(work, how, &agents);
            }
            let replaced = lost_field(work, written.as_ref());
            replaced.or_else(|| work.advance(how.nodes_per_tick))
        };
        match (written, next) {
            (Some(mut written), Some(next)) => *written = next,
            (Some(_), None) => {}
            // Until the first field is complete its followers stand still, with a target that is there.
            (None, next) => {
                if let Some(first) = next.or_else(|| work.still_field()) {
                    commands.entity(entity).try_insert(first);
                }
            }
        }
    }
}

/// Lists the grounds whose parameters are in range, in an order that does not depend on the entities.
fn list_grounds(
    grounds: &Query<(Entity, &GroundCost)>,
    sound: &mut Vec<GroundCost>,
    clock: &SteeringClock,
    warnings: &SteeringWarnings,
) {
    sound.clear();
    sound.extend(grounds.iter().filter_map(|(ground, cost)| {
        let check = cost.check().inspect_err(|error| {
            warnings.raise_invalid(clock, ground, error, "this ground does not count");
        });
        check.is_ok().then_some(*cost)
    }));
    sound.sort_unstable_by(GroundCost::total_order);
}

impl TravelMap {
    /// The work of a field, begun anew when that of another area or radius is complete: also an area that moves in every
    /// tick is solved, one after the other.
    fn work_for(&mut self, how: &GoalField) -> &mut Work {
        let lattice = how.lattice();
        let keeps = |work: &Work| !work.is_complete() || work.fits(lattice, how.radius);
        if !self.work.as_deref().is_some_and(keeps) {
            self.work = None;
        }
        self.work
            .get_or_insert_with(|| Box::new(Work::new(lattice, how.radius)))
    }
}

impl GoalFault {
    fn message(self, how: &GoalField) -> String {
        match self {
            Self::AllOutside => format!(
                "GoalField.goals are all outside of GoalField.area ({} to {}); it does not lead its followers",
                how.area.min, how.area.max
            ),
            Self::Blocked => {
                "GoalField.area has no free node for GoalField.goals; it does not lead its followers".into()
            }
        }
    }
}

/// Lets the crowd count for a field that is complete, now and then.
fn count_crowd(work: &mut Work, how: &GoalField, agents: &Agents) {
    if how.crowd_cost == 0.0 {
        work.clear_crowd();
    } else if std::mem::take(&mut work.crowd_is_due) {
        // One that is nowhere would count everywhere.
        let crowd = agents
            .iter()
            .filter(|(agent, groups)| agent.is_finite() && *groups != Some(&SteeringGroups::NONE));
        work.set_crowd(crowd.map(|(agent, _)| agent.position), how.crowd_cost);
    }
}

/// The complete field, if its entity has another one or none, as after the world has gone back: the work does not.
fn lost_field(work: &Work, written: Option<&Mut<FlowField>>) -> Option<FlowField> {
    let field = work.field()?;
    let is_there = written.is_some_and(|it| !it.is_changed() || **it == *field);
    (!is_there).then(|| field.clone())
}
