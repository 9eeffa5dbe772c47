//! Tests of authentication, with mocks of its ports.

mod remembered;

use std::sync::Mutex;

use chrono::TimeDelta;
use serde_json::json;
use zeroize::Zeroizing;

use super::*;
use crate::administration::ApiKey;
use crate::identity::{
    AccessClaims, Account, Audience, AuthenticationMethod, ClientId, ClientSettings, FirstPartyClients, GrantTypes,
    KeyThumbprint, PersonalTokenBearer, ProjectClient, RefreshState, RefreshToken, Scope, ScopeSet, SecondFactorPolicy,
    SignUpMode, SignUpPolicy, Subject, TokenError, TokenFamily, TokenFamilyWithAccount, VerifiedToken,
};
use crate::kernel::error::{AuthenticationError, Forbidden};
use crate::kernel::policy::{KeyRoles, Permission};
use crate::kernel::{AccessEpoch, JsonObject, StoreError};
use crate::mocks::{
    FixedClock, MockAccessReader, MockAccessTokens, MockAccountReader, MockAuthorizationReader, MockClock,
    MockKeyDigester, MockPersonalTokenReader, MockProjectClientReader, MockStore, MockUsageRecorder,
    MockUserActivityRecorder, a_bearer, a_client, a_family, a_key, a_personal_token, a_project_in_team,
    a_refresh_token, a_request, a_user_bearer, an_account, id_of, instant, mock_identity, verifier,
};

/// Checks API keys that this reader returns.
fn keys(reader: MockAccessReader) -> KeyAuthentication {
    let mut digester = MockKeyDigester::new();
    digester.expect_candidates().returning(|_| vec![a_key().digest]);
    digester.expect_digest().returning(|_, _| a_key().digest);
    KeyAuthentication {
        keys: Arc::new(reader),
        personal_tokens: Arc::new(MockPersonalTokenReader::new()),
        digester: Arc::new(digester),
        usage: Arc::new(Usage::new(Arc::new(MockUsageRecorder::new()))),
        accounts: Arc::new(MockAccountReader::new()),
        rules: AccountRules::default(),
    }
}

/// Checks access tokens with these families. Every signing key is stored, and so is Ann's account.
fn tokens(
    verified: MockAccessTokens,
    families: MockAuthorizationReader,
    sightings: MockUserActivityRecorder,
) -> TokenAuthentication {
    let mut accounts = MockAccountReader::new();
    accounts.expect_signed_account().returning(|_, _| Ok(Some((an_account("ann"), AccessEpoch::default()))));
    TokenAuthentication {
        verifier: verifier(verified),
        proofs: mock_identity(MockStore::default()).proofs.clone(),
        families: Arc::new(families),
        accounts: Arc::new(accounts),
        clients: Arc::new(MockProjectClientReader::new()),
        sightings: Arc::new(sightings),
        usage: Arc::new(Usage::new(Arc::new(MockUsageRecorder::new()))),
        first_party_clients: FirstPartyClients::default(),
        rules: AccountRules::default(),
    }
}

fn no_tokens() -> TokenAuthentication {
    tokens(MockAccessTokens::new(), MockAuthorizationReader::new(), MockUserActivityRecorder::new())
}

/// This family, with Ann as its account.
fn of_ann(family: TokenFamily) -> TokenFamilyWithAccount {
    TokenFamilyWithAccount {
        family,
        account: an_account("ann"),
        has_second_factor: false,
        access_epoch: AccessEpoch::default(),
    }
}

/// A reader that returns this family of Ann for every ID.
fn families(family: TokenFamily) -> MockAuthorizationReader {
    let family_of_account = of_ann(family);
    let mut families = MockAuthorizationReader::new();
    let found = family_of_account.clone();
    families.expect_token_family().returning(move |_, _| Ok(Some(found.clone())));
    families.expect_user_bearer().returning(move |_, _| Ok(Some((family_of_account.clone(), a_user_bearer("ann")))));
    families
}

