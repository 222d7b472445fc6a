//! Steering presets of `bevy_steering2d`: an agent's tuning as a RON asset with hot reloading.
//!
//! Games enable the feature `presets` of `bevy_steering2d`; the steering plugin adds the rest.
//!
//! # Load
//!
//! ```
//! # use bevy::prelude::*;
//! # use bevy_steering2d_core::*;
//! # use bevy_steering2d_presets::UsesPreset;
//! fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
//!     let sheep = assets.load("presets/sheep.steering.ron");
//!     let wolf = commands.spawn((PointMass::default(), Wander::default())).id();
//!     let fears = (Evade::new(wolf), TargetInSight::new(wolf));
//!     commands.spawn((PointMass::default(), fears, UsesPreset(sheep)));
//! }
//! ```
//!
//! With Bevy's feature `file_watcher` the agents are updated whenever the file is saved. Behaviors that the game has
//! switched on or off stay so, unless the file changes their `enabled`.
//! [`SteeringPreset::apply`] applies a preset to one agent, once.
//!
//! # Save
//!
//! [`save_preset`] writes an agent's current tuning to a file; [`SteeringPreset::capture`] keeps it
//! in memory, for example to compare two tunings.
//!
//! # The file
//!
//! ```
//! # use bevy::prelude::*;
//! # use bevy_steering2d_core::*;
//! # use bevy_steering2d_presets::SteeringPreset;
//! # let mut app = App::new();
//! # app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
//! # let types = app.world().resource::<AppTypeRegistry>();
//! # let text = r#"
//! // Ducks on a pond.
//! {
//!     Vehicle: (max_speed: 2.0),
//!     Separation: (perception_radius: 1.5, influence: (weight: 2.0)),
//!     Wander: (style: Circle(jitter: 1.0)),
//!     ThinkEvery: 2,
//! }
//! # "#;
//! # let preset = SteeringPreset::from_ron(text, types).expect("a good preset");
//! # assert_eq!(preset.get::<Separation>().expect("there").influence.priority, 130);
//! ```
//!
//! A file may name any registered behavior, including your own, by its short type name; if two
//! behaviors share a short name, by the full type path in quotes. It may also name the components
//! that tune an agent beside its behaviors, its *companions*:
//! [`Vehicle`](bevy_steering2d_core::Vehicle), [`Combine`](bevy_steering2d_core::Combine),
//! [`SpeedLimit`](bevy_steering2d_core::SpeedLimit),
//! [`FaceVelocity`](bevy_steering2d_core::FaceVelocity),
//! [`ThinkEvery`](bevy_steering2d_core::ThinkEvery),
//! [`StuckDetection`](bevy_steering2d_core::StuckDetection),
//! [`SensesColliders`](bevy_steering2d_core::SensesColliders), and every registered
//! [`Condition`](bevy_steering2d_core::Condition), [`Predictor`](bevy_steering2d_core::Predictor) and
//! [`Locomotion`](bevy_steering2d_core::Locomotion), such as [`Alone`](bevy_steering2d_core::Alone) and
//! [`Wheeled`](bevy_steering2d_core::Wheeled). Behaviors name conditions as in
//! `influence: (when: Only(Alone))`, and predictors as in `prediction: Custom(Late)`. An absent field has
//! the default of its behavior, also inside `influence` and inside the default variant of an enum.
//! `Some( )` may be omitted, vectors are `(x, y)`, and infinity is `inf`. For a behavior without
//! `#[reflect(Default)]` the file must name all fields.
//!
//! # What a preset changes
//!
//! A preset determines all behaviors of an agent: those it does not name are removed, with a
//! warning in the log if the game had inserted them. Their targets and other
//! [situational](#what-a-preset-leaves-to-the-game) fields are kept for a later preset that names them. Of the
//! companions it changes only those it names. A companion that the next preset does not name returns to its value
//! from before the first preset.
//! Applying one preset after another is therefore the same as applying the last one alone, so
//! tunings can be compared. Behaviors on [other entities](bevy_steering2d_core::SteersFor) that
//! steer the agent stay unchanged, and so does the state of a behavior between ticks.
//!
//! # What a preset leaves to the game
//!
//! Targets, paths and slots depend on the situation, so they are not part of a preset: all fields
//! that can refer to an entity ([`Target`](bevy_steering2d_core::Target)s, paths, flow fields, lists
//! of entities), fields marked [`Situational`](bevy_steering2d_core::Situational) (the slot in a
//! formation), and functions. They keep the agent's value.
//! If the agent does not have the behavior yet, they get the default,
//! which for a target is the origin. So insert the behavior with its target together with
//! [`UsesPreset`], as above, or set the target later.
//!
//! # Errors in a file
//!
//! A file with an error changes no agent: each keeps the last valid version. The log and
//! [`PresetProblems`] give place and reason: `line 3, column 5: Separation has no field perception_radus; did
//! you mean perception_radius?`, with the path of the file. The problem is removed once the file loads
//! again. Values out of range are errors, and so are files longer than a
//! [mebibyte](SteeringPreset::MAX_BYTES) or with more than
//! [4,096](SteeringPreset::MAX_VALUES) brackets and commas, and brackets nested deeper than
//! [64](SteeringPreset::MAX_DEPTH). Messages quote only the start of a long name or value. (An error
//! made while the game runs is logged twice, because Bevy tries twice to load the file.)

mod asset;
mod before;
mod change;
mod error;
mod hints;
mod parts;
mod preset;
mod read;
mod rollback;
mod situation;
mod split;
mod write;

pub use asset::{PresetProblem, PresetProblems, SteeringPresetPlugin, UsesPreset};
pub use error::{Place, PresetError, PresetFault};
pub use preset::{SteeringPreset, save_preset};
