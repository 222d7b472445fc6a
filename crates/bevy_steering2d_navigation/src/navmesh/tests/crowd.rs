//! Crowds on a mesh: however dense they are, no agent leaves it.

use super::*;

/// A hall of 30 m by 16 m with a hole and a narrow part of 3 m.
const HALL: Rect = rect(-15.0, -8.0, 15.0, 8.0);
const HOLES: [Rect; 3] = [
    rect(-9.0, -3.0, -5.0, 3.0),
    rect(3.0, -9.0, 6.0, -1.5),
    rect(3.0, 1.5, 6.0, 9.0),
];

const fn rect(left: f32, bottom: f32, right: f32, top: f32) -> Rect {
    Rect {
        min: Vec2::new(left, bottom),
        max: Vec2::new(right, top),
    }
}

fn is_on_mesh(at: Vec2) -> bool {
    HALL.contains(at) && !HOLES.iter().any(|hole| hole.contains(at))
}

/// The next goal of an agent, which has one place for each end of the hall and changes between them.
fn goal(agent: usize, times: usize) -> Vec2 {
    let place = Vec2::new((agent % 5) as f32, (agent / 5) as f32) * Vec2::new(1.1, 1.8);
    let end = if (agent + times).is_multiple_of(2) {
        -14.0
    } else {
        8.5
    };
    Vec2::new(end, -6.5) + place
}

/// What a crowd did.
#[derive(Debug)]
struct Report {
    /// The least distance between the center of an agent and the border, m.
    clearance: f32,
    arrivals: usize,
    refused: Vec<(Entity, NoPathReason)>,
}

/// Sends 40 agents to and fro, and asserts that none is ever off the mesh.
fn crowd(ticks: u32) -> Report {
    let mut app = app();
    choose(&mut app, mesh(HALL, &HOLES));
    run(&mut app, 1);
    let agents: Vec<_> = (0..40)
        .map(|i| {
            let agent = walker(&mut app, goal(i, 0), goal(i, 1));
            let avoid = ReciprocalAvoidance::default();
            app.world_mut().entity_mut(agent).insert(avoid);
            agent
        })
        .collect();
    let mut times = [1; 40];
    let mut clearance = f32::INFINITY;
    for tick in 0..ticks {
        app.update();
        for (i, &agent) in agents.iter().enumerate() {
            let at = position(&app, agent);
            assert!(is_on_mesh(at), "tick {tick}: {at}");
            let border = app.world().resource::<Terrain>().solids();
            let nearest = border.iter().map(|it| it.distance(at));
            clearance = nearest.fold(clearance, f32::min);
            let state = app.world().get::<NavigateToMemory>(agent).unwrap().state;
            if state == NavigationState::Arrived {
                times[i] += 1;
                let mut order = app.world_mut().get_mut::<NavigateTo>(agent).unwrap();
                order.target = goal(i, times[i]).into();
            }
        }
    }
    Report {
        clearance,
        arrivals: heard(&app).arrived.len(),
        refused: heard(&app).refused.clone(),
    }
}

#[test]
fn a_crowd_never_pushes_an_agent_off_the_mesh() {
    let report = crowd(1_200);
    assert!(report.clearance > 0.8 * PointMass::RADIUS, "{report:?}");
    assert!(report.arrivals > 40, "{report:?}");
    assert_eq!(report.refused, []);
}

#[test]
#[ignore = "takes minutes"]
fn a_crowd_never_pushes_an_agent_off_the_mesh_in_a_hundred_thousand_ticks() {
    let report = crowd(100_000);
    println!("{report:?}");
    assert!(report.clearance > 0.8 * PointMass::RADIUS, "{report:?}");
    assert!(report.arrivals > 4_000, "{report:?}");
    assert_eq!(report.refused, []);
}
