//! Rules of sessions, email links, authorization requests, grants, codes, and tokens.

mod codes;
mod devices;
mod expiry;
mod families;
mod pairs;
mod sessions;

use steward_domain::administration::Project;
use steward_domain::identity::{
    Account, AssuranceLevel, AuthenticationMethod, AuthenticationMethods, AuthorizationCode, AuthorizationParameters,
    AuthorizationRequest, ClientId, ClientScopes, CodeChallenge, EmailLink, Grant, KeyThumbprint, LinkPurpose, Prompt,
    RedirectUri, RefreshState, RefreshToken, ResponseMode, ResponseTarget, ScopeSet, Session, TokenFamily,
    TokenFamilyWithAccount,
};
use steward_domain::kernel::changes::Entity;
use steward_domain::kernel::{AccessEpoch, CommitError, Revision, TokenDigest, Unique};

use crate::fixture::{self, Fixture, TestStore, change, id, insert, later, try_insert};
use crate::kernel::concurrency::commit_concurrently;

pub use codes::redeemable_codes_are_those_of_the_account_and_project;
pub use devices::{a_user_code_belongs_to_one_device_until_it_is_swept, requests_of_devices_round_trip};
pub use expiry::{
    a_live_family_is_checked_once_until_its_last_token_expires, only_expired_rows_are_swept,
    only_the_last_replaced_token_keeps_its_response_until_it_is_swept,
};
pub use families::active_families_are_those_of_the_account_and_client;
pub use pairs::{
    a_lost_pair_is_given_up_once, a_pair_that_is_used_or_exchanged_in_between_is_not_given_up,
    the_first_use_of_the_current_pair_is_recorded,
};
pub use sessions::uses_of_a_session_are_recorded;

fn digest() -> TokenDigest {
    TokenDigest(id().as_simple().to_string())
}

fn client(project: Option<&Project>) -> ClientId {
    match project {
        Some(project) => ClientId::stored(project.id.to_string(), Some(project.id)),
        None => ClientId::first_party(),
    }
}

fn redirect_uri() -> RedirectUri {
    RedirectUri::parse("https://app.example/cb?x=%20y").unwrap()
}

