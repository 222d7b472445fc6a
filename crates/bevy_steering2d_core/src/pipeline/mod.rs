//! The pipeline: the schedules of a tick, the plugin that fills them, and the registry of
//! behaviors.

mod plugin;
mod registry;
mod schedule;
mod times;

pub use plugin::{
    BehaviorsPlugin, EventsPlugin, PipelinePlugin, PointMassPlugin, SteeringCorePlugin,
};
pub use registry::{
    AssignedBehavior, BehaviorId, BehaviorInfo, BehaviorRegistry, ReflectBehavior, SteeringAppExt,
    SteeringCommandsExt,
};
pub use schedule::{AdjustSystems, OuterSchedule, SenseSystems, SteeringSchedule, SteeringSystems};
pub use times::StepTimes;

pub(crate) use registry::{BehaviorSlot, register_steering};
pub(crate) use schedule::{BehaviorOrder, CombineSystems, IndexSystems};
