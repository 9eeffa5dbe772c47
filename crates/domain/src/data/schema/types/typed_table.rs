//! A table, as it is described in each language.

use serde_json::Value;

use crate::data::schema::Table;
use crate::kernel::{is_control, visible_part};

/// A table, and the name of its type.
pub(super) struct TypedTable<'a> {
    pub(super) name: &'a str,
    pub(super) type_name: String,
    pub(super) description: Option<String>,
    pub(super) table: &'a Table,
    /// The table in the document.
    pub(super) members: &'a Value,
}

impl TypedTable<'_> {
    pub(super) fn description_of(&self, field: &str) -> Option<String> {
        description(self.members.get("fields")?.get(field)?)
    }
}

/// Returns the description of a table or field on one line. Characters that could end a comment, change how the
/// source is shown, or are invisible, are left out.
pub(super) fn description(members: &Value) -> Option<String> {
    let text = members.get("description")?.as_str()?;
    let is_hidden = |c: char| is_control(c) || matches!(c, '\u{200e}' | '\u{200f}');
    let text: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    let line = visible_part(&text).split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /");
    (!line.is_empty()).then_some(line)
}
