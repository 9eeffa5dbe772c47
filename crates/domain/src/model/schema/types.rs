//! Types for programs that read and write items: TypeScript interfaces and Rust structs, one for each table.
//!
//! They describe the fields of an item. In Rust, they need the crates `serde` (with the feature `derive`) and
//! `serde_json`.

mod names;
mod rust;
#[cfg(test)]
mod tests;
mod type_script;
mod typed_table;

use super::Document;
use names::UniqueNames;
use typed_table::{TypedTable, description};

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
