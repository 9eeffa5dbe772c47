//! Grants: seeing and taking back what one allowed projects.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, ResourceKind};
use crate::model::{GrantedProject, ProjectId, ProjectUser, Request, SignedIn, UserStatus};
use crate::policy::{Operation, Permit};
use crate::ports::{AuthorizationReader, Clock, ProjectReader, ProjectUserReader, UnitOfWork};

use super::retry_stale;

/// The use cases of grants.
pub struct Grants {
    pub(super) grants: Arc<dyn AuthorizationReader>,
    pub(super) projects: Arc<dyn ProjectReader>,
    pub(super) users: Arc<dyn ProjectUserReader>,
    pub(super) store: Arc<dyn UnitOfWork>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Grants {
    /// What the person allowed, newest first.
    pub async fn list(&self, signed_in: &SignedIn) -> Result<Vec<GrantedProject>, Error> {
        Ok(self.grants.grants_of(signed_in.account.id).await?)
    }

    /// Takes back what the person allowed a project: they are disconnected from it, and with the grant go its codes and
    /// tokens.
    pub async fn revoke(&self, request: Request, signed_in: &SignedIn, project: ProjectId) -> Result<(), Error> {
        retry_stale(async || {
            let request = request.clone();
            let id = project;
            let account = signed_in.account.id;
            let project = self.projects.project(id).await?.ok_or(Error::NotFound(ResourceKind::Grant))?.project;
            let permit = Permit::for_visitor(Operation::GrantRevoke, account, &project, request);

            let grant = self.grants.grant(account, id).await?.ok_or(Error::NotFound(ResourceKind::Grant))?;
            let user = self.users.user_of(id, account).await?.filter(|user| user.status == UserStatus::Connected);

            let changes = Changes::by(permit, self.clock.now()).remove(grant);
            let changes = match user {
                Some(user) => {
                    let left = ProjectUser { status: UserStatus::Disconnected, ..user.clone() };
                    changes.replace(user, left)
                }
                None => changes,
            };
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }
}
