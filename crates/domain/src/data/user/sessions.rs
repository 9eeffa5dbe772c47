//! Sessions of project users: their sign-ins to the project, and signing them out.

use crate::data::DataCore;
use crate::identity::session::sessions::revoke;
use crate::identity::{AuthorizationCode, TokenFamily};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::Operation;
use crate::kernel::{Caller, Precondition, ProjectId, ProjectUserId, Time, retry_stale, use_cases};

use_cases! {
    /// Use cases of the sessions of project users. A session is a token family: the tokens that a client of the project
    /// received for one sign-in.
    pub struct UserSessions { core: DataCore }
}

impl UserSessions {
    /// Lists at most 1,000 active sessions of a user in the project, newest first.
    pub async fn list(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectUserId,
    ) -> Result<Vec<TokenFamily>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::UserSessionList).await?;

        let user = self.core.user(project, id).await?;
        let account = self.core.ports.accounts.account(user.account_id).await?;
        let account = account.ok_or(Error::NotFound(ResourceKind::ProjectUser))?;
        let now = self.core.now();
        let families = self.core.ports.authorizations.active_families(account.id, Some(project), now).await?;
        let is_live = |family: &TokenFamily| family.is_live(&account) && now < self.core.family_lifetime.end_of(family);
        Ok(families.into_iter().filter(is_live).collect())
    }

    /// Revokes all tokens of a user for the project, and makes the codes that are not redeemed expire. The user can sign
    /// in again. Their sessions in other projects and in this service continue. The precondition applies to the user.
    pub async fn sign_out(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectUserId,
        when: &Precondition,
    ) -> Result<(), Error> {
        retry_stale(async || {
            let permit = self.core.access.project(caller, project).await?.permit(Operation::UserSignOut).await?;

            let user = self.core.user(project, id).await?;
            when.check(ResourceKind::ProjectUser, user.revision)?;

            // More than one round only if there are more codes or families than one read returns.
            loop {
                let now = self.core.now();
                // If one is redeemed after this read, the commit fails, and the next attempt finds its family.
                let codes = self.core.ports.authorizations.redeemable_codes(user.account_id, project, now).await?;
                let families =
                    self.core.ports.authorizations.active_families(user.account_id, Some(project), now).await?;
                if codes.is_empty() && families.is_empty() {
                    return Ok(());
                }
                let changes = expire(Changes::by(permit.clone(), now), codes, now);
                self.core.commit(revoke(changes, families, now)).await?;
            }
        })
        .await
    }
}

