//! Input that the panel takes, and input that it leaves to the game.

use bevy::input::InputSystems;
use bevy::input::keyboard::Key;
use bevy::input::mouse::AccumulatedMouseScroll;
use bevy::prelude::*;
use bevy_egui::egui;
use bevy_egui::input::{EguiWantsInput, absorb_bevy_input_system};

use crate::SteeringInspector;

/// Has a key open and close the panel.
pub(crate) fn open_and_close(app: &mut App, key: KeyCode) {
    if (KeyCode::F1..=KeyCode::F35).contains(&key) {
        // No field takes it.
        let system = toggle(key).after(InputSystems);
        app.add_systems(PreUpdate, system.before(absorb_bevy_input_system));
    } else {
        app.add_systems(Update, toggle(key));
    }
}

fn toggle(key: KeyCode) -> impl Fn(Res<ButtonInput<KeyCode>>, ResMut<SteeringInspector>) + Clone {
    move |keys, mut inspector| {
        if keys.just_pressed(key) {
            inspector.open = !inspector.open;
        }
    }
}

/// Keeps input that egui uses from the game where `bevy_egui` does not: it leaves logical keys and the accumulated scroll.
pub(crate) fn absorb(
    wanted: Res<EguiWantsInput>,
    mut keys: ResMut<ButtonInput<Key>>,
    mut scroll: ResMut<AccumulatedMouseScroll>,
) {
    if wanted.wants_any_keyboard_input() {
        forget(&mut keys);
    }
    if wanted.wants_any_pointer_input() {
        scroll.delta = Vec2::ZERO;
    }
}

/// Forgets all keys but modifiers, which the game gets as `KeyCode`s as well.
fn forget(keys: &mut ButtonInput<Key>) {
    let is_modifier = |key: &Key| {
        matches!(
            key,
            Key::Shift | Key::Control | Key::Alt | Key::Super | Key::Meta
        )
    };
    let used = keys.get_pressed().chain(keys.get_just_released());
    let used: Vec<Key> = used.filter(|key| !is_modifier(key)).cloned().collect();
    for key in used {
        keys.reset(key);
    }
}

/// Leaves Tab to the game while neither the focus nor the pointer is in egui: otherwise it would give the focus to a widget of
/// the panel, and with it the keyboard.
pub(crate) fn leave_tab_to_the_game(context: &egui::Context) {
    let is_focused = context.memory(egui::Memory::focused).is_some();
    if !is_focused && !context.is_pointer_over_egui() {
        context.memory_mut(|it| it.move_focus(egui::FocusDirection::None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::input::ButtonState;
    use bevy::input::keyboard::KeyboardInput;
    use bevy_egui::EguiContext;
    use bevy_egui::egui::{Event, Modifiers, RawInput};
    use bevy_egui::input::write_egui_wants_input_system;

    /// Shows a window with a button beside the game, with events.
    fn show_window(context: &egui::Context, events: Vec<Event>) {
        let input = RawInput {
            events,
            ..RawInput::default()
        };
        let _ = context.run_ui(input, |ui| {
            leave_tab_to_the_game(ui.ctx());
            let window = egui::Window::new("panel").fixed_pos([0.0, 0.0]);
            window.show(ui.ctx(), |ui| ui.button("press me"));
        });
    }

    fn tab() -> Event {
        Event::Key {
            key: egui::Key::Tab,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        }
    }

    #[test]
    fn tab_belongs_to_the_game_unless_the_pointer_is_over_the_panel() {
        let context = egui::Context::default();
        show_window(&context, Vec::new());
        show_window(&context, vec![tab()]);
        assert_eq!(context.memory(egui::Memory::focused), None);
        let over = Event::PointerMoved(egui::pos2(20.0, 20.0));
        show_window(&context, vec![over]);
        show_window(&context, vec![tab()]);
        assert!(context.memory(egui::Memory::focused).is_some());
    }

    /// Whether the game gets A, Shift and the mouse wheel.
    fn reaching(app: &mut App) -> [bool; 3] {
        let a = Key::Character("a".into());
        let mut keys = app.world_mut().resource_mut::<ButtonInput<Key>>();
        keys.press(a.clone());
        keys.press(Key::Shift);
        let mut scroll = app.world_mut().resource_mut::<AccumulatedMouseScroll>();
        scroll.delta = Vec2::Y;
        app.update();
        let keys = app.world().resource::<ButtonInput<Key>>();
        let scroll = app.world().resource::<AccumulatedMouseScroll>();
        let is_pressed = [keys.pressed(a), keys.pressed(Key::Shift)];
        [is_pressed[0], is_pressed[1], scroll.delta != Vec2::ZERO]
    }

    #[test]
    fn the_game_gets_logical_keys_and_scroll_unless_egui_uses_them() {
        let mut app = App::new();
        app.init_resource::<EguiWantsInput>()
            .init_resource::<ButtonInput<Key>>()
            .init_resource::<AccumulatedMouseScroll>()
            .add_systems(Update, (write_egui_wants_input_system, absorb).chain());
        let mut component = EguiContext::default();
        let context = component.get_mut().clone();
        app.world_mut().spawn(component);
        show_window(&context, Vec::new());
        assert_eq!(reaching(&mut app), [true; 3]);
        let over = Event::PointerMoved(egui::pos2(20.0, 20.0));
        show_window(&context, vec![over]);
        assert_eq!(reaching(&mut app), [true, true, false]);
        show_window(&context, vec![tab()]);
        assert_eq!(reaching(&mut app), [false, true, false]);
    }

    #[test]
    fn a_function_key_closes_the_panel_also_while_a_field_takes_all_keys() {
        for (key_code, stays_open) in [(KeyCode::F2, false), (KeyCode::KeyP, true)] {
            let mut app = App::new();
            app.add_plugins((MinimalPlugins, bevy::input::InputPlugin))
                .insert_resource(SteeringInspector::new(true));
            open_and_close(&mut app, key_code);
            let takes_all = (write_egui_wants_input_system, absorb_bevy_input_system);
            app.init_resource::<EguiWantsInput>()
                .add_systems(PreUpdate, takes_all.chain().after(InputSystems));
            let mut component = EguiContext::default();
            component
                .get_mut()
                .memory_mut(|it| it.request_focus(egui::Id::new("a field")));
            app.world_mut().spawn(component);
            app.world_mut().write_message(KeyboardInput {
                key_code,
                logical_key: Key::F2,
                state: ButtonState::Pressed,
                text: None,
                repeat: false,
                window: Entity::PLACEHOLDER,
            });
            app.update();
            let inspector = app.world().resource::<SteeringInspector>();
            assert_eq!(inspector.open, stays_open, "{key_code:?}");
        }
    }
}
