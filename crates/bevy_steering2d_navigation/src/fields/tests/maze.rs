//! Agents that find their way through mazes.

use super::*;

/// Sides of a maze of square cells, by randomized depth-first search: every cell can be reached, over one way.
fn maze(cells: usize, random: &mut RandomStream) -> Vec<Wall> {
    let count = cells * cells;
    let mut is_open = vec![[false; 2]; count];
    let mut visited = vec![false; count];
    let mut trail = vec![0];
    visited[0] = true;
    while let Some(&cell) = trail.last() {
        let (x, y) = (cell % cells, cell / cells);
        // The next cell, and the side between: the right or upper one of a cell.
        let sides = [
            (x + 1 < cells).then(|| (cell + 1, cell, 0)),
            (y + 1 < cells).then(|| (cell + cells, cell, 1)),
            (x > 0).then(|| (cell - 1, cell - 1, 0)),
            (y > 0).then(|| (cell - cells, cell - cells, 1)),
        ];
        let fresh: Vec<_> = sides
            .into_iter()
            .flatten()
            .filter(|it| !visited[it.0])
            .collect();
        if fresh.is_empty() {
            trail.pop();
            continue;
        }
        let (next, of, side) = fresh[(random.unit() * fresh.len() as f32) as usize % fresh.len()];
        (is_open[of][side], visited[next]) = (true, true);
        trail.push(next);
    }
    let size = area().width() / cells as f32;
    let corner = |x: usize, y: usize| area().min + size * Vec2::new(x as f32, y as f32);
    let closed = (0..count).flat_map(|cell| {
        let (x, y) = (cell % cells, cell / cells);
        let right = Wall::new(corner(x + 1, y), corner(x + 1, y + 1));
        let up = Wall::new(corner(x, y + 1), corner(x + 1, y + 1));
        let sides = [(right, is_open[cell][0]), (up, is_open[cell][1])];
        sides.into_iter().filter(|side| !side.1).map(|side| side.0)
    });
    closed.chain(Wall::room(area())).collect()
}

/// How far out an agent of [`PointMass::RADIUS`] may be in its cell, m.
const OUT: f32 = 1.3;

/// Sends agents through mazes by a field, and asserts that each gets to the goal in good time without
/// touching a wall.
#[track_caller]
fn assert_that_none_is_stuck(agents: usize, mazes: u64) {
    const SPEED: f32 = 5.0;
    for seed in 0..mazes {
        let mut random = RandomStream::new(seed, SteeringId(0), 0);
        let mut app = app();
        let walls = maze(10, &mut random);
        app.world_mut().spawn_batch(walls.clone());
        let goal = Vec2::splat(18.0);
        let field = GoalField::new(area()).with_goal(goal).with_spacing(0.25);
        let field = app.world_mut().spawn(field).id();
        while !app.world().get::<TravelMap>(field).unwrap().is_complete() {
            app.update();
        }
        let mut waiting: Vec<_> = (0..agents)
            .map(|i| {
                let cell = Vec2::new((i % 10) as f32, (i / 10 % 10) as f32);
                let off = OUT * (2.0 * Vec2::new(random.unit(), random.unit()) - 1.0);
                let at = area().min + 4.0 * (cell + 0.5) + off;
                let way = app.world().get::<TravelMap>(field).unwrap().travel_time(at);
                let body = (
                    PointMass::default(),
                    Transform::from_translation(at.extend(0.0)),
                );
                let agent = (body, FlowFieldFollowing::new(field));
                (app.world_mut().spawn(agent).id(), way.unwrap())
            })
            .collect();
        let mut seconds = 0.0;
        while !waiting.is_empty() {
            run(&mut app, 15);
            seconds += 0.25;
            waiting.retain(|(agent, way)| {
                let at = app
                    .world()
                    .get::<Transform>(*agent)
                    .unwrap()
                    .translation
                    .truncate();
                let clear = walls.iter().map(|it| Solid::from(*it).distance(at));
                let clear = clear.fold(f32::INFINITY, f32::min);
                assert!(
                    clear > PointMass::RADIUS - 0.25,
                    "{clear} m from a wall at {at}"
                );
                assert!(
                    seconds < 1.25 * way / SPEED + 3.0,
                    "seed {seed}: {at} is late"
                );
                at.distance(goal) > 1.5
            });
        }
    }
}

#[test]
fn a_thousand_agents_find_their_way_through_a_maze_and_none_is_stuck() {
    assert_that_none_is_stuck(1_000, 1);
}

#[test]
#[ignore = "takes half a minute"]
fn ten_thousand_agents_find_their_way_through_mazes_and_none_is_stuck() {
    assert_that_none_is_stuck(10_000, 3);
}
