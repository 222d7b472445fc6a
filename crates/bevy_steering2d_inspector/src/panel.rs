//! The window with all its parts.

use std::any::TypeId;

use bevy::prelude::*;
use bevy_egui::{EguiContext, PrimaryEguiContext, egui};
use bevy_steering2d_core::{
    FaceVelocity, Kinematics, PointMass, SpeedLimit, SteeringDisabled, SteeringGroups, ThinkEvery,
    Vehicle,
};
use bevy_steering2d_debug::SteeringSelection;
use egui::Ui;

use crate::scope::{self, Scope};
use crate::theme::{LINE, faint, section};
use crate::{SteeringInspector, Tab, fields, layers, list, pick, plots, presets, rows, time};

/// Width at first, logical pixels.
const WIDTH: f32 = 384.0;

/// Shows the panel, then picks what was clicked beside it.
pub(crate) fn show(
    world: &mut World,
    contexts: &mut QueryState<&mut EguiContext, With<PrimaryEguiContext>>,
) {
    let Ok(mut context) = contexts.single_mut(world) else {
        return;
    };
    let context = context.get_mut().clone();
    world.resource_scope(|world, mut inspector: Mut<SteeringInspector>| {
        if !inspector.open {
            return;
        }
        let mut open = true;
        let room = context.content_rect();
        let mut window = egui::Window::new("Steering")
            .id("steering inspector".into())
            .open(&mut open)
            .default_width(WIDTH)
            .min_width(340.0)
            .default_pos(egui::pos2(room.right() - WIDTH - 24.0, room.top() + 8.0))
            .max_height(room.height() - 16.0)
            .default_height(room.height() - 60.0);
        if let Some(place) = kept_at_edge(inspector.outline, inspector.room, room) {
            window = window.current_pos(place);
        }
        let window = window.show(&context, |ui| contents(ui, world, &mut inspector));
        inspector.room = room;
        inspector.outline = window.as_ref().map(|it| it.response.rect);
        inspector.area = window.and_then(|it| {
            let zoom = pick::zoom(&context, world)?;
            let [min, max] = [it.response.rect.min, it.response.rect.max];
            Some(Rect::new(
                zoom * min.x,
                zoom * min.y,
                zoom * max.x,
                zoom * max.y,
            ))
        });
        if !open {
            inspector.open = false;
        }
        pick::pick(&context, world);
    });
}

/// Where a panel at the right edge goes when the window gets wider or narrower.
fn kept_at_edge(
    outline: Option<egui::Rect>,
    before: egui::Rect,
    now: egui::Rect,
) -> Option<egui::Pos2> {
    /// Nearer than this it belongs to the edge.
    const DOCKED: f32 = 48.0;
    let outline = outline?;
    let moved = now.right() - before.right();
    let docked = (before.right() - outline.right()).abs() < DOCKED;
    (docked && moved != 0.0).then(|| outline.min + egui::vec2(moved, 0.0))
}

fn contents(ui: &mut Ui, world: &mut World, inspector: &mut SteeringInspector) {
    ui.spacing_mut().item_spacing = egui::vec2(6.0, 5.0);
    list::choose(ui, world, &mut inspector.search);
    let shown = world.resource::<SteeringSelection>().primary();
    let shown = shown.filter(|agent| world.get::<Vehicle>(*agent).is_some());
    choose_scope(ui, world, inspector, shown);
    time::strip(ui, world);
    ui.horizontal(|ui| {
        for tab in Tab::ALL {
            ui.selectable_value(&mut inspector.tab, tab, tab.title());
        }
    });
    ui.separator();
    egui::ScrollArea::vertical()
        .id_salt(inspector.tab.title())
        .auto_shrink([false, true])
        .show(ui, |ui| match (inspector.tab, shown) {
            (Tab::Draw, shown) => layers::show(ui, world, shown),
            (Tab::Presets, shown) => {
                presets::show(ui, world, &mut inspector.presets, shown, inspector.scope);
            }
            (_, None) => {
                ui.add_space(12.0);
                ui.label("Click an agent in the window, or choose one from the list above.");
            }
            (Tab::Behaviors, Some(shown)) => rows::show(ui, world, shown, inspector.scope),
            (Tab::Vehicle, Some(shown)) => vehicle(ui, world, shown, inspector.scope),
            (Tab::Plots, Some(shown)) => plots::show(ui, world, shown),
        });
}

