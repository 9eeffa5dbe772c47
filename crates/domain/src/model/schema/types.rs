//! Types for programs that read and write items: TypeScript interfaces and Rust structs, one for each table.
//!
//! They describe the fields of an item. In Rust, they need the crates `serde` (with the feature `derive`) and
//! `serde_json`.

mod names;
mod rust;
#[cfg(test)]
mod tests;
mod type_script;

use crate::model::is_control;
use serde_json::Value;

use super::{Document, Table};
use names::UniqueNames;

/// A language in which types can be generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeLanguage {
    /// TypeScript.
    TypeScript,
    /// Rust.
    Rust,
}

impl TypeLanguage {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::TypeScript, Self::Rust];

    /// Returns the extension of files in the language.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::TypeScript => "ts",
            Self::Rust => "rs",
        }
    }
}

/// A table, and the name of its type.
struct TypedTable<'a> {
    name: &'a str,
    type_name: String,
    description: Option<String>,
    table: &'a Table,
    /// The table in the document.
    members: &'a Value,
}

impl TypedTable<'_> {
    fn description_of(&self, field: &str) -> Option<String> {
        description(self.members.get("fields")?.get(field)?)
    }
}

impl Document {
    /// Returns the source of a file with the types of all tables. The same tables always give the same text.
    pub fn types(&self, language: TypeLanguage) -> String {
        match language {
            TypeLanguage::TypeScript => type_script::file(&self.typed_tables(type_script::RESERVED)),
            TypeLanguage::Rust => rust::file(&self.typed_tables(rust::RESERVED_TYPES)),
        }
    }

    /// Returns the tables in the order of the document.
    fn typed_tables(&self, reserved: &[&str]) -> Vec<TypedTable<'_>> {
        let mut names = UniqueNames::new(reserved, "Item");
        let tables = super::object(self.members.get("tables")).filter_map(|(name, members)| {
            let (type_name, description) = (names.next(names::pascal_case(name)), description(members));
            Some(TypedTable { name, type_name, description, table: self.table(name)?, members })
        });
        tables.collect()
    }
}

/// Returns the description of a table or field on one line. Characters that could end a comment, or change how the
/// source is shown, are left out.
fn description(members: &Value) -> Option<String> {
    let text = members.get("description")?.as_str()?;
    let is_hidden = |c: char| is_control(c) || matches!(c, '\u{200e}' | '\u{200f}');
    let text: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /");
    (!line.is_empty()).then_some(line)
}
