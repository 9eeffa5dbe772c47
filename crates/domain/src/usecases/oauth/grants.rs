//! Grants: listing and revoking a user's consent to projects.

use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, ResourceKind};
use crate::model::{GrantedProject, ProjectId, ProjectUser, Request, SignedIn, UserStatus};
use crate::policy::{Operation, Permit};
use crate::usecases::{Core, retry_stale};

/// Use cases of grants.
pub struct Grants {
    core: Arc<Core>,
}

impl Grants {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<Core>) -> Self {
        Self { core: core.clone() }
    }

    /// Lists the account's grants, newest first.
    pub async fn list(&self, signed_in: &SignedIn) -> Result<Vec<GrantedProject>, Error> {
        Ok(self.core.store.authorizations.grants_of(signed_in.account.id).await?)
    }

    /// Revokes the grant to a project with its codes and tokens, and disconnects the user from the project.
    pub async fn revoke(&self, request: Request, signed_in: &SignedIn, id: ProjectId) -> Result<(), Error> {
        retry_stale(async || {
            let request = request.clone();
            let account = signed_in.account.id;
            let project =
                self.core.store.projects.project(id).await?.ok_or(Error::NotFound(ResourceKind::Grant))?.project;
            let permit = Permit::authenticated(Operation::GrantRevoke, account, request)?;
            let permit = permit.in_project(project.team_id, project.id);

            let grant =
                self.core.store.authorizations.grant(account, id).await?.ok_or(Error::NotFound(ResourceKind::Grant))?;
            let user = self
                .core
                .store
                .project_users
                .user_of(id, account)
                .await?
                .filter(|user| user.status == UserStatus::Connected);

            let changes = Changes::by(permit, self.core.now()).remove(grant);
            let changes = match user {
                Some(user) => {
                    let disconnected = ProjectUser { status: UserStatus::Disconnected, ..user.clone() };
                    changes.replace(user, disconnected)
                }
                None => changes,
            };
            self.core.commit(changes).await?;
            Ok(())
        })
        .await
    }
}
