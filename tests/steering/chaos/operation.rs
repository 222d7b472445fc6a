//! Operations: everything a game may do to the library, as data that can be drawn, run again and
//! shortened.

use std::fmt;

use bevy::prelude::*;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::physics::Physics;
use super::surface::Part;

/// The number of entities that operations refer to.
pub const SLOTS: u8 = 40;

/// The number of entities that exist before anything else happens.
const EARLY: u8 = 12;

/// The place of an entity; empty before it is spawned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Slot(pub u8);

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Runs one tick and checks the invariants.
    Tick,
    Spawn {
        at: Slot,
        body: Body,
        place: Vec2,
    },
    Despawn(Slot),
    /// Inserts a component with its default value; its targets become the entity at `target`.
    Insert {
        at: Slot,
        part: Part,
        target: Slot,
    },
    Remove {
        at: Slot,
        part: Part,
    },
    /// Sets one parameter of a component; the numbers choose which, and the value.
    Set {
        at: Slot,
        part: Part,
        parameter: u32,
        value: u32,
    },
    SteersFor {
        at: Slot,
        agent: Slot,
    },
    ChildOf {
        at: Slot,
        parent: Slot,
    },
    Detach(Slot),
    /// Inserts Bevy's `Disabled`.
    Disable(Slot),
    Enable(Slot),
    Path {
        at: Slot,
        shape: u32,
    },
    FlowField {
        at: Slot,
        shape: u32,
    },
    Teleport {
        at: Slot,
        place: Vec2,
        turn: f32,
        scale: f32,
    },
    Physics {
        at: Slot,
        change: Physics,
    },
    Combine {
        at: Slot,
        combiner: u8,
    },
    /// Captures the tuning of one entity, writes it as text, reads the text, and applies it.
    CopyTuning {
        from: Slot,
        to: Slot,
    },
    UsePreset {
        at: Slot,
        preset: u8,
    },
    /// Overwrites the asset of a preset.
    ChangePreset {
        preset: u8,
        from: Slot,
    },
    Clone {
        from: Slot,
        to: Slot,
    },
    /// What observers do from now on.
    React(Reaction),
    NextId(u32),
    Hertz(u32),
    Pause(bool),
    PausePhysics(bool),
    /// Does the operation at a moment within the next tick.
    Within(Moment, Box<Self>),
    Draw {
        layers: u32,
        whom: u8,
        selected: Slot,
    },
    /// Shows the panel for one frame, and clicks at a point of it.
    Click {
        tab: u8,
        x: f32,
        y: f32,
        selected: Slot,
    },
}

/// What moves a new entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    Nothing,
    Point,
    Dynamic,
    Kinematic,
}

/// What an observer does on every event of steering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Resource)]
pub enum Reaction {
    #[default]
    Nothing,
    DespawnAgent,
    DespawnSource,
    DespawnTarget,
    RemoveVehicle,
    DisableAgent,
    ClearAgent,
    Wander,
}

/// A moment within a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    BeforeSense,
    BeforeSteer,
    BeforeAdjust,
    BeforeCombine,
    BeforeMove,
    AfterMove,
}

impl Moment {
    pub const ALL: [Self; 6] = [
        Self::BeforeSense,
        Self::BeforeSteer,
        Self::BeforeAdjust,
        Self::BeforeCombine,
        Self::BeforeMove,
        Self::AfterMove,
    ];
}

/// Draws operations at random.
pub struct Dice<'a> {
    dice: Xoshiro256PlusPlus,
    behaviors: &'a [Part],
    parts: &'a [Part],
    extreme: bool,
    panel: bool,
}

impl<'a> Dice<'a> {
    pub fn new(seed: u64, behaviors: &'a [Part], parts: &'a [Part], panel: bool) -> Self {
        Self {
            dice: Xoshiro256PlusPlus::seed_from_u64(seed),
            behaviors,
            parts,
            extreme: is_extreme(seed),
            panel,
        }
    }

    /// A list with this many operations and the ticks between them.
    pub fn list(&mut self, operations: usize) -> Vec<Operation> {
        let mut list: Vec<Operation> = (0..EARLY).map(|at| self.spawn(Slot(at))).collect();
        let mut count = list.len();
        while count < operations {
            list.push(self.operation());
            count += 1;
            if self.chance(0.6) {
                list.push(Operation::Tick);
            }
        }
        list.extend([const { Operation::Tick }; 5]);
        list
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.dice.random_bool(probability)
    }

