//! Colors of the debug drawing, for dark backgrounds and color-blind users.

use bevy::prelude::*;
use bevy_steering2d_core::BehaviorInfo;

/// Velocities.
pub const VELOCITY: Color = Color::srgb_u8(115, 219, 166);
/// Total forces.
pub const TOTAL_FORCE: Color = Color::srgb_u8(92, 184, 247);
/// What an agent currently uses: targets, spots, hits, the selection.
pub const ATTENTION: Color = Color::srgb_u8(250, 212, 92);
/// Dangers: the part of a feeler beyond a wall, a pursuer.
pub const DANGER: Color = Color::srgb_u8(240, 92, 84);
/// Background information: feelers without a hit, circles, paths.
pub const QUIET: Color = Color::srgb_u8(143, 156, 181);

/// The color of a behavior's force, the same in every app: that of
/// [`Behavior::COLOR`](bevy_steering2d_core::Behavior::COLOR), else one that depends on its name.
///
/// The colors of the built-in behaviors have a contrast of at least 4.5 on a dark background. All
/// pairs are distinguishable, and behaviors often used together also with protanopia or
/// deuteranopia. To replace a color, use
/// [`SteeringDebug::set_color`](crate::SteeringDebug::set_color).
pub fn behavior_color(behavior: &BehaviorInfo) -> Color {
    color_or_derived(behavior.name, behavior.color)
}

/// The color in sRGB bytes, or one derived from the name.
pub(crate) fn color_or_derived(name: &str, color: Option<[u8; 3]>) -> Color {
    color.map_or_else(
        || color_by_name(name),
        |[red, green, blue]| Color::srgb_u8(red, green, blue),
    )
}

/// One of 24 hues, bright or pale, chosen by the hash of the name.
fn color_by_name(name: &str) -> Color {
    // FNV-1a.
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let hue = 15.0 * ((hash >> 8) % 24) as f32;
    let (lightness, chroma) = if hash & 1 == 0 {
        (0.74, 0.13)
    } else {
        (0.88, 0.07)
    };
    Oklcha::lch(lightness, chroma, hue).into()
}

/// Custom colors of behaviors, by name.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
pub struct BehaviorColors(Vec<(String, Color)>);

impl BehaviorColors {
    /// No custom colors.
    pub const NONE: Self = Self(Vec::new());

    /// The custom color of a behavior.
    pub fn get(&self, name: &str) -> Option<Color> {
        let own = self.0.iter().find(|(known, _)| known == name);
        own.map(|(_, color)| *color)
    }

