//! A queue of cells by travel time, with constant cost per operation.

/// A priority queue: a ring of buckets of equal width in travel time. Within a bucket cells have no order,
/// which is enough for a solver that corrects them.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    ring: Vec<Vec<u32>>,
    /// Buckets per second of travel time.
    per_second: f32,
    /// The number of the bucket at hand, counted from travel time zero.
    current: u64,
    /// The latest bucket that may have an entry.
    last: u64,
    /// How many entries there are.
    entries: usize,
}

impl Buckets {
    /// Buckets of a width, s, in a ring that spans `span` s.
    pub(crate) fn new(width: f32, span: f32) -> Self {
        let count = (span / width).ceil() as usize + 2;
        Self {
            ring: vec![Vec::new(); count],
            per_second: width.recip(),
            current: 0,
            last: 0,
            entries: 0,
        }
    }

    fn number(&self, time: f32) -> u64 {
        // No field has so long ways that it takes more buckets.
        (time * self.per_second).min(1e6) as u64
    }

    /// Queues a cell.
    pub(crate) fn push(&mut self, time: f32, cell: u32) {
        let number = self.number(time);
        if self.entries == 0 {
            (self.current, self.last) = (number, number);
        }
        let (first, last) = (self.current.min(number), self.last.max(number));
        if last - first >= self.ring.len() as u64 {
            self.grow((last - first) as usize + 1);
        }
        (self.current, self.last) = (first, last);
        let count = self.ring.len() as u64;
        self.ring[(number % count) as usize].push(cell);
        self.entries += 1;
    }

    /// Makes room for more buckets.
    fn grow(&mut self, least: usize) {
        let count = self.ring.len() as u64;
        let grown = least.max(2 * self.ring.len());
        let mut ring = vec![Vec::new(); grown];
        for number in self.current..self.current + count {
            let cells = &mut self.ring[(number % count) as usize];
            ring[(number % grown as u64) as usize].append(cells);
        }
        self.ring = ring;
    }

    /// A cell of the earliest bucket.
    pub(crate) fn pop(&mut self) -> Option<u32> {
        if self.entries == 0 {
            return None;
        }
        let count = self.ring.len() as u64;
        loop {
            if let Some(cell) = self.ring[(self.current % count) as usize].pop() {
                self.entries -= 1;
                return Some(cell);
            }
            self.current += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_by_bucket() {
        let mut queue = Buckets::new(1.0, 10.0);
        for (time, cell) in [(3.5, 1), (0.2, 2), (7.0, 3), (3.1, 4)] {
            queue.push(time, cell);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [2, 4, 1, 3]);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_ring_that_is_too_small_grows() {
        let mut queue = Buckets::new(1.0, 3.0);
        for (time, cell) in [(50.5, 1), (0.2, 2), (200.0, 3)] {
            queue.push(time, cell);
        }
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [2, 1, 3]);
    }

    #[test]
    fn the_ring_is_reused() {
        let mut queue = Buckets::new(0.5, 2.0);
        queue.push(0.0, 0);
        for step in 1..100 {
            queue.push(0.9 * step as f32, step);
            assert_eq!(queue.pop(), Some(step - 1));
        }
    }
}
