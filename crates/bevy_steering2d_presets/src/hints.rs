//! "Did you mean" hints: the known names most similar to a misspelled one.

/// Up to three similar names of `known`, joined by "or"; empty if none is similar.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let word = word.to_lowercase();
    let letters = word.chars().count();
    // At most a third of the letters may differ, at least one and at most four.
    let tolerance = (letters / 3).clamp(1, 4);
    let mut near: Vec<(usize, &str)> = known
        // Each missing letter differs, so a name of another length is not compared letter by letter.
        .filter(|name| name.chars().count().abs_diff(letters) <= tolerance)
        .map(|name| (distance(&word, &name.to_lowercase()), name))
        .filter(|&(distance, _)| distance <= tolerance)
        .collect();
    near.sort_unstable();
    let best: Vec<&str> = near.into_iter().map(|(_, name)| name).take(3).collect();
    best.join(" or ")
}

/// "; did you mean …?", or a list of all known names if none is similar.
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

/// Edit distance: the number of letters to insert, remove or replace. (Levenshtein 1966)
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
    fn nearest_finds_misspelled_names() {
        let known = ["Separation", "Alignment", "Seek", "StayOnPath"];
        assert_eq!(nearest("Seperation", known.into_iter()), "Separation");
        assert_eq!(nearest("seek", known.into_iter()), "Seek");
        assert_eq!(nearest("Sek", known.into_iter()), "Seek");
        assert_eq!(nearest("Teleport", known.into_iter()), "");
    }

    #[test]
    fn distance_counts_edited_letters() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
