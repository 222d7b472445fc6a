//! What several behaviors share: formulas and measures that belong to none of them and have no public type.

pub(super) mod arrive_at_moving;
pub(super) mod backing;
pub(super) mod stops;
pub(super) mod urgency;
