//! Drafts of schemas: changes to a schema that a person has not published yet.

use crate::kernel::{AccountId, ProjectId, Time, named};

named! {
    /// How a person edits a draft.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DraftEditor: "the name under which stores keep it" {
        /// As a form with the tables and their fields. The content of the draft is the inputs of the form.
        Tables = "tables",
        /// As JSON. The content of the draft is the text that was entered.
        Json = "json",
    }
}

/// A draft. A person has at most one in a project. Its content may be incomplete, so it is not a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaDraft {
    /// The project.
    pub project_id: ProjectId,
    /// The person, who alone can see and change it.
    pub account_id: AccountId,
    /// How it is edited.
    pub editor: DraftEditor,
    /// What was entered.
    pub content: String,
    /// The number of the version that was edited; 0 before the first publication.
    pub based_on: u32,
    /// When it was last changed.
    pub updated_at: Time,
}

impl SchemaDraft {
    /// The maximum size of the content, in bytes: that of a document.
    pub const MAX_BYTES: usize = crate::data::schema::MAX_BYTES;
    /// The maximum number of drafts in a project.
    pub const MAX_PER_PROJECT: u16 = 100;
    /// How many days a draft is kept after its last change.
    pub const MAX_DAYS: i64 = 90;
}

/// What others may see of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftSummary {
    /// The person.
    pub account_id: AccountId,
    /// The name of the person, or else the username.
    pub person: Option<String>,
    /// The number of the version that was edited.
    pub based_on: u32,
    /// When it was last changed.
    pub updated_at: Time,
}