    fn operation(&mut self) -> Operation {
        let at = self.slot();
        match self.dice.random_range(0..110) {
            0..10 => self.spawn(at),
            10..14 => Operation::Despawn(at),
            14..36 => Operation::Insert {
                at,
                part: self.one_of(self.behaviors),
                target: self.slot(),
            },
            36..42 => Operation::Remove {
                at,
                part: self.one_of(self.behaviors),
            },
            42..56 => Operation::Set {
                at,
                part: self.any_part(),
                parameter: self.dice.random(),
                value: self.dice.random(),
            },
            56..61 => Operation::Insert {
                at,
                part: self.one_of(self.parts),
                target: self.slot(),
            },
            61..65 => Operation::Remove {
                at,
                part: self.one_of(self.parts),
            },
            65..69 => Operation::SteersFor {
                at,
                agent: self.slot(),
            },
            69..71 => Operation::ChildOf {
                at,
                parent: self.slot(),
            },
            71 => Operation::Detach(at),
            72..74 => Operation::Disable(at),
            74..77 => Operation::Enable(at),
            77..79 => Operation::Path {
                at,
                shape: self.dice.random(),
            },
            79 => Operation::FlowField {
                at,
                shape: self.dice.random(),
            },
            80..82 => Operation::Teleport {
                at,
                place: self.place(),
                turn: self.dice.random_range(-3.0..3.0),
                scale: self.dice.random_range(0.2..3.0),
            },
            82..87 => Operation::Physics {
                at,
                change: self.physics(),
            },
            87..89 => Operation::Combine {
                at,
                combiner: self.dice.random(),
            },
            89 => Operation::CopyTuning {
                from: at,
                to: self.slot(),
            },
            90 => Operation::UsePreset {
                at,
                preset: self.dice.random_range(0..3),
            },
            91 => Operation::ChangePreset {
                preset: self.dice.random_range(0..3),
                from: at,
            },
            92..94 => Operation::Clone {
                from: at,
                to: self.slot(),
            },
            94..96 => Operation::React(self.reaction()),
            96 => Operation::Hertz(
                *[1, 10, 30, 60, 60, 144, 1_000]
                    .choose(&mut self.dice)
                    .expect("not empty"),
            ),
            97 => Operation::Pause(self.dice.random_bool(0.3)),
            98 => Operation::PausePhysics(self.dice.random_bool(0.3)),
            99 => Operation::NextId(self.dice.random_range(0..200)),
            100..102 if self.panel => Operation::Draw {
                layers: self.dice.random(),
                whom: self.dice.random(),
                selected: at,
            },
            102..106 if self.panel => Operation::Click {
                tab: self.dice.random(),
                x: self.dice.random_range(0.0..400.0),
                y: self.dice.random_range(0.0..700.0),
                selected: at,
            },
            _ => {
                let moment = *Moment::ALL.choose(&mut self.dice).expect("not empty");
                match self.operation() {
                    outer @ (Operation::Within(..) | Operation::Click { .. }) => outer,
                    inner => Operation::Within(moment, Box::new(inner)),
                }
            }
        }
    }

    /// Mostly one of the early entities, so that they meet each other often.
    fn slot(&mut self) -> Slot {
        let among = if self.chance(0.6) { EARLY } else { SLOTS };
        Slot(self.dice.random_range(0..among))
    }

    fn one_of(&mut self, parts: &[Part]) -> Part {
        *parts.choose(&mut self.dice).expect("not empty")
    }

    fn any_part(&mut self) -> Part {
        match self.dice.random_bool(0.6) {
            true => self.one_of(self.behaviors),
            false => self.one_of(self.parts),
        }
    }

    fn spawn(&mut self, at: Slot) -> Operation {
        let body = match self.dice.random_range(0..10) {
            0 => Body::Nothing,
            1..5 => Body::Point,
            5 => Body::Kinematic,
            _ => Body::Dynamic,
        };
        let place = self.place();
        Operation::Spawn { at, body, place }
    }

    /// A place near the others; in extreme worlds sometimes far away.
    fn place(&mut self) -> Vec2 {
        let far = self.extreme && self.dice.random_bool(0.05);
        let scale = if far { 1e6 } else { 1.0 };
        let mut coordinate = || scale * self.dice.random_range(-5.0..5.0_f32);
        Vec2::new(coordinate(), coordinate())
    }

    fn physics(&mut self) -> Physics {
        let place = self.place();
        let size = self.dice.random_range(0.05..1.5);
        let mass = *[0.0, 1e-3, 1.0, 1e3]
            .choose(&mut self.dice)
            .expect("not empty");
        *[
            Physics::Dynamic,
            Physics::Dynamic,
            Physics::KinematicByVelocity,
            Physics::KinematicByPosition,
            Physics::Fixed,
            Physics::NoBody,
            Physics::Ball(size),
            Physics::Box(size, 2.0 * size),
            Physics::ChildCollider,
            Physics::NoCollider,
            Physics::Sensor,
            Physics::NoSensor,
            Physics::Solid,
            Physics::Ghostly,
            Physics::DisabledBody,
            Physics::EnabledBody,
            Physics::DisabledCollider,
            Physics::EnabledCollider,
            Physics::Mass(mass),
            Physics::Locked,
            Physics::Free,
            Physics::Velocity(place, size),
            Physics::NoVelocity,
            Physics::Force(place),
            Physics::Asleep,
        ]
        .choose(&mut self.dice)
        .expect("not empty")
    }

    fn reaction(&mut self) -> Reaction {
        *[
            Reaction::Nothing,
            Reaction::DespawnAgent,
            Reaction::DespawnSource,
            Reaction::DespawnTarget,
            Reaction::RemoveVehicle,
            Reaction::DisableAgent,
            Reaction::ClearAgent,
            Reaction::Wander,
        ]
        .choose(&mut self.dice)
        .expect("not empty")
    }
}

/// Whether the world of a seed gets extreme values; every second one does.
pub fn is_extreme(seed: u64) -> bool {
    seed % 2 == 1
}