fn challenge() -> Option<CodeChallenge> {
    CodeChallenge::parse("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
}

fn key() -> Option<KeyThumbprint> {
    KeyThumbprint::parse("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
}

pub(crate) fn request(project: Option<&Project>) -> AuthorizationRequest {
    AuthorizationRequest {
        id: id().into(),
        digest: digest(),
        client: client(project),
        target: ResponseTarget::Client(redirect_uri()),
        parameters: AuthorizationParameters {
            scopes: ScopeSet::parse("openid app:db:write"),
            state: Some("ünï \"quoted\" '; --\r\n".into()),
            nonce: Some("n".into()),
            response_mode: ResponseMode::FormPost,
            challenge: challenge(),
            bound_to: key(),
            prompt: Prompt { login: true, consent: true, ..Prompt::default() },
            login_hint: Some("ann@example.com".into()),
            max_age: Some(60),
            level: Some(AssuranceLevel::TwoFactors),
            ui_locales: Some("pt-BR en".into()),
        },
        created_at: later(1),
        expires_at: later(600),
        revision: Revision::FIRST,
    }
}

pub(crate) fn grant(account: &Account, project: &Project) -> Grant {
    Grant {
        id: id().into(),
        account_id: account.id,
        project_id: project.id,
        scopes: ScopeSet::parse("openid email"),
        client_scopes: ClientScopes::default(),
        created_at: later(1),
        updated_at: later(2),
        revision: Revision::FIRST,
    }
}

pub(crate) fn code(account: &Account, project: Option<&Project>) -> AuthorizationCode {
    AuthorizationCode {
        family_id: id().into(),
        digest: digest(),
        account_id: account.id,
        client: client(project),
        session_id: id().into(),
        redirect_uri: Some(redirect_uri()),
        scopes: ScopeSet::parse("openid"),
        nonce: Some("n".into()),
        challenge: challenge(),
        bound_to: key(),
        authenticated_at: later(1),
        methods: AuthenticationMethods::from(AuthenticationMethod::Password).and(AuthenticationMethod::OneTimeCode),
        password_set_at: account.password_set_at,
        created_at: later(2),
        expires_at: later(600),
        redeemed_at: None,
        revision: Revision::FIRST,
    }
}

pub(crate) fn family(account: &Account, project: Option<&Project>) -> TokenFamily {
    TokenFamily {
        id: id().into(),
        account_id: account.id,
        client: client(project),
        session_id: Some(id().into()),
        scopes: ScopeSet::parse("openid app:db:read"),
        authenticated_at: later(1),
        methods: AuthenticationMethods::from(AuthenticationMethod::Password).and(AuthenticationMethod::OneTimeCode),
        password_set_at: account.password_set_at,
        created_at: later(2),
        ends_at: None,
        revoked_at: None,
        lost_at: None,
        revision: Revision::FIRST,
    }
}

pub(crate) fn refresh_token(family: &TokenFamily) -> RefreshToken {
    RefreshToken {
        id: id().into(),
        family_id: family.id,
        digest: digest(),
        issued_at: later(2),
        expires_at: later(3_000),
        state: RefreshState::Current,
        used_at: None,
        bound_to: key(),
        revision: Revision::FIRST,
    }
}

pub(crate) fn session(account: &Account) -> Session {
    Session {
        id: id().into(),
        digest: digest(),
        account_id: account.id,
        authenticated_at: later(1),
        methods: AuthenticationMethods::from(AuthenticationMethod::Password).and(AuthenticationMethod::OneTimeCode),
        password_set_at: account.password_set_at,
        limited_to: None,
        user_agent: "Lynx/2.9 'ünï'".into(),
        address: Some("2001:db8::1".parse().unwrap()),
        expires_at: later(3_000),
        last_used: None,
        revision: Revision::FIRST,
    }
}

fn link(purpose: LinkPurpose) -> EmailLink {
    EmailLink {
        id: id().into(),
        digest: digest(),
        purpose,
        email: steward_domain::identity::Email::parse("Ann@example.com").unwrap(),
        created_at: later(1),
        expires_at: later(600),
        revision: Revision::FIRST,
    }
}

pub async fn requests_links_and_sessions_round_trip(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let parameters = AuthorizationParameters { state: None, ..request(None).parameters };
    let without_state = AuthorizationRequest { parameters, ..request(None) };
    for request in [request(None), request(Some(&world.project)), without_state] {
        insert(&store, [request.clone().into()]).await;
        assert_eq!(store.authorization_request(&request.digest).await.unwrap(), Some(request.clone()));
        store.commit(change().remove(request.clone())).await.unwrap();
        assert_eq!(store.authorization_request(&request.digest).await.unwrap(), None);
    }
    for purpose in LinkPurpose::ALL {
        let link = link(purpose);
        insert(&store, [link.clone().into()]).await;
        assert_eq!(store.email_link(&link.digest).await.unwrap(), Some(link.clone()));
        store.commit(change().remove(link.clone())).await.unwrap();
        assert!(matches!(store.commit(change().remove(link)).await, Err(CommitError::Stale(_))));
    }
    let (first, other) = (session(&world.owner), fixture::account("other"));
    let limited_to = Some(world.project.id);
    let second = Session { authenticated_at: later(2), address: None, limited_to, ..session(&world.owner) };
    insert(&store, [other.clone().into(), first.clone().into(), second.clone().into(), session(&other).into()]).await;
    let found = store.session(&first.digest).await.unwrap().unwrap();
    assert_eq!((found.session, found.account), (first.clone(), world.owner.clone()));
    let by_id = store.session_of(world.owner.id, first.id).await.unwrap().unwrap();
    assert_eq!((by_id.session, by_id.account), (first.clone(), world.owner.clone()));
    assert_eq!(store.session_of(other.id, first.id).await.unwrap(), None);
    let listed = store.sessions_of(world.owner.id).await.unwrap();
    assert_eq!(listed.into_iter().map(|one| one.session).collect::<Vec<_>>(), [second, first]);
}

pub async fn tokens_round_trip_before_and_after_changes(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (grant, code) = (grant(&world.owner, &world.project), code(&world.owner, Some(&world.project)));
    let family = family(&world.owner, Some(&world.project));
    let token = refresh_token(&family);
    let all: [Entity; 4] = [grant.clone().into(), code.clone().into(), family.clone().into(), token.clone().into()];
    insert(&store, all).await;
    assert_eq!(store.grant(world.owner.id, world.project.id).await.unwrap(), Some(grant.clone()));
    assert_eq!(store.authorization_code(&code.digest).await.unwrap(), Some(code.clone()));
    let of_account = TokenFamilyWithAccount {
        family: family.clone(),
        account: world.owner.clone(),
        has_second_factor: false,
        access_epoch: AccessEpoch::default(),
    };
    assert_eq!(store.token_family(family.id, None).await.unwrap(), Some(of_account.clone()));
    assert_eq!(store.refresh_token(&token.digest).await.unwrap(), Some((token.clone(), of_account)));

    let wider = Grant { scopes: ScopeSet::parse("openid email app:admin"), updated_at: later(9), ..grant.clone() };
    let redeemed = AuthorizationCode { redeemed_at: Some(later(3)), ..code.clone() };
    let revoked = TokenFamily { revoked_at: Some(later(4)), ..family.clone() };
    let next = Some(id().into());
    let state = RefreshState::Replaced { at: later(5), answer: Some(vec![0, 255, 39]), next };
    let replaced = RefreshToken { state, ..token.clone() };
    let changes = change()
        .replace(grant.clone(), wider.clone())
        .replace(code.clone(), redeemed.clone())
        .replace(family.clone(), revoked.clone())
        .replace(token.clone(), replaced.clone());
    store.commit(changes).await.unwrap();
    let next = Revision(Revision::FIRST.0 + 1);
    let granted = store.grants_of(world.owner.id).await.unwrap();
    assert_eq!(granted[0].grant, Grant { revision: next, ..wider });
    assert_eq!(granted[0].project, world.project);
    let found = store.authorization_code(&code.digest).await.unwrap().unwrap();
    assert_eq!(found, AuthorizationCode { revision: next, ..redeemed });
    let (found, of_account) = store.refresh_token(&token.digest).await.unwrap().unwrap();
    assert_eq!(found, RefreshToken { revision: next, ..replaced });
    assert_eq!(of_account.family, TokenFamily { revision: next, ..revoked });
    for again in [change().replace(code.clone(), code), change().replace(family.clone(), family)] {
        assert!(matches!(store.commit(again).await, Err(CommitError::Stale(_))));
    }
}

pub async fn grants_are_unique(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    insert(&store, [grant(&world.owner, &world.project).into()]).await;
    let refused = try_insert(&store, [grant(&world.owner, &world.project).into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::Grant))), "{refused:?}");
}

