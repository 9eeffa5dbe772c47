//! Fixtures for the tests of the OAuth use cases: Ann authorizes the project `rocket`, and exchanges her tokens.

use std::sync::Arc;

use chrono::TimeDelta;
use zeroize::Zeroizing;

use crate::data::ProjectUser;
use crate::identity::{
    AUTHORIZATION_TTL, AuthenticationMethod, AuthorizationCode, AuthorizationParameters, AuthorizationRequest,
    AuthorizationStep, Authorizations, ClientId, IdentityCore, PresentedClient, Prompt, RedirectUri, RefreshToken,
    ResponseMode, ResponseTarget, ScopeSet, TokenFamily, TokenFamilyWithAccount, TokenGrants, TokenRequest, Tokens,
};
use crate::kernel::changes::{Entity, Write};
use crate::kernel::error::{Error, ErrorCode, OAuthError};
use crate::kernel::{AccessEpoch, OpaqueKind, Revision, Secret, SecretGenerator, Time, TokenDigest, TokenVault};
use crate::mocks::{
    FixedClock, MockAccessTokens, MockAuthorizationReader, MockSecretGenerator, MockStore, MockTokenVault,
    RecordingUnitOfWork, a_family, a_project_in_team, a_refresh_token, a_request, a_session, an_account, id_of,
    instant, mock_identity, mock_system_ports,
};
use crate::{Ports, StorePorts, SystemPorts};

/// The one-time ID of [`an_authorization_request`].
pub(crate) const REQUEST_ID: &str = "stw_rq_0000000000000000000000000000000000000000000";

/// The redirect URIs of the project. Only the first one proves who sends a request.
pub(crate) const WEB_URI: &str = "https://app.example/callback";
const NATIVE_URI: &str = "http://127.0.0.1/callback";

/// A vault in which every token has the same digest, and encryption changes nothing.
fn vault() -> Arc<dyn TokenVault> {
    let mut vault = MockTokenVault::new();
    vault.expect_sha256().returning(|_| "digest".into());
    vault.expect_encrypt().returning(|_, text| Ok(text.expose().as_bytes().to_vec()));
    vault.expect_decrypt().returning(|_, encrypted| Ok(Secret::new(String::from_utf8(encrypted.to_vec()).unwrap())));
    Arc::new(vault)
}

fn secrets() -> Arc<dyn SecretGenerator> {
    let mut secrets = MockSecretGenerator::new();
    secrets.expect_entropy().returning(|| Zeroizing::new([9; 32]));
    Arc::new(secrets)
}

fn writes(store: &RecordingUnitOfWork) -> Vec<Write> {
    store.changes().iter().flat_map(|changes| changes.writes().cloned().collect::<Vec<_>>()).collect()
}

/// A request of the project `rocket` for the scope `openid`.
pub(crate) fn an_authorization_request() -> AuthorizationRequest {
    let project = a_project_in_team().project.id;
    AuthorizationRequest {
        id: id_of("request").into(),
        digest: TokenDigest("digest".into()),
        client: ClientId::stored(project.to_string(), Some(project)),
        target: ResponseTarget::Client(RedirectUri::parse(NATIVE_URI).unwrap()),
        parameters: AuthorizationParameters {
            scopes: ScopeSet::parse("openid"),
            state: Some("s".into()),
            nonce: None,
            response_mode: ResponseMode::default(),
            challenge: None,
            bound_to: None,
            prompt: Prompt::default(),
            login_hint: None,
            max_age: None,
            level: None,
            ui_locales: None,
        },
        created_at: instant(),
        expires_at: instant() + AUTHORIZATION_TTL,
        revision: Revision::FIRST,
    }
}

/// Ann, who has no grant yet, consents at `now`. `user` is her existing user in the project.
pub(crate) async fn allow(now: Time, user: Option<ProjectUser>) -> (Result<AuthorizationStep, Error>, Vec<Write>) {
    let mut reader = MockAuthorizationReader::new();
    reader.expect_authorization_request().returning(|_| Ok(Some(an_authorization_request())));
    reader.expect_grant().returning(|_, _| Ok(None));
    let (authorizations, store) = authorizations(reader, MockAccessTokens::new(), now, user);
    let next = match authorizations.pending(REQUEST_ID).await {
        Ok(pending) => authorizations.decide(&a_request(), REQUEST_ID, pending, &a_session(), true).await,
        Err(error) => Err(error),
    };
    (next, writes(&store))
}

/// The use cases at `now`, and the store that records their changes. `user` is Ann's user in the project.
pub(crate) fn authorizations(
    reader: MockAuthorizationReader,
    tokens: MockAccessTokens,
    now: Time,
    user: Option<ProjectUser>,
) -> (Authorizations, Arc<RecordingUnitOfWork>) {
    let mut store = MockStore { authorizations: reader, ..MockStore::default() };
    store.projects.expect_project().returning(|_| {
        let mut found = a_project_in_team();
        found.project.sign_in.redirect_uris =
            [WEB_URI, NATIVE_URI].map(|uri| RedirectUri::parse(uri).unwrap()).to_vec();
        Ok(Some(found))
    });
    store.project_users.expect_user_of().returning(move |_, _| Ok(user.clone()));
    store.accounts.expect_account().returning(|_| Ok(Some(a_session().account)));
    let (core, store) = core(store, tokens, now);
    (Authorizations::new(&core), store)
}

