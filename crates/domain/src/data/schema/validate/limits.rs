//! Size limits of a document. They are checked first, in one pass that stops when a limit is exceeded.

use std::io;

use serde_json::{Value, json};

use super::violation::{SchemaViolation, escaped};
use crate::data::schema::object;
use crate::kernel::violations::Violations;

/// The maximum number of tables in a document.
pub const MAX_TABLES: usize = 100;
/// The maximum number of fields in a table.
pub const MAX_FIELDS: usize = 200;
/// The maximum size of a document, in bytes of JSON.
pub const MAX_BYTES: usize = 256 * 1024;

/// Returns a violation for each limit that the document exceeds.
pub(super) fn exceeded(document: &Value) -> Violations<SchemaViolation> {
    let mut found = Violations::default();
    if object(document.get("tables")).nth(MAX_TABLES).is_some() {
        found.push(violation("/tables".into(), "maxProperties", MAX_TABLES, "properties"));
    }
    let too_wide =
        object(document.get("tables")).filter(|(_, rules)| object(rules.get("fields")).nth(MAX_FIELDS).is_some());
    found.extend(too_wide.map(|(table, _)| {
        violation(format!("/tables/{}/fields", escaped(table)), "maxProperties", MAX_FIELDS, "properties")
    }));
    if !fits_within(document, MAX_BYTES) {
        found.push(violation(String::new(), "maxLength", MAX_BYTES, "characters"));
    }
    found
}

fn violation(path: String, keyword: &'static str, limit: usize, unit: &str) -> SchemaViolation {
    let message = format!("must NOT have more than {limit} {unit}");
    SchemaViolation::new(path, format!("#/{keyword}"), keyword, json!({"limit": limit}), message)
}

/// Returns whether the JSON text of a value has at most this number of bytes.
fn fits_within(value: &Value, bytes: usize) -> bool {
    serde_json::to_writer(ByteBudget(bytes), value).is_ok()
}

/// A writer that accepts at most this number of bytes.
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
