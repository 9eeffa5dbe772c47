//! The authorization code flow: a client sends a request, the user signs in and consents, and the client receives a
//! code (docs/contract.md#authorization-endpoint; RFC 6749 §4.1, OpenID Connect IdentityCore §3.1).

use chrono::TimeDelta;

use crate::identity::oauth::interaction::Interaction;
use crate::identity::oauth::refused_requests::RefusedClientRequest;
use crate::identity::{
    AUTHORIZATION_TTL, AuthenticationMethod, AuthorizationParameters, AuthorizationRequest, AuthorizationStep, Client,
    ClientId, DeviceAuthorization, Grant, IdentityCore, Parameters, RedirectUri, ResponseTarget, ScopeSet, Sessions,
    SignedIn, is_due,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ErrorCode, Forbidden, OAuthError, ResourceKind};
use crate::kernel::policy::{AccountRules, LimitedAction, Operation, Permit, UnmetCondition};
use crate::kernel::{CommitError, OpaqueKind, Request, Revision, Secret, Time, use_cases};

/// A pending authorization request and the client that sent it.
#[derive(Debug, Clone)]
pub struct Pending {
    /// The stored request.
    pub request: AuthorizationRequest,
    /// The client that sent the request.
    pub client: Client,
    /// The device that waits for the response; `None` if the client receives it in the browser.
    pub device: Option<DeviceAuthorization>,
}

impl Pending {
    /// Returns whether the person has to confirm that it is them, which a sign-in at another provider does not.
    pub fn asks_to_confirm(&self) -> bool {
        self.request.asks_to_confirm()
    }

    /// The scopes that the tokens will have.
    pub fn scopes(&self) -> ScopeSet {
        self.client.effective_scopes(&self.request.parameters.scopes)
    }
}

/// Why a code is issued.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GrantBasis {
    /// The user has just consented.
    Consent,
    /// An existing grant covers the scopes, and the request is stored.
    Grant,
    /// An existing grant covers the scopes, and the request was never stored.
    GrantImmediately,
}

/// What a request requires next.
enum Step<'a> {
    Interact(Interaction),
    IssueCode(&'a SignedIn),
}

/// Why a client's request is refused.
pub(crate) enum Refused {
    /// The client or the redirect URI is not valid, so nothing is sent there.
    Directly(OAuthError),
    /// The client receives the error at its redirect URI.
    AtClient(RedirectUri, OAuthError),
}

use_cases! {
    /// Use cases of the authorization endpoint and the sign-in pages.
    pub struct Authorizations { pub(crate) core: IdentityCore, pub(crate) sessions: Sessions }
}

impl Authorizations {
    /// Handles a client's authorization request. Returns an error if the client or the redirect URI is invalid, or the client
    /// receives no errors; every other error is sent to the client in a redirect. `browser` is the session token from the
    /// browser's cookie.
    pub async fn begin(
        &self,
        request: Request,
        parameters: &Parameters,
        browser: Option<&Secret>,
    ) -> Result<AuthorizationStep, Error> {
        let now = self.core.now();
        self.core.action_limiter.take_from(LimitedAction::AuthorizeFrom, &request, now).await?;
        let client = self.client(parameters.required("client_id")?).await?;
        let (target, parsed) = match self.take_pushed(&request, parameters, &client).await? {
            Some(pushed) => (pushed.target, pushed.parameters),
            None => match self.requested_by_browser(&request, parameters, &client).await {
                Ok((redirect_uri, parsed)) => (ResponseTarget::Client(redirect_uri), parsed),
                Err(Refused::Directly(error)) => return Err(error.into()),
                Err(Refused::AtClient(_, error)) if !client.receives_errors() => return Err(error.into()),
                Err(Refused::AtClient(uri, error)) => {
                    let to = (&uri, parameters.response_mode());
                    return Ok(self.redirect(to, parameters.state(), &error.members()));
                }
            },
        };
        let signed_in = self.signed_in(parameters, browser).await?;

        let (kind, client_id, times) = (OpaqueKind::AuthorizationRequest, client.id.clone(), (now, AUTHORIZATION_TTL));
        let (secret, authorization) = self.new_request(kind, client_id, target, parsed, times);
        let step = self.step(&client, &authorization, signed_in.as_ref(), now).await?;
        match step {
            Step::IssueCode(signed_in) => {
                let pending = Pending { request: authorization, client, device: None };
                self.issue_code(&request, &pending, GrantBasis::GrantImmediately, signed_in).await
            }
            Step::Interact(interaction) if authorization.parameters.prompt.none && !client.receives_errors() => {
                Err(interaction.error().into())
            }
            Step::Interact(interaction) if authorization.parameters.prompt.none => {
                Ok(self.refuse(&authorization, &interaction.error()))
            }
            Step::Interact(interaction) => {
                let permit = Permit::system(Operation::Authorize, request)?;
                let next = interaction.step(secret, &authorization);
                self.core.commit(Changes::by(permit, now).insert(authorization)).await?;
                Ok(next)
            }
        }
    }

