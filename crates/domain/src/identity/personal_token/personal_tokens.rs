//! Personal access tokens: creating, listing and revoking them. Only the signed-in account can do this; a token cannot
//! create another token.

use chrono::TimeDelta;

use crate::administration::KeyValue;
use crate::identity::account::notices::announce;
use crate::identity::{AccountChange, IdentityCore, PersonalToken};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::{Operation, Permit, RoleSet};
use crate::kernel::{
    Caller, Issued, Label, Page, PageRequest, PersonalTokenId, Precondition, ProjectId, Revision, TeamId, Time,
    account_of, retry_stale, use_cases,
};

/// Values of a new token.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct CreateToken {
    pub label: Label,
    pub roles: RoleSet,
    pub teams: Vec<TeamId>,
    pub projects: Vec<ProjectId>,
    pub expires_at: Time,
}

use_cases! {
    /// Use cases of personal access tokens.
    pub struct PersonalTokens { core: IdentityCore }
}

impl PersonalTokens {
    /// Lists the caller's tokens without their values.
    pub async fn list(&self, caller: &Caller, page: &PageRequest) -> Result<Page<PersonalToken>, Error> {
        Ok(self.core.ports.personal_tokens.tokens_of(account_of(caller)?, page).await?)
    }

    /// Returns one of the caller's tokens without its value.
    pub async fn get(&self, caller: &Caller, id: PersonalTokenId) -> Result<PersonalToken, Error> {
        let token = self.core.ports.personal_tokens.token(account_of(caller)?, id).await?;
        token.ok_or(Error::NotFound(ResourceKind::PersonalToken))
    }

    /// Creates a token. Its value is returned only here. It can be limited only to teams and projects of the caller.
    pub async fn create(&self, caller: &Caller, command: CreateToken) -> Result<Issued<PersonalToken>, Error> {
        let account_id = account_of(caller)?;
        let now = self.core.now();
        let latest = now + TimeDelta::days(PersonalToken::MAX_DAYS);
        if command.expires_at <= now || command.expires_at > latest {
            let days = PersonalToken::MAX_DAYS;
            return Err(Error::invalid(
                "expires_at",
                format_args!("must be in the future and at most {days} days from now"),
            ));
        }
        self.check_targets(caller, &command).await?;
        let value = KeyValue::personal(&self.core.system.secrets.entropy());
        let token = PersonalToken {
            id: PersonalTokenId::from(self.core.next_id()),
            account_id,
            label: command.label,
            roles: command.roles,
            teams: command.teams,
            projects: command.projects,
            digest: self.core.ports.digester.digest(&value, now),
            hint: value.hint(),
            created_at: now,
            expires_at: command.expires_at,
            last_used: None,
            revision: Revision::FIRST,
        };

        let permit = Permit::own(Operation::PersonalTokenCreate, caller)?;
        self.core.commit(Changes::by(permit, now).insert(token.clone())).await?;
        // The token exists, whether or not the email can be sent.
        if let Ok(Some(account)) = self.core.ports.accounts.account(account_id).await {
            announce(&self.core, &account, AccountChange::TokenCreated).await;
        }
        Ok(Issued { value: token, secret: value.secret().clone() })
    }

    async fn check_targets(&self, caller: &Caller, command: &CreateToken) -> Result<(), Error> {
        let unknown = |error: Error, field: &'static str, id: &dyn std::fmt::Display| match error {
            Error::NotFound(_) => {
                Error::invalid(field, format_args!("contains \"{id}\", which you are not a member of"))
            }
            error => error,
        };
        for (field, count) in [("teams", command.teams.len()), ("projects", command.projects.len())] {
            if count > PersonalToken::MAX_TARGETS {
                return Err(Error::invalid(
                    field,
                    format_args!("must contain at most {} IDs", PersonalToken::MAX_TARGETS),
                ));
            }
        }
        for team in &command.teams {
            self.core.access.team(caller, *team).await.map_err(|error| unknown(error, "teams", team))?;
        }
        for project in &command.projects {
            self.core.access.project(caller, *project).await.map_err(|error| unknown(error, "projects", project))?;
        }
        Ok(())
    }

    /// Revokes a token. It stops working immediately.
    pub async fn revoke(&self, caller: &Caller, id: PersonalTokenId, when: &Precondition) -> Result<(), Error> {
        retry_stale(async || {
            let account = account_of(caller)?;
            let tokens = &self.core.ports.personal_tokens;
            let loaded = tokens.token(account, id).await?.ok_or(Error::NotFound(ResourceKind::PersonalToken))?;
            when.check(ResourceKind::PersonalToken, loaded.revision)?;

            let permit = Permit::own(Operation::PersonalTokenRevoke, caller)?;
            let changes = Changes::by(permit, self.core.now()).remove(loaded);
            self.core.save(changes).await
        })
        .await
    }
}
