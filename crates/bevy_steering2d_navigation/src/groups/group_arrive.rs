//! [`GroupArrive`]: the order to many agents to come to rest around a target, its members and its event.

use std::f32::consts::{FRAC_1_SQRT_2, TAU};

use bevy::prelude::*;
use bevy_steering2d_core::{
    Circle, InvalidParameter, ReciprocalAvoidance, SteeringId, StuckDetection, Target, Vehicle,
};

use crate::Lane;

/// An order to a group: come to rest around a target, each member at a place of its own.
///
/// It is an entity; agents that have [`GroupMember`] of this entity are its members. Each gets the point at
/// which it is to stand as its [`GroupPlace`], and a [`NavigateTo`](crate::NavigateTo) with this point as
/// its target. Add avoidance behaviors, such as
/// [`ReciprocalAvoidance`](bevy_steering2d_core::ReciprocalAvoidance), to the members; of another one, the distance that it
/// keeps must be less than the [`gap`](Self::gap), such as the margin of
/// [`CollisionAvoidance`](bevy_steering2d_core::CollisionAvoidance): members with the default
/// [`Separation`](bevy_steering2d_core::Separation) push each other off their places. When all are at rest
/// at their places, [`GroupArrived`] is triggered once.
///
/// Whether the group has come to rest is [`GroupArriveMemory::arrived`]; whether one member has is the
/// [`state`](crate::NavigateToMemory::state) of its [`NavigateToMemory`](crate::NavigateToMemory), which it gets with its
/// `NavigateTo` in the first tick after the order.
///
/// **Places** are as near to the target as bodies of the members' radii have room, on its side of walls,
/// beside the places of other groups, and beside agents at rest in no group: those that have
/// [arrived](crate::NavigationState::Arrived), and those that are slower than 0.01 m/s and not on the way to a target of
/// [`NavigateTo`](crate::NavigateTo), but not those with
/// [`SteeringGroups::NONE`](bevy_steering2d_core::SteeringGroups::NONE). If solids near the target would stretch the group, it stands beside
/// them; if the target is inside one, such as a building, or in a hole of a navigation mesh, on the side from which it comes
/// unless another is clearly nearer.
/// Places are assigned so that the sum of the squared distances is least: ways do not cross, and many
/// move a little rather than one far. Once the ways are known they are assigned anew, so that those who come
/// first go to the far side. On the way each member has a [`Lane`] of its own, and the group passes corners
/// side by side.
///
/// If the target is an agent, the group gets places around it. To follow one that walks on, give the others an
/// [`OffsetPursuit`](bevy_steering2d_core::OffsetPursuit) instead: around it they are in its way.
///
/// If the target is a member itself, it stays where it is, also if it is not steered.
/// Without a [`NavigateTo`](crate::NavigateTo) it gets none, so that a player can drive it; its place then goes
/// with it. If it is to be held in place, insert a `NavigateTo` to its [`GroupPlace::at`], or any before it joins: with
/// another one it leaves the group.
///
/// **Changes on the way.** A latecomer gets the free place nearest to the target. The place of a member that
/// is despawned, has another order, or that your game sends elsewhere by its `NavigateTo`, becomes free; within 32 ticks it goes to a member that has none, if there is
/// one. Room that solids leave goes to such a member as well. A member with
/// [`SteeringDisabled`](bevy_steering2d_core::SteeringDisabled) or Bevy's
/// [`Disabled`](bevy::ecs::entity_disabling::Disabled) keeps its place; if the group gets new ones meanwhile, it gets
/// one as a latecomer when it is enabled again. When the target moves, or a solid takes a place,
/// the group gets new places; for solids at most every 8 ticks. Members exchange their places when that brings both nearer: a member that
/// stands in the way of another moves up and lets the other have its place. A member that is shut in among
/// the others, such as a small one among large ones, stays there after a few seconds; one whose
/// [`PathFollowing`](bevy_steering2d_core::PathFollowing) waits for its condition, such as in a fight, keeps its place. When the
/// target is lost, the group keeps its places.
///
/// **Two groups that meet head-on**, as when they swap places, pass each other on the right.
///
/// **Near its place**, within four radii, the
/// [`ReciprocalAvoidance`](bevy_steering2d_core::ReciprocalAvoidance) of a member is disabled, since it keeps
/// more distance than the places have; that of a vehicle once it is slow as well. It is enabled again farther away and
/// when the member leaves the group. It is also disabled when a member is
/// [stuck](StuckDetection), such as among another group that has come to rest in its way: it pushes through, until it moves
/// at half of its pace and no agent stands beside it. Members that are stuck beside each other do so one after the other.
///
/// ```
/// use bevy::prelude::*;
/// # mod bevy_steering2d {
/// #     pub use bevy_steering2d_core::*;
/// #     pub use bevy_steering2d_navigation as navigation;
/// # }
/// use bevy_steering2d::PointMass;
/// use bevy_steering2d::navigation::{GroupArrive, GroupArrived, GroupCommandsExt};
///
/// fn send(mut commands: Commands, units: Query<Entity, With<PointMass>>) {
///     commands.order_group(GroupArrive::new(Vec2::new(40.0, 0.0)), &units);
/// }
///
/// fn report(arrived: On<GroupArrived>) {
///     println!("{} units are there", arrived.members);
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(GroupArriveMemory)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct GroupArrive {
    /// The middle of the group: a point or an entity. Default the origin.
    #[entities]
    pub target: Target,
    /// How the places are laid out. Default [`GroupShape::Disc`].
    pub shape: GroupShape,
    /// Distance between the bodies at their places, m, `≥ 0`. Default `0.1`.
    pub gap: f32,
    /// New places are chosen when the target has moved farther than this, m, `> 0`. Default `0.5`.
    pub retarget_distance: f32,
}

