//! Authorization: from a client's request, by way of a person who signs in and consents, to a code (contract 3; RFC 6749
//! §4.1, OpenID Connect Core §3.1).

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

use super::{RateLimiter, RetryError, Sessions, retry_stale};

/// What this service's own client is called.
const FIRST_PARTY_NAME: &str = "Steward command line";

/// A client, as it is registered.
#[derive(Debug, Clone)]
pub struct Client {
    /// How it names itself.
    pub id: ClientId,
    /// The project. `None` for the first party.
    pub project: Option<Project>,
}

impl Client {
    /// What people call it.
    pub fn name(&self) -> &str {
        self.project.as_ref().map_or(FIRST_PARTY_NAME, |project| project.name.as_str())
    }

    fn settings(&self) -> SignInSettings {
        self.project.as_ref().map(|project| project.sign_in.clone()).unwrap_or_default()
    }

    fn redirect_uri(&self, text: &str) -> Result<RedirectUri, OAuthError> {
        let uri =
            RedirectUri::parse(text).map_err(|error| OAuthError::request(format_args!("redirect_uri {error}")))?;
        // The command line is called back at this path alone: other programs on the machine may pass on what they are sent.
        let is_ours = || self.project.is_some() || uri.is_at("/callback");
        if self.settings().allow(&uri) && is_ours() {
            Ok(uri)
        } else {
            Err(OAuthError::request("redirect_uri is not registered for this client; add it to the project's settings"))
        }
    }
}

/// A request that waits, and who made it.
#[derive(Debug, Clone)]
pub struct Pending {
    /// The request.
    pub request: AuthorizationRequest,
    /// The client.
    pub client: Client,
}

/// Where the person goes next.
pub enum AuthorizationStep {
    /// To sign in, for the request with this one-time id.
    SignIn {
        /// The id.
        request: Secret,
        /// Whether to make an account rather.
        create: bool,
    },
    /// To be asked for consent.
    Consent {
        /// The id.
        request: Secret,
    },
    /// Back to the client, with a code or a refusal.
    Leave(String),
}

impl fmt::Debug for AuthorizationStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Where it leads holds a code.
        f.write_str(match self {
            Self::SignIn { .. } => "SignIn",
            Self::Consent { .. } => "Consent",
            Self::Leave(_) => "Leave",
        })
    }
}

/// On what ground a code is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GrantBasis {
    /// The person was asked, and allowed it just now.
    Consent,
    /// What they allowed before covers it, and the request waits in the store.
    Grant,
    /// The same, of a request that was never stored.
    GrantAtOnce,
}

/// What is left to do for a request.
enum Step {
    SignIn,
    Consent,
    Answer,
}

/// The use cases of authorization.
pub struct Authorizations {
    pub(super) address: ServiceAddress,
    pub(super) sessions: Sessions,
    pub(super) reader: Arc<dyn AuthorizationReader>,
    pub(super) projects: Arc<dyn ProjectReader>,
    pub(super) users: Arc<dyn ProjectUserReader>,
    pub(super) store: Arc<dyn UnitOfWork>,
    pub(super) tokens: Arc<dyn AccessTokens>,
    pub(super) vault: Arc<dyn TokenVault>,
    pub(super) secrets: Arc<dyn SecretGenerator>,
    pub(super) rate_limiter: Arc<RateLimiter>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdGenerator>,
}

