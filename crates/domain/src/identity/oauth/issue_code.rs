//! Issuing an authorization code, with the grant and the project user that it requires, in one commit.

use crate::data::ProjectUser;
use crate::identity::oauth::authorize::{GrantBasis, not_found_or_failed};
use crate::identity::{
    AUTHORIZATION_TTL, Account, AuthorizationCode, AuthorizationRequest, AuthorizationStep, Authorizations,
    ClientScopes, Grant, Pending, ScopeSet, SignedIn,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ErrorCode, OAuthError, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{
    CommitError, OpaqueKind, ProjectId, Request, RetryError, Revision, Secret, Time, Unique, retry_stale,
};

impl Authorizations {
    /// Issues a code and sends it to the client, or lets the device that waits redeem its device code. If the user is blocked
    /// or has revoked the grant, the client receives an error instead.
    pub(crate) async fn issue_code(
        &self,
        request: &Request,
        pending: &Pending,
        basis: GrantBasis,
        signed_in: &SignedIn,
    ) -> Result<AuthorizationStep, Error> {
        let Pending { request: authorization, client, device } = pending;
        let issued = retry_stale(async || {
            let now = self.core.now();
            // The account is read after the clock: if its address is confirmed by someone else in the meantime, what is granted
            // now is older than that.
            let account = self.core.ports.accounts.account(signed_in.account.id).await?;
            let is_same = |account: &Account| account.password_set_at == signed_in.session.password_set_at;
            let account = account.filter(is_same).ok_or(Error::NotFound(ResourceKind::AuthorizationRequest))?;
            let permit = Permit::authenticated(Operation::Consent, account.id, request.clone())?;
            let permit = match &client.project {
                Some(project) => permit.in_project(project.team_id, project.id),
                None => permit,
            };
            let mut changes = Changes::by(permit, now);
            if basis != GrantBasis::GrantImmediately {
                changes = changes.remove(authorization.clone());
            }
            if let Some(device) = device {
                changes = changes.remove(device.clone());
            }
            if let Some(project) = &client.project {
                changes = self.with_grant(changes, authorization, basis, &account, project.id, now).await?;
                changes = self.with_user(changes, &account, project.id, now).await?;
            }
            let (secret, code) = self.code(pending, signed_in, now);
            match self.core.commit(changes.insert(code)).await {
                Ok(_) => Ok(secret),
                Err(CommitError::Taken(Unique::Grant | Unique::ProjectUser)) => {
                    Err(RetryError::Stale(ResourceKind::Grant))
                }
                Err(CommitError::Stale(kind @ (ResourceKind::Grant | ResourceKind::ProjectUser))) => {
                    Err(RetryError::Stale(kind))
                }
                Err(error) => Err(not_found_or_failed(error).into()),
            }
        })
        .await;
        match issued {
            Ok(code) => Ok(self.allow(authorization, &code)),
            // The person reads why.
            Err(Error::OAuth(error)) if device.is_none() => Ok(self.refuse(authorization, &error)),
            Err(error) => Err(error),
        }
    }

    /// Adds the grant to the changes, unless the existing grant covers the requested scopes. Consent adds the requested
    /// scopes to those of an existing grant.
    async fn with_grant(
        &self,
        changes: Changes,
        authorization: &AuthorizationRequest,
        basis: GrantBasis,
        account: &Account,
        project_id: ProjectId,
        now: Time,
    ) -> Result<Changes, Error> {
        let (client, requested) = (&authorization.client, &authorization.parameters.scopes);
        match self.core.ports.authorizations.grant(account.id, project_id).await? {
            Some(grant) if account.stands_by(grant.updated_at) && grant.covers(client, requested) => Ok(changes),
            // The grant was revoked after it was read. Without new consent it is not created again.
            _ if basis != GrantBasis::Consent => {
                let message = "The user has revoked the grant. Send the request again.";
                Err(OAuthError::new(ErrorCode::ConsentRequired, message).into())
            }
            Some(grant) if account.stands_by(grant.updated_at) => {
                Ok(changes.replace(grant.clone(), grant.with(client, requested, now)))
            }
            Some(grant) => Ok(changes.replace(grant.clone(), grant.emptied().with(client, requested, now))),
            None => {
                let grant = Grant {
                    id: self.core.next_id().into(),
                    account_id: account.id,
                    project_id,
                    scopes: ScopeSet::none(),
                    client_scopes: ClientScopes::default(),
                    created_at: now,
                    updated_at: now,
                    revision: Revision::FIRST,
                };
                Ok(changes.insert(grant.with(client, requested, now)))
            }
        }
    }

    /// Adds the connected project user to the changes. A blocked user is refused.
    async fn with_user(
        &self,
        changes: Changes,
        account: &Account,
        project_id: ProjectId,
        now: Time,
    ) -> Result<Changes, Error> {
        let Some(user) = self.core.ports.project_users.user_of(project_id, account.id).await? else {
            let user = ProjectUser::new(self.core.next_id().into(), project_id, account, &self.core.address, now);
            return Ok(changes.insert(user));
        };
        let blocked = || OAuthError::new(ErrorCode::AccessDenied, "The user is blocked in this project.");
        let seen = user.seen(account, now).ok_or_else(blocked)?;
        Ok(changes.replace(user, seen))
    }

    fn code(&self, pending: &Pending, signed_in: &SignedIn, now: Time) -> (Secret, AuthorizationCode) {
        let authorization = &pending.request;
        let is_registered = authorization.client.project_client().is_some();
        let kind = if is_registered { OpaqueKind::ClientCode } else { OpaqueKind::AuthorizationCode };
        let secret = self.core.new_secret(kind);
        let code = AuthorizationCode {
            family_id: self.core.next_id().into(),
            // A device redeems its device code.
            digest: pending.device.as_ref().map_or_else(|| self.core.digest(&secret), |device| device.digest.clone()),
            account_id: signed_in.account.id,
            client: authorization.client.clone(),
            session_id: signed_in.session.id,
            redirect_uri: authorization.redirect_uri().cloned(),
            scopes: authorization.parameters.scopes.clone(),
            nonce: authorization.parameters.nonce.clone(),
            challenge: authorization.parameters.challenge.clone(),
            bound_to: authorization.parameters.bound_to.clone(),
            authenticated_at: signed_in.session.authenticated_at,
            methods: signed_in.session.methods.clone(),
            password_set_at: signed_in.session.password_set_at,
            created_at: now,
            expires_at: now + AUTHORIZATION_TTL,
            redeemed_at: None,
            revision: Revision::FIRST,
        };
        (secret, code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::UserStatus;
    use crate::identity::oauth::fixtures::{REQUEST_ID, WEB_URI, allow, an_authorization_request, authorizations};
    use crate::identity::{RedirectUri, ResponseTarget, ScopeSet};
    use crate::kernel::changes::{Entity, Write};
    use crate::mocks::{
        MockAccessTokens, MockAuthorizationReader, a_request, a_session, a_user_bearer, id_of, instant,
    };

    #[tokio::test]
    async fn a_grant_revoked_concurrently_is_not_recreated_without_consent() {
        let mut reader = MockAuthorizationReader::new();
        let redirect_uri = RedirectUri::parse(WEB_URI).unwrap();
        let target = ResponseTarget::Client(redirect_uri);
        let request = AuthorizationRequest { target, ..an_authorization_request() };
        reader.expect_authorization_request().returning(move |_| Ok(Some(request.clone())));
        let grant = Grant {
            id: id_of("grant").into(),
            account_id: a_session().account.id,
            project_id: an_authorization_request().client.project().unwrap(),
            scopes: ScopeSet::parse("openid"),
            client_scopes: ClientScopes::default(),
            created_at: instant(),
            updated_at: instant(),
            revision: Revision::FIRST,
        };
        let mut seen = vec![None, Some(grant)];
        reader.expect_grant().returning(move |_, _| Ok(seen.pop().flatten()));
        let (authorizations, store) = authorizations(reader, MockAccessTokens::new(), instant(), None);
        let pending = authorizations.pending(REQUEST_ID).await.unwrap();
        let next = authorizations.proceed(&a_request(), REQUEST_ID, &pending, &a_session(), false).await;
        assert!(matches!(next, Ok(AuthorizationStep::Redirect(address)) if address.contains("error=consent_required")));
        assert!(store.changes().is_empty());
    }

    #[tokio::test]
    async fn a_disconnected_user_can_reconnect_and_a_blocked_user_cannot() {
        let user = |status| Some(ProjectUser { status, ..a_user_bearer("ann").user });
        let (_, writes) = allow(instant(), user(UserStatus::Disconnected)).await;
        let back = |write: &Write| matches!(write, Write::Replace(Entity::ProjectUser(user)) if user.status == UserStatus::Connected);
        assert!(writes.iter().any(back), "{writes:?}");
        let (next, writes) = allow(instant(), user(UserStatus::Blocked)).await;
        assert!(matches!(next, Ok(AuthorizationStep::Redirect(address)) if address.contains("error=access_denied")));
        assert!(writes.is_empty());
    }
}
