//! Authentication with access tokens.

use std::sync::Arc;

use crate::data::{ProjectUser, UserActivityRecorder, UserBearer, UserStatus};
use crate::identity::{
    AccountReader, Audience, AuthorizationReader, ClientBearer, FirstPartyClients, ProjectClient, ProjectClientReader,
    Proofs, RefreshState, Scope, Subject, TokenFamily, TokenFamilyWithAccount, TokenVerifier, VerifiedToken,
};
use crate::kernel::error::{AuthenticationError, Error, Forbidden};
use crate::kernel::policy::{AccountRules, AccountStanding, Conditions, KeyRoles};
use crate::kernel::{AccessBasis, Identity, ProjectClientId, RefreshTokenId, ServerKeyId, StoreError, Time, Usage};

use super::known_credentials::CheckedCredential;
use super::presented_credential::PresentedCredential;

/// Checks access tokens, and records their use and the activity of project users.
#[derive(Clone)]
pub(super) struct TokenAuthentication {
    pub verifier: TokenVerifier,
    pub proofs: Proofs,
    pub families: Arc<dyn AuthorizationReader>,
    pub accounts: Arc<dyn AccountReader>,
    pub clients: Arc<dyn ProjectClientReader>,
    pub sightings: Arc<dyn UserActivityRecorder>,
    pub usage: Arc<Usage>,
    pub first_party_clients: FirstPartyClients,
    pub rules: AccountRules,
}

impl TokenAuthentication {
    /// Checks an access token with one query, after the proof of the key to which it is bound. The proof is used once the
    /// token was found valid.
    pub async fn check(
        &self,
        credential: &PresentedCredential,
        conditions: Conditions,
        now: Time,
    ) -> Result<CheckedCredential, Error> {
        let verified = self.verifier.verify(credential.text(), &credential.digest, now).await?;
        let (bound_to, proof) = (verified.claims.bound_to.as_ref(), credential.proof.as_ref());
        self.proofs.check_holder(&credential.digest, bound_to, proof)?;
        let checked = self.check_stored(verified, conditions, now).await?;
        self.proofs.use_with(credential.proof.as_ref())?;
        Ok(checked)
    }