impl Authorizations {
    /// Takes a client's request. Without a good client and redirect address it is refused; every other error goes back to
    /// the client. `browser` is the token in the browser's cookie.
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
            Err(error) => return Ok(self.refused(&redirect_uri, parameters.state(), &error)),
        };
        let signed_in = match browser {
            Some(browser) => self.sessions.current(browser).await?,
            None => None,
        };
        let hinted = parameters.one("id_token_hint")?.map(|hint| self.tokens.hinted(hint));
        let signed_in = signed_in.filter(|one| hinted.is_none_or(|account| account == Some(one.account.id)));

        let secret = OpaqueKind::AuthorizationRequest.from_entropy(&self.secrets.entropy());
        let asked = AuthorizationRequest {
            id: self.ids.next().into(),
            digest: self.digest(&secret),
            client: client.id.clone(),
            redirect_uri,
            parameters: parsed,
            created_at: now,
            expires_at: now + AUTHORIZATION_TTL,
            revision: Revision::FIRST,
        };
        let step = self.step(&asked, signed_in.as_ref(), now).await?;
        match (step, signed_in) {
            (Step::Answer, Some(signed_in)) => {
                self.answer(&request, &client, &asked, GrantBasis::GrantAtOnce, &signed_in).await
            }
            (Step::Consent, _) if asked.parameters.prompt.none => Ok(self
                .refuse(&asked, &OAuthError::new(ErrorCode::ConsentRequired, "the person has not allowed this yet"))),
            _ if asked.parameters.prompt.none => {
                Ok(self.refuse(&asked, &OAuthError::new(ErrorCode::LoginRequired, "the person is not signed in")))
            }
            (step, _) => {
                let permit = Permit::for_system(Operation::Authorize, request);
                let create = asked.parameters.prompt.create;
                self.store.commit(Changes::by(permit, now).insert(asked)).await?;
                Ok(match step {
                    Step::Consent => AuthorizationStep::Consent { request: secret },
                    Step::SignIn | Step::Answer => AuthorizationStep::SignIn { request: secret, create },
                })
            }
        }
    }

    /// The request with this one-time id, while it can be answered.
    pub async fn pending(&self, id: &str) -> Result<Pending, Error> {
        let gone = || Error::NotFound(ResourceKind::AuthorizationRequest);
        let secret = OpaqueKind::AuthorizationRequest.parse(id).ok_or_else(gone)?;
        let request = self.reader.authorization_request(&self.digest(&secret)).await?.ok_or_else(gone)?;
        if request.expires_at <= self.clock.now() {
            return Err(gone());
        }
        let client = self.client(request.client.as_str()).await?;
        // Whoever takes an address out of the settings does not want an answer to go there any more.
        if !client.settings().allow(&request.redirect_uri) {
            return Err(gone());
        }
        Ok(Pending { request, client })
    }

    /// Goes on with a request, now that somebody is signed in.
    pub async fn proceed(&self, request: &Request, id: &str, signed_in: &SignedIn) -> Result<AuthorizationStep, Error> {
        let Pending { request: asked, client } = self.pending(id).await?;
        let secret = Secret::new(id.to_owned());
        match self.step(&asked, Some(signed_in), self.clock.now()).await? {
            Step::SignIn => Ok(AuthorizationStep::SignIn { request: secret, create: asked.parameters.prompt.create }),
            Step::Consent => Ok(AuthorizationStep::Consent { request: secret }),
            Step::Answer => self.answer(request, &client, &asked, GrantBasis::Grant, signed_in).await,
        }
    }

    /// Answers a request as the person decided.
    pub async fn decide(
        &self,
        request: &Request,
        id: &str,
        signed_in: &SignedIn,
        allowed: bool,
    ) -> Result<AuthorizationStep, Error> {
        let Pending { request: asked, client } = self.pending(id).await?;
        let now = self.clock.now();
        if !asked.accepts(signed_in.session.authenticated_at, now) {
            return Ok(AuthorizationStep::SignIn { request: Secret::new(id.to_owned()), create: false });
        }
        if allowed {
            return self.answer(request, &client, &asked, GrantBasis::Consent, signed_in).await;
        }
        let permit = Permit::for_self(Operation::Consent, signed_in.account.id, request.clone());
        let denied = self.refuse(&asked, &OAuthError::new(ErrorCode::AccessDenied, "the person did not allow it"));
        self.store.commit(Changes::by(permit, now).remove(asked)).await.map_err(gone_or_failed)?;
        Ok(denied)
    }

    /// The client with this id. `invalid_client` when there is none.
    pub async fn client(&self, id: &str) -> Result<Client, Error> {
        let unknown = || OAuthError::new(ErrorCode::InvalidClient, "client_id is not known here");
        let id = ClientId::parse(id, &self.address).ok_or_else(unknown)?;
        let project = match id.project() {
            Some(project) => Some(self.projects.project(project).await?.ok_or_else(unknown)?.project),
            None => None,
        };
        Ok(Client { id, project })
    }

    async fn step(&self, asked: &AuthorizationRequest, signed_in: Option<&SignedIn>, now: Time) -> Result<Step, Error> {
        let Some(signed_in) = signed_in.filter(|one| asked.accepts(one.session.authenticated_at, now)) else {
            return Ok(Step::SignIn);
        };
        // The first party is a program on the person's machine, as which any other could pose (RFC 8252 §8.6).
        let Some(project) = asked.client.project().filter(|_| !asked.parameters.prompt.consent) else {
            return Ok(Step::Consent);
        };
        let grant = self.reader.grant(signed_in.account.id, project).await?;
        let covered = grant.is_some_and(|grant| grant.scopes.covers(&asked.parameters.scopes));
        Ok(if covered { Step::Answer } else { Step::Consent })
    }

    /// Sends the person back with a code.
    async fn answer(
        &self,
        request: &Request,
        client: &Client,
        asked: &AuthorizationRequest,
        ground: GrantBasis,
        signed_in: &SignedIn,
    ) -> Result<AuthorizationStep, Error> {
        retry_stale(async || {
            let (account, now) = (&signed_in.account, self.clock.now());
            let permit = match &client.project {
                Some(project) => Permit::for_visitor(Operation::Consent, account.id, project, request.clone()),
                None => Permit::for_self(Operation::Consent, account.id, request.clone()),
            };
            let mut changes = Changes::by(permit, now);
            if ground != GrantBasis::GrantAtOnce {
                changes = changes.remove(asked.clone());
            }
            if let Some(project) = &client.project {
                let grant = self.reader.grant(account.id, project.id).await?;
                changes = match grant {
                    Some(grant) if grant.scopes.covers(&asked.parameters.scopes) => changes,
                    grant if ground == GrantBasis::Consent => {
                        self.granted(changes, grant, asked, account.id, project.id, now)
                    }
                    // It was taken back since it was looked at: what nobody was asked about is not granted anew.
                    _ => {
                        let unasked =
                            OAuthError::new(ErrorCode::ConsentRequired, "the person took back what they allowed");
                        return Ok(self.refuse(asked, &unasked));
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
                                OAuthError::new(ErrorCode::AccessDenied, "this person is blocked in the project");
                            return Ok(self.refuse(asked, &blocked));
                        };
                        changes.replace(user, seen)
                    }
                };
            }
            let (secret, code) = self.code(asked, signed_in, now);
            match self.store.commit(changes.insert(code)).await {
                Ok(_) => {
                    Ok(self.leave(&asked.redirect_uri, Some(&asked.parameters.state), &[("code", secret.expose())]))
                }
                Err(CommitError::Taken(Unique::Grant | Unique::ProjectUser)) => {
                    Err(RetryError::Stale(ResourceKind::Grant))
                }
                Err(CommitError::Stale(kind)) if kind != ResourceKind::AuthorizationRequest => {
                    Err(RetryError::Stale(kind))
                }
                Err(error) => Err(gone_or_failed(error).into()),
            }
        })
        .await
    }

    /// What the person allows is kept, beside what they allowed before.
    fn granted(
        &self,
        changes: Changes,
        before: Option<Grant>,
        asked: &AuthorizationRequest,
        account_id: AccountId,
        project_id: ProjectId,
        now: Time,
    ) -> Changes {
        match before {
            Some(grant) => {
                let scopes = grant.scopes.union(&asked.parameters.scopes);
                changes.replace(grant.clone(), Grant { scopes, updated_at: now, ..grant })
            }
            None => changes.insert(Grant {
                id: self.ids.next().into(),
                account_id,
                project_id,
                scopes: asked.parameters.scopes.clone(),
                created_at: now,
                updated_at: now,
                revision: Revision::FIRST,
            }),
        }
    }

    fn code(&self, asked: &AuthorizationRequest, signed_in: &SignedIn, now: Time) -> (Secret, AuthorizationCode) {
        let secret = OpaqueKind::AuthorizationCode.from_entropy(&self.secrets.entropy());
        let code = AuthorizationCode {
            family_id: self.ids.next().into(),
            digest: self.digest(&secret),
            account_id: signed_in.account.id,
            client: asked.client.clone(),
            redirect_uri: asked.redirect_uri.clone(),
            scopes: asked.parameters.scopes.clone(),
            nonce: asked.parameters.nonce.clone(),
            challenge: asked.parameters.challenge.clone(),
            authenticated_at: signed_in.session.authenticated_at,
            password_set_at: signed_in.session.password_set_at,
            created_at: now,
            expires_at: now + AUTHORIZATION_TTL,
            redeemed_at: None,
            revision: Revision::FIRST,
        };
        (secret, code)
    }

    fn refuse(&self, asked: &AuthorizationRequest, error: &OAuthError) -> AuthorizationStep {
        self.refused(&asked.redirect_uri, Some(&asked.parameters.state), error)
    }

    fn refused(&self, uri: &RedirectUri, state: Option<&str>, error: &OAuthError) -> AuthorizationStep {
        self.leave(uri, state, &[("error", error.code.as_str()), ("error_description", &error.description)])
    }

    /// Back to the client. The answer names us, so that a client of several services knows whose it is (RFC 9207).
    fn leave(&self, uri: &RedirectUri, state: Option<&str>, answer: &[(&str, &str)]) -> AuthorizationStep {
        let state = state.map(|state| ("state", state));
        let all: Vec<_> = answer.iter().copied().chain(state).chain([("iss", self.address.as_str())]).collect();
        AuthorizationStep::Leave(uri.with(&all))
    }

    fn digest(&self, secret: &Secret) -> TokenDigest {
        TokenDigest(self.vault.sha256(secret.expose()))
    }
}

