//! The IDs in a file of items, to report one that is used twice: the first item would be replaced unnoticed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::{ID, LineViolation};
use crate::data::ItemId;

/// Maximum number of IDs that are remembered, which takes some 50 MiB. Later ones are only compared with these.
const MAX_REMEMBERED: usize = 1_000_000;

/// The IDs of the lines that were read so far.
#[derive(Debug)]
pub struct UsedIds {
    /// The line of each ID, by a hash of the ID with 128 bits.
    lines: HashMap<[u64; 2], u64>,
    max_remembered: usize,
}

impl Default for UsedIds {
    fn default() -> Self {
        Self::remembering(MAX_REMEMBERED)
    }
}

impl UsedIds {
    /// Returns a list that remembers at most this many IDs.
    pub fn remembering(max_remembered: usize) -> Self {
        Self { lines: HashMap::new(), max_remembered }
    }

    /// Remembers the ID of a line.
    ///
    /// # Errors
    ///
    /// An earlier line has the same ID.
    pub fn add(&mut self, id: &ItemId, line: u64) -> Result<(), LineViolation> {
        let is_full = self.lines.len() >= self.max_remembered;
        match self.lines.entry([0, 1].map(|salt| hash_of(salt, id))) {
            Entry::Occupied(first) => {
                let message = format!("The id was already used on line {}.", first.get());
                Err(LineViolation { field: Some(ID.to_owned()), message })
            }
            Entry::Vacant(_) if is_full => Ok(()),
            Entry::Vacant(entry) => {
                entry.insert(line);
                Ok(())
            }
        }
    }
}

fn hash_of(salt: u8, id: &ItemId) -> u64 {
    let mut hasher = DefaultHasher::new();
    (salt, id.as_str()).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_used_again_is_reported_with_its_first_line() {
        let (mut used, id) = (UsedIds::default(), |id: &str| ItemId::parse(id).unwrap());
        assert_eq!([used.add(&id("a"), 2), used.add(&id("b"), 3)], [Ok(()), Ok(())]);
        for line in [4, 5] {
            let violation = used.add(&id("a"), line).unwrap_err();
            assert_eq!(violation.message, "The id was already used on line 2.");
            assert_eq!(violation.field.as_deref(), Some("id"));
        }
    }
}