    /// Returns a request from now on, and the secret of this kind by which it is found.
    pub(crate) fn new_request(
        &self,
        kind: OpaqueKind,
        client: ClientId,
        target: ResponseTarget,
        parameters: AuthorizationParameters,
        (now, lasts): (Time, TimeDelta),
    ) -> (Secret, AuthorizationRequest) {
        let secret = self.core.new_secret(kind);
        let request = AuthorizationRequest {
            id: self.core.next_id().into(),
            digest: self.core.digest(&secret),
            client,
            target,
            parameters,
            created_at: now,
            expires_at: now + lasts,
            revision: Revision::FIRST,
        };
        (secret, request)
    }

    /// Like [`Self::requested`], but refuses a client that must push its requests.
    async fn requested_by_browser(
        &self,
        request: &Request,
        parameters: &Parameters,
        client: &Client,
    ) -> Result<(RedirectUri, AuthorizationParameters), Refused> {
        let (redirect_uri, parsed) = self.requested(request, parameters, client).await?;
        if !client.requires_pushed_requests() {
            return Ok((redirect_uri, parsed));
        }
        let error = OAuthError::request("The client must push its requests. Send the parameters to `/auth/par` first.");
        self.record_refusal(request, client, redirect_uri.as_str(), &error).await;
        Err(Refused::AtClient(redirect_uri, error))
    }

    /// Parses the parameters of a client's request. Records a refused request.
    pub(crate) async fn requested(
        &self,
        request: &Request,
        parameters: &Parameters,
        client: &Client,
    ) -> Result<(RedirectUri, AuthorizationParameters), Refused> {
        let sent_uri = parameters.required("redirect_uri").map_err(Refused::Directly)?;
        let redirect_uri = match client.redirect_uri(sent_uri) {
            Ok(uri) => uri,
            Err(error) => {
                self.record_refusal(request, client, sent_uri, &error).await;
                return Err(Refused::Directly(error));
            }
        };
        match parse_parameters(parameters, client) {
            Ok(parsed) => Ok((redirect_uri, parsed)),
            Err(error) => {
                self.record_refusal(request, client, sent_uri, &error).await;
                Err(Refused::AtClient(redirect_uri, error))
            }
        }
    }

    async fn record_refusal(&self, request: &Request, client: &Client, redirect_uri: &str, error: &OAuthError) {
        if let Some(project) = &client.project {
            let (operation, redirect_uri) = (Operation::Authorize, Some(redirect_uri));
            let refusal = RefusedClientRequest { operation, client: &client.id, redirect_uri, error };
            self.core.record_refusal(request, project, refusal).await;
        }
    }

    /// Returns the browser's session. `None` if the `id_token_hint` parameter identifies another account.
    async fn signed_in(&self, parameters: &Parameters, browser: Option<&Secret>) -> Result<Option<SignedIn>, Error> {
        let Some(browser) = browser else { return Ok(None) };
        let signed_in = self.sessions.current(browser).await?;
        let account_of = |hint| self.core.ports.tokens.id_token_hint(hint).map(|hint| hint.account);
        let hinted_account = parameters.one("id_token_hint")?.map(account_of);
        Ok(signed_in.filter(|current| hinted_account.is_none_or(|account| account == Some(current.account.id))))
    }

    /// Returns the request with this one-time ID.
    ///
    /// Fails with `NotFound` if it is unknown, expired, or its redirect URI is no longer registered.
    pub async fn pending(&self, id: &str) -> Result<Pending, Error> {
        let not_found = || Error::NotFound(ResourceKind::AuthorizationRequest);
        let secret = OpaqueKind::AuthorizationRequest.parse(id).ok_or_else(not_found)?;
        let request = self
            .core
            .ports
            .authorizations
            .authorization_request(&self.core.digest(&secret))
            .await?
            .ok_or_else(not_found)?;
        let now = self.core.now();
        if request.expires_at <= now {
            return Err(not_found());
        }
        let client = self.client(request.client.as_str()).await?;
        // Nothing is sent to a redirect URI that has been removed from the settings.
        if request.redirect_uri().is_some_and(|uri| !client.allows(uri)) {
            return Err(not_found());
        }
        let device = self.waiting_device(&request, now).await?;
        Ok(Pending { request, client, device })
    }

