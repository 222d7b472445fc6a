//! [`Recent`]: what takes long to find, found anew only once in a while.

use bevy::platform::time::Instant;

/// What was found last, with the key that it was found for.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    /// How long it is shown, s.
    shown: f32,
    last: Option<(K, Instant, V)>,
}

impl<K, V> Recent<K, V> {
    /// Shows what was found for so long, s.
    pub(crate) fn shown_for(shown: f32) -> Self {
        Self { shown, last: None }
    }
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self::shown_for(0.25)
    }
}

impl<K: PartialEq, V> Recent<K, V> {
    /// What was found for this key a moment ago, else what `find` finds now.
    pub(crate) fn get(&mut self, key: K, find: impl FnOnce(&K) -> V) -> &V {
        let shown = self.shown;
        let last = self.last.take().filter(|(of, at, _)| {
            let is_recent = at.elapsed().as_secs_f32() <= shown;
            is_recent && *of == key
        });
        let found = last.unwrap_or_else(|| {
            let value = find(&key);
            (key, Instant::now(), value)
        });
        &self.last.insert(found).2
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_found_is_kept_for_its_key_and_for_a_moment() {
        let mut recent = Recent::default();
        assert_eq!(*recent.get("fox", |_| 1), 1);
        // However long the test takes, no time has passed since then.
        let (_, at, _) = recent.last.as_mut().unwrap();
        *at = at.checked_add(Duration::from_secs(3_600)).unwrap();
        assert_eq!(*recent.get("fox", |_| 2), 1, "a moment later");
        assert_eq!(*recent.get("hen", |_| 3), 3, "another key");
        let (_, at, _) = recent.last.as_mut().unwrap();
        *at = at.checked_sub(Duration::from_secs(1)).unwrap();
        assert_eq!(*recent.get("hen", |_| 4), 4, "much later");
    }
}
