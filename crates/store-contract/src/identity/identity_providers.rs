//! Rules of identity providers and linked identities.

use steward_domain::administration::Project;
use steward_domain::identity::{
    Account, Email, EmailDomain, Expiring, IdentityProvider, Issuer, LinkedIdentity, ProviderClientId, ProviderKind,
};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::policy::Quota;
use steward_domain::kernel::{CommitError, Label, PageRequest, Revision, Unique};

use crate::fixture::{Fixture, TestStore, account, change, id, insert, later, try_insert};
use crate::kernel::concurrency::{assert_one_succeeds, commit_concurrently};

pub(crate) fn provider(project: Option<&Project>, name: &str, created: i64) -> IdentityProvider {
    IdentityProvider {
        id: id().into(),
        project_id: project.map(|project| project.id),
        kind: ProviderKind::OpenIdConnect,
        name: Label::parse(name).unwrap(),
        issuer: Issuer::parse(&format!("https://{name}.example"), false, false).unwrap(),
        client_id: ProviderClientId::parse("steward").unwrap(),
        client_secret: Some(vec![0, 255, 7]),
        email_domains: vec![EmailDomain::parse("example.com").unwrap(), EmailDomain::parse("example.org").unwrap()],
        is_enabled: true,
        created_by: None,
        configured_by: None,
        created_at: later(created),
        revision: Revision::FIRST,
    }
}

fn identity(account: &Account, provider: &IdentityProvider, subject: &str, created: i64) -> LinkedIdentity {
    LinkedIdentity {
        id: id().into(),
        account_id: account.id,
        provider_id: provider.id,
        subject: subject.to_owned(),
        email: None,
        created_at: later(created),
        last_used: later(created),
        revision: Revision::FIRST,
    }
}

pub async fn events_about_a_provider_of_the_service_are_found(store: TestStore) {
    let (first, second) = (provider(None, "first", 1), provider(None, "second", 2));
    insert(&store, [&first, &second].map(|provider| provider.clone().into())).await;
    let renamed = IdentityProvider { name: Label::parse("Renamed").unwrap(), ..first.clone() };
    store.commit(change().replace(first.clone(), renamed)).await.unwrap();
    let of = async |provider: &IdentityProvider, page: PageRequest| {
        let found = store.provider_events(provider.id, &page).await.unwrap().items;
        found.into_iter().map(|event| (event.action, event.target_id)).collect::<Vec<_>>()
    };
    let event =
        |verb: &str, provider: &IdentityProvider| (format!("identity_provider.{verb}"), provider.id.to_string());
    let all = [event("updated", &first), event("created", &first)];
    assert_eq!(of(&first, PageRequest::FIRST).await, all);
    assert_eq!(of(&first, PageRequest { limit: Some(1), ..PageRequest::FIRST }).await, all[..1]);
    assert_eq!(of(&second, PageRequest::FIRST).await, [event("created", &second)]);
}

pub async fn providers_round_trip_in_their_project_or_the_service(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (second, first) = (provider(None, "second", 2), provider(None, "first", 1));
    let (own, foreign) = (provider(Some(&world.project), "own", 1), provider(Some(&other.project), "foreign", 1));
    insert(&store, [&second, &first, &own, &foreign].map(|provider| provider.clone().into())).await;
    assert_eq!(store.identity_providers(None).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(store.identity_providers(Some(world.project.id)).await.unwrap(), std::slice::from_ref(&own));
    assert_eq!(store.identity_provider(foreign.id).await.unwrap(), Some(foreign));

    let changed = IdentityProvider {
        name: Label::parse("Renamed").unwrap(),
        client_id: ProviderClientId::parse("another").unwrap(),
        client_secret: None,
        email_domains: Vec::new(),
        is_enabled: false,
        ..own.clone()
    };
    store.commit(change().replace(own.clone(), changed.clone())).await.unwrap();
    let changed = IdentityProvider { revision: changed.revision.next(), ..changed };
    assert_eq!(store.identity_provider(own.id).await.unwrap(), Some(changed.clone()));
    for stale in [change().replace(own.clone(), own.clone()), change().remove(own)] {
        let refused = store.commit(stale).await;
        assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::IdentityProvider))), "{refused:?}");
    }
    store.commit(change().remove(changed.clone())).await.unwrap();
    assert_eq!(store.identity_provider(changed.id).await.unwrap(), None);
    assert_eq!(store.identity_providers(Some(world.project.id)).await.unwrap(), []);
    let stale = store.commit(change().remove(changed)).await;
    assert!(matches!(stale, Err(CommitError::Stale(ResourceKind::IdentityProvider))), "{stale:?}");
}

pub async fn providers_by_creator_are_limited_to_the_teams_projects(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let of = |project, name: &str, created, created_by, configured_by| IdentityProvider {
        created_by,
        configured_by,
        ..provider(project, name, created)
    };
    let (ann, bob) = (Some(world.owner.id), Some(other.owner.id));
    let configured = of(Some(&world.project), "configured", 2, bob, ann);
    let created = of(Some(&world.project), "created", 1, ann, None);
    let deleted = of(Some(&world.project), "deleted", 3, ann, None);
    let others = [of(None, "service", 4, ann, ann), of(Some(&other.project), "foreign", 5, ann, ann)];
    insert(&store, [&configured, &created, &deleted].map(|provider| provider.clone().into())).await;
    insert(&store, others.map(Into::into)).await;
    store.commit(change().remove(deleted)).await.unwrap();
    let found = async |account| store.identity_providers_created_by(world.team.id, account).await.unwrap();
    assert_eq!(found(world.owner.id).await, [created, configured.clone()]);
    assert_eq!(found(other.owner.id).await, [configured]);
    store.commit(change().remove(world.project.clone())).await.unwrap();
    assert_eq!(found(world.owner.id).await, []);
}