impl Default for GroupArrive {
    fn default() -> Self {
        Self {
            target: Target::default(),
            shape: GroupShape::default(),
            gap: 0.1,
            retarget_distance: 0.5,
        }
    }
}

impl GroupArrive {
    /// Comes to rest around a point or an entity.
    pub fn new(target: impl Into<Target>) -> Self {
        Self {
            target: target.into(),
            ..Self::default()
        }
    }

    /// Sets the [`shape`](Self::shape).
    #[must_use]
    pub fn with_shape(mut self, shape: GroupShape) -> Self {
        self.shape = shape;
        self
    }

    /// Sets the [`gap`](Self::gap).
    #[must_use]
    pub fn with_gap(mut self, gap: f32) -> Self {
        self.gap = gap;
        self
    }

    /// Sets the [`retarget_distance`](Self::retarget_distance).
    #[must_use]
    pub fn with_retarget_distance(mut self, retarget_distance: f32) -> Self {
        self.retarget_distance = retarget_distance;
        self
    }

    /// Checks that every field is in its range.
    ///
    /// # Errors
    /// Names the first field that is not.
    pub fn check(&self) -> Result<(), InvalidParameter> {
        self.target.check("GroupArrive.target")?;
        InvalidParameter::unless_non_negative("GroupArrive.gap", self.gap)?;
        InvalidParameter::unless_positive("GroupArrive.retarget_distance", self.retarget_distance)?;
        let angles = "an angle between -2π and 2π";
        let facing = self.shape.facing();
        InvalidParameter::unless_within("GroupArrive.shape.facing", facing, -TAU..=TAU, angles)
    }
}

/// How the places of a group are laid out.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum GroupShape {
    /// As near to the target as possible.
    #[default]
    Disc,
    /// In a square.
    Block {
        /// The direction in which its front side faces, rad, `-2π..=2π`, counter-clockwise from +x.
        facing: f32,
    },
    /// In a few ranks, four times as wide as deep.
    ///
    /// ```
    /// # use bevy::prelude::Vec2;
    /// # use bevy_steering2d_navigation::{GroupArrive, GroupShape};
    /// # let (middle_of_units, to) = (Vec2::ZERO, Vec2::X);
    /// let facing = (to - middle_of_units).to_angle(); // ahead, as they come
    /// let order = GroupArrive::new(to).with_shape(GroupShape::Line { facing });
    /// ```
    Line {
        /// The direction in which its front side faces, rad, `-2π..=2π`, counter-clockwise from +x.
        facing: f32,
    },
}