fn authentication(keys: KeyAuthentication, tokens: TokenAuthentication, clock: Arc<dyn Clock>) -> Authentication {
    Authentication { keys, tokens, clock }
}

/// The value of an API key, as a request presents it. The digest of a credential is the credential itself.
fn sent_key(value: &KeyValue, from_browser: bool) -> PresentedCredential {
    PresentedCredential::bearer(value.secret().expose(), value.secret().expose().into(), from_browser)
}

fn sent_token() -> PresentedCredential {
    PresentedCredential::bearer("token", "token".into(), false)
}

/// Authenticates with an API key that is stored like this.
async fn with_key(key: Option<ApiKey>, from_browser: bool) -> Result<Caller, Error> {
    let mut reader = MockAccessReader::new();
    reader.expect_key_bearer().returning(move |_| Ok(key.clone().map(a_bearer)));
    let value = KeyValue::from_entropy(true, &Zeroizing::new([1; 32]));
    let authentication = authentication(keys(reader), no_tokens(), Arc::new(FixedClock::default()));
    authentication.bearer(&sent_key(&value, from_browser), a_request(), Conditions::All).await
}

/// Authenticates with a token with these claims, whose family is stored like this.
async fn with_token(claims: Result<AccessClaims, TokenError>, family: TokenFamily) -> Result<Caller, Error> {
    let mut verified = MockAccessTokens::new();
    let signed_by = id_of("key").into();
    verified.expect_verify().return_once(move |_, _| claims.map(|claims| VerifiedToken { claims, signed_by }));
    let tokens = tokens(verified, families(family), MockUserActivityRecorder::new());
    let authentication = authentication(keys(MockAccessReader::new()), tokens, Arc::new(FixedClock::default()));
    authentication.bearer(&sent_token(), a_request(), Conditions::All).await
}

