//! Steering presets of `bevy_steering2d`: an agent's tuning as a RON file that is loaded, put on
//! agents, and put on again while the game runs, whenever the file changes.
//!
//! Games turn on the feature `presets` of `bevy_steering2d`; the steering plugin does the rest.
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
//!     commands.spawn((PointMass::default(), Evade::new(wolf), UsesPreset(sheep)));
//! }
//! ```
//!
//! With Bevy's feature `file_watcher` the agents follow the file: save it in your editor and
//! see. [`SteeringPreset::apply`] puts a preset on one agent, once.
//!
//! # Save
//!
//! [`save_preset`] writes what an agent has now; [`SteeringPreset::capture`] keeps it in memory, say
//! to compare two tunings.
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
//!     Separation: (radius: 1.5, influence: (weight: 2.0)),
//!     Wander: (style: Circle(jitter: 1.0)),
//!     ThinkEvery: 2,
//! }
//! # "#;
//! # let preset = SteeringPreset::from_ron(text, types).expect("a good preset");
//! # assert_eq!(preset.get::<Separation>().expect("there").influence.priority, 130);
//! ```
//!
//! In it is any registered behavior, yours included, by its short name (if two share it, by its
//! whole path, in quotes), and the companions that tune an agent:
//! [`Vehicle`](bevy_steering2d_core::Vehicle), [`Combine`](bevy_steering2d_core::Combine),
//! [`SpeedLimit`](bevy_steering2d_core::SpeedLimit),
//! [`FaceVelocity`](bevy_steering2d_core::FaceVelocity),
//! [`ThinkEvery`](bevy_steering2d_core::ThinkEvery),
//! [`StuckDetection`](bevy_steering2d_core::StuckDetection) and
//! [`SensesColliders`](bevy_steering2d_core::SensesColliders). A field that is absent has its default:
//! the one of that behavior, also inside `influence` or within a variant that is the default one.
//! `Some( )` may be left out, vectors are `(x, y)`, and infinity is `inf`. A behavior of yours needs
//! `#[reflect(Default)]`, or else all its fields have to be there.
//!
//! # What a preset does to an agent
//!
//! It is the whole of its behaviors: what it does not name is removed (with a warning, if it was
//! the game that had inserted it). Of the companions it changes those that it names; one that the
//! next preset does not name is again what it was before. So whatever was applied earlier, the
//! last preset decides, and A and B can be compared. Behaviors that
//! [others lend](bevy_steering2d_core::SteersFor) to the agent are left alone, and so is what a
//! behavior remembers.
//!
//! # What a file cannot know
//!
//! is whom to chase, where to go and which path to take. Whatever can refer to an entity
//! ([`Target`](bevy_steering2d_core::Target)s, paths, flow fields, lists of entities) and fields marked
//! [`Situational`](bevy_steering2d_core::Situational) (the place in a formation) are in no file and
//! stay as the agent has them; an agent that has not got the behavior yet gets the default, which
//! for a target is the origin. So insert the behavior with its target beside [`UsesPreset`], as
//! above, or set the target later. A function
//! ([`Prediction::Custom`](bevy_steering2d_core::Prediction::Custom)) fits into no file either, and
//! stays with its agent too.
//!
//! # When a file is broken
//!
//! nothing happens to the agents: they go on with what was good last. The log and
//! [`PresetProblems`] say where it is broken and why: `boids.steering.ron:3:5: Separation has no
//! field radus; did you mean radius?` It is mended as soon as the file is. Values
//! out of range count as broken, as do files of more than a [mebibyte](SteeringPreset::MAX_BYTES)
//! and brackets more than [64 deep](SteeringPreset::MAX_DEPTH). (A file that breaks while the game runs
//! is in the log twice, since Bevy tries twice to load it.)
//!
//! # The rooms
//!
//! `preset` takes and applies, `parts` knows what may be in a preset, `situation` what may not.
//! `split` takes a text apart, `read` merges the pieces into components, `write` does the reverse,
//! `asset` is the way to and from the asset server.

mod asset;
mod error;
mod hints;
mod parts;
mod preset;
mod read;
mod situation;
mod split;
mod write;

pub use asset::{PresetProblem, PresetProblems, SteeringPresetPlugin, UsesPreset};
pub use error::{Place, PresetError, PresetFault};
pub use preset::{SteeringPreset, save_preset};
