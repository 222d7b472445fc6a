//! How agents share the budget of searches.

use std::collections::HashSet;

use super::*;

#[test]
fn a_tiny_budget_is_shared_fairly_and_every_agent_gets_its_path() {
    let mut app = app();
    app.insert_resource(NavigationBudget { expansions: 20 });
    for i in 0..6 {
        let x = 4.0 * i as f32;
        wall(&mut app, (x, -6.0), (x, 6.0));
    }
    let walkers: Vec<_> = (0..8)
        .map(|i| {
            let y = i as f32 - 3.5;
            walker(&mut app, Vec2::new(-3.0, y), Vec2::new(23.0, -0.9 * y))
        })
        .collect();
    let mut ticks = 0;
    while heard(&app).found.len() < walkers.len() {
        app.update();
        ticks += 1;
        assert!(ticks < 500, "{:?}", heard(&app).found);
    }
    assert!(ticks > 8, "the searches were spread over {ticks} ticks");
}

#[test]
fn agents_that_were_spawned_together_plan_again_in_turns() {
    let mut app = app();
    for i in 0..8 {
        let walker = walker(
            &mut app,
            Vec2::new(0.0, i as f32),
            Vec2::new(90.0, i as f32),
        );
        let navigate = app.world().get::<NavigateTo>(walker).unwrap();
        let navigate = navigate.with_refresh_time(0.5);
        app.world_mut().entity_mut(walker).insert(navigate);
    }
    app.update();
    let mut most = 0;
    for _ in 0..60 {
        let before = heard(&app).found.len();
        app.update();
        most = most.max(heard(&app).found.len() - before);
    }
    assert_eq!(most, 1, "one agent per tick");
    assert!(heard(&app).found.len() >= 16);
}

#[test]
fn a_search_for_a_target_that_moves_on_ends() {
    let mut app = app();
    rocks(&mut app);
    app.insert_resource(NavigationBudget { expansions: 20 });
    let prey = app
        .world_mut()
        .spawn(Transform::from_xyz(40.0, 0.0, 0.0))
        .id();
    let hunter = walker(&mut app, Vec2::ZERO, prey);
    for _ in 0..240 {
        app.update();
        let mut at = app.world_mut().get_mut::<Transform>(prey).unwrap();
        at.translation.y += 0.1;
    }
    assert!(!heard(&app).found.is_empty());
    assert!(position(&app, hunter).x > 5.0);
}

#[test]
fn a_search_for_a_point_that_the_game_moves_on_ends() {
    let mut app = app();
    rocks(&mut app);
    app.insert_resource(NavigationBudget { expansions: 20 });
    let hunter = walker(&mut app, Vec2::ZERO, Vec2::new(40.0, 0.0));
    for tick in 0..240 {
        app.update();
        let mut way = app.world_mut().get_mut::<NavigateTo>(hunter).unwrap();
        way.target = Vec2::new(40.0, 0.1 * tick as f32).into();
    }
    assert!(!heard(&app).found.is_empty());
    assert!(position(&app, hunter).x > 5.0);
    let last = Vec2::new(12.0, -12.0);
    let mut way = app.world_mut().get_mut::<NavigateTo>(hunter).unwrap();
    way.target = last.into();
    run(&mut app, 900);
    assert_eq!(heard(&app).arrived, [hunter]);
    assert!(position(&app, hunter).distance(last) < 0.2);
}

#[test]
fn a_point_that_moves_a_little_during_a_search_is_reached() {
    let mut app = app();
    rocks(&mut app);
    app.insert_resource(NavigationBudget { expansions: 8 });
    let walker = walker(&mut app, Vec2::new(0.0, -1.0), Vec2::new(40.0, 1.0));
    run(&mut app, 3);
    assert!(heard(&app).found.is_empty(), "the search goes on");
    let moved = Vec2::new(40.0, 1.3);
    let mut way = app.world_mut().get_mut::<NavigateTo>(walker).unwrap();
    way.target = moved.into();
    run(&mut app, 1_500);
    assert_eq!(heard(&app).arrived, [walker]);
    assert!(position(&app, walker).distance(moved) <= 0.1);
}

#[test]
fn the_least_budget_leads_to_a_path() {
    let mut app = app();
    rocks(&mut app);
    app.insert_resource(NavigationBudget { expansions: 1 });
    walker(&mut app, Vec2::new(0.0, -1.0), Vec2::new(40.0, 1.0));
    run(&mut app, 400);
    assert!(!heard(&app).found.is_empty());
}

