//! Rules of the clients that projects register.

use std::collections::{BTreeMap, BTreeSet};

use steward_domain::administration::{Image, ImageFormat, Project};
use steward_domain::identity::{
    ClientId, ClientKeys, ClientScopes, ClientSecret, ClientSettings, Expiring, Grant, GrantType, GrantTypes,
    ProjectClient, RedirectUri, ScopeSet, TokenFamily,
};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::policy::{KeyRoles, Quota, Quotas};
use steward_domain::kernel::{
    AccessBasis, CommitError, Credential, CredentialUse, Label, Named, PresentedValue, ProjectId, ReplacedValue,
    ReplacedValues, ResourceScope, Revision, TokenDigest,
};
use uuid::Uuid;

use crate::fixture::{Fixture, TestStore, change, id, insert, later, try_insert};
use crate::identity::authorizations::{family, grant, refresh_token};
use crate::identity::server_keys::signing_key;
use crate::kernel::concurrency::commit_concurrently;

const IMAGE: Uuid = Uuid::from_u128(7);

fn keys() -> ClientKeys {
    ClientKeys::stored(r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#)
        .unwrap()
}

fn client(project: &Project, name: &str, created: i64) -> ProjectClient {
    ProjectClient {
        id: id().into(),
        project_id: project.id,
        settings: ClientSettings {
            name: Label::parse(name).unwrap(),
            grant_types: GrantTypes::parse(GrantType::ALL.map(GrantType::as_str)).unwrap(),
            redirect_uris: ["https://app.example/callback", "example://callback"]
                .map(|uri| RedirectUri::stored(uri).unwrap())
                .to_vec(),
            scopes: ScopeSet::parse("openid app:db:read"),
            roles: KeyRoles::parse("read,db:write").ok(),
            require_pkce: true,
            skip_consent: true,
            keys: None,
            require_dpop: true,
            require_pushed_requests: false,
            access_token_seconds: Some(60),
            sign_in_seconds: Some(300),
        },
        secret: Some(ClientSecret {
            digest: TokenDigest("current".to_owned()),
            hint: "stw_cs_...0000".to_owned(),
            last_used: None,
            replaced: ReplacedValues {
                previous: Some(replaced("previous")),
                earlier: Some(replaced("earlier")),
                used_before: Some(later(1)),
            },
        }),
        logo: None,
        registered_itself: false,
        created_by: None,
        configured_by: None,
        created_at: later(created),
        revision: Revision::FIRST,
    }
}

fn replaced(digest: &str) -> ReplacedValue<TokenDigest> {
    ReplacedValue { stored: TokenDigest(digest.to_owned()), expires_at: later(9), last_used: None }
}

fn logo() -> Image {
    Image { id: IMAGE.into(), format: ImageFormat::WebP, size: 41, uploaded_at: later(7) }
}

pub async fn clients_round_trip_in_their_project(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (second, first) = (client(&world.project, "second", 2), client(&world.project, "first", 1));
    let second = ProjectClient { logo: Some(logo()), ..second };
    let foreign = client(&other.project, "foreign", 1);
    insert(&store, [&second, &first, &foreign].map(|client| client.clone().into())).await;
    assert_eq!(store.clients(world.project.id).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(store.client(foreign.id).await.unwrap(), Some(foreign));

    let settings = ClientSettings {
        name: Label::parse("Renamed").unwrap(),
        grant_types: GrantTypes::for_people(),
        redirect_uris: Vec::new(),
        roles: None,
        require_pkce: false,
        skip_consent: false,
        keys: Some(keys()),
        require_dpop: false,
        require_pushed_requests: true,
        access_token_seconds: None,
        sign_in_seconds: None,
        ..first.settings.clone()
    };
    let changed = ProjectClient { settings, secret: None, logo: Some(logo()), ..first.clone() };
    store.commit(change().replace(first.clone(), changed.clone())).await.unwrap();
    let changed = ProjectClient { revision: changed.revision.next(), ..changed };
    assert_eq!(store.client(first.id).await.unwrap(), Some(changed.clone()));
    for stale in [change().replace(first.clone(), first.clone()), change().remove(first)] {
        let refused = store.commit(stale).await;
        assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Client))), "{refused:?}");
    }
    assert_eq!(store.logos(world.project.id).await.unwrap(), [logo(), logo()]);
    store.commit(change().remove(changed.clone())).await.unwrap();
    assert_eq!(store.logos(world.project.id).await.unwrap(), [logo()], "A deleted client has no logo.");
    assert_eq!(store.client(changed.id).await.unwrap(), None);
    assert_eq!(store.clients(world.project.id).await.unwrap(), std::slice::from_ref(&second));
    let stale = store.commit(change().remove(changed)).await;
    assert!(matches!(stale, Err(CommitError::Stale(ResourceKind::Client))), "{stale:?}");
    store.commit(change().remove(world.project.clone())).await.unwrap();
    assert_eq!(store.client(second.id).await.unwrap(), None, "The project of the client is deleted.");
    assert_eq!(store.logos(world.project.id).await.unwrap(), [logo()], "Its bytes remain to be deleted.");
    let late = client(&world.project, "late", 3);
    insert(&store, [late.clone().into()]).await;
    assert_eq!(store.client(late.id).await.unwrap(), None, "A client of a deleted project is not found.");
    while store.remove_data(world.project.id, 100).await.unwrap() {}
    assert_eq!(store.logos(world.project.id).await.unwrap(), []);
    let refused = try_insert(&store, [client(&world.project, "later", 4).into()]).await;
    assert!(matches!(refused, Err(CommitError::Orphaned)), "{refused:?}");
}

