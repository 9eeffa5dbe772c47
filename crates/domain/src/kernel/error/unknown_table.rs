//! The table of a request is not in the schema.

use std::fmt;

use crate::data::schema::Document;
use crate::kernel::violations::{most_similar, quoted};

/// Maximum number of tables that the message lists.
const MAX_LISTED: usize = 10;

/// A table that is not in the newest schema of the project, and the tables that are: everyone may read them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTable {
    name: String,
    similar: Option<String>,
    /// The first tables of the schema.
    known: Vec<String>,
    /// Number of the other ones.
    others: usize,
}

impl UnknownTable {
    /// Describes a table that the schema does not have. `schema`: `None` before the first publication.
    pub fn new(name: &str, schema: Option<&Document>) -> Self {
        let tables: Vec<&str> = schema.map(|document| document.table_names().collect()).unwrap_or_default();
        Self {
            name: quoted(name),
            similar: most_similar(name, &tables).map(str::to_owned),
            known: tables.iter().take(MAX_LISTED).map(|name| (*name).to_owned()).collect(),
            others: tables.len().saturating_sub(MAX_LISTED),
        }
    }
}

impl fmt::Display for UnknownTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The table \"{}\" does not exist. ", self.name)?;
        match (&self.similar, self.known.as_slice(), self.others) {
            (Some(similar), _, _) => write!(f, "Did you mean \"{similar}\"?"),
            (None, [], _) => f.write_str("The schema of the project has no tables. Publish a schema with the table."),
            (None, known, 0) => write!(f, "The schema of the project has these tables: {}.", known.join(", ")),
            (None, known, others) => {
                write!(f, "The schema of the project has these tables: {}, and {others} more.", known.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    fn message(name: &str, tables: &[String]) -> String {
        let tables: Map<String, Value> = tables.iter().map(|name| (name.clone(), json!({"fields": {}}))).collect();
        let document = Document::parse(&json!({"project_id": "p", "version": 1, "tables": tables})).unwrap();
        UnknownTable::new(name, Some(&document)).to_string()
    }

    #[test]
    fn the_message_names_a_similar_table_or_some_of_those_that_exist() {
        let tables = ["notes".to_owned(), "tags".to_owned()];
        assert_eq!(message("note", &tables), "The table \"note\" does not exist. Did you mean \"notes\"?");
        let unlike = "The table \"zzz\" does not exist. The schema of the project has these tables: notes, tags.";
        assert_eq!(message("zzz", &tables), unlike);
        let many: Vec<String> = (0..12).map(|number| format!("t{number}")).collect();
        assert!(message("zzz", &many).ends_with("t8, t9, and 2 more."));
        assert!(message(&"x".repeat(10_000), &many).len() < 300);
        assert!(UnknownTable::new("notes", None).to_string().contains("has no tables"));
    }
}