#[test]
fn many_searches_that_take_turns_all_end() {
    let mut app = app();
    rocks(&mut app);
    // More goals than there are expansions per tick.
    app.insert_resource(NavigationBudget { expansions: 100 });
    for i in 0..200 {
        let y = 0.05 * i as f32 - 5.0;
        walker(&mut app, Vec2::new(0.0, y), Vec2::new(40.0, y));
    }
    run(&mut app, 400);
    let who: HashSet<_> = heard(&app).found.iter().map(|(who, _)| who).collect();
    assert_eq!(who.len(), 200);
    assert!(heard(&app).refused.is_empty());
}

/// Goes straight, after at least as many expansions as the way has meters. It keeps only the last 64 unfinished
/// searches.
#[derive(Default)]
struct Forgetful(Vec<(PathQuery, u32)>);

impl Pathfinder for Forgetful {
    fn set_solids(&mut self, _: &[Solid]) {}

    fn find(&mut self, query: &PathQuery, expansions: &mut u32) -> PathSearch {
        let begun = self.0.iter().position(|(it, _)| it == query);
        let spent = *expansions + begun.map_or(0, |at| self.0.remove(at).1);
        *expansions = 0;
        if spent as f32 >= query.from.distance(query.to) {
            return PathSearch::Found(vec![query.from, query.to]);
        }
        self.0.push((*query, spent));
        if self.0.len() > 64 {
            self.0.remove(0);
        }
        PathSearch::Unfinished
    }

    fn is_clear(&mut self, _: Vec2, _: Vec2, _: f32) -> bool {
        true
    }
}

#[test]
fn more_searches_than_a_pathfinder_keeps_all_end() {
    for expansions in [1_000, 20_000] {
        let mut app = app_with(NavigationPlugin::default().with_pathfinder(Forgetful::default()));
        app.insert_resource(NavigationBudget { expansions });
        for i in 0..200 {
            let y = i as f32;
            walker(&mut app, Vec2::new(0.0, y), Vec2::new(150.0, y));
        }
        run(&mut app, 100);
        let who: HashSet<_> = heard(&app).found.iter().map(|(who, _)| who).collect();
        assert_eq!(who.len(), 200);
    }
}

#[test]
fn an_agent_with_a_short_way_does_not_wait_for_long_searches() {
    let mut app = app_with(NavigationPlugin::default().with_pathfinder(Forgetful::default()));
    for i in 0..20 {
        let y = i as f32;
        walker(&mut app, Vec2::new(0.0, y), Vec2::new(50_000.0, y));
    }
    run(&mut app, 10);
    let near = walker(&mut app, Vec2::ZERO, Vec2::new(9.0, 0.0));
    run(&mut app, 2);
    let who: Vec<_> = heard(&app).found.iter().map(|(who, _)| *who).collect();
    assert_eq!(who, [near]);
}

/// Goes straight, after ten expansions.
struct Costly;

impl Pathfinder for Costly {
    fn set_solids(&mut self, _: &[Solid]) {}

    fn find(&mut self, query: &PathQuery, expansions: &mut u32) -> PathSearch {
        *expansions = expansions.saturating_sub(10);
        PathSearch::Found(vec![query.from, query.to])
    }

    fn is_clear(&mut self, _: Vec2, _: Vec2, _: f32) -> bool {
        true
    }
}

#[test]
fn targets_that_move_starve_no_agent() {
    let mut app = app_with(NavigationPlugin::default().with_pathfinder(Costly));
    app.insert_resource(NavigationBudget { expansions: 100 });
    let target = |round: u16, i: u16| Vec2::new(100.0 + f32::from(round), f32::from(i));
    let walkers: Vec<_> = (0..40)
        .map(|i| walker(&mut app, Vec2::new(0.0, f32::from(i)), target(0, i)))
        .collect();
    for round in 0..20 {
        for (i, &walker) in (0..).zip(&walkers) {
            let mut navigate = app.world_mut().get_mut::<NavigateTo>(walker).unwrap();
            navigate.target = target(round, i).into();
        }
        run(&mut app, 3);
    }
    let who: HashSet<_> = heard(&app).found.iter().map(|(who, _)| who).collect();
    assert_eq!(who.len(), walkers.len());
}
