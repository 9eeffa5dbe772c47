//! Authorization of replayed responses: only a caller who could make the request now may receive its stored response.

use crate::administration::AdministrationCore;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::{KeyRoles, Operation, Permit, Replay, Requirement};
use crate::kernel::{AccountId, ApiKeyId, Caller, Identity, ProjectClientId, ProjectId, TeamId, use_cases};

/// The parts of a request that determine access to it, taken from its path or, if they are not in the path, from its
/// body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct RequestedAccess {
    pub operation: Operation,
    pub team: Option<TeamId>,
    pub project: Option<ProjectId>,
    pub member: Option<AccountId>,
    pub key: Option<ApiKeyId>,
    pub client: Option<ProjectClientId>,
    /// Roles of the key or client to create.
    pub granted_roles: Option<KeyRoles>,
}

use_cases! {
    /// Authorizes replays of stored responses.
    pub struct ReplayAuthorization { core: AdministrationCore }
}

impl ReplayAuthorization {
    /// Fails as the operation would fail now. Callers who ended their own access with the replayed request may still
    /// receive its response.
    pub(crate) async fn authorize(&self, caller: &Caller, request: &RequestedAccess) -> Result<(), Error> {
        let rule = request.operation.rule();
        if rule.replay == Replay::ToFormerMember && self.ended_own_access(caller, request).await? {
            return Ok(());
        }
        match rule.requirement {
            Requirement::Nothing => Permit::own(request.operation, caller).map(drop),
            Requirement::OfScope(_) => {
                let project = caller.user()?.project.project.id;
                self.core.access.project(caller, project).await?.permit(request.operation).await.map(drop)
            }
            Requirement::OfTeam(_) => {
                let team = request.team.ok_or(Error::NotFound(ResourceKind::Team))?;
                self.core.access.team(caller, team).await?.permit(request.operation).await.map(drop)
            }
            Requirement::OfProject(_) | Requirement::OfProjectBoth(..) => {
                self.authorize_in_project(caller, request).await
            }
        }
    }

    async fn authorize_in_project(&self, caller: &Caller, request: &RequestedAccess) -> Result<(), Error> {
        let project = request.project.ok_or(Error::NotFound(ResourceKind::Project))?;
        let access = self.core.access.project(caller, project).await?;
        if request.operation.rule().replay != Replay::WithRoles {
            return access.permit(request.operation).await.map(drop);
        }
        let permit = match request.key {
            Some(key) => access.permit_regeneration(key).await?,
            None => access.permit(request.operation).await?,
        };
        // The response contains a secret and with it the permissions of its key or client.
        let roles = match (request.key, request.client) {
            (Some(key), _) => {
                let found = self.core.ports.api_keys.key(project, key).await?;
                Some(found.ok_or(Error::NotFound(ResourceKind::ApiKey))?.roles)
            }
            (None, Some(client)) => {
                let found = self.core.ports.project_clients.client(client).await?;
                let found = found.filter(|found| found.project_id == project);
                found.ok_or(Error::NotFound(ResourceKind::Client))?.settings.roles
            }
            (None, None) => request.granted_roles.clone(),
        };
        let Some(roles) = roles else { return Ok(()) };
        access.may_grant(&permit, roles.permissions()).await
    }

