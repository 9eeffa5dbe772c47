//! Imports of items in the background: the lines of a file are stored, and imported in portions by any replica. A
//! portion and the progress of the import are stored together, so that each line is imported exactly once.

pub(super) mod entity;
pub(crate) mod port;
mod portion;
mod upload;

use std::sync::Mutex;

use crate::data::{DataCore, ImportState, ItemImport, Items, LineProblem};
use crate::identity::Account;
use crate::identity::factor::factors::suffice_for_two;
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Conflict, Error, ResourceKind};
use crate::kernel::jobs::Step;
use crate::kernel::policy::{AccountStanding, Conditions, Operation};
use crate::kernel::{Caller, CommitError, Identity, ItemImportId, ProjectId, ProjectUserId, Request, lock, use_cases};
use portion::Portion;

pub use upload::ImportUpload;

/// Name of the lease for this background job.
const SHARE: &str = "item_import";
/// Why an import failed whose upload was not completed.
const INTERRUPTED: &str = "The upload was interrupted.";
/// Why an import failed that another sign-in started.
const SIGNED_OUT: &str =
    "The person who started it was signed out everywhere, or has a new password. Import the file again.";

use_cases! {
    /// Use cases of imports in the background.
    pub struct ItemImports {
        core: DataCore, items: Items;
        /// The project of the last step.
        last: Mutex<Option<ProjectId>>,
    }
}

impl ItemImports {
    /// Returns the newest imports into a table.
    pub async fn list(
        &self,
        caller: &Caller,
        project: ProjectId,
        user: ProjectUserId,
        table: &str,
    ) -> Result<Vec<ItemImport>, Error> {
        self.permitted(caller, project, user).await?;

        Ok(self.core.ports.item_imports.imports(project, user, table).await?)
    }

    /// Returns an import, and the first problems that it has found.
    pub async fn get(
        &self,
        caller: &Caller,
        project: ProjectId,
        user: ProjectUserId,
        id: ItemImportId,
        max_problems: u64,
    ) -> Result<Option<(ItemImport, Vec<LineProblem>)>, Error> {
        self.permitted(caller, project, user).await?;

        let import = self.core.ports.item_imports.import(project, id).await?.filter(|import| import.user_id == user);
        let Some(import) = import else { return Ok(None) };
        let problems = self.core.ports.item_imports.import_problems(&import, max_problems).await?;
        Ok(Some((import, problems)))
    }

    /// Cancels an import. The items that it stored stay. Returns `false` if it has ended already, or does not exist.
    pub async fn cancel(
        &self,
        caller: &Caller,
        project: ProjectId,
        user: ProjectUserId,
        id: ItemImportId,
    ) -> Result<bool, Error> {
        self.permitted(caller, project, user).await?;

        let import = self.core.ports.item_imports.import(project, id).await?.filter(|import| import.user_id == user);
        let Some(import) = import else { return Ok(false) };
        let canceled = import.ended(ImportState::Canceled, "", self.core.now());
        Ok(self.core.ports.item_imports.change_import(&canceled).await?)
    }

    async fn permitted(&self, caller: &Caller, project: ProjectId, user: ProjectUserId) -> Result<(), Error> {
        self.core.access.project(caller, project).await?.permit_data(Operation::ItemBatch, user).await.map(drop)
    }

    /// Imports the next portion of the next project's import. Projects take turns.
    pub async fn step(&self) -> Result<Step, Error> {
        let (last, interrupted_before) = (*lock(&self.last), self.core.now() - ItemImport::UPLOAD_TIMEOUT);
        let next = match (self.core.ports.item_imports.import_to_continue(last, interrupted_before).await?, last) {
            (None, Some(_)) => self.core.ports.item_imports.import_to_continue(None, interrupted_before).await?,
            (next, _) => next,
        };
        let Some(import) = next else { return Ok(Step::IDLE) };
        if !self.core.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        *lock(&self.last) = Some(import.project_id);
        match import.state {
            ImportState::Running => self.run(import).await?,
            ImportState::Uploading => self.fail(import, INTERRUPTED).await?,
            ImportState::Done | ImportState::Failed | ImportState::Canceled => {
                self.core.ports.item_imports.forget_portions(&import).await?;
            }
        }
        Ok(Step { done: 1, more: true })
    }

    async fn run(&self, import: ItemImport) -> Result<(), Error> {
        let Err(error) = self.advance(&import).await else { return Ok(()) };
        match reason(&error) {
            Some(why) => self.fail(import, &why).await,
            None if matches!(error, Error::Internal(_)) => {
                self.fail(import, "The service failed to import a line.").await?;
                Err(error)
            }
            None => Err(error),
        }
    }

