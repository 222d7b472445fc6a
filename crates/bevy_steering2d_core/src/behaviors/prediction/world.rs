//! [`Predictions`]: what predictions read of the scene, and where they expect another body.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::course::{Course, Mover, Scenery, reach_from_velocity};
use super::predictor::limits_of;
use super::sighting::Sighting;
use super::{Prediction, PredictorType};
use crate::perception::{ObstacleIndex, WallIndex};
use crate::{Agent, Kinematics, SteeringClock, SteeringWarnings, Target, Vehicle};

/// What the predictions of [`Pursuit`](crate::Pursuit) and [`Evade`](crate::Evade) read beside the two
/// bodies: the limits of the other, and the scenery.
#[derive(SystemParam)]
pub struct Predictions<'w, 's> {
    walls: Res<'w, WallIndex>,
    obstacles: Res<'w, ObstacleIndex>,
    vehicles: Query<'w, 's, &'static Vehicle>,
    clock: Res<'w, SteeringClock>,
    warnings: Res<'w, SteeringWarnings>,
}

/// A pair of bodies: the agent, and the one it pursues or evades.
#[derive(Clone, Copy)]
pub(in crate::behaviors) struct Pair<'a> {
    /// The entity with the behavior, for warnings.
    pub(in crate::behaviors) source: Entity,
    pub(in crate::behaviors) me: &'a Agent,
    pub(in crate::behaviors) target: Target,
    pub(in crate::behaviors) other: &'a Kinematics,
    /// The time that the agent needs to turn before it moves, s.
    pub(in crate::behaviors) turning: f32,
}

/// What a prediction expects.
#[expect(clippy::large_enum_variant, reason = "lives on the stack of one call")]
enum Expected {
    /// A course, and the time of interest on it, s.
    Course(Course, f32),
    Place(Vec2),
}

impl Predictions<'_, '_> {
    /// Where the agent can meet the other, m. Only for predictions that are not straight.
    pub(in crate::behaviors) fn meeting_place(
        &self,
        prediction: Prediction,
        pair: Pair,
        seen: &mut Sighting,
    ) -> Vec2 {
        seen.expected = match self.expect(prediction, pair, seen) {
            Expected::Course(course, time) => course.at(time),
            Expected::Place(place) => place,
        };
        seen.expected
    }

    /// Where the other comes nearest to the agent until they meet, m. Only for predictions that are not
    /// straight.
    pub(in crate::behaviors) fn nearest_place(
        &self,
        prediction: Prediction,
        pair: Pair,
        seen: &mut Sighting,
    ) -> Vec2 {
        seen.expected = match self.expect(prediction, pair, seen) {
            Expected::Course(course, time) => {
                course.at(course.nearest_time(pair.me.position, time))
            }
            Expected::Place(place) => place,
        };
        seen.expected
    }

    fn expect(&self, prediction: Prediction, pair: Pair, seen: &mut Sighting) -> Expected {
        let Pair {
            me, target, other, ..
        } = pair;
        let foretold = seen.foretold.take();
        if let Prediction::Custom(predictor) = prediction {
            return Expected::Place(foretold.unwrap_or_else(|| {
                self.warn_of_missing_predictor(pair.source, predictor);
                other.position
            }));
        }
        seen.observe(target, other, me, self.clock.delta);
        let mover = Mover {
            body: other,
            limits: limits_of(target, &self.vehicles),
            seen,
        };
        let moving = match prediction {
            Prediction::Acceleration => Course::horizon_from_velocity(me, other),
            _ => Course::horizon(me, other),
        };
        let horizon = moving + pair.turning;
        let course = match prediction {
            Prediction::Acceleration => Course::accelerating(mover, horizon),
            Prediction::Scenery => Course::in_scenery(mover, self.scenery(pair), horizon),
            _ => Course::turning(mover, horizon),
        };
        let reach = |time: f32| {
            let moving = (time - pair.turning).max(0.0);
            match prediction {
                Prediction::Acceleration => reach_from_velocity(me, course.at(time), moving),
                _ => me.max_speed * moving,
            }
        };
        let time = course.meeting_time(me.position, reach);
        let time = time.unwrap_or_else(|| Prediction::LookAhead.time(me, other) + pair.turning);
        Expected::Course(course, time)
    }

    fn scenery(&self, pair: Pair) -> Scenery<'_> {
        let other = match pair.target {
            Target::Entity(entity) => Some(entity),
            Target::Point(_) => None,
        };
        Scenery {
            walls: &self.walls,
            obstacles: &self.obstacles,
            except: [other, Some(pair.me.entity)],
        }
    }

    #[cold]
    fn warn_of_missing_predictor(&self, source: Entity, predictor: PredictorType) {
        self.warnings.raise(&self.clock, source, "Prediction::Custom", || {
            format!(
                "the prediction is by {predictor:?}, which this entity does not have, or which is not registered \
                 with add_predictor; until then the present position is expected"
            )
        });
    }
}
