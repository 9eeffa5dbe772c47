//! Synchronization of a person's items with their devices, which also change items offline. A device sends its changes,
//! which are stored like those of the API, and is sent the changes of all others.

mod apply;
pub(super) mod entity;
mod fields;
mod plan;
pub(crate) mod port;
mod reading;
mod reason;
mod rejections;
mod room;

use crate::data::{DataCore, Items, UserStatus};
use crate::identity::PresentedCredential;
use crate::kernel::error::{AuthenticationError, Conflict, Error, ResourceKind};
use crate::kernel::policy::Operation;
use crate::kernel::{Caller, ProjectId, ProjectUserId, Request, Time, use_cases};

pub use apply::{SyncMessage, SyncOutcome, SyncPortion};
pub use reading::SyncLoad;
pub use reason::{SyncCorrections, SyncReason};

/// A person who is connected with an access token for a project.
#[derive(Debug, Clone)]
pub struct SyncSession {
    /// The person. The caller is not cached.
    pub caller: Caller,
    /// The project of the token.
    pub project_id: ProjectId,
    /// The person as a user of the project.
    pub user_id: ProjectUserId,
    /// When the token expires.
    pub expires_at: Time,
}

impl SyncSession {
    fn owner(&self) -> (ProjectId, ProjectUserId) {
        (self.project_id, self.user_id)
    }
}

use_cases! {
    /// Use cases of synchronization.
    pub struct ItemSync { core: DataCore, items: Items }
}

impl ItemSync {
    /// Authenticates a person's access token for a project, which must allow reading the person's items. If
    /// `project_name` is given, it must be the UUID or DID of that project.
    pub async fn connect(
        &self,
        token: &PresentedCredential,
        project_name: Option<&str>,
        request: Request,
    ) -> Result<SyncSession, Error> {
        let now = self.core.now();
        let expires_at = self.core.authentication.expires_at(token, now).await?;
        if expires_at <= now {
            return Err(AuthenticationError::ExpiredToken.into());
        }
        let conditions = Operation::OwnItemList.rule().conditions;
        let caller = self.core.authentication.bearer(token, request, conditions).await?;
        let bearer = caller.user()?;
        let (project_id, user_id) = (bearer.project.project.id, bearer.user.id);
        if bearer.user.status != UserStatus::Connected {
            return Err(Conflict::UserNotConnected.into());
        }
        if project_name.is_some_and(|name| !self.core.address.names_project(name, project_id)) {
            return Err(Error::NotFound(ResourceKind::Project));
        }
        self.core.access.project(&caller, project_id).await?.permit_data(Operation::OwnItemList, user_id).await?;

        // A session lasts long, so it does not hold the fields whose size a project or person controls.
        let caller = Caller { identity: caller.identity.for_cache(), ..caller };
        Ok(SyncSession { caller, project_id, user_id, expires_at })
    }

    /// Continues a session with another token, or with the same one after the person's access may have changed. The
    /// token must be for the same user of the same project.
    pub async fn renew(&self, session: &SyncSession, token: &PresentedCredential) -> Result<SyncSession, Error> {
        let renewed = self.connect(token, None, session.caller.request.clone()).await?;
        if renewed.owner() == session.owner() { Ok(renewed) } else { Err(Error::NotFound(ResourceKind::Project)) }
    }
}
