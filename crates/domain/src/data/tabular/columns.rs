//! The columns of a CSV file, by its header.

use super::cell_text::CellText;
use crate::data::schema::FieldType;

/// What the columns of a CSV file are, by its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    pub(super) columns: Vec<Column>,
    /// Required fields without a column: a violation of the header, and not of each line.
    pub(super) missing: Vec<String>,
    pub(super) texts: CellText,
}

impl Columns {
    /// Returns the columns of a file with texts like this; [`CellText::Safe`] unless it is set.
    #[must_use]
    pub fn with_texts(self, texts: CellText) -> Self {
        Self { texts, ..self }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Column {
    Id,
    Field(String, FieldType),
    /// A column without a name, such as one that was cleared in a spreadsheet program. Its cells must be empty.
    Unnamed,
    Ignored,
}
