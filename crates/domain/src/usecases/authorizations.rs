//! The authorization code flow: a client sends a request, the user signs in and consents, and the client receives a
//! code (contract 3; RFC 6749 §4.1, OpenID Connect Core §3.1).

use std::fmt;
use std::sync::Arc;

use crate::changes::Changes;
use crate::error::{Error, ErrorCode, OAuthError, ResourceKind};
use crate::model::{
    AUTHORIZATION_TTL, AccountId, AuthorizationCode, AuthorizationParameters, AuthorizationRequest, ClientId, Grant,
    OpaqueKind, Parameters, Project, ProjectId, ProjectUser, RedirectUri, Request, Revision, Secret, ServiceAddress,
    SignInSettings, SignedIn, Time, TokenDigest,
};
use crate::policy::{LimitedAction, Operation, Permit};
use crate::ports::{
    AccessTokens, AuthorizationReader, Clock, CommitError, IdGenerator, ProjectReader, ProjectUserReader,
    SecretGenerator, TokenVault, Unique, UnitOfWork,
};

use super::{Core, RateLimiter, RetryError, Sessions, retry_stale};

/// Display name of the first-party client.
const FIRST_PARTY_NAME: &str = "Steward command line";

/// A registered OAuth client.
#[derive(Debug, Clone)]
pub struct Client {
    /// The `client_id` that the client sends.
    pub id: ClientId,
    /// The project that the client belongs to; `None` for the first-party client.
    pub project: Option<Project>,
}

impl Client {
    /// The name shown to users: the project's name, or a fixed name for the first-party client.
    pub fn name(&self) -> &str {
        self.project.as_ref().map_or(FIRST_PARTY_NAME, |project| project.name.as_str())
    }

    fn settings(&self) -> SignInSettings {
        self.project.as_ref().map(|project| project.sign_in.clone()).unwrap_or_default()
    }

    fn redirect_uri(&self, text: &str) -> Result<RedirectUri, OAuthError> {
        let uri = RedirectUri::parse(text)
            .map_err(|error| OAuthError::request(format_args!("The `redirect_uri` parameter {error}.")))?;
        // The command line accepts callbacks at this path only: other programs on the machine may forward requests that
        // they receive.
        let is_path_allowed = || self.project.is_some() || uri.is_at("/callback");
        if self.settings().allow(&uri) && is_path_allowed() {
            Ok(uri)
        } else {
            Err(OAuthError::request(
                "The `redirect_uri` parameter is not registered for this client. Add it to the project's settings.",
            ))
        }
    }
}

/// A pending authorization request and the client that sent it.
#[derive(Debug, Clone)]
pub struct Pending {
    /// The stored request.
    pub request: AuthorizationRequest,
    /// The client that sent the request.
    pub client: Client,
}

/// The next step for the user.
pub enum AuthorizationStep {
    /// Sign in.
    SignIn {
        /// One-time ID of the authorization request.
        request: Secret,
        /// Whether to show the sign-up page instead.
        create: bool,
    },
    /// Give or deny consent.
    Consent {
        /// One-time ID of the authorization request.
        request: Secret,
    },
    /// Redirect to the client at this address, which carries a code or an error.
    Redirect(String),
}

impl fmt::Debug for AuthorizationStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address in `Redirect` may contain a code, so it is not printed.
        f.write_str(match self {
            Self::SignIn { .. } => "SignIn",
            Self::Consent { .. } => "Consent",
            Self::Redirect(_) => "Leave",
        })
    }
}

/// Why a code is issued.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GrantBasis {
    /// The user has just consented.
    Consent,
    /// An existing grant covers the scopes, and the request is stored.
    Grant,
    /// An existing grant covers the scopes, and the request was never stored.
    GrantImmediately,
}

/// What a request requires next.
enum Step {
    SignIn,
    Consent,
    IssueCode,
}