fn error(result: Result<Caller, Error>) -> AuthenticationError {
    match result {
        Err(Error::Unauthenticated(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_key_is_valid_until_it_expires_and_a_private_key_is_rejected_from_a_browser() {
    assert!(with_key(Some(a_key()), false).await.is_ok());
    assert_eq!(error(with_key(None, false).await), AuthenticationError::UnknownKey);
    assert_eq!(error(with_key(Some(a_key()), true).await), AuthenticationError::PrivateKeyInBrowser);
    assert!(with_key(Some(ApiKey { is_private: false, ..a_key() }), true).await.is_ok());
    let expiring_at = |at| Some(ApiKey { expires_at: Some(at), ..a_key() });
    assert!(with_key(expiring_at(instant() + TimeDelta::microseconds(1)), false).await.is_ok());
    assert_eq!(error(with_key(expiring_at(instant()), false).await), AuthenticationError::ExpiredKey);
}

fn claims() -> AccessClaims {
    AccessClaims {
        subject: Subject::Account(id_of("ann").into()),
        client: None,
        audience: Audience::Service,
        scopes: ScopeSet::first_party(),
        issued_at: instant(),
        expires_at: instant(),
        id: id_of("token"),
        family: Some(id_of("family").into()),
        authentication: None,
        bound_to: None,
    }
}

#[tokio::test]
async fn only_a_first_party_token_with_full_scope_can_administer() {
    let administers = with_token(Ok(claims()), a_family("ann")).await.unwrap();
    assert_eq!(administers.identity, Identity::Account(id_of("ann").into()));
    assert_eq!(error(with_token(Err(TokenError::Expired), a_family("ann")).await), AuthenticationError::ExpiredToken);
    let narrow = AccessClaims { scopes: ScopeSet::parse("openid email"), ..claims() };
    let narrow = with_token(Ok(narrow), a_family("ann")).await;
    assert!(matches!(narrow, Err(Error::Forbidden(Forbidden::WrongScope(Scope::Admin)))));
    let of_project = AccessClaims { audience: Audience::Project(id_of("project").into()), ..claims() };
    let caller = with_token(Ok(of_project.clone()), a_family("ann")).await.unwrap();
    assert!(matches!(caller.identity, Identity::User(_)));
    let without_family = AccessClaims { family: None, ..of_project };
    assert_eq!(error(with_token(Ok(without_family), a_family("ann")).await), AuthenticationError::InvalidToken);
}

/// Authenticates with a token with these roles of a client that is stored like this, for this audience.
async fn with_token_of_client(client: Option<ProjectClient>, roles: &str, audience: &str) -> Result<Caller, Error> {
    let roles = KeyRoles::parse(roles).unwrap();
    let subject = Subject::Client(a_client().id, roles);
    let claims = AccessClaims {
        subject,
        audience: Audience::Project(id_of(audience).into()),
        scopes: ScopeSet::none(),
        family: None,
        ..claims()
    };
    let (mut verified, mut clients) = (MockAccessTokens::new(), MockProjectClientReader::new());
    let signed_by = id_of("key").into();
    verified.expect_verify().return_once(move |_, _| Ok(VerifiedToken { claims, signed_by }));
    clients
        .expect_client_bearer()
        .returning(move |_, _| Ok(client.clone().map(|client| (client, a_project_in_team()))));
    let tokens = tokens(verified, MockAuthorizationReader::new(), MockUserActivityRecorder::new());
    let tokens = TokenAuthentication { clients: Arc::new(clients), ..tokens };
    let authentication = authentication(keys(MockAccessReader::new()), tokens, Arc::new(FixedClock::default()));
    authentication.bearer(&sent_token(), a_request(), Conditions::All).await
}

#[tokio::test]
async fn a_client_acts_on_its_own_behalf_in_its_project_with_roles_that_it_has_and_requested() {
    let project = "project";
    let caller = with_token_of_client(Some(a_client()), "read,db:write", project).await.unwrap();
    let Identity::Client(bearer) = &caller.identity else { panic!("{caller:?}") };
    let permissions = bearer.permissions();
    assert!(
        permissions.has(Permission::DbRead) && !permissions.has(Permission::DbWrite),
        "The client has only `read`."
    );
    assert_eq!(caller.basis.project.map(|(id, _)| id), Some(a_project_in_team().project.id));
    let narrow = with_token_of_client(Some(a_client()), "db:read", project).await.unwrap();
    let Identity::Client(bearer) = &narrow.identity else { panic!("{narrow:?}") };
    assert!(!bearer.permissions().has(Permission::UserRead));

    let of_people = ClientSettings { grant_types: GrantTypes::for_people(), ..a_client().settings };
    let of_people = ProjectClient { settings: of_people, ..a_client() };
    for refused in [
        with_token_of_client(None, "read", project).await,
        with_token_of_client(Some(of_people), "read", project).await,
        with_token_of_client(Some(a_client()), "read", "other").await,
    ] {
        assert_eq!(error(refused), AuthenticationError::RevokedToken);
    }
}

#[tokio::test]
async fn a_token_is_revoked_with_its_family_and_by_a_password_change() {
    let revoked = TokenFamily { revoked_at: Some(instant()), ..a_family("ann") };
    let of_old_password = TokenFamily { password_set_at: instant() - TimeDelta::days(1), ..a_family("ann") };
    for family in [revoked, of_old_password] {
        for audience in [Audience::Service, Audience::Project(id_of("project").into())] {
            let result = with_token(Ok(AccessClaims { audience, ..claims() }), family.clone()).await;
            assert_eq!(error(result), AuthenticationError::RevokedToken);
        }
    }
}

#[tokio::test]
async fn a_token_of_a_lost_pair_is_rejected_and_the_use_of_any_other_is_recorded() {
    let family = TokenFamily { lost_at: Some(instant()), ..a_family("ann") };
    let (at, second) = (instant(), TimeDelta::seconds(1));
    for (issued_at, state, is_rejected) in [
        (at, Some(RefreshState::Lost { at: at + second }), true),
        (at - second, Some(RefreshState::Replaced { at, answer: None, next: None }), false),
        (at, None, false),
        (at + second, Some(RefreshState::Lost { at }), false),
    ] {
        for audience in [Audience::Service, Audience::Project(id_of("project").into())] {
            let claims = AccessClaims { audience, issued_at, ..claims() };
            let (pair, mut verified) = (claims.pair(), MockAccessTokens::new());
            let token = VerifiedToken { claims, signed_by: id_of("key").into() };
            verified.expect_verify().return_once(move |_, _| Ok(token));
            let mut families = families(family.clone());
            let found = state.clone().map(|state| RefreshToken { state, ..a_refresh_token() });
            families.expect_refresh_token_of().returning(move |_, _| Ok(found.clone()));
            let tokens = tokens(verified, families, MockUserActivityRecorder::new());
            let result = tokens.check(&sent_token(), Conditions::All, instant()).await.map(drop);
            let rejected = matches!(result, Err(Error::Unauthenticated(AuthenticationError::RevokedToken)));
            assert_eq!((rejected, tokens.usage.has_noted(pair)), (is_rejected, !is_rejected), "{state:?}: {result:?}");
        }
    }
}

#[tokio::test]
async fn a_sign_in_without_the_second_factor_of_the_account_must_be_confirmed() {
    let with_code = a_family("ann").methods.and(AuthenticationMethod::OneTimeCode);
    let with_code = TokenFamily { methods: with_code, ..a_family("ann") };
    for (family, has_second_factor, must_confirm) in
        [(a_family("ann"), false, false), (a_family("ann"), true, true), (with_code, true, false)]
    {
        let found = TokenFamilyWithAccount { has_second_factor, ..of_ann(family) };
        let (mut verified, mut families) = (MockAccessTokens::new(), MockAuthorizationReader::new());
        verified
            .expect_verify()
            .return_once(|_, _| Ok(VerifiedToken { claims: claims(), signed_by: id_of("key").into() }));
        families.expect_token_family().return_once(move |_, _| Ok(Some(found)));
        let tokens = tokens(verified, families, MockUserActivityRecorder::new());
        let caller = tokens.check(&sent_token(), Conditions::All, instant()).await.unwrap().caller(
            a_request(),
            false,
            instant(),
        );
        assert_eq!(caller.must_confirm, must_confirm, "{has_second_factor}");
    }
}

#[tokio::test]
async fn a_token_of_a_client_that_is_no_longer_registered_is_rejected() {
    let family = TokenFamily { client: ClientId::stored("unregistered".into(), None), ..a_family("ann") };
    assert_eq!(error(with_token(Ok(claims()), family).await), AuthenticationError::RevokedToken);
}

#[tokio::test]
async fn a_token_that_is_bound_to_a_key_is_rejected_without_its_proof() {
    let bound_to = KeyThumbprint::parse(&"x".repeat(43));
    let bound = AccessClaims { bound_to, ..claims() };
    assert_eq!(error(with_token(Ok(bound), a_family("ann")).await), AuthenticationError::BoundToken);
}

/// Authenticates with this key's value at these times. Returns the callers and how often the key was queried.
async fn cached_at(key: ApiKey, times: &[TimeDelta], from_browser: bool) -> (Vec<Result<Caller, Error>>, usize) {
    let (lookups, now) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(instant())));
    let (mut reader, mut clock) = (MockAccessReader::new(), MockClock::new());
    let counted = lookups.clone();
    reader.expect_key_bearer().returning(move |_| {
        *counted.lock().unwrap() += 1;
        Ok(Some(a_bearer(key.clone())))
    });
    let shown = now.clone();
    clock.expect_now().returning(move || *shown.lock().unwrap());
    let authentication = authentication(keys(reader), no_tokens(), Arc::new(clock));
    let value = KeyValue::from_entropy(true, &Zeroizing::new([1; 32]));
    let mut callers = Vec::new();
    for after in times {
        *now.lock().unwrap() = instant() + *after;
        callers.push(authentication.cached(&sent_key(&value, from_browser), a_request(), Conditions::All).await);
    }
    let lookups = *lookups.lock().unwrap();
    (callers, lookups)
}

#[tokio::test]
async fn a_cached_key_is_queried_again_after_the_ttl_and_still_expires() {
    let seconds = |times: &[i64]| times.iter().map(|after| TimeDelta::seconds(*after)).collect::<Vec<_>>();
    let (callers, lookups) = cached_at(a_key(), &seconds(&[0, 1, 59, 60, 61]), false).await;
    let cached: Vec<bool> = callers.iter().map(|caller| caller.as_ref().unwrap().is_cached).collect();
    assert_eq!((cached, lookups), (vec![false, true, true, false, true], 2));

    let short = ApiKey { expires_at: Some(instant() + TimeDelta::seconds(10)), ..a_key() };
    let (mut callers, _) = cached_at(short, &seconds(&[0, 9, 10]), false).await;
    assert_eq!(error(callers.pop().unwrap()), AuthenticationError::ExpiredKey);
    assert!(callers.into_iter().all(|caller| caller.is_ok()));
    let (callers, lookups) = cached_at(a_key(), &seconds(&[0, 1]), true).await;
    assert!(callers.into_iter().all(|caller| error(caller) == AuthenticationError::PrivateKeyInBrowser));
    assert_eq!(lookups, 2);
}

#[tokio::test]
async fn a_recent_check_is_compared_with_the_store_and_repeated_if_access_changed() {
    let (is_current, lookups) = (Arc::new(Mutex::new(true)), Arc::new(Mutex::new(0)));
    let (stored, counted) = (is_current.clone(), lookups.clone());
    let mut reader = MockAccessReader::new();
    reader.expect_is_current().returning(move |_| Ok(*stored.lock().unwrap()));
    reader.expect_key_bearer().returning(move |_| {
        *counted.lock().unwrap() += 1;
        Ok((*counted.lock().unwrap() == 1).then(|| a_bearer(a_key())))
    });
    let authentication = authentication(keys(reader), no_tokens(), Arc::new(FixedClock::default()));
    let value = KeyValue::from_entropy(true, &Zeroizing::new([1; 32]));
    let check = async || authentication.current(&sent_key(&value, false), a_request(), Conditions::All).await;

    assert!(check().await.is_ok() && check().await.is_ok());
    assert_eq!(*lookups.lock().unwrap(), 1);
    *is_current.lock().unwrap() = false;
    assert_eq!(error(check().await), AuthenticationError::UnknownKey);
    assert_eq!(*lookups.lock().unwrap(), 2);
}

#[test]
fn cached_identities_are_small_regardless_of_project_size() {
    let large = || JsonObject::parse(json!({"text": "x".repeat(60_000)}).as_object().unwrap().clone()).unwrap();
    let mut key = a_bearer(a_key());
    Arc::make_mut(&mut key.project).project.profile = large();
    let mut user = a_user_bearer("ann");
    (user.user.meta, user.user.profile) = (large(), large());
    Arc::make_mut(&mut user.project).project.profile = large();
    for identity in [Identity::Key(Arc::new(key)), Identity::User(Arc::new(user))] {
        let cached = identity.for_cache();
        assert!(format!("{cached:?}").len() < 5_000, "{cached:?}");
        assert_eq!((cached.holder(), cached.tenant()), (identity.holder(), identity.tenant()));
    }
}

/// Authenticates a project user who was last seen this long ago. Returns how often the activity is recorded.
async fn recorded_after(ago: TimeDelta) -> usize {
    let claims = AccessClaims { audience: Audience::Project(id_of("project").into()), ..claims() };
    let verified_token = VerifiedToken { claims, signed_by: id_of("key").into() };
    let mut verified = MockAccessTokens::new();
    verified.expect_verify().returning(move |_, _| Ok(verified_token.clone()));
    let records = Arc::new(Mutex::new(0));
    let mut sightings = MockUserActivityRecorder::new();
    let counted = records.clone();
    sightings.expect_record_seen().returning(move |_, _, _| {
        *counted.lock().unwrap() += 1;
        Err(StoreError::Unavailable(anyhow::anyhow!("The store is unavailable.")))
    });
    let tokens = tokens(verified, families(a_family("ann")), sightings);
    let clock = Arc::new(FixedClock(instant() + ago));
    let authentication = authentication(keys(MockAccessReader::new()), tokens, clock);
    assert!(
        authentication.bearer(&sent_token(), a_request(), Conditions::All).await.is_ok(),
        "A failure to record activity must not reject the caller."
    );
    *records.lock().unwrap()
}

#[tokio::test]
async fn user_activity_is_not_recorded_on_every_request() {
    assert_eq!(recorded_after(TimeDelta::minutes(14)).await, 0);
    assert_eq!(recorded_after(TimeDelta::minutes(15)).await, 1);
}

#[tokio::test]
async fn an_unconfirmed_account_is_refused_where_the_address_decides() {
    let unconfirmed = Account { email_verified: false, ..an_account("ann") };
    for (mode, is_refused) in [(SignUpMode::Open, false), (SignUpMode::Invite, true)] {
        let sign_up = SignUpPolicy { mode, ..SignUpPolicy::default() };
        let rules = AccountRules::new(&sign_up, SecondFactorPolicy::default());
        for audience in [Audience::Service, Audience::Project(id_of("project").into())] {
            let mut verified = MockAccessTokens::new();
            let claims = AccessClaims { audience, ..claims() };
            let token = VerifiedToken { claims, signed_by: id_of("key").into() };
            verified.expect_verify().return_once(move |_, _| Ok(token));
            let family_of_account = TokenFamilyWithAccount { account: unconfirmed.clone(), ..of_ann(a_family("ann")) };
            let (mut families, found) = (MockAuthorizationReader::new(), family_of_account.clone());
            families.expect_token_family().returning(move |_, _| Ok(Some(found.clone())));
            families
                .expect_user_bearer()
                .returning(move |_, _| Ok(Some((family_of_account.clone(), a_user_bearer("ann")))));
            let tokens = tokens(verified, families, MockUserActivityRecorder::new());
            let tokens = TokenAuthentication { rules, ..tokens };
            let result = tokens.check(&sent_token(), Conditions::All, instant()).await.map(drop);
            let refused = matches!(result, Err(Error::Forbidden(Forbidden::UnconfirmedEmail)));
            assert_eq!(refused, is_refused, "{mode:?}: {result:?}");
        }
        let (mut accounts, mut personal_tokens) = (MockAccountReader::new(), MockPersonalTokenReader::new());
        let found = unconfirmed.clone();
        accounts.expect_account().returning(move |_| Ok(Some(found.clone())));
        personal_tokens.expect_token_by_digest().returning(|_| {
            let (token, access_epoch) = (a_personal_token("viewer"), AccessEpoch::default());
            Ok(Some(PersonalTokenBearer { token, access_epoch, is_operator: false, has_second_factor: false }))
        });
        let keys = KeyAuthentication {
            accounts: Arc::new(accounts),
            personal_tokens: Arc::new(personal_tokens),
            rules,
            ..keys(MockAccessReader::new())
        };
        let value = KeyValue::personal(&Zeroizing::new([1; 32]));
        let result = keys.check(value.secret().expose(), false, Conditions::All, instant()).await.map(drop);
        let refused = matches!(result, Err(Error::Forbidden(Forbidden::UnconfirmedEmail)));
        assert_eq!(refused, is_refused, "{mode:?}: {result:?}");
    }
}