    /// Checks what is stored of a verified token. The query for its account or family also checks that the signing key is
    /// still stored.
    async fn check_stored(
        &self,
        verified: VerifiedToken,
        conditions: Conditions,
        now: Time,
    ) -> Result<CheckedCredential, Error> {
        let VerifiedToken { claims, signed_by } = verified;
        let pair = (claims.pair(), claims.issued_at);
        let checked = |identity, basis| CheckedCredential {
            identity,
            basis,
            digests: Arc::default(),
            checked_at: now,
            sign_in: None,
            standing: None,
        };
        let met = |standing| self.rules.check(conditions, standing, now).map(|()| Some(standing));
        let subject = match claims.subject {
            Subject::Account(account) => account,
            Subject::Client(id, roles) => {
                let bearer = self.client_bearer(id, roles, claims.audience, signed_by).await?;
                let project = Some((bearer.project.project.id, bearer.project.access_epoch));
                let basis = AccessBasis { project, account: None, signed_by: Some(signed_by) };
                return Ok(checked(Identity::Client(Arc::new(bearer)), basis));
            }
        };
        let basis_at =
            |epoch| AccessBasis { project: None, account: Some((subject, epoch)), signed_by: Some(signed_by) };
        match (claims.audience, claims.family) {
            (Audience::Service, _) if !claims.scopes.has(Scope::Admin) => {
                Err(Forbidden::WrongScope(Scope::Admin).into())
            }
            (Audience::Service, None) => {
                let found = self.accounts.signed_account(subject, signed_by).await?;
                let (account, epoch) =
                    found.filter(|(account, _)| account.is_active()).ok_or(AuthenticationError::RevokedToken)?;
                // The operator made the token for a program.
                let standing = met(AccountStanding::of(&account, None))?;
                Ok(CheckedCredential { standing, ..checked(Identity::Account(subject), basis_at(epoch)) })
            }
            (Audience::Service, Some(family)) => {
                let found = self.families.token_family(family, Some(signed_by)).await?;
                let is_valid = |found: &TokenFamilyWithAccount| {
                    found.is_live() && self.first_party_clients.know(&found.family.client)
                };
                let family = found.filter(is_valid).ok_or(AuthenticationError::RevokedToken)?;
                let standing = met(family.standing())?;
                self.use_pair(&family.family, pair, now).await?;
                let checked = checked(Identity::Account(subject), basis_at(family.access_epoch));
                Ok(CheckedCredential { sign_in: Some(family.last_sign_in()), standing, ..checked })
            }
            (Audience::Project(_), None) => Err(AuthenticationError::InvalidToken.into()),
            (Audience::Project(_), Some(family)) => {
                let found = self.families.user_bearer(family, Some(signed_by)).await?;
                let (family, bearer) =
                    found.filter(|(family, _)| family.is_live()).ok_or(AuthenticationError::RevokedToken)?;
                // A client can have tokens of 24 hours: a rule that begins in the meantime applies to them, too.
                let of_project = bearer.project.project.sign_in.second_factor_from;
                let standing = family.standing();
                AccountRules { of_project, ..self.rules }.check(conditions, standing, now)?;
                if bearer.user.status == UserStatus::Blocked {
                    return Err(Forbidden::Blocked.into());
                }
                self.use_pair(&family.family, pair, now).await?;
                self.record_activity(&bearer.user, now).await;
                let project = Some((bearer.project.project.id, bearer.project.access_epoch));
                let basis = AccessBasis { project, ..basis_at(family.access_epoch) };
                let scopes = match family.family.client.project_client() {
                    None => bearer.project.project.sign_in.effective_scopes(claims.scopes),
                    Some(_) => claims.scopes,
                };
                let identity = Identity::User(Arc::new(UserBearer { scopes, ..bearer }));
                Ok(CheckedCredential { standing: Some(standing), ..checked(identity, basis) })
            }
        }
    }

    /// Records the use of an access token of a family: that of its pair, and when it was issued. Refuses a lost one.
    async fn use_pair(
        &self,
        family: &TokenFamily,
        (pair, issued_at): (RefreshTokenId, Time),
        now: Time,
    ) -> Result<(), Error> {
        if self.is_lost(family, pair, issued_at).await? {
            return Err(AuthenticationError::RevokedToken.into());
        }
        self.usage.note_pair(pair, now);
        Ok(())
    }

    /// Returns whether an access token belongs to a pair that is lost, with a query only if it was issued no later than
    /// such a pair.
    pub async fn is_lost(
        &self,
        family: &TokenFamily,
        pair: RefreshTokenId,
        issued_at: Time,
    ) -> Result<bool, StoreError> {
        if !family.may_have_lost(issued_at) {
            return Ok(false);
        }
        let found = self.families.refresh_token_of(family.id, pair).await?;
        Ok(found.is_some_and(|token| matches!(token.state, RefreshState::Lost { .. })))
    }

    /// Returns a client that acts on its own behalf, if its token is for its project and it still may.
    async fn client_bearer(
        &self,
        id: ProjectClientId,
        roles: KeyRoles,
        audience: Audience,
        signed_by: ServerKeyId,
    ) -> Result<ClientBearer, Error> {
        let found = self.clients.client_bearer(id, signed_by).await?;
        let is_valid = |client: &ProjectClient| {
            client.acts_on_its_own_behalf() && audience == Audience::Project(client.project_id)
        };
        let (client, project) =
            found.filter(|(client, _)| is_valid(client)).ok_or(AuthenticationError::RevokedToken)?;
        Ok(ClientBearer { client, roles, project: Arc::new(project) })
    }

    /// Records that the user is active in the project. A failure does not fail the request: the next request tries
    /// again.
    async fn record_activity(&self, user: &ProjectUser, now: Time) {
        if user.status == UserStatus::Connected && user.needs_activity_update(now) {
            drop(self.sightings.record_seen(user.project_id, user.id, now).await);
        }
    }
}
