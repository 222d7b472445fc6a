//! Lets tools outside of a running app ask why an agent does what it does, and tune it: the ledger of an
//! agent, and the weight of a behavior, as JSON.
//!
//! With the feature `server`, `SteeringRemotePlugin` answers over [Bevy's remote protocol] (JSON-RPC over
//! HTTP) on 127.0.0.1, port 15702, and nowhere else:
//!
//! ```sh
//! curl -s localhost:15702 -d \
//!   '{"jsonrpc": "2.0", "id": 1, "method": "steering.ledger", "params": {"agent": 3}}'
//! curl -s localhost:15702 -d \
//!   '{"jsonrpc": "2.0", "id": 2, "method": "steering.set_weight",
//!     "params": {"agent": 3, "behavior": "Seek", "weight": 0.5}}'
//! ```
//!
//! | method | parameters | result |
//! |---|---|---|
//! | `steering.agents` | none | all agents: their [`SteeringId`], entity and name |
//! | `steering.ledger` | `agent` | the total force and the [entries](bevy_steering2d_core::LedgerEntry) of the ledger |
//! | `steering.set_weight` | `agent`, `behavior`, `weight`; `source` if a behavior entity has the behavior | the weight before |
//!
//! An agent is named by its [`SteeringId`], a behavior by its short name or by the full path of its type. Of behaviors
//! that share a short name, the ledger has the full paths, and a request needs one of them. Entities are numbers as
//! in Bevy's own methods, such as `world.query`. A request that cannot be answered gets an error that says why, and
//! changes nothing.
//!
//! Any program on the computer can send requests, and any page in its web browser, and Bevy's own methods can change the whole world: leave
//! the feature out of what players get.
//!
//! [Bevy's remote protocol]: https://docs.rs/bevy_remote

mod methods;
#[cfg(feature = "server")]
mod server;

pub use methods::{RequestError, agents, ledger, set_weight};
#[cfg(feature = "server")]
pub use server::SteeringRemotePlugin;

#[cfg(doc)]
use bevy_steering2d_core::SteeringId;