pub async fn clients_by_creator_are_limited_to_the_teams_projects(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let of = |project: &Project, name: &str, created, created_by, configured_by| ProjectClient {
        created_by,
        configured_by,
        ..client(project, name, created)
    };
    let (ann, bob) = (Some(world.owner.id), Some(other.owner.id));
    let configured = of(&world.project, "configured", 2, bob, ann);
    let created = of(&world.project, "created", 1, ann, None);
    let deleted = of(&world.project, "deleted", 3, ann, None);
    let others = [of(&world.project, "nobody", 4, None, None), of(&other.project, "foreign", 5, ann, ann)];
    insert(&store, [&configured, &created, &deleted].map(|client| client.clone().into())).await;
    insert(&store, others.map(Into::into)).await;
    store.commit(change().remove(deleted)).await.unwrap();
    let found = async |account| store.clients_created_by(world.team.id, account).await.unwrap();
    assert_eq!(found(world.owner.id).await, [created, configured.clone()]);
    assert_eq!(found(other.owner.id).await, [configured]);
    store.commit(change().remove(world.project.clone())).await.unwrap();
    assert_eq!(found(world.owner.id).await, []);
}

pub async fn names_of_clients_of_several_projects_are_listed_newest_first(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let deleted = client(&world.project, "deleted", 4);
    let clients =
        [client(&world.project, "first", 1), client(&world.project, "second", 2), client(&other.project, "foreign", 3)];
    insert(&store, clients.clone().map(Into::into)).await;
    insert(&store, [deleted.clone().into()]).await;
    store.commit(change().remove(deleted)).await.unwrap();
    let [first, second, foreign] = clients.map(|client| Named {
        scope: ResourceScope::Project(client.project_id),
        id: client.id.uuid(),
        name: client.settings.name.to_string(),
        hint: String::new(),
    });
    let (both, own) = ([world.project.id, other.project.id], [world.project.id]);
    let names = async |projects: &[ProjectId], limit| store.client_names(projects, limit).await.unwrap();
    assert_eq!(names(&both, 9).await, [foreign, second.clone(), first.clone()]);
    assert_eq!(names(&own, 9).await, [second.clone(), first]);
    assert_eq!(names(&own, 1).await, [second]);
    assert_eq!(names(&[], 9).await, []);
}

