//! The pipeline: the schedules of a tick, the plugin that fills them, and the registry of
//! behaviors. A tick begins with the parts that entities require but have lost, see the section on
//! missing parts in the crate's documentation.

mod begin;
mod behavior_id;
mod commands;
mod plugin;
mod reflect_behavior;
mod registration;
mod registry;
mod schedule;
mod times;

pub use behavior_id::BehaviorId;
pub use commands::SteeringCommandsExt;
pub use plugin::{
    BehaviorsPlugin, EventsPlugin, PipelinePlugin, PointMassPlugin, SteeringCorePlugin,
};
pub use reflect_behavior::ReflectBehavior;
pub use registration::SteeringAppExt;
pub use registry::{AssignedBehavior, BehaviorInfo, BehaviorRegistry};
pub use schedule::{AdjustSystems, OuterSchedule, SenseSystems, SteeringSchedule, SteeringSystems};
pub use times::StepTimes;

pub(crate) use behavior_id::BehaviorSlot;
pub(crate) use registration::register_steering;
pub(crate) use schedule::{
    BehaviorOrder, CombineSystems, IndexSystems, Preparation, PreparationOrder,
};