pub async fn codes_and_tokens_require_their_grant_and_are_deleted_with_it(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (code, family) = (code(&world.owner, Some(&world.project)), family(&world.owner, Some(&world.project)));
    let token = refresh_token(&family);
    for orphan in [code.clone().into(), family.clone().into(), token.clone().into()] {
        let refused = try_insert(&store, [orphan]).await;
        assert!(matches!(refused, Err(CommitError::Orphaned)), "{refused:?}");
    }
    let first_party = self::family(&world.owner, None);
    let grant = grant(&world.owner, &world.project);
    let all: [Entity; 5] = [
        grant.clone().into(),
        code.clone().into(),
        family.clone().into(),
        token.clone().into(),
        first_party.clone().into(),
    ];
    insert(&store, all).await;
    store.commit(change().remove(grant)).await.unwrap();
    assert_eq!(store.authorization_code(&code.digest).await.unwrap(), None);
    assert_eq!(store.token_family(family.id, None).await.unwrap(), None);
    assert_eq!(store.refresh_token(&token.digest).await.unwrap(), None);
    assert!(store.token_family(first_party.id, None).await.unwrap().is_some());
}

pub async fn token_digests_are_unique(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (request, session) = (request(None), session(&world.owner));
    let (code, family, link) = (code(&world.owner, None), family(&world.owner, None), link(LinkPurpose::VerifyEmail));
    let token = refresh_token(&family);
    insert(&store, [family.clone().into()]).await;
    let all: [(Entity, Entity); 5] = [
        (request.clone().into(), AuthorizationRequest { id: id().into(), ..request }.into()),
        (session.clone().into(), Session { id: id().into(), ..session }.into()),
        (code.clone().into(), AuthorizationCode { family_id: id().into(), ..code }.into()),
        (token.clone().into(), RefreshToken { id: id().into(), ..token }.into()),
        (link.clone().into(), EmailLink { id: id().into(), ..link }.into()),
    ];
    for (first, second) in all {
        insert(&store, [first]).await;
        let refused = try_insert(&store, [second]).await;
        assert!(matches!(refused, Err(CommitError::Taken(Unique::TokenDigest))), "{refused:?}");
    }
}