impl GroupShape {
    fn facing(self) -> f32 {
        match self {
            Self::Disc => 0.0,
            Self::Block { facing } | Self::Line { facing } => facing,
        }
    }

    /// The rotation from the frame of the shape, in which its front faces along x.
    pub(super) fn turn(self) -> Rot2 {
        Rot2::radians(self.facing())
    }

    /// The least [`reach`](Self::reach) of a place at a distance of one meter.
    pub(super) fn least_reach(self) -> f32 {
        match self {
            Self::Disc => 1.0,
            Self::Block { .. } => FRAC_1_SQRT_2,
            // In the corner of the rectangle: 1 / √(1 + 1/16).
            Self::Line { .. } => 0.97,
        }
    }

    /// How far out a place is that has this offset from the center, m; places are taken from the inside.
    pub(super) fn reach(self, offset: Vec2) -> f32 {
        /// Width of a line by its depth.
        const WIDE: f32 = 4.0;
        let offset = self.turn().inverse() * offset;
        let far = match self {
            Self::Disc => return offset.length(),
            Self::Block { .. } => offset.abs().max_element(),
            Self::Line { .. } => (WIDE * offset.x.abs()).max(offset.y.abs()),
        };
        // Among equally far places, first those in the middle of a side.
        far + 1e-3 * offset.length()
    }
}

/// Makes this agent a member of the group of a [`GroupArrive`]. Insert another one to give it another
/// order. It is removed when the [`target`](crate::NavigateTo::target) of the member's `NavigateTo` becomes another than its
/// [`GroupPlace`], or than where it stops without one: the member then goes there alone.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Component, Debug, PartialEq, Clone)]
#[relationship(relationship_target = GroupMembers)]
#[require(GroupPlace, StuckDetection, Vehicle)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct GroupMember(#[entities] pub Entity);

/// The members of a group, on the entity with the [`GroupArrive`]; maintained by [`GroupMember`].
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[relationship_target(relationship = GroupMember)]
pub struct GroupMembers(Vec<Entity>);

/// The place of a [`GroupMember`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct GroupPlace {
    /// Where the member is to stand, m; `None` before it has a place, and if there is no room for it.
    pub at: Option<Vec2>,
    /// The size of the place, m: at least the member's radius.
    pub radius: f32,
    /// Whether the member's avoidance is disabled near its place.
    pub(super) is_pushing_in: bool,
    /// How far the member has moved freely since it began to push through others that stand in its way, m; `None` if it
    /// does not.
    pub(super) through: Option<f32>,
    /// How long the member has stood elsewhere than at its place, s.
    pub(super) waiting: f32,
    /// How long it has neither come to rest nor got on, less the time for which it has rested since, s: others press on it, or
    /// push it to and fro.
    pub(super) halted: f32,
    /// The shortest way to its place that it has had, up to half a radius, m; `None` before it counts.
    pub(super) nearest: Option<f32>,
    /// How far out the member passes corners on its way.
    pub(super) lane: Lane,
    /// Between which points it passes a group that it meets, m.
    pub(super) detour: Option<[Vec2; 2]>,
    /// Where the member was sent to stop, m, since there is no room for it.
    pub(super) stopped_at: Option<Vec2>,
    /// The order that the place belongs to, and which of its plans.
    #[entities]
    pub(super) order: Option<Entity>,
    pub(super) plan: u32,
}

impl GroupPlace {
    /// The disc in which the member is to stand, if it has a place.
    pub(super) fn disc(&self) -> Option<Circle> {
        Some(Circle::new(self.at?, self.radius))
    }

    /// Whether a target is only where the member stops, since its group has no room for it.
    pub(crate) fn is_stop(&self, target: Target) -> bool {
        let stop = self.stopped_at.filter(|_| self.order.is_some());
        stop.map(Target::Point) == Some(target)
    }