pub async fn a_change_of_a_client_ends_cached_checks_of_its_tokens(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (registered, key) = (client(&world.project, "server", 1), signing_key(1));
    let signed_by = key.id;
    insert(&store, [registered.clone().into(), key.into()]).await;
    let (found, project) = store.client_bearer(registered.id, signed_by).await.unwrap().unwrap();
    assert_eq!((&found, project.project.id), (&registered, world.project.id));
    assert_eq!(store.client_bearer(registered.id, id().into()).await.unwrap(), None, "The key is not stored.");
    let basis = AccessBasis { project: Some((world.project.id, project.access_epoch)), ..AccessBasis::default() };
    assert!(store.is_current(&basis).await.unwrap());
    let settings = ClientSettings { roles: KeyRoles::parse("read").ok(), ..registered.settings.clone() };
    let changed = ProjectClient { settings, ..registered.clone() };
    store.commit(change().replace(registered, changed.clone())).await.unwrap();
    assert!(!store.is_current(&basis).await.unwrap(), "A change must end what was cached.");
    let (found, project) = store.client_bearer(changed.id, signed_by).await.unwrap().unwrap();
    let basis = AccessBasis { project: Some((world.project.id, project.access_epoch)), ..basis };
    store.commit(change().remove(found.clone())).await.unwrap();
    assert!(!store.is_current(&basis).await.unwrap(), "A deletion must end what was cached.");
    assert_eq!(store.client_bearer(found.id, signed_by).await.unwrap(), None);
}

pub async fn uses_of_a_secret_are_recorded(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let registered = client(&world.project, "server", 1);
    insert(&store, [registered.clone().into()]).await;
    let used = |which, at| CredentialUse {
        credential: Credential::Client(registered.id, which),
        at: later(at),
        redigested: None,
    };
    let (current, previous, earlier) = (PresentedValue::Current, PresentedValue::Previous, PresentedValue::Earlier);
    let gone = CredentialUse { credential: Credential::Client(id().into(), current), ..used(current, 1) };
    store.record_uses(&[used(current, 7), used(current, 5), used(previous, 6), used(earlier, 5), gone]).await.unwrap();
    let found = store.client(registered.id).await.unwrap().unwrap();
    let secret = found.secret.unwrap();
    let recorded = [current, previous, earlier].map(|which| secret.last_used_of(which));
    assert_eq!(recorded, [7, 6, 5].map(|at| Some(later(at))));
    assert_eq!(found.revision, registered.revision);
}

/// The family of a sign-in to a client.
fn family_of(world: &Fixture, client: &ProjectClient) -> TokenFamily {
    let of_project = family(&world.owner, Some(&world.project));
    TokenFamily { client: ClientId::registered(client), ends_at: Some(later(5_000)), ..of_project }
}

