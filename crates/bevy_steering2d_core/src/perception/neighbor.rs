//! Neighbors: an agent as others see it, the view it is seen in, and the groups that limit the
//! view.

use std::f32::consts::TAU;
use std::ops::{BitOr, Not};

use bevy::math::ops;
use bevy::prelude::*;

use super::body_sizes::BodySizes;
use crate::{Agent, PointMass, SteeringId};

/// The groups an agent belongs to, one per bit. Default group 0, [`SteeringGroups::of(0)`](Self::of), the bit `0b1`; so it
/// is for an agent without this component.
///
/// Behaviors with a `groups` mask, by default [`ALL`](Self::ALL), see an agent when the two have a bit in common. No behavior
/// sees an agent with [`NONE`](Self::NONE).
///
/// ```
/// # use bevy_steering2d_core::SteeringGroups;
/// const WOLVES: SteeringGroups = SteeringGroups::of(0);
/// const SHEEP: SteeringGroups = SteeringGroups::of(1);
/// let animals = WOLVES | SHEEP;
/// # assert_eq!(animals, SteeringGroups(0b11));
/// let all_but_wolves = !WOLVES;
/// # assert!(all_but_wolves.intersects(SHEEP) && !all_but_wolves.intersects(WOLVES));
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringGroups(pub u32);

impl SteeringGroups {
    /// In every group; as a mask, sees every agent that is in a group.
    pub const ALL: Self = Self(u32::MAX);
    /// In no group, and seen by no behavior; as a mask, matches no agent.
    pub const NONE: Self = Self(0);

    /// The group with a number, `0..32`.
    ///
    /// # Panics
    /// When the number is 32 or more.
    pub const fn of(number: u32) -> Self {
        assert!(number < u32::BITS, "there are 32 groups");
        Self(1 << number)
    }

    /// Whether both have a group in common.
    #[inline]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// All groups of both.
impl BitOr for SteeringGroups {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// All other groups.
impl Not for SteeringGroups {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Default for SteeringGroups {
    fn default() -> Self {
        Self(1)
    }
}

/// The setter of a behavior or condition with a field `groups`.
macro_rules! with_groups {
    () => {
        /// Sets the [`groups`](Self::groups).
        #[must_use]
        pub fn with_groups(mut self, groups: $crate::SteeringGroups) -> Self {
            self.groups = groups;
            self
        }
    };
}
pub(crate) use with_groups;

/// The setter of a behavior or condition with a field `field_of_view`.
macro_rules! with_field_of_view {
    () => {
        /// Sets the [`field_of_view`](Self::field_of_view).
        #[must_use]
        pub fn with_field_of_view(mut self, field_of_view: f32) -> Self {
            self.field_of_view = field_of_view;
            self
        }
    };
}
pub(crate) use with_field_of_view;

/// Where an agent that reads [`Neighbors`](crate::Neighbors) is in the neighbor index, and how far it sees. Added
/// with behaviors that read them; an agent without it is a neighbor all the same.
///
/// It is derived from the agent's behaviors and refers to indexes of one app, so it is not saved.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct Perception {
    /// Perception radius, m, `≥ 0`; zero if unknown. A hint for the cell size of the index.
    pub(crate) radius: f32,
    /// The radius of the body that this is for, m.
    #[reflect(ignore)]
    pub(crate) body_radius: f32,
    /// Its flock profile; zero for none.
    #[reflect(ignore)]
    pub(crate) profile: u32,
    /// Its row among this tick's agents.
    #[reflect(ignore)]
    pub(crate) row: u32,
}

impl Perception {
    pub(crate) const NOT_INDEXED: u32 = u32::MAX;