    /// Sets the custom color of a behavior.
    pub fn set(&mut self, name: String, color: Color) {
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, color));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d_core::{BehaviorRegistry, SteeringCorePlugin};

    /// Behaviors often used together on one agent.
    const TOGETHER: &[&[&str]] = &[
        &[
            "Wander",
            "Containment",
            "WallAvoidance",
            "ObstacleAvoidance",
        ],
        &[
            "Wander",
            "Evade",
            "Flee",
            "WallAvoidance",
            "ObstacleAvoidance",
        ],
        &["Separation", "Alignment", "Cohesion", "Wander", "Evade"],
        &[
            "Separation",
            "Alignment",
            "Cohesion",
            "WallAvoidance",
            "Containment",
        ],
        &[
            "Seek",
            "CollisionAvoidance",
            "Queuing",
            "Separation",
            "Sidestep",
        ],
        &["Arrive", "CollisionAvoidance", "Queuing", "Separation"],
        &["Park", "ObstacleAvoidance", "CollisionAvoidance"],
        &[
            "PathFollowing",
            "Separation",
            "CollisionAvoidance",
            "Queuing",
        ],
        &["PathFollowing", "WallAvoidance", "Sidestep"],
        &["PathFollowing", "Headway", "ReciprocalAvoidance"],
        &["Seek", "Separation", "ReciprocalAvoidance"],
        &[
            "OffsetPursuit",
            "Separation",
            "ObstacleAvoidance",
            "MatchVelocity",
        ],
        &[
            "LeaderFollowing",
            "Separation",
            "CollisionAvoidance",
            "Wander",
        ],
        &["Hide", "Wander", "Evade", "ObstacleAvoidance"],
        &["Interpose", "Separation", "Arrive"],
        &["StayOnPath", "Wander", "Seek"],
        &["Tether", "Wander", "Seek"],
        &[
            "Orbit",
            "Separation",
            "ObstacleAvoidance",
            "WallAvoidance",
            "Evade",
        ],
        &["WallFollowing", "TargetSpeed"],
        &["WallFollowing", "Wander"],
        &["BehaviorGroup", "WallAvoidance", "Containment"],
        &["FlowFieldFollowing", "Separation", "CollisionAvoidance"],
        &[
            "Pursuit",
            "Wander",
            "ObstacleAvoidance",
            "WallAvoidance",
            "Seek",
        ],
    ];

    /// The background of the gallery.
    const GROUND: Color = Color::srgb(0.094, 0.114, 0.145);

    /// Linear sRGB as seen with protanopia and deuteranopia. (Machado, Oliveira and Fernandes
    /// 2009)
    const PROTANOPIA: [[f32; 3]; 3] = [
        [0.152_286, 1.052_583, -0.204_868],
        [0.114_503, 0.786_281, 0.099_216],
        [-0.003_882, -0.048_116, 1.051_998],
    ];
    const DEUTERANOPIA: [[f32; 3]; 3] = [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ];
    const NORMAL_VISION: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    /// The distance in Oklab for a type of vision. About 0.02 is just noticeable.
    fn distance(a: Color, b: Color, vision: [[f32; 3]; 3]) -> f32 {
        let seen = |color: Color| {
            let light = LinearRgba::from(color).to_vec3();
            let [r, g, b] = vision.map(|row| Vec3::from(row).dot(light).clamp(0.0, 1.0));
            let lab = Oklaba::from(LinearRgba::rgb(r, g, b));
            Vec3::new(lab.lightness, lab.a, lab.b)
        };
        seen(a).distance(seen(b))
    }

    fn contrast(a: Color, b: Color) -> f32 {
        let [a, b] = [a, b].map(|color| 0.05 + LinearRgba::from(color).luminance());
        a.max(b) / a.min(b)
    }

    /// The built-in behaviors.
    fn registry() -> BehaviorRegistry {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::default()));
        app.world().resource::<BehaviorRegistry>().clone()
    }

    #[test]
    fn every_built_in_behavior_has_its_own_color() {
        for behavior in registry().iter() {
            let name = behavior.name;
            assert!(behavior.color.is_some(), "{name} needs a Behavior::COLOR");
        }
    }

    #[test]
    fn colors_contrast_with_a_dark_background() {
        for behavior in registry().iter() {
            let color = behavior_color(behavior);
            assert!(contrast(color, GROUND) >= 4.5, "{}", behavior.name);
        }
        for color in [VELOCITY, TOTAL_FORCE, ATTENTION, DANGER, QUIET] {
            assert!(contrast(color, GROUND) >= 4.5, "{color:?}");
        }
        for name in ["Drift", "Juke", "Shun", ""] {
            assert!(contrast(color_by_name(name), GROUND) >= 4.5, "{name}");
        }
    }

    #[test]
    fn colors_are_distinguishable() {
        let registry = registry();
        let behaviors: Vec<_> = registry.iter().collect();
        for (i, a) in behaviors.iter().enumerate() {
            let (name, color) = (a.name, behavior_color(a));
            for b in &behaviors[i + 1..] {
                let apart = distance(color, behavior_color(b), NORMAL_VISION);
                assert!(apart > 0.075, "{name} and {}: {apart}", b.name);
            }
            for other in [VELOCITY, TOTAL_FORCE] {
                assert!(distance(color, other, NORMAL_VISION) > 0.075, "{name}");
            }
        }
    }

    #[test]
    fn colors_of_companions_are_distinguishable_by_color_blind_users() {
        let registry = registry();
        let color_of = |name: &str| {
            let behavior = registry.iter().find(|behavior| behavior.name == name);
            behavior_color(behavior.unwrap_or_else(|| panic!("no behavior {name}")))
        };
        for companions in TOGETHER {
            for (i, a) in companions.iter().enumerate() {
                for b in &companions[i + 1..] {
                    for vision in [PROTANOPIA, DEUTERANOPIA] {
                        let apart = distance(color_of(a), color_of(b), vision);
                        assert!(apart > 0.06, "{a} and {b}: {apart}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_behavior_is_tested_with_its_companions() {
        for behavior in registry().iter() {
            let name = behavior.name;
            let listed = TOGETHER.iter().any(|companions| companions.contains(&name));
            assert!(listed, "{name} is missing in TOGETHER");
        }
    }
}
