//! The kinds of properties in a query, and the operators of each.

use super::Property;
use crate::data::schema::FieldType;

/// The type of a property in a query. It determines the allowed operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    Text,
    Number,
    Boolean,
    Timestamp,
    Json,
    User,
}

impl FieldKind {
    pub(super) fn of(property: &Property) -> Self {
        match property {
            Property::Id | Property::Field { kind: FieldType::String, .. } => Self::Text,
            Property::CreatedAt | Property::UpdatedAt => Self::Timestamp,
            Property::Field { kind: FieldType::Number, .. } => Self::Number,
            Property::Conforms(_) | Property::Field { kind: FieldType::Boolean, .. } => Self::Boolean,
            Property::User => Self::User,
            Property::Field { kind: FieldType::Json, .. } => Self::Json,
        }
    }

    /// Returns the allowed operators.
    pub(super) const fn operators(self) -> &'static [&'static str] {
        match self {
            Self::Text => &["eq", "neq", "gt", "gte", "lt", "lte", "in", "is", "like", "ilike"],
            Self::Number | Self::Timestamp => &["eq", "neq", "gt", "gte", "lt", "lte", "in", "is"],
            Self::Boolean => &["eq", "neq", "is"],
            Self::Json => &["is"],
            Self::User => &["eq", "neq", "in"],
        }
    }
}