pub async fn tokens_of_a_deleted_client_are_not_found_and_are_swept(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (deleted, kept) = (client(&world.project, "deleted", 1), client(&world.project, "kept", 1));
    let scopes = BTreeMap::from([(deleted.id, ScopeSet::parse("openid")), (kept.id, ScopeSet::parse("email"))]);
    let consent = Grant { client_scopes: ClientScopes(scopes), ..grant(&world.owner, &world.project) };
    insert(&store, [deleted.clone().into(), kept.clone().into(), consent.clone().into()]).await;
    assert_eq!(store.grant(world.owner.id, world.project.id).await.unwrap(), Some(consent));
    let families = [family_of(&world, &deleted), family_of(&world, &deleted), family_of(&world, &kept)];
    let of_project = family(&world.owner, Some(&world.project));
    let [first, second, of_kept] = &families;
    let token = refresh_token(first);
    insert(&store, families.clone().map(Into::into)).await;
    insert(&store, [of_project.clone().into(), token.clone().into()]).await;
    let exists = async |family: &TokenFamily| {
        let found = store.token_family(family.id, None).await.unwrap().map(|found| found.family);
        assert!(found.as_ref().is_none_or(|found| found == family), "{found:?}");
        found.is_some()
    };
    for family in families.iter().chain([&of_project]) {
        assert!(exists(family).await);
    }
    assert_eq!(store.sweep(Expiring::Clients, later(1_000_000), 10).await.unwrap(), 0);

    store.commit(change().remove(deleted.clone())).await.unwrap();
    assert!(!exists(first).await && !exists(second).await && exists(of_kept).await && exists(&of_project).await);
    assert_eq!(store.refresh_token(&token.digest).await.unwrap(), None);
    let active = store.active_families(world.owner.id, Some(world.project.id), later(3)).await.unwrap();
    let active: BTreeSet<_> = active.into_iter().map(|family| family.id).collect();
    assert_eq!(active, BTreeSet::from([of_kept.id, of_project.id]));
    let mut steps = 0;
    while store.sweep(Expiring::Clients, later(1_000_000), 1).await.unwrap() > 0 {
        steps += 1;
    }
    assert!((2..=4).contains(&steps), "A token, two families and a client in bounded steps: {steps}");
    assert!(exists(of_kept).await && exists(&of_project).await);
    assert_eq!(store.client(kept.id).await.unwrap(), Some(kept));
}

pub async fn fifty_concurrent_clients_stay_within_the_quota(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = Quotas::default().with(Quota::ClientsPerProject, 5);
    let changes = (0..50)
        .map(|number| change().insert(client(&world.project, &format!("c{number}"), number)).bounded_by(&quotas));
    let outcomes = commit_concurrently(&store, changes).await;
    let stored = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let refused = |outcome: &&Result<_, CommitError>| matches!(outcome, Err(CommitError::OverQuota(..)));
    assert_eq!((stored, outcomes.iter().filter(refused).count()), (5, 45), "{outcomes:?}");
    assert_eq!(store.clients(world.project.id).await.unwrap().len(), 5);
}

pub async fn clients_that_registered_themselves_end_without_a_sign_in(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let itself = |name, created| ProjectClient { registered_itself: true, ..client(&world.project, name, created) };
    let (unused, used, young) = (itself("unused", 1), itself("used", 1), itself("young", 900));
    // The project gave it a logo, whose bytes nothing would delete.
    let adopted = ProjectClient { logo: Some(logo()), ..itself("adopted", 1) };
    let registered = client(&world.project, "registered", 1);
    let all = [&unused, &used, &young, &adopted, &registered];
    let of_used = TokenFamily { client: ClientId::registered(&used), ..family(&world.owner, None) };
    let entities = all.into_iter().map(|client| client.clone().into());
    insert(&store, entities.chain([grant(&world.owner, &world.project).into(), of_used.into()])).await;
    assert_eq!(store.client(unused.id).await.unwrap(), Some(unused.clone()));
    assert_eq!(store.sweep(Expiring::SelfRegisteredClients, later(500), 10).await.unwrap(), 1);
    assert_eq!(store.sweep(Expiring::SelfRegisteredClients, later(500), 10).await.unwrap(), 0);
    assert_eq!(store.client(unused.id).await.unwrap(), None);
    for kept in [used, young, adopted, registered] {
        assert_eq!(store.client(kept.id).await.unwrap(), Some(kept));
    }
    assert_eq!(store.sweep(Expiring::Clients, later(600), 10).await.unwrap(), 1, "It is deleted like any other.");
}

pub async fn clients_that_registered_themselves_have_a_quota_of_their_own(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = Quotas::default().with(Quota::ClientsPerProject, 1).with(Quota::SelfRegisteredClientsPerProject, 2);
    let outcomes = async |registered_itself| {
        let mut stored = 0;
        for number in 0..4 {
            let client = ProjectClient { registered_itself, ..client(&world.project, "c", number) };
            stored += usize::from(store.commit(change().insert(client).bounded_by(&quotas)).await.is_ok());
        }
        stored
    };
    assert_eq!((outcomes(true).await, outcomes(false).await), (2, 1));
}