    /// Continues a request after the user has signed in. `id`: the one-time ID with which it was read. `postponed`: whether the
    /// person knows that a second factor will be required, and wants to set it up later.
    pub async fn proceed(
        &self,
        request: &Request,
        id: &str,
        pending: &Pending,
        signed_in: &SignedIn,
        postponed: bool,
    ) -> Result<AuthorizationStep, Error> {
        let now = self.core.now();
        let due = self.account_rules(&pending.client).second_factor_due(signed_in.account.is_operator);
        let due = due.filter(|due| *due > now);
        let has_just_signed_in = signed_in.session.authenticated_at >= pending.request.created_at;
        let lacks_factor = signed_in.last_sign_in().missing_factor().is_some() && !signed_in.has_second_factor;
        let is_reminded = due.is_some() && has_just_signed_in && lacks_factor && !postponed;
        if is_reminded && self.hindrance(&pending.client, &pending.request, signed_in, now).is_none() {
            return Ok(AuthorizationStep::SetUpSecondFactor { request: Secret::new(id.to_owned()), due });
        }
        match self.step(&pending.client, &pending.request, Some(signed_in), now).await? {
            Step::Interact(interaction) => Ok(interaction.step(Secret::new(id.to_owned()), &pending.request)),
            Step::IssueCode(signed_in) => self.issue_code(request, pending, GrantBasis::Grant, signed_in).await,
        }
    }

    /// Completes a request with the user's decision on consent. `id`: the one-time ID with which it was read.
    pub async fn decide(
        &self,
        request: &Request,
        id: &str,
        pending: Pending,
        signed_in: &SignedIn,
        allowed: bool,
    ) -> Result<AuthorizationStep, Error> {
        let now = self.core.now();
        match self.hindrance(&pending.client, &pending.request, signed_in, now) {
            None => {}
            Some(Interaction::ConfirmEmail) => return Err(Forbidden::UnconfirmedEmail.into()),
            Some(interaction) => return Ok(interaction.step(Secret::new(id.to_owned()), &pending.request)),
        }
        if allowed {
            return self.issue_code(request, &pending, GrantBasis::Consent, signed_in).await;
        }
        let Pending { request: authorization, device, .. } = pending;
        let permit = Permit::authenticated(Operation::Consent, signed_in.account.id, request.clone())?;
        let denied =
            self.refuse(&authorization, &OAuthError::new(ErrorCode::AccessDenied, "The user denied the request."));
        let mut changes = Changes::by(permit, now).remove(authorization);
        if let Some(device) = device {
            changes = changes.replace(device.clone(), DeviceAuthorization { denied_at: Some(now), ..device });
        }
        self.core.commit(changes).await.map_err(not_found_or_failed)?;
        Ok(denied)
    }

    /// Returns the client with this ID, or `invalid_client` if there is none.
    pub async fn client(&self, id: &str) -> Result<Client, Error> {
        Client::find(&self.core, id).await
    }

    /// Returns what the person must do before they can decide; `None` if nothing.
    fn hindrance(
        &self,
        client: &Client,
        authorization: &AuthorizationRequest,
        signed_in: &SignedIn,
        now: Time,
    ) -> Option<Interaction> {
        let (account_rules, standing) = (self.account_rules(client), signed_in.standing());
        let rules = SignInRules {
            email_codes: self.core.settings.email_codes && client.accepts_email_codes(),
            second_factor: is_due(account_rules.second_factor_due(standing.is_operator), now),
        };
        if !accepts(authorization, signed_in, rules, now) {
            return Some(Interaction::SignIn);
        }
        match account_rules.check(Operation::Consent.rule().conditions, standing, now) {
            Ok(()) => None,
            Err(UnmetCondition::ConfirmedEmail) => Some(Interaction::ConfirmEmail),
            // The account has none that could have been asked for.
            Err(UnmetCondition::SecondFactor(_)) => Some(Interaction::SetUpSecondFactor),
        }
    }

    /// Returns what the operator and the project of the client require of accounts.
    fn account_rules(&self, client: &Client) -> AccountRules {
        AccountRules { of_project: client.second_factor_from(), ..self.core.authentication.rules() }
    }

