//! Who may be given a stored answer once more: only who could make the request today.

use std::sync::Arc;

use crate::error::{Error, ResourceKind};
use crate::model::{AccountId, ApiKeyId, Caller, Identity, ProjectId, TeamId};
use crate::policy::{KeyRoles, Operation, Requirement};
use crate::ports::{ApiKeyReader, ProjectReader, TeamReader};

use super::Access;
use super::access::takes;

/// What a request asks for, as far as access to it is decided by that: from its path, and where that does not name it from
/// its body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is the value it is named after")]
pub struct RequestedAccess {
    pub operation: Operation,
    pub team: Option<TeamId>,
    pub project: Option<ProjectId>,
    pub member: Option<AccountId>,
    pub key: Option<ApiKeyId>,
    /// The roles of the key that is made.
    pub key_roles: Option<KeyRoles>,
}

/// Authorizes replays.
#[expect(missing_docs, reason = "each field is the port it is named after")]
pub struct ReplayAuthorization {
    pub access: Access,
    pub teams: Arc<dyn TeamReader>,
    pub projects: Arc<dyn ProjectReader>,
    pub keys: Arc<dyn ApiKeyReader>,
}

impl ReplayAuthorization {
    /// Refuses as the operation would be refused today. Who ended their own access with the very request is given its
    /// answer again.
    pub(super) async fn authorize(&self, caller: &Caller, asked: &RequestedAccess) -> Result<(), Error> {
        if self.ended_by_itself(caller, asked).await? {
            return Ok(());
        }
        match asked.operation.rule().needs {
            Requirement::Nothing => takes(asked.operation, &caller.identity),
            Requirement::OfScope(_) => {
                let project = caller.user()?.project.project.id;
                self.access.project(caller, project).await?.permit(asked.operation).await?;
                Ok(())
            }
            Requirement::OfTeam(_) => {
                let team = asked.team.ok_or(Error::NotFound(ResourceKind::Team))?;
                self.access.team(caller, team).await?.permit(asked.operation).await?;
                Ok(())
            }
            Requirement::OfProject(_) | Requirement::OfProjectBoth(..) => {
                self.authorize_in_project(caller, asked).await
            }
        }
    }

    async fn authorize_in_project(&self, caller: &Caller, asked: &RequestedAccess) -> Result<(), Error> {
        let project = asked.project.ok_or(Error::NotFound(ResourceKind::Project))?;
        let access = self.access.project(caller, project).await?;
        let permit = match asked.key {
            Some(key) if asked.operation == Operation::KeyRegenerate => access.permit_regeneration(key).await?,
            _ => access.permit(asked.operation).await?,
        };
        // Whoever is shown a key's value can do what the key can.
        let shown = match (asked.operation, asked.key) {
            (Operation::KeyRegenerate, Some(key)) => {
                Some(self.keys.key(project, key).await?.ok_or(Error::NotFound(ResourceKind::ApiKey))?.roles)
            }
            (Operation::KeyCreate, _) => asked.key_roles.clone(),
            _ => None,
        };
        match shown {
            Some(roles) => access.may_grant(&permit, roles.permissions()).await,
            None => Ok(()),
        }
    }

    async fn ended_by_itself(&self, caller: &Caller, asked: &RequestedAccess) -> Result<bool, Error> {
        Ok(match (asked.operation, &caller.identity) {
            (Operation::MemberRemove | Operation::MemberUpdate, Identity::Account(own)) => asked.member == Some(*own),
            (Operation::TeamDelete, _) => match asked.team {
                Some(team) => self.teams.team(team).await?.is_none(),
                None => false,
            },
            (Operation::ProjectDelete, _) => match asked.project {
                Some(project) => self.projects.project(project).await?.is_none(),
                None => false,
            },
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{
        MockAccessReader, MockApiKeyReader, MockProjectReader, MockTeamReader, a_caller, a_key, a_project_in_team,
        a_team, access_by, id_of,
    };
    use crate::model::{ApiKey, ProjectMembership, RoleName, TeamMembership};
    use crate::policy::RoleSet;

    /// ReplayAuthorization for a caller in these roles; `None`: no member any more.
    fn replays(roles: Option<&'static str>) -> ReplayAuthorization {
        let mut reader = MockAccessReader::new();
        let membership = roles.map(|roles| TeamMembership {
            team: a_team("acme"),
            roles: RoleSet::parse(roles).unwrap(),
            role_name: RoleName::default(),
        });
        reader.expect_team_membership().returning(move |_, _| Ok(membership.clone()));
        let in_project = roles.map(|roles| ProjectMembership {
            project: Arc::new(a_project_in_team()),
            roles: RoleSet::parse(roles).unwrap(),
        });
        reader.expect_project_membership().returning(move |_, _| Ok(in_project.clone()));
        let mut keys = MockApiKeyReader::new();
        keys.expect_key().returning(|_, _| Ok(Some(ApiKey { roles: KeyRoles::parse("db:write").unwrap(), ..a_key() })));
        let mut teams = MockTeamReader::new();
        teams.expect_team().returning(|_| Ok(None));
        let mut projects = MockProjectReader::new();
        projects.expect_project().returning(|_| Ok(Some(a_project_in_team())));
        let access = access_by(reader);
        ReplayAuthorization { access, teams: Arc::new(teams), projects: Arc::new(projects), keys: Arc::new(keys) }
    }

    fn asked(operation: Operation) -> RequestedAccess {
        RequestedAccess {
            operation,
            team: Some(id_of("acme").into()),
            project: Some(a_project_in_team().project.id),
            member: Some(id_of("ann").into()),
            key: Some(a_key().id),
            key_roles: KeyRoles::parse("db:write").ok(),
        }
    }

    #[tokio::test]
    async fn a_replay_is_refused_as_the_request_would_be_today() {
        let outcome = async |roles, operation| replays(roles).authorize(&a_caller("bob"), &asked(operation)).await;
        for operation in [Operation::KeyCreate, Operation::KeyRegenerate] {
            assert!(outcome(Some("key:write,db:write"), operation).await.is_ok());
            for less in ["key:write", "viewer"] {
                assert!(matches!(outcome(Some(less), operation).await, Err(Error::Forbidden(_))), "{less}");
            }
            assert!(matches!(outcome(None, operation).await, Err(Error::NotFound(ResourceKind::Project))));
        }
        assert!(matches!(outcome(None, Operation::InviteCreate).await, Err(Error::NotFound(ResourceKind::Team))));
        assert!(matches!(outcome(None, Operation::ProjectDelete).await, Err(Error::NotFound(ResourceKind::Project))));
        assert!(outcome(None, Operation::TeamCreate).await.is_ok());
    }

    #[tokio::test]
    async fn who_ended_their_own_access_is_answered_again() {
        let replays = replays(None);
        let (own, other) = (a_caller("ann"), a_caller("bob"));
        for operation in [Operation::MemberRemove, Operation::MemberUpdate] {
            assert!(replays.authorize(&own, &asked(operation)).await.is_ok());
            assert!(replays.authorize(&other, &asked(operation)).await.is_err());
        }
        assert!(replays.authorize(&other, &asked(Operation::TeamDelete)).await.is_ok(), "the team is gone for all");
    }
}
