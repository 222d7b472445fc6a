//! [`Recent`]: what takes long to find, found anew only a few times a second.

use bevy::platform::time::Instant;

/// What was found last, with the key that it was found for.
#[derive(Debug)]
pub(crate) struct Recent<K, V>(Option<(K, Instant, V)>);

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: PartialEq, V> Recent<K, V> {
    /// How long it is shown, s.
    const SHOWN: f32 = 0.25;

    /// What was found for this key a moment ago, else what `find` finds now.
    pub(crate) fn get(&mut self, key: K, find: impl FnOnce(&K) -> V) -> &V {
        let last = self.0.take().filter(|(of, at, _)| {
            let is_recent = at.elapsed().as_secs_f32() <= Self::SHOWN;
            is_recent && *of == key
        });
        let found = last.unwrap_or_else(|| {
            let value = find(&key);
            (key, Instant::now(), value)
        });
        &self.0.insert(found).2
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
        let (key, at, value) = recent.0.unwrap();
        let ahead = at.checked_add(Duration::from_secs(3_600)).unwrap();
        let mut recent = Recent(Some((key, ahead, value)));
        assert_eq!(*recent.get("fox", |_| 2), 1, "a moment later");
        assert_eq!(*recent.get("hen", |_| 3), 3, "another key");
        let (key, at, value) = recent.0.unwrap();
        let long_ago = at.checked_sub(Duration::from_secs(1)).unwrap();
        let mut recent = Recent(Some((key, long_ago, value)));
        assert_eq!(*recent.get("hen", |_| 4), 4, "much later");
    }
}
