//! What steering knows of an entity does not depend on when its components changed: disabled
//! entities, missing parts, ids, and clones.

mod disabled;
mod ids;
mod parts;
