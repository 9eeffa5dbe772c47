//! The parts that downloads of stored data have in common: items and timestamps as the API returns them, and what a
//! project stores about a user.

use serde_json::{Map, Value, json};
use steward_domain::administration::Day;
use steward_domain::data::{ItemKey, ProjectUser, StoredItem};
use steward_domain::identity::Grant;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{PageSize, Time};

/// What is not written yet of a user's items: an object with an array for each table.
#[derive(Clone)]
pub(crate) struct ItemTables {
    /// Key of the last item that is written; `None` before the first one.
    pub after: Option<ItemKey>,
    /// Size of the next chunk.
    pub size: PageSize,
}

impl ItemTables {
    /// Nothing is written yet, except the start of the object.
    pub(crate) const START: Self = Self { after: None, size: PageSize::CHUNK };

    /// Appends the items of the next chunk, and returns what is not written yet. Without items, appends the end of the
    /// object and returns `None`.
    pub(crate) fn write(self, text: &mut String, found: &[StoredItem]) -> Result<Option<Self>, Error> {
        let Self { mut after, size } = self;
        if found.is_empty() {
            text.push_str(if after.is_some() { "]}" } else { "}" });
            return Ok(None);
        }
        for stored in found {
            let key = ItemKey { table: stored.item.table.clone(), id: stored.item.id.clone() };
            let name = Value::from(key.table.as_str()).to_string();
            match after.replace(key) {
                Some(previous) if previous.table == stored.item.table => text.push(','),
                Some(_) => text.extend(["],", name.as_str(), ":["]),
                None => text.extend([name.as_str(), ":["]),
            }
            text.push_str(&Value::Object(flat(stored)?).to_string());
        }
        Ok(Some(Self { after, size: size.after_chunk_of(found.len()) }))
    }
}

/// Returns an item as the API returns it: its fields next to its ID and timestamps.
pub(crate) fn flat(stored: &StoredItem) -> Result<Map<String, Value>, Error> {
    let mut members = Map::new();
    members.insert("id".to_owned(), stored.item.id.as_str().into());
    members.insert("created_at".to_owned(), timestamp(stored.created_at));
    members.insert("updated_at".to_owned(), timestamp(stored.updated_at));
    members.extend(stored.item.value.fields()?);
    Ok(members)
}

pub(crate) fn timestamp(time: Time) -> Value {
    time.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string().into()
}

/// Returns what the project stores about a user.
pub(crate) fn user(user: &ProjectUser) -> Value {
    json!({
        "id": user.id.to_string(),
        "user_did": user.user_did,
        "pds_url": user.pds_url,
        "status": user.status.as_str(),
        "meta": user.meta.members(),
        "profile": user.profile.members(),
        "last_seen_at": timestamp(user.last_seen_at),
        "deletion_started_at": user.deletion_started_at.map(timestamp),
        "created_at": timestamp(user.created_at),
    })
}

/// Returns the access that a user gave to the project; null without access.
pub(crate) fn grant(grant: Option<&Grant>) -> Value {
    grant.map_or(Value::Null, |grant| {
        json!({
            "scope": grant.all_scopes().to_string(),
            "created_at": timestamp(grant.created_at),
            "updated_at": timestamp(grant.updated_at),
        })
    })
}

pub(crate) fn days(days: &[Day]) -> Vec<String> {
    days.iter().map(ToString::to_string).collect()
}

/// Returns an object without its end, and the start of another member.
pub(crate) fn open(object: &Value, member: &str) -> String {
    let mut text = object.to_string();
    text.pop();
    format!("{text},{member}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_stays_open_for_another_member() {
        let text = open(&json!({"a": 1}), "\"items\":{");
        assert_eq!(serde_json::from_str::<Value>(&format!("{text}}}}}")).unwrap(), json!({"a": 1, "items": {}}));
    }
}