/// Returns a core at `now`, and the store that records its changes.
fn core(store: MockStore, tokens: MockAccessTokens, now: Time) -> (Arc<IdentityCore>, Arc<RecordingUnitOfWork>) {
    let recorded = Arc::new(RecordingUnitOfWork::default());
    let store = StorePorts { unit_of_work: recorded.clone(), ..store.into() };
    let system = SystemPorts {
        clock: Arc::new(FixedClock(now)),
        tokens: Arc::new(tokens),
        vault: vault(),
        secrets: secrets(),
        ..mock_system_ports()
    };
    (mock_identity(Ports { system, ..store.into() }), recorded)
}

/// The stored rows of Ann's sign-in.
#[derive(Clone)]
pub(crate) struct StoredSignIn {
    pub(crate) code: AuthorizationCode,
    pub(crate) family: TokenFamily,
    pub(crate) token: RefreshToken,
    /// The refresh token that was issued in exchange for the other one.
    pub(crate) next: Option<RefreshToken>,
}

pub(crate) fn a_stored_sign_in() -> StoredSignIn {
    let family = a_family("ann");
    let code = AuthorizationCode {
        family_id: family.id,
        digest: TokenDigest("digest".into()),
        account_id: family.account_id,
        client: ClientId::first_party(),
        session_id: id_of("session").into(),
        redirect_uri: Some(RedirectUri::parse("http://127.0.0.1/callback").unwrap()),
        scopes: ScopeSet::first_party(),
        nonce: None,
        challenge: None,
        bound_to: None,
        authenticated_at: instant(),
        methods: AuthenticationMethod::Password.into(),
        password_set_at: instant(),
        created_at: instant(),
        expires_at: instant() + TimeDelta::minutes(10),
        redeemed_at: None,
        revision: Revision::FIRST,
    };
    StoredSignIn { code, family, token: a_refresh_token(), next: None }
}

/// Presents a code or a refresh token at this time, without a `client_id`. Returns the result and the writes.
pub(crate) async fn present(stored: &StoredSignIn, kind: OpaqueKind, now: Time) -> (Result<Tokens, Error>, Vec<Write>) {
    present_as(None, stored, kind, now).await
}

/// Like [`present`], by the client of the sign-in.
pub(crate) async fn present_as_client(
    stored: &StoredSignIn,
    kind: OpaqueKind,
    now: Time,
) -> (Result<Tokens, Error>, Vec<Write>) {
    let client = PresentedClient { id: stored.family.client.clone(), secret: None, assertion: None };
    present_as(Some(client), stored, kind, now).await
}

async fn present_as(
    client: Option<PresentedClient>,
    stored: &StoredSignIn,
    kind: OpaqueKind,
    now: Time,
) -> (Result<Tokens, Error>, Vec<Write>) {
    let mut store = MockStore::without_server_keys();
    let family_of_account = TokenFamilyWithAccount {
        family: stored.family.clone(),
        account: an_account("ann"),
        has_second_factor: false,
        access_epoch: AccessEpoch::default(),
    };
    let (code, token, found) = (stored.code.clone(), stored.token.clone(), family_of_account.clone());
    store.authorizations.expect_authorization_code().returning(move |_| Ok(Some(code.clone())));
    store.authorizations.expect_refresh_token().returning(move |_| Ok(Some((token.clone(), found.clone()))));
    store.authorizations.expect_token_family().returning(move |_, _| Ok(Some(family_of_account.clone())));
    let next = stored.next.clone();
    store.authorizations.expect_refresh_token_of().returning(move |_, _| Ok(next.clone()));
    store.accounts.expect_account().returning(|_| Ok(Some(an_account("ann"))));
    let mut tokens = MockAccessTokens::new();
    tokens.expect_issue().returning(|_| Ok(Secret::new("access".into())));
    tokens.expect_issue_id_token().returning(|_, _| Ok(Secret::new("id".into())));
    let (core, store) = core(store, tokens, now);
    let grants = TokenGrants::new(&core);
    let presented = kind.from_entropy(&Zeroizing::new([7; 32]));
    let redirect_uri = stored.code.redirect_uri.as_ref().map(RedirectUri::to_string);
    let command = TokenRequest { code: Some(presented), redirect_uri, client, ..TokenRequest::default() };
    let result = grants.exchange(a_request(), &command).await;
    (result, writes(&store))
}

pub(crate) fn is_refused(result: Result<Tokens, Error>) -> bool {
    matches!(result, Err(Error::OAuth(OAuthError { code: ErrorCode::InvalidGrant, .. })))
}

pub(crate) fn is_revocation(writes: &[Write]) -> bool {
    matches!(writes, [Write::Replace(Entity::TokenFamily(family))] if family.revoked_at.is_some())
}