    /// Lets the member push others aside, or no longer: while it does, its avoidance is off. Without one that is on it does
    /// not begin.
    pub(super) fn set_pushing(
        &mut self,
        avoidance: Option<Mut<ReciprocalAvoidance>>,
        pushes: bool,
    ) {
        let Some(mut avoidance) = avoidance else {
            return;
        };
        if pushes && avoidance.influence.enabled {
            avoidance.influence.enabled = false;
            self.is_pushing_in = true;
        } else if !pushes && self.is_pushing_in {
            avoidance.influence.enabled = true;
            self.is_pushing_in = false;
        }
    }
}

/// The state of a [`GroupArrive`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct GroupArriveMemory {
    /// Whether [`GroupArrived`] has been triggered.
    pub arrived: bool,
    /// The middle of the places, m.
    pub center: Vec2,
    /// How near to the center all places of members are, m: the distance of the farthest. Zero before there are any.
    pub radius: f32,
    /// Whether the places are assigned by the ways that the members take.
    pub(super) ways_known: bool,
    /// What the places are for.
    pub(super) planned: Option<Planned>,
    /// The order of the group that it met last on its way.
    #[entities]
    pub(super) meeting: Option<Entity>,
    /// Whether the order is despawned when it has no members.
    pub(super) is_temporary: bool,
    /// Counts how often all members got new places.
    pub(super) plan: u32,
    /// Digest of what had to be left free, and for whom, at the last look for room: without a change the next one
    /// finds no more. `None` since all members got new places.
    pub(super) last_look: Option<u64>,
}

/// What places were chosen for.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Planned {
    pub(super) target: Vec2,
    pub(super) shape: GroupShape,
    pub(super) gap: f32,
    pub(super) revision: u32,
    /// The agent that is the target.
    pub(super) host: Option<SteeringId>,
}

/// A group has come to rest: every member that can reach its place is there and stands still. Triggered once
/// per order, and again only after its target has moved or the group got new places. If no member can reach its
/// place, it is not triggered; members get [`NoPath`](crate::NoPath), those for which there is no room with
/// [`TargetBlocked`](crate::NoPathReason::TargetBlocked). These stop; of that there is no other event.
///
/// A member with [`SteeringDisabled`](bevy_steering2d_core::SteeringDisabled) that is elsewhere than at its place is waited for,
/// such as one that is stunned on its way: while it has that component the event is not triggered, also if that is for ever.
/// One with [`SteeringGroups::NONE`](bevy_steering2d_core::SteeringGroups::NONE) or Bevy's
/// [`Disabled`](bevy::ecs::entity_disabling::Disabled), as in a pool, is not waited for.
#[derive(EntityEvent, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Event, Debug, PartialEq, Clone)]
pub struct GroupArrived {
    /// The order.
    pub entity: Entity,
    /// How many members are at their places.
    pub members: u32,
    /// How many are not, since there is no room or no way.
    pub missing: u32,
}

/// Gives orders to groups.
pub trait GroupCommandsExt {
    /// Spawns an order with these members, and returns its entity. Call it again to replace an order, also on the way:
    /// the members leave their previous orders, and an order that all have left triggers no [`GroupArrived`].
    ///
    /// The order is despawned as soon as a tick finds it without members; to add members later, spawn a
    /// [`GroupArrive`] instead.
    fn order_group(
        &mut self,
        order: GroupArrive,
        members: impl IntoIterator<Item = Entity>,
    ) -> Entity;
}

impl GroupCommandsExt for Commands<'_, '_> {
    fn order_group(
        &mut self,
        order: GroupArrive,
        members: impl IntoIterator<Item = Entity>,
    ) -> Entity {
        let memory = GroupArriveMemory {
            is_temporary: true,
            ..default()
        };
        let order = self.spawn((order, memory)).id();
        for member in members {
            self.entity(member).try_insert(GroupMember(order));
        }
        order
    }
}