/// Use cases of the authorization endpoint and the sign-in pages.
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Authorizations {
    pub address: ServiceAddress,
    pub sessions: Sessions,
    pub reader: Arc<dyn AuthorizationReader>,
    pub projects: Arc<dyn ProjectReader>,
    pub users: Arc<dyn ProjectUserReader>,
    pub store: Arc<dyn UnitOfWork>,
    pub tokens: Arc<dyn AccessTokens>,
    pub vault: Arc<dyn TokenVault>,
    pub secrets: Arc<dyn SecretGenerator>,
    pub rate_limiter: Arc<RateLimiter>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdGenerator>,
}

impl Authorizations {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Core) -> Self {
        Self {
            address: core.address.clone(),
            sessions: Sessions::new(core),
            reader: core.store.clone(),
            projects: core.store.clone(),
            users: core.store.clone(),
            store: core.unit_of_work.clone(),
            tokens: core.system.tokens.clone(),
            vault: core.system.vault.clone(),
            secrets: core.system.secrets.clone(),
            rate_limiter: core.rate_limiter.clone(),
            clock: core.system.clock.clone(),
            ids: core.system.ids.clone(),
        }
    }

    /// Handles a client's authorization request. Returns an error if the client or the redirect URI is invalid; every
    /// other error is sent to the client in a redirect. `browser` is the session token from the browser's cookie.
    pub async fn begin(
        &self,
        request: Request,
        parameters: &Parameters,
        browser: Option<&Secret>,
    ) -> Result<AuthorizationStep, Error> {
        let now = self.clock.now();
        self.rate_limiter.take_from(LimitedAction::AuthorizeFrom, &request, now).await?;
        let client = self.client(parameters.required("client_id")?).await?;
        let redirect_uri = client.redirect_uri(parameters.required("redirect_uri")?)?;
        let parsed = match AuthorizationParameters::parse(parameters, &client.id, client.settings().require_pkce) {
            Ok(parsed) => parsed,
            Err(error) => return Ok(self.error_redirect(&redirect_uri, parameters.state(), &error)),
        };
        let signed_in = match browser {
            Some(browser) => self.sessions.current(browser).await?,
            None => None,
        };
        let hinted_account = parameters.one("id_token_hint")?.map(|hint| self.tokens.account_of_hint(hint));
        let signed_in =
            signed_in.filter(|current| hinted_account.is_none_or(|account| account == Some(current.account.id)));

        let secret = OpaqueKind::AuthorizationRequest.from_entropy(&self.secrets.entropy());
        let authorization = AuthorizationRequest {
            id: self.ids.next().into(),
            digest: self.digest(&secret),
            client: client.id.clone(),
            redirect_uri,
            parameters: parsed,
            created_at: now,
            expires_at: now + AUTHORIZATION_TTL,
            revision: Revision::FIRST,
        };
        let step = self.step(&authorization, signed_in.as_ref(), now).await?;
        match (step, signed_in) {
            (Step::IssueCode, Some(signed_in)) => {
                self.issue_code(&request, &client, &authorization, GrantBasis::GrantImmediately, &signed_in).await
            }
            (Step::Consent, _) if authorization.parameters.prompt.none => Ok(self.refuse(
                &authorization,
                &OAuthError::new(
                    ErrorCode::ConsentRequired,
                    "The user has not consented yet. Send the request without `prompt=none`.",
                ),
            )),
            _ if authorization.parameters.prompt.none => Ok(self.refuse(
                &authorization,
                &OAuthError::new(
                    ErrorCode::LoginRequired,
                    "The user is not signed in. Send the request without `prompt=none`.",
                ),
            )),
            (step, _) => {
                let permit = Permit::for_system(Operation::Authorize, request);
                let create = authorization.parameters.prompt.create;
                self.store.commit(Changes::by(permit, now).insert(authorization)).await?;
                Ok(match step {
                    Step::Consent => AuthorizationStep::Consent { request: secret },
                    Step::SignIn | Step::IssueCode => AuthorizationStep::SignIn { request: secret, create },
                })
            }
        }
    }

    /// Returns the request with this one-time ID.
    ///
    /// Fails with `NotFound` if it is unknown, expired, or its redirect URI is no longer registered.
    pub async fn pending(&self, id: &str) -> Result<Pending, Error> {
        let not_found = || Error::NotFound(ResourceKind::AuthorizationRequest);
        let secret = OpaqueKind::AuthorizationRequest.parse(id).ok_or_else(not_found)?;
        let request = self.reader.authorization_request(&self.digest(&secret)).await?.ok_or_else(not_found)?;
        if request.expires_at <= self.clock.now() {
            return Err(not_found());
        }
        let client = self.client(request.client.as_str()).await?;
        // Nothing is sent to a redirect URI that has been removed from the settings.
        if !client.settings().allow(&request.redirect_uri) {
            return Err(not_found());
        }
        Ok(Pending { request, client })
    }

    /// Continues a request after the user has signed in.
    pub async fn proceed(&self, request: &Request, id: &str, signed_in: &SignedIn) -> Result<AuthorizationStep, Error> {
        let Pending { request: authorization, client } = self.pending(id).await?;
        let secret = Secret::new(id.to_owned());
        match self.step(&authorization, Some(signed_in), self.clock.now()).await? {
            Step::SignIn => {
                Ok(AuthorizationStep::SignIn { request: secret, create: authorization.parameters.prompt.create })
            }
            Step::Consent => Ok(AuthorizationStep::Consent { request: secret }),
            Step::IssueCode => self.issue_code(request, &client, &authorization, GrantBasis::Grant, signed_in).await,
        }
    }

    /// Completes a request with the user's decision on consent.
    pub async fn decide(
        &self,
        request: &Request,
        id: &str,
        signed_in: &SignedIn,
        allowed: bool,
    ) -> Result<AuthorizationStep, Error> {
        let Pending { request: authorization, client } = self.pending(id).await?;
        let now = self.clock.now();
        if !authorization.accepts(signed_in.session.authenticated_at, now) {
            return Ok(AuthorizationStep::SignIn { request: Secret::new(id.to_owned()), create: false });
        }
        if allowed {
            return self.issue_code(request, &client, &authorization, GrantBasis::Consent, signed_in).await;
        }
        let permit = Permit::for_self(Operation::Consent, signed_in.account.id, request.clone());
        let denied =
            self.refuse(&authorization, &OAuthError::new(ErrorCode::AccessDenied, "The user denied the request."));
        self.store.commit(Changes::by(permit, now).remove(authorization)).await.map_err(not_found_or_failed)?;
        Ok(denied)
    }

    /// Returns the client with this ID, or `invalid_client` if there is none.
    pub async fn client(&self, id: &str) -> Result<Client, Error> {
        let unknown = || OAuthError::new(ErrorCode::InvalidClient, "No client has this `client_id`.");
        let id = ClientId::parse(id, &self.address).ok_or_else(unknown)?;
        let project = match id.project() {
            Some(project) => Some(self.projects.project(project).await?.ok_or_else(unknown)?.project),
            None => None,
        };
        Ok(Client { id, project })
    }

    async fn step(
        &self,
        authorization: &AuthorizationRequest,
        signed_in: Option<&SignedIn>,
        now: Time,
    ) -> Result<Step, Error> {
        let Some(signed_in) = signed_in.filter(|current| authorization.accepts(current.session.authenticated_at, now))
        else {
            return Ok(Step::SignIn);
        };
        // The first-party client runs on the user's machine, where any other program could impersonate it, so it always
        // requires consent (RFC 8252 §8.6).
        let Some(project) = authorization.client.project().filter(|_| !authorization.parameters.prompt.consent) else {
            return Ok(Step::Consent);
        };
        let grant = self.reader.grant(signed_in.account.id, project).await?;
        let covered = grant.is_some_and(|grant| grant.scopes.covers(&authorization.parameters.scopes));
        Ok(if covered { Step::IssueCode } else { Step::Consent })
    }

    /// Issues a code and redirects the user to the client.
    async fn issue_code(
        &self,
        request: &Request,
        client: &Client,
        authorization: &AuthorizationRequest,
        basis: GrantBasis,
        signed_in: &SignedIn,
    ) -> Result<AuthorizationStep, Error> {
        retry_stale(async || {
            let (account, now) = (&signed_in.account, self.clock.now());
            let permit = match &client.project {
                Some(project) => Permit::for_project_user(Operation::Consent, account.id, project, request.clone()),
                None => Permit::for_self(Operation::Consent, account.id, request.clone()),
            };
            let mut changes = Changes::by(permit, now);
            if basis != GrantBasis::GrantImmediately {
                changes = changes.remove(authorization.clone());
            }
            if let Some(project) = &client.project {
                let grant = self.reader.grant(account.id, project.id).await?;
                changes = match grant {
                    Some(grant) if grant.scopes.covers(&authorization.parameters.scopes) => changes,
                    grant if basis == GrantBasis::Consent => {
                        self.with_grant(changes, grant, authorization, account.id, project.id, now)
                    }
                    // The grant was revoked after it was read. Without new consent it is not created again.
                    _ => {
                        let consent_required = OAuthError::new(
                            ErrorCode::ConsentRequired,
                            "The user has revoked the grant. Send the request again.",
                        );
                        return Ok(self.refuse(authorization, &consent_required));
                    }
                };
                let user = self.users.user_of(project.id, account.id).await?;
                changes = match user {
                    None => changes.insert(ProjectUser::new(
                        self.ids.next().into(),
                        project.id,
                        account,
                        &self.address,
                        now,
                    )),
                    Some(user) => {
                        let Some(seen) = user.seen(account, now) else {
                            let blocked =
                                OAuthError::new(ErrorCode::AccessDenied, "The user is blocked in this project.");
                            return Ok(self.refuse(authorization, &blocked));
                        };
                        changes.replace(user, seen)
                    }
                };
            }
            let (secret, code) = self.code(authorization, signed_in, now);
            match self.store.commit(changes.insert(code)).await {
                Ok(_) => Ok(self.redirect(
                    &authorization.redirect_uri,
                    Some(&authorization.parameters.state),
                    &[("code", secret.expose())],
                )),
                Err(CommitError::Taken(Unique::Grant | Unique::ProjectUser)) => {
                    Err(RetryError::Stale(ResourceKind::Grant))
                }
                Err(CommitError::Stale(kind)) if kind != ResourceKind::AuthorizationRequest => {
                    Err(RetryError::Stale(kind))
                }
                Err(error) => Err(not_found_or_failed(error).into()),
            }
        })
        .await
    }

    /// Adds the grant to the changes: the requested scopes are added to those of an existing grant.
    fn with_grant(
        &self,
        changes: Changes,
        before: Option<Grant>,
        authorization: &AuthorizationRequest,
        account_id: AccountId,
        project_id: ProjectId,
        now: Time,
    ) -> Changes {
        match before {
            Some(grant) => {
                let scopes = grant.scopes.union(&authorization.parameters.scopes);
                changes.replace(grant.clone(), Grant { scopes, updated_at: now, ..grant })
            }
            None => changes.insert(Grant {
                id: self.ids.next().into(),
                account_id,
                project_id,
                scopes: authorization.parameters.scopes.clone(),
                created_at: now,
                updated_at: now,
                revision: Revision::FIRST,
            }),
        }
    }

    fn code(
        &self,
        authorization: &AuthorizationRequest,
        signed_in: &SignedIn,
        now: Time,
    ) -> (Secret, AuthorizationCode) {
        let secret = OpaqueKind::AuthorizationCode.from_entropy(&self.secrets.entropy());
        let code = AuthorizationCode {
            family_id: self.ids.next().into(),
            digest: self.digest(&secret),
            account_id: signed_in.account.id,
            client: authorization.client.clone(),
            redirect_uri: authorization.redirect_uri.clone(),
            scopes: authorization.parameters.scopes.clone(),
            nonce: authorization.parameters.nonce.clone(),
            challenge: authorization.parameters.challenge.clone(),
            authenticated_at: signed_in.session.authenticated_at,
            password_set_at: signed_in.session.password_set_at,
            created_at: now,
            expires_at: now + AUTHORIZATION_TTL,
            redeemed_at: None,
            revision: Revision::FIRST,
        };
        (secret, code)
    }

    fn refuse(&self, authorization: &AuthorizationRequest, error: &OAuthError) -> AuthorizationStep {
        self.error_redirect(&authorization.redirect_uri, Some(&authorization.parameters.state), error)
    }

    fn error_redirect(&self, uri: &RedirectUri, state: Option<&str>, error: &OAuthError) -> AuthorizationStep {
        self.redirect(uri, state, &[("error", error.code.as_str()), ("error_description", &error.description)])
    }

    /// Redirects to the client. The response includes `iss`, so that a client of several services knows which one sent
    /// it (RFC 9207).
    fn redirect(&self, uri: &RedirectUri, state: Option<&str>, response: &[(&str, &str)]) -> AuthorizationStep {
        let state = state.map(|state| ("state", state));
        let all: Vec<_> = response.iter().copied().chain(state).chain([("iss", self.address.as_str())]).collect();
        AuthorizationStep::Redirect(uri.with(&all))
    }

    fn digest(&self, secret: &Secret) -> TokenDigest {
        TokenDigest(self.vault.sha256(secret.expose()))
    }
}

