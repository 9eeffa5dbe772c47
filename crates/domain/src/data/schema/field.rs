//! Fields of tables and their types.

/// The type of a field (docs/schema.md#document).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// A JSON string.
    String,
    /// `true` or `false`.
    Boolean,
    /// A JSON number.
    Number,
    /// A JSON object or array.
    Json,
}

impl FieldType {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::String, Self::Boolean, Self::Number, Self::Json];

    /// Returns the name used in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::Json => "json",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
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