/// Makes all of the codes expire.
fn expire(changes: Changes, codes: Vec<AuthorizationCode>, now: Time) -> Changes {
    codes.into_iter().fold(changes, |changes, code| {
        let expired = AuthorizationCode { expires_at: now, ..code.clone() };
        changes.replace(code, expired)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::TimeDelta;

    use super::*;
    use crate::StorePorts;
    use crate::administration::ProjectMembership;
    use crate::identity::ClientId;
    use crate::identity::oauth::fixtures::a_stored_sign_in;
    use crate::kernel::changes::{Entity, Write};
    use crate::kernel::policy::RoleSet;
    use crate::mocks::{
        MockStore, RecordingUnitOfWork, a_caller, a_family, a_project_in_team, a_user_bearer, an_account, id_of,
        instant, mock_data,
    };

    fn a_session(name: &str) -> TokenFamily {
        let project = a_project_in_team().project.id;
        let client = ClientId::stored(project.to_string(), Some(project));
        TokenFamily { id: id_of(name).into(), client, ..a_family("ann") }
    }

    /// The sessions of the user `ann`. The first read returns these codes, and each read the next of these batches.
    fn sessions(
        mut codes: Vec<AuthorizationCode>,
        batches: Vec<Vec<TokenFamily>>,
        unit_of_work: Arc<RecordingUnitOfWork>,
    ) -> UserSessions {
        let project = Arc::new(a_project_in_team());
        let mut store = MockStore::default();
        store
            .access
            .expect_project_membership()
            .returning(move |_, _| Ok(Some(ProjectMembership { project: project.clone(), roles: RoleSet::owner() })));
        store.project_users.expect_user().returning(|_, _| Ok(Some(a_user_bearer("ann").user)));
        store.accounts.expect_account().returning(|_| Ok(Some(an_account("ann"))));
        let mut batches = batches.into_iter();
        store
            .authorizations
            .expect_active_families()
            .withf(|account, project, _| {
                *account == an_account("ann").id && *project == Some(a_project_in_team().project.id)
            })
            .returning(move |_, _, _| Ok(batches.next().unwrap_or_default()));
        store
            .authorizations
            .expect_redeemable_codes()
            .withf(|account, project, _| *account == an_account("ann").id && *project == a_project_in_team().project.id)
            .returning(move |_, _, _| Ok(std::mem::take(&mut codes)));
        UserSessions::new(&mock_data(StorePorts { unit_of_work, ..store.into() }))
    }

    /// Signs the user out. Returns the result and the commits.
    async fn sign_out(
        codes: Vec<AuthorizationCode>,
        batches: Vec<Vec<TokenFamily>>,
        when: Precondition,
    ) -> (Result<(), Error>, Vec<Changes>) {
        let store = Arc::new(RecordingUnitOfWork::default());
        let (user, sessions) = (a_user_bearer("ann").user, sessions(codes, batches, store.clone()));
        let result = sessions.sign_out(&a_caller("owner"), user.project_id, user.id, &when).await;
        (result, store.changes())
    }

    fn is_revocation(write: &Write) -> bool {
        matches!(write, Write::Replace(Entity::TokenFamily(family)) if family.revoked_at == Some(instant()))
    }

    #[tokio::test]
    async fn signing_out_revokes_all_sessions_within_the_project_of_the_permit() {
        let batches = vec![vec![a_session("one"), a_session("two")], vec![a_session("three")]];
        let (result, commits) = sign_out(Vec::new(), batches, Precondition::None).await;
        result.unwrap();
        assert_eq!(commits.iter().map(|changes| changes.writes().count()).collect::<Vec<_>>(), [2, 1]);
        for changes in commits {
            assert!(changes.writes().all(is_revocation) && changes.check_scope().is_ok(), "{changes:?}");
            assert_eq!(changes.permit().project(), Some(a_project_in_team().project.id));
        }
    }

    #[tokio::test]
    async fn signing_out_makes_codes_expire_together_with_the_sessions() {
        for families in [vec![a_session("one")], Vec::new()] {
            let count = families.len();
            let (result, commits) = sign_out(vec![a_stored_sign_in().code], vec![families], Precondition::None).await;
            result.unwrap();
            let [changes] = commits.as_slice() else { panic!("{commits:?}") };
            let expired = AuthorizationCode { expires_at: instant(), ..a_stored_sign_in().code };
            let mut writes = changes.writes();
            assert_eq!(writes.next(), Some(&Write::Replace(expired.into())));
            assert!(writes.all(is_revocation) && changes.check_scope().is_ok(), "{changes:?}");
            assert_eq!(changes.writes().count(), 1 + count);
        }
    }

    #[tokio::test]
    async fn signing_out_a_user_without_sessions_changes_nothing() {
        let (result, commits) = sign_out(Vec::new(), Vec::new(), Precondition::None).await;
        assert!(result.is_ok() && commits.is_empty(), "{commits:?}");
    }

    #[tokio::test]
    async fn no_session_ends_if_the_user_does_not_meet_the_precondition() {
        let (codes, batches) = (vec![a_stored_sign_in().code], vec![vec![a_session("one")]]);
        let (result, commits) = sign_out(codes, batches, Precondition::Matches(Vec::new())).await;
        assert!(matches!(result, Err(Error::PreconditionFailed(ResourceKind::ProjectUser))), "{result:?}");
        assert!(commits.is_empty(), "{commits:?}");
    }

    #[tokio::test]
    async fn sessions_of_an_earlier_password_are_not_listed() {
        let earlier = TokenFamily { password_set_at: instant() - TimeDelta::days(1), ..a_session("two") };
        let user = a_user_bearer("ann").user;
        let sessions = sessions(Vec::new(), vec![vec![a_session("one"), earlier]], Arc::default());
        let listed = sessions.list(&a_caller("owner"), user.project_id, user.id).await.unwrap();
        assert_eq!(listed, [a_session("one")]);
    }
}
