//! Types for programs that read and write items: TypeScript interfaces, Python dictionaries and Rust structs, for each
//! table.
//!
//! They describe the fields of an item. In Python, they need the package `steward-sdk`; in Rust, the crates `serde` (with the
//! feature `derive`) and `serde_json`.

mod names;
mod python;
mod rust;
#[cfg(test)]
mod tests;
mod type_script;
mod typed_table;

use super::Document;
use crate::kernel::named;
use names::UniqueNames;
use typed_table::{TypedTable, description};

named! {
    /// A language in which types can be generated.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TypeLanguage: "the extension of files in the language" {
        /// TypeScript.
        TypeScript = "ts",
        /// Python.
        Python = "py",
        /// Rust.
        Rust = "rs",
    }
}

impl Document {
    /// Returns the source of a file with the types of all tables. The same tables always give the same text.
    pub fn types(&self, language: TypeLanguage) -> String {
        match language {
            TypeLanguage::TypeScript => type_script::file(&self.typed_tables(type_script::RESERVED, "Item", &[])),
            TypeLanguage::Python => python::file(&self.typed_tables(python::RESERVED, "Table", python::DERIVED)),
            TypeLanguage::Rust => rust::file(&self.typed_tables(rust::RESERVED_TYPES, "Item", &[])),
        }
    }

    /// Returns the tables in the order of the document. `suffix` distinguishes the types of tables whose names are used;
    /// `derived` are the suffixes of further types of each table.
    fn typed_tables(
        &self,
        reserved: &[&str],
        suffix: &'static str,
        derived: &'static [&'static str],
    ) -> Vec<TypedTable<'_>> {
        let mut names = UniqueNames::new(reserved, suffix).with_derived(derived);
        let tables = super::object(self.members.get("tables")).filter_map(|(name, members)| {
            let (type_name, description) = (names.next(names::pascal_case(name)), description(members));
            Some(TypedTable { name, type_name, description, table: self.table(name)?, members })
        });
        tables.collect()
    }
}