    async fn fail(&self, import: ItemImport, why: &str) -> Result<(), Error> {
        self.core.ports.item_imports.change_import(&import.ended(ImportState::Failed, why, self.core.now())).await?;
        Ok(())
    }

    /// Returns the person who started an import, as the caller of its next portion. As for a personal token, a new password ends
    /// what was started before, and what counts for rules about second factors is what the account has now.
    async fn starter(&self, import: &ItemImport) -> Result<Caller, Error> {
        let account = self.core.ports.accounts.account(import.account_id).await?;
        let still_counts = |account: &Account| account.is_active() && account.password_set_at <= import.created_at;
        let account = account.filter(still_counts).ok_or(AuthenticationError::RevokedToken)?;
        let has_factor =
            suffice_for_two(&*self.core.ports.second_factors, &*self.core.ports.passkeys, account.id).await?;
        let missing_factor = (!has_factor).then_some(AuthenticationError::SecondFactorMissing);
        let standing = AccountStanding::of(&account, missing_factor);
        self.core.authentication.rules().check(Conditions::All, standing, self.core.now())?;
        let request = Request { id: format!("import-{}", import.id), ..Request::local() };
        Ok(Caller { missing_factor, ..Caller::new(Identity::Account(account.id), request) })
    }

    /// Imports the next portion with the current authority of the person who started the import.
    async fn advance(&self, import: &ItemImport) -> Result<(), Error> {
        let starter = self.starter(import).await?;
        let access = self.core.access.project_with_basis(&starter, import.project_id).await?;
        let permit = access.permit_data(Operation::ItemBatch, import.user_id).await?;
        self.items.user_is_connected(import.project_id, import.user_id).await?;

        let schema = self.items.schema(import.project_id, access.project().schema_number).await?;
        let has_indexed_fields = schema.has_indexed_fields(&import.table);
        let records = self.core.ports.item_imports.import_records(import, import.next_chunk).await?;
        let read_by = import.clone();
        let portion = self.core.system.compute.call(true, move || Portion::of(&schema, &read_by, records)).await??;

        let now = self.core.now();
        let Portion { mut items, result } = portion;
        // All changes lock items in the order of their IDs, so that two of the same items cannot deadlock.
        items.sort_by(|(line, a), (other, b)| (a.id.as_str(), line).cmp(&(b.id.as_str(), other)));
        let (advanced, problems) = import.clone().advanced(result, now);
        let empty = Changes::by(permit, now).indexed(has_indexed_fields).advance_import(advanced, problems);
        let items = items.into_iter().filter(|_| !import.is_check);
        let changes = items.fold(empty, |changes, (line, item)| changes.import(item, import.item_created_at(line)));
        match self.core.commit(changes).await {
            // Access changed, another replica imported the portion, or the import was canceled: the next step finds out.
            Ok(_) | Err(CommitError::Stale(_) | CommitError::Orphaned) => Ok(()),
            Err(other) => Err(other.into()),
        }
    }
}

/// Returns why an import ends because of an error, as a sentence. `None` if it can be continued later.
fn reason(error: &Error) -> Option<String> {
    match error {
        // A portion that was stored is not stored again.
        error if error.is_failure() => None,
        Error::AccessChanged | Error::TooMany { .. } => None,
        Error::Conflict(Conflict::Contended(_)) => None,
        Error::Invalid(violations) => {
            let messages: Vec<&str> = violations.as_slice().iter().map(|one| one.message.as_str()).collect();
            Some(messages.join(" "))
        }
        Error::NotFound(ResourceKind::Table) | Error::UnknownTable(_) => {
            Some("The table is no longer in the schema.".to_owned())
        }
        Error::Unauthenticated(AuthenticationError::RevokedToken) => Some(SIGNED_OUT.to_owned()),
        Error::NotFound(_) | Error::Forbidden(_) => {
            Some("The person who started it may no longer change the user's data.".to_owned())
        }
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::policy::Quota;

    #[test]
    fn an_import_ends_for_reasons_that_do_not_pass_and_continues_after_others() {
        let quota = Conflict::QuotaExceeded { quota: Quota::ItemsPerProject, limit: 7 };
        for (error, expected) in [
            (Error::Conflict(quota), "7"),
            (Error::Conflict(Conflict::UserNotConnected), "connected"),
            (Error::NotFound(ResourceKind::Project), "no longer change"),
            (Error::NotFound(ResourceKind::Table), "no longer in the schema"),
            (AuthenticationError::RevokedToken.into(), "signed out everywhere"),
            (AuthenticationError::SecondFactorMissing.into(), "second factor"),
        ] {
            let why = reason(&error).unwrap();
            assert!(why.contains(expected) && why.ends_with('.'), "{why}");
        }
        for passing in [Error::AccessChanged, Error::Unavailable(anyhow::anyhow!("x"))] {
            assert_eq!(reason(&passing), None);
        }
    }
}
