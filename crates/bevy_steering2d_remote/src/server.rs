//! [`SteeringRemotePlugin`]: answers requests over Bevy's remote protocol.

use std::net::Ipv4Addr;

use bevy::prelude::*;
use bevy_remote::http::{DEFAULT_PORT, RemoteHttpPlugin};
use bevy_remote::{BrpError, BrpResult, RemotePlugin, error_codes};
use serde_json::Value;

use crate::methods::{RequestError, agents, ledger, set_weight};

/// Answers the methods of this crate and Bevy's own over HTTP, on loopback only.
///
/// Add it instead of Bevy's `RemotePlugin` and `RemoteHttpPlugin`.
#[derive(Clone, Debug)]
pub struct SteeringRemotePlugin {
    /// The port, on 127.0.0.1. Default 15702, that of Bevy's remote protocol.
    pub port: u16,
}

impl Default for SteeringRemotePlugin {
    fn default() -> Self {
        Self { port: DEFAULT_PORT }
    }
}

/// Answers a request.
type Method = fn(&mut World, Option<Value>) -> Result<Value, RequestError>;

const METHODS: [(&str, Method); 3] = [
    ("steering.agents", agents),
    ("steering.ledger", ledger),
    ("steering.set_weight", set_weight),
];

impl Plugin for SteeringRemotePlugin {
    fn build(&self, app: &mut App) {
        let mut methods = RemotePlugin::default();
        for (name, method) in METHODS {
            methods = methods.with_method_main(
                name,
                move |In(asked): In<Option<Value>>, world: &mut World| answer(method(world, asked)),
            );
        }
        let http = RemoteHttpPlugin::default()
            .with_address(Ipv4Addr::LOCALHOST)
            .with_port(self.port);
        app.add_plugins((methods, http));
    }
}

fn answer(result: Result<Value, RequestError>) -> BrpResult {
    result.map_err(|error| BrpError {
        code: error_codes::INVALID_PARAMS,
        message: error.to_string(),
        data: None,
    })
}
