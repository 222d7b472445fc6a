//! Shrinking: the shortest list of operations that still fails (delta debugging; Zeller and
//! Hildebrandt 2002).

use std::time::{Duration, Instant};

/// Time after which the list counts as short enough.
const PATIENCE: Duration = Duration::from_secs(120);

/// Removes items from a failing list, in smaller and smaller pieces, as long as it `fails`.
pub fn shrink<T: Clone>(mut items: Vec<T>, mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let start = Instant::now();
    let mut piece = items.len().div_ceil(2);
    while piece > 0 {
        let mut removed_any = false;
        let mut end = items.len();
        while end > 0 && start.elapsed() < PATIENCE {
            let begin = end.saturating_sub(piece);
            let mut shorter = items.clone();
            shorter.drain(begin..end);
            if fails(&shorter) {
                items = shorter;
                removed_any = true;
            }
            end = begin;
        }
        // Single items are tried again while that helps.
        piece = match piece {
            1 if removed_any && start.elapsed() < PATIENCE => 1,
            _ => piece / 2,
        };
    }
    items
}

#[test]
fn shrink_keeps_only_the_items_that_fail_together() {
    let items: Vec<u32> = (0..500).collect();
    let needed = [17, 230, 231, 499];
    let fails = |list: &[u32]| needed.iter().all(|it| list.contains(it));
    assert_eq!(shrink(items, fails), needed);
}