/// A request that somebody else answered meanwhile, or whose project is gone, is no more.
fn gone_or_failed(error: CommitError) -> Error {
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

    fn asked() -> AuthorizationRequest {
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

    /// Ann, who has never been asked, allows at this moment; the user that the project has of her already.
    async fn allow(now: Time, user: Option<ProjectUser>) -> (Result<AuthorizationStep, Error>, Vec<Write>) {
        let mut reader = MockAuthorizationReader::new();
        reader.expect_authorization_request().returning(|_| Ok(Some(asked())));
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
    async fn a_grant_that_is_taken_back_meanwhile_is_not_made_anew_unasked() {
        let mut reader = MockAuthorizationReader::new();
        reader.expect_authorization_request().returning(|_| Ok(Some(asked())));
        let grant = Grant {
            id: id_of("grant").into(),
            account_id: signed_in().account.id,
            project_id: asked().client.project().unwrap(),
            scopes: ScopeSet::parse("openid"),
            created_at: instant(),
            updated_at: instant(),
            revision: Revision::FIRST,
        };
        let mut seen = vec![None, Some(grant)];
        reader.expect_grant().returning(move |_, _| Ok(seen.pop().flatten()));
        let (authorizations, store) = with(reader, instant(), None);
        let next = authorizations.proceed(&a_request(), ID, &signed_in()).await;
        assert!(matches!(next, Ok(AuthorizationStep::Leave(address)) if address.contains("error=consent_required")));
        assert!(store.changes().is_empty());
    }

    #[tokio::test]
    async fn a_request_waits_for_ten_minutes() {
        let last = instant() + AUTHORIZATION_TTL - TimeDelta::microseconds(1);
        let (next, writes) = allow(last, None).await;
        assert!(matches!(next, Ok(AuthorizationStep::Leave(address)) if address.contains("code=stw_ac_")));
        let kinds: Vec<&Write> = writes.iter().collect();
        assert!(
            matches!(
                kinds.as_slice(),
                [
                    Write::Remove(Subject::AuthorizationRequest(_)),
                    Write::Insert(Subject::Grant(_)),
                    Write::Insert(Subject::ProjectUser(_)),
                    Write::Insert(Subject::AuthorizationCode(_)),
                ]
            ),
            "{kinds:?}"
        );
        let (next, writes) = allow(instant() + AUTHORIZATION_TTL, None).await;
        assert!(matches!(next, Err(Error::NotFound(ResourceKind::AuthorizationRequest))) && writes.is_empty());
    }

    #[tokio::test]
    async fn whoever_left_comes_back_and_whoever_is_blocked_does_not() {
        let user = |status| Some(ProjectUser { status, ..a_user_bearer("ann").user });
        let (_, writes) = allow(instant(), user(UserStatus::Disconnected)).await;
        let back = |write: &Write| matches!(write, Write::Replace(Subject::ProjectUser(user)) if user.status == UserStatus::Connected);
        assert!(writes.iter().any(back), "{writes:?}");
        let (next, writes) = allow(instant(), user(UserStatus::Blocked)).await;
        assert!(matches!(next, Ok(AuthorizationStep::Leave(address)) if address.contains("error=access_denied")));
        assert!(writes.is_empty());
    }
}
