//! How large a document may be. Looked at before anything else, in one pass that ends where the limit is reached.

use std::io;

use serde_json::{Value, json};

use super::{SchemaViolation, escaped};
use crate::error::Violations;
use crate::model::schema::object;

/// How many tables a document may have.
pub const MAX_TABLES: usize = 100;
/// How many fields a table may have.
pub const MAX_FIELDS: usize = 200;
/// How many bytes of JSON a document may be.
pub const MAX_BYTES: usize = 256 * 1024;

/// The limits that a document exceeds.
pub(super) fn exceeded(document: &Value) -> Violations<SchemaViolation> {
    let mut found = Violations::default();
    if object(document.get("tables")).nth(MAX_TABLES).is_some() {
        found.push(over("/tables".into(), "maxProperties", MAX_TABLES, "properties"));
    }
    let wide =
        object(document.get("tables")).filter(|(_, rules)| object(rules.get("fields")).nth(MAX_FIELDS).is_some());
    found.extend(wide.map(|(table, _)| {
        over(format!("/tables/{}/fields", escaped(table)), "maxProperties", MAX_FIELDS, "properties")
    }));
    if !is_at_most(document, MAX_BYTES) {
        found.push(over(String::new(), "maxLength", MAX_BYTES, "characters"));
    }
    found
}

fn over(path: String, keyword: &'static str, limit: usize, what: &str) -> SchemaViolation {
    SchemaViolation {
        schema_path: format!("#/{keyword}"),
        instance_path: path,
        keyword,
        params: json!({"limit": limit}),
        message: format!("must NOT have more than {limit} {what}"),
        property_name: None,
    }
}

/// Whether a value is at most this many bytes of JSON.
fn is_at_most(value: &Value, bytes: usize) -> bool {
    serde_json::to_writer(ByteBudget(bytes), value).is_ok()
}

/// Takes this many bytes and no more.
struct ByteBudget(usize);

impl io::Write for ByteBudget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