    async fn ended_own_access(&self, caller: &Caller, request: &RequestedAccess) -> Result<bool, Error> {
        Ok(match (request.member, request.project, request.team) {
            (Some(member), ..) => matches!(caller.identity, Identity::Account(own) if own == member),
            (None, Some(project), _) => self.core.ports.projects.project(project).await?.is_none(),
            (None, None, Some(team)) => self.core.ports.teams.team(team).await?.is_none(),
            (None, None, None) => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::administration::{ApiKey, ProjectMembership, TeamMembership};
    use crate::identity::{ClientSettings, ProjectClient};
    use crate::kernel::policy::RoleSet;
    use crate::kernel::{Committed, RoleName};
    use crate::mocks::{MockStore, a_caller, a_client, a_key, a_project_in_team, a_team, id_of, mock_administration};

    /// For a caller with these roles; `None` if the caller is no longer a member.
    fn replay_authorization(roles: Option<&'static str>) -> ReplayAuthorization {
        let mut store = MockStore::default();
        let membership = roles.map(|roles| TeamMembership {
            team: a_team("acme"),
            roles: RoleSet::parse(roles).unwrap(),
            role_name: RoleName::default(),
        });
        store.access.expect_team_membership().returning(move |_, _| Ok(membership.clone()));
        let in_project = roles.map(|roles| ProjectMembership {
            project: Arc::new(a_project_in_team()),
            roles: RoleSet::parse(roles).unwrap(),
        });
        store.access.expect_project_membership().returning(move |_, _| Ok(in_project.clone()));
        store
            .api_keys
            .expect_key()
            .returning(|_, _| Ok(Some(ApiKey { roles: KeyRoles::parse("db:write").unwrap(), ..a_key() })));
        let client = a_client();
        let settings = ClientSettings { roles: KeyRoles::parse("db:write").ok(), ..client.settings };
        let client = ProjectClient { settings, ..client };
        store.project_clients.expect_client().returning(move |_| Ok(Some(client.clone())));
        store.teams.expect_team().returning(|_| Ok(None));
        // Refused attempts are recorded.
        store.unit_of_work.expect_commit().returning(|_| Ok(Committed::default()));
        store.projects.expect_project().returning(|_| Ok(Some(a_project_in_team())));
        ReplayAuthorization::new(&mock_administration(store))
    }

    /// With the IDs in the path of the operation.
    fn request(operation: Operation) -> RequestedAccess {
        let is_any = |operations: &[Operation]| operations.contains(&operation);
        let of_member = is_any(&[Operation::MemberRemove, Operation::MemberUpdate]);
        let is_in_project =
            matches!(operation.rule().requirement, Requirement::OfProject(_) | Requirement::OfProjectBoth(..));
        RequestedAccess {
            operation,
            team: (!is_in_project).then(|| id_of("acme").into()),
            project: is_in_project.then(|| a_project_in_team().project.id),
            member: of_member.then(|| id_of("ann").into()),
            key: is_any(&[Operation::KeyRegenerate]).then(|| a_key().id),
            client: is_any(&[Operation::ClientSecretRotate]).then(|| a_client().id),
            granted_roles: KeyRoles::parse("db:write").ok(),
        }
    }

    #[tokio::test]
    async fn a_replay_is_refused_as_the_request_would_be_now() {
        let outcome =
            async |roles, operation| replay_authorization(roles).authorize(&a_caller("bob"), &request(operation)).await;
        let showing_secrets =
            [Operation::KeyCreate, Operation::KeyRegenerate, Operation::ClientCreate, Operation::ClientSecretRotate];
        for operation in showing_secrets {
            assert!(outcome(Some("project:write,key:write,db:write"), operation).await.is_ok());
            for fewer in ["project:write,key:write", "viewer"] {
                assert!(matches!(outcome(Some(fewer), operation).await, Err(Error::Forbidden(_))), "{fewer}");
            }
            assert!(matches!(outcome(None, operation).await, Err(Error::NotFound(ResourceKind::Project))));
        }
        assert!(matches!(outcome(None, Operation::InviteCreate).await, Err(Error::NotFound(ResourceKind::Team))));
        assert!(matches!(outcome(None, Operation::ProjectDelete).await, Err(Error::NotFound(ResourceKind::Project))));
        assert!(outcome(None, Operation::TeamCreate).await.is_ok());
    }

    #[tokio::test]
    async fn a_caller_who_ended_their_own_access_receives_the_response_again() {
        let replay_authorization = replay_authorization(None);
        let (own, other) = (a_caller("ann"), a_caller("bob"));
        for operation in [Operation::MemberRemove, Operation::MemberUpdate] {
            assert!(replay_authorization.authorize(&own, &request(operation)).await.is_ok());
            assert!(replay_authorization.authorize(&other, &request(operation)).await.is_err());
        }
        assert!(
            replay_authorization.authorize(&other, &request(Operation::TeamDelete)).await.is_ok(),
            "The team is deleted for every caller."
        );
    }
}
