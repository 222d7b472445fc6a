//! The summary of the agents gathered for the neighbor index: bounds, radii and order of ids.

use bevy::math::Vec4Swizzles;
use bevy::prelude::*;

use super::neighbor::Perception;
#[cfg(test)]
use super::{SteeringGroups, rows::Rows};
use crate::SteeringId;

/// A summary of the gathered agents, from which the grid is laid out.
#[derive(Debug)]
pub(super) struct Summary {
    /// The least x, y, −x and −y: their bounding box.
    pub(super) least: Vec4,
    /// The smallest and the largest body radius, m.
    pub(super) smallest: f32,
    pub(super) largest: f32,
    pub(super) radii: RadiusHistogram,
    /// Whether one is in no group.
    pub(super) hides: bool,
    /// Whether their ids ascend, as they do until entities move between tables.
    pub(super) by_id: bool,
    /// First and last id.
    ids: Option<[SteeringId; 2]>,
}

impl Default for Summary {
    fn default() -> Self {
        Self {
            least: Vec4::INFINITY,
            smallest: f32::INFINITY,
            largest: 0.0,
            radii: RadiusHistogram::default(),
            hides: false,
            by_id: true,
            ids: None,
        }
    }
}

impl Summary {
    /// The summary of these rows, without perception radii.
    #[cfg(test)]
    pub(super) fn of(rows: &Rows) -> Self {
        let mut summary = Self::default();
        for body in &rows.bodies {
            summary.note_ids(&[body.id]);
            let corners = Vec4::from((body.position, -body.position));
            summary.least = summary.least.min(corners);
            summary.smallest = summary.smallest.min(body.radius);
            summary.largest = summary.largest.max(body.radius);
            summary.hides |= body.groups == SteeringGroups::NONE;
        }
        summary
    }

    /// Adds the ids of the agents that come next.
    pub(super) fn note_ids(&mut self, ids: &[SteeringId]) {
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else {
            return;
        };
        let before = self.ids.unwrap_or([first; 2]);
        self.by_id &= before[1] <= first && ids.is_sorted();
        self.ids = Some([before[0], last]);
    }

    /// Adds the summary of the agents that come next.
    pub(super) fn append(&mut self, next: &Self) {
        self.least = self.least.min(next.least);
        self.smallest = self.smallest.min(next.smallest);
        self.largest = self.largest.max(next.largest);
        self.radii.append(&next.radii);
        self.hides |= next.hides;
        self.by_id &= next.by_id;
        if let Some(ids) = &next.ids {
            self.note_ids(ids);
        }
    }

    pub(super) fn bounds(&self) -> Rect {
        Rect {
            min: self.least.xy(),
            max: -self.least.zw(),
        }
    }
}

/// One bucket for each exponent of a float.
const BUCKETS: usize = 256;

/// A histogram of perception radii by powers of two. The most frequent bucket sets the cell size,
/// so a single agent with a hundred times the radius does not.
#[derive(Debug)]
pub(super) struct RadiusHistogram {
    counts: [u32; BUCKETS],
    longest: [f32; BUCKETS],
}

impl Default for RadiusHistogram {
    fn default() -> Self {
        Self {
            counts: [0; BUCKETS],
            longest: [0.0; BUCKETS],
        }
    }
}

impl RadiusHistogram {
    pub(super) fn add(&mut self, perceptions: &[Perception]) {
        // Mostly all radii are equal.
        for equals in perceptions.chunk_by(|a, b| a.radius == b.radius) {
            let radius = equals[0].radius;
            if radius > 0.0 && radius < f32::INFINITY {
                // The exponent bits of a positive float.
                let bucket = (radius.to_bits() >> 23) as usize;
                self.counts[bucket] += equals.len() as u32;
                self.longest[bucket] = self.longest[bucket].max(radius);
            }
        }
    }

    fn append(&mut self, next: &Self) {
        for bucket in 0..BUCKETS {
            self.counts[bucket] += next.counts[bucket];
            self.longest[bucket] = self.longest[bucket].max(next.longest[bucket]);
        }
    }

    /// The largest radius in the fullest bucket, m; `None` if no agent has a radius.
    pub(super) fn usual(&self) -> Option<f32> {
        let fullest = (0..BUCKETS).max_by_key(|&bucket| self.counts[bucket])?;
        (self.counts[fullest] > 0).then_some(self.longest[fullest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_large_perception_radius_does_not_set_the_cell_size() {
        let perceptions = [3.0; 100].into_iter().chain([3.5, 1e6, f32::NAN]);
        let perceptions = perceptions.map(|radius| Perception {
            radius,
            ..default()
        });
        let mut radii = RadiusHistogram::default();
        radii.add(&perceptions.collect::<Vec<_>>());
        assert_eq!(radii.usual(), Some(3.5));
        assert_eq!(RadiusHistogram::default().usual(), None);
    }
}