pub async fn identities_round_trip_and_are_deleted_with_their_account(store: TestStore) {
    let (ann, bob) = (account("ann"), account("bob"));
    let (one, two) = (provider(None, "one", 1), provider(None, "two", 1));
    insert(&store, [ann.clone().into(), bob.clone().into(), one.clone().into(), two.clone().into()]).await;
    let (second, first) = (identity(&ann, &one, "a 1", 2), identity(&ann, &two, "a 1", 1));
    let other = identity(&bob, &one, "b", 1);
    insert(&store, [&second, &first, &other].map(|identity| identity.clone().into())).await;
    let linked = store.linked_identities(ann.id).await.unwrap();
    assert_eq!(linked, [(first.clone(), two.clone()), (second.clone(), one.clone())]);
    assert_eq!(store.linked_identity(one.id, "a 1").await.unwrap(), Some(second.clone()));
    assert_eq!(store.linked_identity(one.id, "A 1").await.unwrap(), None);
    assert_eq!(store.linked_identity(two.id, "b").await.unwrap(), None);

    let email = Email::parse("ann@example.com").ok();
    let used = LinkedIdentity { email, last_used: later(9), ..first.clone() };
    let uses = (0..20).map(|_| change().replace(first.clone(), used.clone()));
    assert_one_succeeds(&commit_concurrently(&store, uses).await);
    let used = LinkedIdentity { revision: used.revision.next(), ..used };
    assert_eq!(store.linked_identity(two.id, "a 1").await.unwrap(), Some(used.clone()));
    store.commit(change().remove(used)).await.unwrap();
    assert_eq!(store.linked_identities(ann.id).await.unwrap().len(), 1);
    store.commit(change().remove(ann.clone())).await.unwrap();
    assert_eq!(store.linked_identities(ann.id).await.unwrap(), []);
    assert_eq!(store.linked_identity(one.id, "b").await.unwrap(), Some(other));
}

pub async fn an_identity_belongs_to_one_account_and_an_account_has_one_of_each_provider(store: TestStore) {
    let (ann, bob) = (account("ann"), account("bob"));
    let (one, two) = (provider(None, "one", 1), provider(None, "two", 1));
    insert(&store, [ann.clone().into(), bob.clone().into(), one.clone().into(), two.clone().into()]).await;
    insert(&store, [identity(&ann, &one, "a", 1).into()]).await;
    for second in [identity(&bob, &one, "a", 2), identity(&ann, &one, "b", 2)] {
        let refused = try_insert(&store, [second.into()]).await;
        assert!(matches!(refused, Err(CommitError::Taken(Unique::LinkedIdentity))), "{refused:?}");
    }
    insert(&store, [identity(&bob, &one, "b", 2).into(), identity(&ann, &two, "a", 2).into()]).await;
}

pub async fn a_deleted_provider_is_swept_after_its_identities(store: TestStore) {
    let (ann, bob) = (account("ann"), account("bob"));
    let (deleted, kept) = (provider(None, "deleted", 1), provider(None, "kept", 1));
    insert(&store, [ann.clone().into(), bob.clone().into(), deleted.clone().into(), kept.clone().into()]).await;
    let of_kept = identity(&ann, &kept, "a", 1);
    let of_deleted = [identity(&ann, &deleted, "a", 1).into(), identity(&bob, &deleted, "b", 1).into()];
    insert(&store, of_deleted).await;
    insert(&store, [of_kept.clone().into()]).await;
    store.commit(change().remove(deleted.clone())).await.unwrap();
    assert_eq!(store.linked_identities(ann.id).await.unwrap(), [(of_kept.clone(), kept)]);
    let mut steps = 0;
    while store.sweep(Expiring::IdentityProviders, later(1_000_000), 1).await.unwrap() > 0 {
        steps += 1;
    }
    assert!((2..=3).contains(&steps), "Two identities and a provider in bounded steps: {steps}");
    assert_eq!(store.linked_identity(deleted.id, "b").await.unwrap(), None);
    assert_eq!(store.linked_identity(of_kept.provider_id, "a").await.unwrap(), Some(of_kept));
}

pub async fn fifty_concurrent_providers_stay_within_the_quota(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let quotas = steward_domain::kernel::policy::Quotas::default().with(Quota::IdentityProvidersPerProject, 5);
    let changes = (0..50).map(|number| {
        change().insert(provider(Some(&world.project), &format!("p{number}"), number)).bounded_by(&quotas)
    });
    let outcomes = commit_concurrently(&store, changes).await;
    let stored = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let refused = |outcome: &&Result<_, CommitError>| matches!(outcome, Err(CommitError::OverQuota(..)));
    assert_eq!((stored, outcomes.iter().filter(refused).count()), (5, 45), "{outcomes:?}");
    assert_eq!(store.identity_providers(Some(world.project.id)).await.unwrap().len(), 5);
}