fn choose_scope(
    ui: &mut Ui,
    world: &mut World,
    inspector: &mut SteeringInspector,
    shown: Option<Entity>,
) {
    ui.horizontal(|ui| {
        ui.set_min_height(LINE);
        ui.label(faint("Edit"));
        for scope in Scope::ALL {
            let count = shown.map_or(0, |shown| scope::agents(world, scope, shown).len());
            let (text, hover) = match scope {
                Scope::One => ("this".to_owned(), "Edits change the shown agent alone"),
                Scope::Selected => (
                    format!("selected ({count})"),
                    "Edits change all selected; select more with shift and a click",
                ),
                Scope::Group => (
                    format!("group ({count})"),
                    "Edits change everybody with the same behaviors and SteeringGroups",
                ),
            };
            ui.selectable_value(&mut inspector.scope, scope, text)
                .on_hover_text(hover);
        }
    });
}

/// Limits of the vehicle and what else makes it move as it does.
fn vehicle(ui: &mut Ui, world: &mut World, shown: Entity, scope: Scope) {
    if let Some(body) = world.get::<Kinematics>(shown) {
        let Kinematics {
            position,
            mass,
            radius,
            ..
        } = *body;
        ui.label(faint(format!(
            "at ({:.2}, {:.2}) m   {:.2} m/s   {mass:.2} kg   radius {radius:.2} m",
            position.x,
            position.y,
            body.speed(),
        )));
    }
    let mut steers = world.get::<SteeringDisabled>(shown).is_none();
    let switch = ui.checkbox(&mut steers, "Steering on");
    let switch = switch.on_hover_text("Off: SteeringDisabled; the body is all physics' own");
    if switch.changed() {
        for agent in scope::agents(world, scope, shown) {
            let mut agent = world.entity_mut(agent);
            if steers {
                agent.remove::<SteeringDisabled>();
            } else {
                agent.insert(SteeringDisabled);
            }
        }
    }
    companion::<Vehicle>(ui, world, shown, scope);
    companion::<SteeringGroups>(ui, world, shown, scope);
    companion::<FaceVelocity>(ui, world, shown, scope);
    companion::<SpeedLimit>(ui, world, shown, scope);
    companion::<ThinkEvery>(ui, world, shown, scope);
    companion::<PointMass>(ui, world, shown, scope);
}

