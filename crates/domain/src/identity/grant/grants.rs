//! Grants: listing and revoking a user's consent to projects.

use crate::data::{ProjectUser, UserStatus};
use crate::identity::{GrantedProject, IdentityCore, SignedIn};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{AccountId, ProjectId, Request, retry_stale, use_cases};

use_cases! {
    /// Use cases of grants.
    pub struct Grants { core: IdentityCore }
}

impl Grants {
    /// Lists the account's grants, newest first.
    pub async fn list(&self, signed_in: &SignedIn) -> Result<Vec<GrantedProject>, Error> {
        let mut all = self.core.ports.authorizations.grants_of(signed_in.account.id).await?;
        all.retain(|granted| signed_in.account.stands_by(granted.grant.updated_at));
        Ok(all)
    }

    /// Revokes the grant to a project with its codes and tokens, and disconnects the user from the project.
    pub async fn revoke(&self, request: Request, signed_in: &SignedIn, id: ProjectId) -> Result<(), Error> {
        let permit = Permit::authenticated(Operation::GrantRevoke, signed_in.account.id, request)?;
        end_grant(&self.core, &permit, (signed_in.account.id, id)).await
    }
}

/// Removes the grant of an account to a project with its codes and tokens, and disconnects the user from the project.
pub(crate) async fn end_grant(
    core: &IdentityCore,
    permit: &Permit,
    (account, id): (AccountId, ProjectId),
) -> Result<(), Error> {
    retry_stale(async || {
        let project = core.ports.projects.project(id).await?.ok_or(Error::NotFound(ResourceKind::Grant))?.project;
        let permit = permit.clone().in_project(project.team_id, project.id);

        let grant = core.ports.authorizations.grant(account, id).await?.ok_or(Error::NotFound(ResourceKind::Grant))?;
        let user = core.ports.project_users.user_of(id, account).await?;
        let user = user.filter(|user| user.status == UserStatus::Connected);

        let changes = Changes::by(permit, core.now()).remove(grant);
        let changes = match user {
            Some(user) => {
                let disconnected = ProjectUser { status: UserStatus::Disconnected, ..user.clone() };
                changes.replace(user, disconnected)
            }
            None => changes,
        };
        core.save(changes).await
    })
    .await
}