pub async fn a_user_bearer_has_the_account_and_project_of_its_family(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let family = family(&world.owner, Some(&world.project));
    let elsewhere = self::family(&world.owner, Some(&other.project));
    let first_party = self::family(&world.owner, None);
    let all: [Entity; 5] = [
        grant(&world.owner, &world.project).into(),
        grant(&world.owner, &other.project).into(),
        family.clone().into(),
        elsewhere.clone().into(),
        first_party.clone().into(),
    ];
    insert(&store, all).await;
    let (of_account, bearer) = store.user_bearer(family.id, None).await.unwrap().unwrap();
    assert_eq!((of_account.family, of_account.account), (family.clone(), world.owner.clone()));
    assert_eq!((bearer.user, bearer.scopes), (world.user.clone(), family.scopes));
    assert_eq!(
        (bearer.project.project.clone(), bearer.project.team_slug.clone()),
        (world.project.clone(), world.team.slug.clone())
    );
    for none in [elsewhere.id, first_party.id, id().into()] {
        assert_eq!(store.user_bearer(none, None).await.unwrap(), None);
    }
}

pub async fn one_of_fifty_concurrent_redemptions_of_a_code_succeeds(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let code = code(&world.owner, None);
    insert(&store, [code.clone().into()]).await;
    let redeem = |_| {
        let redeemed = AuthorizationCode { redeemed_at: Some(later(3)), ..code.clone() };
        let family = TokenFamily { id: code.family_id, ..family(&world.owner, None) };
        change().replace(code.clone(), redeemed).insert(family)
    };
    let results = commit_concurrently(&store, (0..50).map(redeem)).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
}

pub async fn deadlocked_changes_still_complete(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    insert(&store, [grant(&world.owner, &world.project).into()]).await;
    for round in 0..8_i64 {
        let load = |store: &TestStore| {
            let store = store.clone();
            let (project, owner, user) = (world.project.id, world.owner.id, world.user.id);
            async move {
                let user = store.user(project, user).await.unwrap().unwrap();
                (user, store.grant(owner, project).await.unwrap().unwrap())
            }
        };
        let task = |grant_first: bool| {
            let (store, loaded) = (store.clone(), load(&store));
            tokio::spawn(async move {
                let (user, grant) = loaded.await;
                let (newer_user, newer) = (user.clone(), Grant { updated_at: later(round), ..grant.clone() });
                let changes = change();
                let changes = if grant_first {
                    changes.replace(grant, newer).replace(user, newer_user)
                } else {
                    changes.replace(user, newer_user).replace(grant, newer)
                };
                store.commit(changes).await
            })
        };
        // No more than two: further changes would wait for the deadlocks of others, each for a second, until they time out.
        for task in [task(true), task(false)] {
            let outcome = task.await.unwrap();
            assert!(matches!(outcome, Ok(_) | Err(CommitError::Stale(_))), "{outcome:?}");
        }
    }
}