/// A component that is no behavior, if the agent has it.
fn companion<C: Component + Reflect + TypePath>(
    ui: &mut Ui,
    world: &mut World,
    shown: Entity,
    scope: Scope,
) {
    if world.get::<C>(shown).is_none() {
        return;
    }
    section(ui, C::short_type_path());
    fields::edit(ui, world, TypeId::of::<C>(), shown, |world| {
        scope::agents(world, scope, shown)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringInspectorPlugin;
    use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
    use bevy_egui::egui::{Event, Modifiers, PointerButton, RawInput, Rect as Area, accesskit};
    use bevy_steering2d_core::{
        BehaviorRegistry, Seek, Separation, SteeringCorePlugin, SteersFor, Wander,
    };

    /// An app without a window whose panel is driven by hand.
    struct Desk {
        app: App,
        context: egui::Context,
        /// Name and center of each widget of the last frame.
        widgets: Vec<(String, egui::Pos2)>,
    }

    impl Desk {
        fn new() -> Self {
            let mut app = App::new();
            app.add_plugins((
                MinimalPlugins,
                AssetPlugin::default(),
                bevy::input::InputPlugin,
                SteeringCorePlugin::new(Update),
            ));
            let plugin = SteeringInspectorPlugin::default();
            plugin.install(&mut app);
            app.finish();
            app.cleanup();
            let context = egui::Context::default();
            context.enable_accesskit();
            Self {
                app,
                context,
                widgets: Vec::new(),
            }
        }

        fn world(&mut self) -> &mut World {
            self.app.world_mut()
        }

        fn select(&mut self, agent: Entity) {
            self.world()
                .resource_mut::<SteeringSelection>()
                .set([agent]);
        }

        /// One tick, then one picture of the panel.
        fn frame(&mut self, events: Vec<Event>) {
            self.app.update();
            let input = RawInput {
                screen_rect: Some(Area::from_min_size(
                    egui::Pos2::ZERO,
                    egui::vec2(420.0, 900.0),
                )),
                events,
                ..default()
            };
            let world = self.app.world_mut();
            let output = self.context.run_ui(input, |ui| {
                world.resource_scope(|world, mut inspector: Mut<SteeringInspector>| {
                    contents(ui, world, &mut inspector);
                });
            });
            let tree = output.platform_output.accesskit_update;
            let nodes = tree.into_iter().flat_map(|tree| tree.nodes);
            self.widgets = nodes
                .filter(|(_, node)| node.role() != accesskit::Role::Label)
                .filter_map(|(_, node)| {
                    let (area, name) = (node.bounds()?, node.label()?);
                    let middle = |a: f64, b: f64| (0.5 * (a + b)) as f32;
                    let at = egui::pos2(middle(area.x0, area.x1), middle(area.y0, area.y1));
                    Some((name.to_owned(), at))
                })
                .collect();
        }

        fn click(&mut self, name: &str) {
            let found = self.widgets.iter().find(|(it, _)| it == name);
            let (_, pos) = *found.unwrap_or_else(|| panic!("no {name} in {:?}", self.widgets));
            for pressed in [true, false] {
                let click = Event::PointerButton {
                    pos,
                    button: PointerButton::Primary,
                    pressed,
                    modifiers: Modifiers::NONE,
                };
                self.frame(vec![Event::PointerMoved(pos), click]);
            }
            self.frame(Vec::new());
        }
    }

    #[test]
    fn every_tab_shows_an_agent_with_every_behavior() {
        let mut desk = Desk::new();
        let agent = desk.world().spawn(PointMass::default()).id();
        let lent = desk.world().spawn(SteersFor(agent)).id();
        let types = desk.world().resource::<AppTypeRegistry>().clone();
        let registry = desk.world().resource::<BehaviorRegistry>().clone();
        for info in registry.iter() {
            let types = types.read();
            let component = types.get_type_data::<ReflectComponent>(info.type_id);
            let default = types.get_type_data::<ReflectDefault>(info.type_id);
            let (component, default) = component.zip(default).expect("reflected");
            for entity in [agent, lent] {
                let mut entity = desk.app.world_mut().entity_mut(entity);
                component.insert(&mut entity, default.default().as_partial_reflect(), &types);
            }
        }
        desk.select(agent);
        for tab in Tab::ALL {
            desk.world().resource_mut::<SteeringInspector>().tab = tab;
            desk.frame(Vec::new());
            desk.frame(Vec::new());
        }
        desk.world().resource_mut::<SteeringInspector>().tab = Tab::Behaviors;
        desk.frame(Vec::new());
        for info in registry.iter() {
            let switch = format!("{} on", info.name);
            let count = desk
                .widgets
                .iter()
                .filter(|(name, _)| *name == switch)
                .count();
            assert_eq!(count, 2, "own and lent {}", info.name);
        }
    }

    #[test]
    fn a_switch_is_for_whom_the_scope_says() {
        let mut desk = Desk::new();
        let bird = (
            PointMass::default(),
            Separation::default(),
            Wander::default(),
        );
        let [a, b] = [(); 2].map(|()| desk.world().spawn(bird).id());
        desk.select(a);
        let on = |desk: &Desk, agent| {
            let behavior = desk.app.world().get::<Separation>(agent);
            behavior.is_some_and(|it| it.influence.enabled)
        };
        desk.frame(Vec::new());
        desk.click("Separation on");
        assert_eq!([on(&desk, a), on(&desk, b)], [false, true], "this one");
        desk.click("group (2)");
        desk.click("Separation on");
        desk.click("Separation on");
        assert_eq!([on(&desk, a), on(&desk, b)], [false, false], "both");
    }

    #[test]
    fn behaviors_are_removed_and_added() {
        let mut desk = Desk::new();
        let bird = (PointMass::default(), Seek::new(Vec2::X), Wander::default());
        let agent = desk.world().spawn(bird).id();
        desk.select(agent);
        desk.frame(Vec::new());
        desk.click("Seek parameters");
        desk.click("Remove Seek");
        assert!(desk.app.world().get::<Seek>(agent).is_none());
        desk.click("➕ Add behavior");
        desk.click("Alignment");
        assert!(
            desk.app
                .world()
                .get::<bevy_steering2d_core::Alignment>(agent)
                .is_some()
        );
    }

    #[test]
    fn at_the_right_edge_it_stays_there() {
        let room = |width| Area::from_min_size(egui::Pos2::ZERO, egui::vec2(width, 700.0));
        let panel = Area::from_min_max(egui::pos2(880.0, 8.0), egui::pos2(1270.0, 500.0));
        let kept = |panel, now| kept_at_edge(Some(panel), room(1280.0), room(now));
        assert_eq!(kept(panel, 1920.0), Some(egui::pos2(1520.0, 8.0)));
        assert_eq!(kept(panel, 1280.0), None);
        let moved_away = panel.translate(egui::vec2(-300.0, 0.0));
        assert_eq!(kept(moved_away, 1920.0), None);
    }

    #[test]
    fn a_despawned_agent_is_let_go() {
        let mut desk = Desk::new();
        let agent = desk
            .world()
            .spawn((PointMass::default(), Wander::default()))
            .id();
        desk.select(agent);
        desk.frame(Vec::new());
        desk.world().despawn(agent);
        desk.frame(Vec::new());
        assert!(desk.widgets.iter().all(|(name, _)| name != "Wander on"));
    }
}
