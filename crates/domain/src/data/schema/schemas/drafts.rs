//! Drafts of a schema: what a person edits is kept until it is published or discarded. The audit log does not record
//! drafts, because nobody else is affected by them.

use crate::data::{DraftEditor, DraftSummary, SchemaDraft};
use crate::kernel::changes::Changes;
use crate::kernel::error::Error;
use crate::kernel::policy::Operation;
use crate::kernel::{Caller, ProjectId, account_of};

use super::Schemas;

/// What a person entered.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after that of the draft")]
pub struct SaveDraft {
    pub editor: DraftEditor,
    pub content: String,
    pub based_on: u32,
}

impl Schemas {
    /// Returns the caller's draft. Needs the permission to publish.
    pub async fn draft(&self, caller: &Caller, project: ProjectId) -> Result<Option<SchemaDraft>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::SchemaPublish).await?;
        Ok(self.core.ports.schema_drafts.schema_draft(project, account_of(caller)?).await?)
    }

    /// Returns who has a draft in the project, last changed first. Needs the permission to publish.
    pub async fn drafts(&self, caller: &Caller, project: ProjectId) -> Result<Vec<DraftSummary>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::SchemaPublish).await?;
        Ok(self.core.ports.schema_drafts.schema_drafts(project).await?)
    }

    /// Replaces the caller's draft. Drafts of others stay unchanged.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the content is too large or the project has too many drafts.
    pub async fn save_draft(&self, caller: &Caller, project: ProjectId, command: SaveDraft) -> Result<(), Error> {
        let permit = self.core.access.project(caller, project).await?.permit(Operation::SchemaPublish).await?;
        let account_id = account_of(caller)?;
        if command.content.len() > SchemaDraft::MAX_BYTES {
            let limit = SchemaDraft::MAX_BYTES / 1024;
            let message = format_args!("is larger than {limit} KiB and cannot be kept as a draft");
            return Err(Error::invalid("document", message));
        }
        let existing = self.core.ports.schema_drafts.schema_drafts(project).await?;
        let is_full = existing.len() >= usize::from(SchemaDraft::MAX_PER_PROJECT);
        if is_full && existing.iter().all(|draft| draft.account_id != account_id) {
            let limit = SchemaDraft::MAX_PER_PROJECT;
            let message = format_args!("cannot be kept as a draft, because this project has {limit} drafts already");
            return Err(Error::invalid("document", message));
        }

        let SaveDraft { editor, content, based_on } = command;
        let updated_at = self.core.now();
        let draft = SchemaDraft { project_id: project, account_id, editor, content, based_on, updated_at };
        self.core.save(Changes::by(permit, updated_at).save_draft(draft)).await
    }

    /// Discards the caller's draft, if there is one.
    pub async fn discard_draft(&self, caller: &Caller, project: ProjectId) -> Result<(), Error> {
        let permit = self.core.access.project(caller, project).await?.permit(Operation::SchemaPublish).await?;

        let changes = Changes::by(permit, self.core.now()).discard_draft(project, account_of(caller)?);
        self.core.save(changes).await
    }
}
