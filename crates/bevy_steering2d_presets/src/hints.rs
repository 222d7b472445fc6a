//! "Did you mean": the nearest known names to a misspelled one.

/// The up to three of `known` that may have been meant, joined by "or"; empty if none comes near.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let word = word.to_lowercase();
    // A third of the letters may be wrong, but not all of a short word.
    let tolerance = (word.chars().count() / 3).clamp(1, 4);
    let mut near: Vec<(usize, &str)> = known
        .map(|name| (distance(&word, &name.to_lowercase()), name))
        .filter(|&(distance, _)| distance <= tolerance)
        .collect();
    near.sort_unstable();
    let best: Vec<&str> = near.into_iter().map(|(_, name)| name).take(3).collect();
    best.join(" or ")
}

/// "; did you mean …?", or else a list of what there is.
pub(crate) fn hint<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = nearest(word, known.clone());
    let all: Vec<&str> = known.collect();
    if !near.is_empty() {
        format!("; did you mean {near}?")
    } else if all.is_empty() {
        String::new()
    } else {
        format!("; there is {}", all.join(", "))
    }
}

/// Levenshtein's: how many letters to insert, remove or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_are_recognized() {
        let known = ["Separation", "Alignment", "Seek", "StayOnPath"];
        assert_eq!(nearest("Seperation", known.into_iter()), "Separation");
        assert_eq!(nearest("seek", known.into_iter()), "Seek");
        assert_eq!(nearest("Sek", known.into_iter()), "Seek");
        assert_eq!(nearest("Teleport", known.into_iter()), "");
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
