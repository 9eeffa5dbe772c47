//! Fields of tables and their types.

use crate::kernel::named;

named! {
    /// The type of a field (docs/schema.md#document).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FieldType: "the name used in documents" {
        /// A JSON string.
        String = "string",
        /// `true` or `false`.
        Boolean = "boolean",
        /// A JSON number.
        Number = "number",
        /// A JSON object or array.
        Json = "json",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) kind: FieldType,
    pub(super) required: bool,
    pub(super) indexed: bool,
}

impl Field {
    /// Returns whether the field is indexed. JSON fields are not, because their values have no order.
    pub(super) fn is_indexed(&self) -> bool {
        self.indexed && self.kind != FieldType::Json
    }
}