/// Maps a commit error. A request that was completed concurrently, or belongs to a deleted project, is not found.
fn not_found_or_failed(error: CommitError) -> Error {
    match error {
        CommitError::Stale(ResourceKind::AuthorizationRequest) | CommitError::Orphaned => {
            Error::NotFound(ResourceKind::AuthorizationRequest)
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use zeroize::Zeroizing;

    use super::*;
    use crate::changes::{Subject, Write};
    use crate::mocks::{
        CountingIds, FixedClock, MockAccessTokens, MockAuthorizationReader, MockProjectReader, MockProjectUserReader,
        MockSecretGenerator, MockTokenVault, RecordingUnitOfWork, a_project_in_team, a_request, a_user_bearer,
        an_account, id_of, instant,
    };
    use crate::model::{ProjectUser, ScopeSet, Session, UserStatus};

    const ID: &str = "stw_rq_0000000000000000000000000000000000000000000";

    fn authorization() -> AuthorizationRequest {
        let project = a_project_in_team().project.id;
        AuthorizationRequest {
            id: id_of("request").into(),
            digest: TokenDigest("digest".into()),
            client: ClientId::stored(project.to_string(), Some(project)),
            redirect_uri: RedirectUri::parse("http://127.0.0.1/callback").unwrap(),
            parameters: AuthorizationParameters {
                scopes: ScopeSet::parse("openid"),
                state: "s".into(),
                nonce: None,
                challenge: None,
                prompt: crate::model::Prompt::default(),
                login_hint: None,
                max_age: None,
            },
            created_at: instant(),
            expires_at: instant() + AUTHORIZATION_TTL,
            revision: Revision::FIRST,
        }
    }

    fn signed_in() -> SignedIn {
        let account = an_account("ann");
        let session = Session {
            id: id_of("session").into(),
            digest: TokenDigest("digest".into()),
            account_id: account.id,
            authenticated_at: instant(),
            password_set_at: account.password_set_at,
            user_agent: String::new(),
            address: None,
            expires_at: instant() + TimeDelta::days(30),
            revision: Revision::FIRST,
        };
        SignedIn { session, account }
    }

    /// Ann, who has no grant yet, consents at `now`. `user` is her existing user in the project.
    async fn allow(now: Time, user: Option<ProjectUser>) -> (Result<AuthorizationStep, Error>, Vec<Write>) {
        let mut reader = MockAuthorizationReader::new();
        reader.expect_authorization_request().returning(|_| Ok(Some(authorization())));
        reader.expect_grant().returning(|_, _| Ok(None));
        let (authorizations, store) = with(reader, now, user);
        let next = authorizations.decide(&a_request(), ID, &signed_in(), true).await;
        (next, store.changes().iter().flat_map(|changes| changes.writes().to_vec()).collect())
    }

    fn with(
        reader: MockAuthorizationReader,
        now: Time,
        user: Option<ProjectUser>,
    ) -> (Authorizations, Arc<RecordingUnitOfWork>) {
        let mut projects = MockProjectReader::new();
        projects.expect_project().returning(|_| Ok(Some(a_project_in_team())));
        let mut users = MockProjectUserReader::new();
        users.expect_user_of().returning(move |_, _| Ok(user.clone()));
        let mut vault = MockTokenVault::new();
        vault.expect_sha256().returning(|_| "digest".into());
        let mut secrets = MockSecretGenerator::new();
        secrets.expect_entropy().returning(|| Zeroizing::new([9; 32]));
        let (reader, store) = (Arc::new(reader), Arc::new(RecordingUnitOfWork::default()));
        let (clock, ids) = (Arc::new(FixedClock(now)), Arc::new(CountingIds::default()));
        let (vault, secrets): (Arc<dyn TokenVault>, Arc<dyn SecretGenerator>) = (Arc::new(vault), Arc::new(secrets));
        let sessions = Sessions {
            sessions: reader.clone(),
            store: store.clone(),
            vault: vault.clone(),
            secrets: secrets.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
        };
        let authorizations = Authorizations {
            address: ServiceAddress::parse("http://localhost:3003").unwrap(),
            sessions,
            reader,
            projects: Arc::new(projects),
            users: Arc::new(users),
            store: store.clone(),
            tokens: Arc::new(MockAccessTokens::new()),
            vault,
            secrets,
            rate_limiter: Arc::new(RateLimiter::on()),
            clock,
            ids,
        };
        (authorizations, store)
    }

    #[tokio::test]
    async fn a_grant_revoked_concurrently_is_not_recreated_without_consent() {
        let mut reader = MockAuthorizationReader::new();
        reader.expect_authorization_request().returning(|_| Ok(Some(authorization())));
        let grant = Grant {
            id: id_of("grant").into(),
            account_id: signed_in().account.id,
            project_id: authorization().client.project().unwrap(),
            scopes: ScopeSet::parse("openid"),
            created_at: instant(),
            updated_at: instant(),
            revision: Revision::FIRST,
        };
        let mut seen = vec![None, Some(grant)];
        reader.expect_grant().returning(move |_, _| Ok(seen.pop().flatten()));
        let (authorizations, store) = with(reader, instant(), None);
        let next = authorizations.proceed(&a_request(), ID, &signed_in()).await;
        assert!(matches!(next, Ok(AuthorizationStep::Redirect(address)) if address.contains("error=consent_required")));
        assert!(store.changes().is_empty());
    }

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
                    Write::Remove(Subject::AuthorizationRequest(_)),
                    Write::Insert(Subject::Grant(_)),
                    Write::Insert(Subject::ProjectUser(_)),
                    Write::Insert(Subject::AuthorizationCode(_)),
                ]
            ),
            "{writes_made:?}"
        );
        let (next, writes) = allow(instant() + AUTHORIZATION_TTL, None).await;
        assert!(matches!(next, Err(Error::NotFound(ResourceKind::AuthorizationRequest))) && writes.is_empty());
    }

    #[tokio::test]
    async fn a_disconnected_user_can_reconnect_and_a_blocked_user_cannot() {
        let user = |status| Some(ProjectUser { status, ..a_user_bearer("ann").user });
        let (_, writes) = allow(instant(), user(UserStatus::Disconnected)).await;
        let back = |write: &Write| matches!(write, Write::Replace(Subject::ProjectUser(user)) if user.status == UserStatus::Connected);
        assert!(writes.iter().any(back), "{writes:?}");
        let (next, writes) = allow(instant(), user(UserStatus::Blocked)).await;
        assert!(matches!(next, Ok(AuthorizationStep::Redirect(address)) if address.contains("error=access_denied")));
        assert!(writes.is_empty());
    }
}
