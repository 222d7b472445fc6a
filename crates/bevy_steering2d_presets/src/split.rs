//! RON splitting, one bracket level at a time. Every piece is a slice of the source, so the place
//! of every value in the file is known.

use std::fmt;

use ron::Options;
use ron::error::SpannedError;
use ron::value::RawValue;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::SteeringPreset;

/// A name and the source of its value.
pub(crate) type Pair<'s> = (&'s str, &'s str);

fn options() -> Options {
    Options::default().with_recursion_limit(SteeringPreset::MAX_DEPTH)
}

/// `{ key: value, … }`
pub(crate) fn map(source: &str) -> Result<Vec<Pair<'_>>, SpannedError> {
    options().from_str_seed(source, Shape::Map)
}

/// `(name: value, …)`, or `Name(name: value, …)`
pub(crate) fn fields<'s>(
    source: &'s str,
    name: &'static str,
) -> Result<Vec<Pair<'s>>, SpannedError> {
    options().from_str_seed(source, Shape::Struct(name))
}

/// `(value, …)`, or `Name(value, …)`
pub(crate) fn items<'s>(source: &'s str, name: &'static str) -> Result<Vec<&'s str>, SpannedError> {
    options()
        .from_str_seed(source, Shape::Tuple(name))
        .map(values)
}

/// `[value, …]`
pub(crate) fn list(source: &str) -> Result<Vec<&str>, SpannedError> {
    options().from_str_seed(source, Shape::List).map(values)
}

/// Deserializes one value with a seed.
pub(crate) fn value<'s, S: DeserializeSeed<'s>>(
    source: &'s str,
    seed: S,
) -> Result<S::Value, SpannedError> {
    options().from_str_seed(source, seed)
}

/// Splits off a leading identifier, which is empty if the source does not start with one.
pub(crate) fn identifier(source: &str) -> Pair<'_> {
    let end = source
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(source.len());
    (&source[..end], source[end..].trim_start())
}

fn values<'s>(pieces: Vec<Pair<'s>>) -> Vec<&'s str> {
    pieces.into_iter().map(|(_, value)| value).collect()
}

enum Shape {
    Map,
    Struct(&'static str),
    Tuple(&'static str),
    List,
}

impl<'s> DeserializeSeed<'s> for Shape {
    type Value = Vec<Pair<'s>>;

    fn deserialize<D: Deserializer<'s>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match self {
            Self::Map => deserializer.deserialize_map(Pieces { keys: Keys::Any }),
            Self::Struct(name) => {
                deserializer.deserialize_struct(name, &[], Pieces { keys: Keys::Names })
            }
            // RON ignores the length.
            Self::Tuple(name) => {
                deserializer.deserialize_tuple_struct(name, 0, Pieces { keys: Keys::Any })
            }
            Self::List => deserializer.deserialize_seq(Pieces { keys: Keys::Any }),
        }
    }
}

struct Pieces {
    keys: Keys,
}

#[derive(Clone, Copy)]
enum Keys {
    Names,
    Any,
}

impl<'s> Visitor<'s> for Pieces {
    type Value = Vec<Pair<'s>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("values in brackets")
    }

    fn visit_map<A: MapAccess<'s>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pieces = Vec::new();
        while let Some(key) = map.next_key_seed(self.keys)? {
            let value: &'s RawValue = map.next_value()?;
            pieces.push((key, value.trim().get_ron()));
        }
        Ok(pieces)
    }

    fn visit_seq<A: SeqAccess<'s>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut pieces = Vec::new();
        while let Some(value) = seq.next_element::<&'s RawValue>()? {
            pieces.push(("", value.trim().get_ron()));
        }
        Ok(pieces)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }
}

impl<'s> DeserializeSeed<'s> for Keys {
    type Value = &'s str;

    fn deserialize<D: Deserializer<'s>>(self, deserializer: D) -> Result<&'s str, D::Error> {
        match self {
            Self::Names => deserializer.deserialize_identifier(Name),
            Self::Any => {
                let key: &'s RawValue = serde::Deserialize::deserialize(deserializer)?;
                Ok(key.trim().get_ron())
            }
        }
    }
}

struct Name;

impl<'s> Visitor<'s> for Name {
    type Value = &'s str;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'s str) -> Result<&'s str, E> {
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_with_comments_are_split_into_values() {
        let source = "{ // a comment\n Seek: (weight: 1.5), /* more */ \"a::B\": Average, }";
        let pieces = map(source).unwrap();
        assert_eq!(pieces, [("Seek", "(weight: 1.5)"), ("\"a::B\"", "Average")]);
        assert_eq!(fields(pieces[0].1, "Seek").unwrap(), [("weight", "1.5")]);
        assert_eq!(
            items("(1, /* two */ (2, 3))", "T").unwrap(),
            ["1", "(2, 3)"]
        );
        assert_eq!(list("[(1), 2.5]").unwrap(), ["(1)", "2.5"]);
        assert_eq!(fields("()", "T").unwrap(), []);
    }

    #[test]
    fn identifier_splits_off_the_leading_name() {
        assert_eq!(identifier("Ramp (radius: 1)"), ("Ramp", "(radius: 1)"));
        assert_eq!(identifier("Normal"), ("Normal", ""));
        assert_eq!(identifier("(1, 2)"), ("", "(1, 2)"));
    }
}