    async fn step<'a>(
        &self,
        client: &Client,
        authorization: &AuthorizationRequest,
        signed_in: Option<&'a SignedIn>,
        now: Time,
    ) -> Result<Step<'a>, Error> {
        let Some(signed_in) = signed_in else { return Ok(Step::Interact(Interaction::SignIn)) };
        if let Some(interaction) = self.hindrance(client, authorization, signed_in, now) {
            return Ok(Step::Interact(interaction));
        }
        // A first-party client can administer, and has no grant that could be revoked, so it always requires consent. So does
        // a device, because anyone can have sent its code to the person.
        let (project, asks_again) = (authorization.client.project(), authorization.parameters.prompt.consent);
        let (Some(project), Some(redirect_uri), false) = (project, authorization.redirect_uri(), asks_again) else {
            return Ok(Step::Interact(Interaction::Consent));
        };
        let grant = self.core.ports.authorizations.grant(signed_in.account.id, project).await?;
        let (id, scopes) = (&authorization.client, &authorization.parameters.scopes);
        let counts = |grant: &Grant| signed_in.account.stands_by(grant.updated_at);
        let is_covered = grant.filter(counts).is_some_and(|grant| grant.covers(id, scopes));
        Ok(match is_covered {
            true if client.is_proven_by(redirect_uri) => Step::IssueCode(signed_in),
            true => Step::Interact(Interaction::Confirm),
            // Otherwise any project could learn who visits its pages, because all projects share their accounts.
            false if client.skips_consent() => Step::Interact(Interaction::Continue),
            false => Step::Interact(Interaction::Consent),
        })
    }
}

/// Parses the parameters, and drops scopes that the client may not request.
fn parse_parameters(parameters: &Parameters, client: &Client) -> Result<AuthorizationParameters, OAuthError> {
    let parsed = AuthorizationParameters::parse(parameters, &client.id, client.requires_pkce())?;
    Ok(AuthorizationParameters { scopes: client.permitted_scopes(parsed.scopes)?, ..parsed })
}

/// Rules of the service and of the project about how people sign in.
#[derive(Clone, Copy)]
struct SignInRules {
    /// Whether a code by email suffices.
    email_codes: bool,
    /// Whether a second factor is required.
    second_factor: bool,
}

/// Whether the sign-in is recent enough, as certain as the client asks for and the account allows, and with methods that the
/// project accepts. `max_age` asks for all factors of the account, so that a client that was refused a change for an
/// incomplete sign-in gets a complete one.
fn accepts(authorization: &AuthorizationRequest, signed_in: &SignedIn, rules: SignInRules, now: Time) -> bool {
    let (session, parameters) = (&signed_in.session, &authorization.parameters);
    if session.limited_to.is_some_and(|project| authorization.client.project() != Some(project)) {
        return false;
    }
    let asks_for_all = rules.second_factor
        || parameters.max_age.is_some()
        || parameters.level.is_some_and(|level| level > session.methods.level());
    let last_sign_in = signed_in.last_sign_in();
    let asks_again = parameters.max_age.is_some() || parameters.prompt.login;
    // A provider at which the person was signed in already may not have asked for anything.
    if asks_again && session.methods.contain(AuthenticationMethod::IdentityProvider) && last_sign_in.is_elsewhere() {
        return false;
    }
    authorization.accepts(session.authenticated_at, now)
        && !(asks_for_all && last_sign_in.lacks_second_factor())
        && !(authorization.asks_to_confirm() && last_sign_in.is_elsewhere())
        && (rules.email_codes || !session.methods.contain(AuthenticationMethod::EmailCode))
}

/// Maps a commit error. A request that was completed concurrently, whose device no longer waits, or that belongs to a deleted
/// project, is not found.
pub(crate) fn not_found_or_failed(error: CommitError) -> Error {
    match error {
        CommitError::Stale(ResourceKind::AuthorizationRequest | ResourceKind::DeviceAuthorization)
        | CommitError::Orphaned => Error::NotFound(ResourceKind::AuthorizationRequest),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::identity::oauth::fixtures::allow;
    use crate::kernel::changes::{Entity, Write};
    use crate::mocks::instant;

    #[tokio::test]
    async fn a_request_expires_after_ten_minutes() {
        let last = instant() + AUTHORIZATION_TTL - TimeDelta::microseconds(1);
        let (next, writes) = allow(last, None).await;
        assert!(matches!(next, Ok(AuthorizationStep::Redirect(address)) if address.contains("code=stw_ac_")));
        let writes_made: Vec<&Write> = writes.iter().collect();
        assert!(
            matches!(
                writes_made.as_slice(),
                [
                    Write::Remove(Entity::AuthorizationRequest(_)),
                    Write::Insert(Entity::Grant(_)),
                    Write::Insert(Entity::ProjectUser(_)),
                    Write::Insert(Entity::AuthorizationCode(_)),
                ]
            ),
            "{writes_made:?}"
        );
        let (next, writes) = allow(instant() + AUTHORIZATION_TTL, None).await;
        assert!(matches!(next, Err(Error::NotFound(ResourceKind::AuthorizationRequest))) && writes.is_empty());
    }
}
