//! Requests over HTTP, as `curl` sends them.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use bevy::prelude::*;
use bevy_steering2d_core::{PointMass, Seek, SteeringCorePlugin, SteeringId};
use bevy_steering2d_remote::SteeringRemotePlugin;
use serde_json::{Value, json};

/// An app with an agent, and the port where it answers.
fn app() -> (App, u16) {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        SteeringCorePlugin::new(Update),
        SteeringRemotePlugin { port },
    ));
    app.finish();
    app.cleanup();
    let fox = (
        PointMass::default(),
        SteeringId(3),
        Seek::new(Vec2::X * 9.0),
    );
    app.world_mut().spawn(fox);
    (app, port)
}

/// Sends a request and runs the app until it answers.
fn ask(app: &mut App, port: u16, method: &str, parameters: &Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
    let body = body.to_string();
    // By version 1.0, so that the answer is in one piece.
    let request = format!(
        "POST / HTTP/1.0\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    // The server listens some time after the first update.
    let mut stream = loop {
        app.update();
        match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            Ok(stream) => break stream,
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionRefused, "{error}"),
        }
    };
    stream.write_all(request.as_bytes()).expect("it listens");
    stream.set_nonblocking(true).expect("a setting");
    let mut answer = Vec::new();
    loop {
        app.update();
        match stream.read_to_end(&mut answer) {
            Ok(_) => break,
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
        }
    }
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.0 200"), "{head}");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

#[test]
fn a_tool_asks_for_a_ledger_sets_a_weight_and_is_told_what_is_wrong() {
    let (mut app, port) = app();
    let agents = ask(&mut app, port, "steering.agents", &Value::Null);
    assert_eq!(agents["result"][0]["agent"], 3);
    let ledger = |app: &mut App| ask(app, port, "steering.ledger", &json!({"agent": 3}));
    let before = ledger(&mut app);
    assert_eq!(before["result"]["entries"][0]["behavior"], "Seek");
    assert_eq!(before["result"]["entries"][0]["weight"], 1.0);
    let weight = json!({"agent": 3, "behavior": "Seek", "weight": 0.25});
    let set = ask(&mut app, port, "steering.set_weight", &weight);
    assert_eq!(set["result"], 1.0);
    app.update();
    assert_eq!(ledger(&mut app)["result"]["entries"][0]["weight"], 0.25);

    let wrong = ask(&mut app, port, "steering.ledger", &json!({"agent": 99}));
    assert_eq!(wrong["error"]["code"], -32602);
    let told = wrong["error"]["message"].as_str().expect("a reason");
    assert!(told.contains("no agent 99"), "{told}");
}
