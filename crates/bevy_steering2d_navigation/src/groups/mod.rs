//! Orders for groups: [`GroupArrive`], the places of its members, and who goes where.

mod assignment;
mod discs;
mod exchange;
mod gather;
mod grids;
mod group_arrive;
mod hand_over;
mod holding;
mod kept_places;
mod lattice;
mod leaving;
mod meeting;
mod member;
mod ordering;
mod places;
mod placing;
mod settling;
#[cfg(test)]
mod tests;

pub use group_arrive::{
    GroupArrive, GroupArriveMemory, GroupArrived, GroupCommandsExt, GroupMember, GroupMembers,
    GroupPlace, GroupShape,
};

pub(crate) use leaving::release_leavers;
pub(crate) use ordering::{order_groups, register};