    /// Whether it has a flocking rule.
    #[inline]
    pub(crate) fn flocks(&self) -> bool {
        self.profile != 0
    }
}

impl Default for Perception {
    fn default() -> Self {
        Self {
            radius: 0.0,
            body_radius: 0.0,
            profile: 0,
            row: Self::NOT_INDEXED,
        }
    }
}

/// An agent as its neighbors see it this tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// World position, m.
    pub position: Vec2,
    /// World velocity, m/s.
    pub velocity: Vec2,
    /// Its [`Kinematics::heading`](crate::Kinematics::heading): unit vector of its last motion; of a driven body where it
    /// points.
    pub heading: Vec2,
    /// Radius of its bounding circle, m.
    pub radius: f32,
    /// Its groups.
    pub groups: SteeringGroups,
    /// Its id.
    pub id: SteeringId,
    /// Its entity.
    pub entity: Entity,
}

/// A query of the neighbor index: the viewpoint, the perception radius, the field of view and the
/// groups to see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighborView {
    /// The viewpoint, m.
    pub position: Vec2,
    /// Unit vector of the view direction; used when the field of view is less than a full circle.
    pub heading: Vec2,
    /// Perception radius, m, `> 0`.
    pub radius: f32,
    /// The whole angle of the field of view, rad, `≥ 0`; from 2π on all directions.
    pub field_of_view: f32,
    /// Radius of the viewer's own body, m; zero for a point. Bodies that are more than twice as large, and larger than a quarter
    /// of the perception radius, are seen up to their edges.
    pub body_radius: f32,
    /// The groups to see.
    pub groups: SteeringGroups,
    /// The entity to leave out: the agent itself.
    pub except: Entity,
    /// The id of the agent: it selects the sample of a dense crowd that the agent sees, see
    /// [`Neighbors::in_view`](crate::Neighbors::in_view).
    pub id: SteeringId,
}

impl NeighborView {
    /// The view of an agent in all directions, within `radius` m.
    pub fn around(me: &Agent, radius: f32, groups: SteeringGroups) -> Self {
        Self {
            position: me.position,
            heading: me.heading,
            radius,
            field_of_view: f32::INFINITY,
            body_radius: me.radius,
            groups,
            except: me.entity,
            id: me.id,
        }
    }

    /// [`around`](Self::around) of an agent that is to keep clear of bodies: a large one also sees beyond its own edge, by what its
    /// radius exceeds that of usual agents, [`PointMass::RADIUS`](crate::PointMass::RADIUS).
    pub(crate) fn beyond_body(me: &Agent, radius: f32, groups: SteeringGroups) -> Self {
        let beyond = (me.radius - PointMass::RADIUS).max(0.0);
        Self::around(me, radius + beyond, groups)
    }

    /// The view from a point in all directions, within `radius` m, for systems of a game.
    pub fn at(position: Vec2, radius: f32, groups: SteeringGroups) -> Self {
        Self {
            position,
            heading: Vec2::X,
            radius,
            field_of_view: f32::INFINITY,
            body_radius: 0.0,
            groups,
            except: Entity::PLACEHOLDER,
            id: SteeringId(0),
        }
    }

    /// The view without an entity, such as the agent that a system of a game asks for.
    #[must_use]
    pub fn without(self, except: Entity) -> Self {
        Self { except, ..self }
    }

    /// Whether the view includes a neighbor.
    #[inline]
    pub fn sees(&self, neighbor: &Neighbor) -> bool {
        let offset = neighbor.position - self.position;
        offset.length_squared() <= self.radius * self.radius
            && neighbor.groups.intersects(self.groups)
            && neighbor.entity != self.except
            && self.faces(offset, least_cosine(self.field_of_view))
    }

    /// The largest radius of bodies that are seen by their centers only, m.
    #[inline]
    pub(crate) fn usual_radius(&self) -> f32 {
        (BodySizes::ALIKE * self.body_radius).max(BodySizes::LARGE * self.radius)
    }

    /// Whether a neighbor's body is large beside the viewer's own and the view, which reaches its edge.
    pub(crate) fn sees_edge_of(self, neighbor: &Neighbor) -> bool {
        let radius = self.radius + neighbor.radius;
        neighbor.radius > self.usual_radius() && Self { radius, ..self }.sees(neighbor)
    }

    /// Whether a direction is within the field of view whose half angle has the cosine `least`.
    #[inline]
    pub(super) fn faces(&self, offset: Vec2, least: f32) -> bool {
        offset.dot(self.heading) >= least * offset.length()
    }
}

/// The cosine of half a field of view; for a full circle, less than any cosine.
#[inline]
pub(crate) fn least_cosine(field_of_view: f32) -> f32 {
    // A cold function, or the compiler would compute the cosine for a full circle too.
    #[cold]
    fn cosine(angle: f32) -> f32 {
        ops::cos(angle)
    }
    if field_of_view >= TAU {
        f32::MIN
    } else {
        cosine(0.5 * field_of_view)
    }
}
