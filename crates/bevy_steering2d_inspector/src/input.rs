//! Input that the panel takes, and input that it leaves to the game.

use bevy_egui::egui;

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
    use bevy_egui::egui::{Event, Modifiers, RawInput};

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
}
