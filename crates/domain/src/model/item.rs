//! Items: what a project keeps for one of its users, in tables that its schema describes.

use serde_json::{Map, Value};

use crate::error::Error;

use super::{InvalidValue, ProjectId, ProjectUserId, Revision, Time};

/// Names that an item's answer uses itself; ignored when sent as fields (contract 7).
const RESERVED_MEMBERS: [&str; 3] = ["id", "created_at", "updated_at"];

/// The id of an item: 1 to 128 of `[A-Za-z0-9._~-]`, letter case counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemId(String);

impl ItemId {
    /// Checks the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let fits =
            (1..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._~-".contains(&b));
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidValue("must be 1 to 128 of the characters A-Z a-z 0-9 . _ ~ -"))
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An item to be stored whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The project that keeps it.
    pub project_id: ProjectId,
    /// The user it belongs to.
    pub user_id: ProjectUserId,
    /// The table it is in.
    pub table: String,
    /// Its id, unique in that table of that user.
    pub id: ItemId,
    /// Its fields.
    pub value: ItemValue,
}

/// The fields of an item as the text of a JSON object: what nobody looks into goes from the store to the caller as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemValue(String);

impl ItemValue {
    /// The text of these fields.
    pub fn of(fields: &Map<String, Value>) -> Self {
        // Nothing in a JSON object can fail to be written.
        Self(serde_json::to_string(fields).unwrap_or_default())
    }

    /// The text as the store has it.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The text: a JSON object.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The fields, for who looks into them.
    ///
    /// # Errors
    ///
    /// When the text is none of a JSON object.
    pub fn fields(&self) -> Result<Map<String, Value>, Error> {
        serde_json::from_str(&self.0).map_err(|error| Error::Internal(error.into()))
    }
}

impl Item {
    /// The largest value, in bytes of JSON (contract 7).
    pub const MAX_BYTES: usize = 256 * 1024;

    /// A sent value without what is no field: the names an answer uses itself. What is null counts as absent and is
    /// dropped by [`Item::without_nulls`], after the schema had its say.
    pub fn fields_of(mut value: Map<String, Value>) -> Map<String, Value> {
        value.retain(|name, _| !RESERVED_MEMBERS.contains(&name.as_str()));
        value
    }

    /// The fields that are there: null counts as absent (schema rules 3).
    pub fn without_nulls(mut value: Map<String, Value>) -> Map<String, Value> {
        value.retain(|_, value| !value.is_null());
        value
    }
}

/// Which of a user's items it is, among all tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemKey {
    /// The table.
    pub table: String,
    /// The item.
    pub id: ItemId,
}

/// An item as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredItem {
    /// The item.
    pub item: Item,
    /// When it was first stored.
    pub created_at: Time,
    /// When it was last stored.
    pub updated_at: Time,
    /// Changes with every write and is never used again for the same id: the entity tag.
    pub revision: Revision,
}

/// What must hold of the stored item for a write to happen (RFC 9110 §13.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// Nothing.
    None,
    /// It exists (`If-Match: *`).
    Exists,
    /// It does not exist (`If-None-Match: *`).
    Absent,
    /// It exists and has one of these revisions (`If-Match: "..."`).
    Matches(Vec<Revision>),
    /// It has none of these revisions (`If-None-Match: "..."`).
    NoneOf(Vec<Revision>),
}

impl Precondition {
    /// Whether it holds of an item with this revision; `None` for an absent one.
    pub fn holds(&self, revision: Option<Revision>) -> bool {
        match self {
            Self::None => true,
            Self::Exists => revision.is_some(),
            Self::Absent => revision.is_none(),
            Self::Matches(wanted) => revision.is_some_and(|r| wanted.contains(&r)),
            Self::NoneOf(unwanted) => revision.is_none_or(|r| !unwanted.contains(&r)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answered_names_are_no_fields_and_null_is_absent() {
        let sent = json!({"id": 1, "created_at": 2, "a": null, "b": false}).as_object().unwrap().clone();
        let fields = Item::fields_of(sent);
        assert_eq!(fields.len(), 2);
        assert_eq!(Value::Object(Item::without_nulls(fields)), json!({"b": false}));
    }

    #[test]
    fn item_ids_stand_in_a_path_as_they_are() {
        assert!(ItemId::parse("a.B_~-9").is_ok());
        for bad in ["", "a/b", "a b", "ä", "%41", &"a".repeat(129)] {
            assert!(ItemId::parse(bad).is_err(), "{bad}");
        }
    }
}
