//! Rules of project users, and of free-form objects in general.

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::administration::{ActivityWindow, Day, Period};
use steward_domain::data::{ProjectUser, UserFilter, UserSearch, UserStatus};
use steward_domain::identity::{Expiring, Grant, ScopeSet};
use steward_domain::kernel::{CommitError, JsonObject, PageRequest, ProjectId, Time, Unique};
use steward_domain::mocks::instant;

use crate::fixture::{Fixture, TestStore, account, change, insert, later, members, try_insert, user};
use crate::identity::authorizations::grant;

pub async fn an_account_has_one_user_per_project(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let refused = try_insert(&store, [user(&world.project, &world.owner).into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::ProjectUser))), "{refused:?}");
    let found = store.user_of(world.project.id, world.owner.id).await.unwrap();
    assert_eq!(found, Some(world.user));
}

pub async fn a_user_of_another_project_is_not_found(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    assert_eq!(store.user(world.project.id, world.user.id).await.unwrap().as_ref(), Some(&world.user));
    assert_eq!(store.user(other.project.id, world.user.id).await.unwrap(), None);
    assert_eq!(store.user_of(other.project.id, world.owner.id).await.unwrap(), None);
    let listed = store.users(other.project.id, &UserFilter::default(), &PageRequest::FIRST).await.unwrap().items;
    assert_eq!(listed, [other.user]);
}

pub async fn free_form_objects_round_trip(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let meta = json!({"z": "😀", "a": [0.1, 1e22, -5, i64::MIN, u64::MAX, 1.5e300, null, true], "": {"deep": [[{}]]}});
    let changed = ProjectUser {
        meta: JsonObject::parse(members(meta.clone())).unwrap(),
        status: UserStatus::Blocked,
        last_seen_at: later(7),
        ..world.user.clone()
    };
    store.commit(change().replace(world.user, changed.clone())).await.unwrap();
    let found = store.user(world.project.id, changed.id).await.unwrap().unwrap();
    assert_eq!(found.meta.to_json(), meta.to_string());
    assert_eq!((found.status, found.last_seen_at), (changed.status, changed.last_seen_at));
}

/// Returns the DIDs of the fixture's users that match the filter.
async fn found(store: &TestStore, world: &Fixture, status: Option<UserStatus>, search: Option<&str>) -> Vec<String> {
    let search = search.map(|text| UserSearch::parse(text).unwrap());
    let page = store.users(world.project.id, &UserFilter { status, search }, &PageRequest::FIRST).await.unwrap();
    page.items.into_iter().map(|user| user.user_did).collect()
}

pub async fn an_address_is_known_and_found_only_where_it_was_granted(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (ann, bob) = (account("granter"), account("silent"));
    insert(&store, [ann.clone().into(), bob.clone().into()]).await;
    for project in [&world.project, &other.project] {
        insert(&store, [user(project, &ann).into(), user(project, &bob).into()]).await;
    }
    let granted = grant(&ann, &world.project);
    let without = |project| Grant { scopes: ScopeSet::parse("openid profile"), ..grant(&bob, project) };
    insert(&store, [granted.clone().into(), without(&world.project).into(), without(&other.project).into()]).await;
    let accounts = [ann.id, bob.id, world.owner.id];
    let emails = async |project: ProjectId| store.granted_emails(project, &accounts).await.unwrap();
    assert_eq!(emails(world.project.id).await, [(ann.id, ann.email.clone())]);
    assert_eq!(emails(other.project.id).await, []);
    assert_eq!(store.granted_emails(world.project.id, &[]).await.unwrap(), []);

    let address = ann.email.as_str().to_uppercase();
    let projects = [world.project.id, other.project.id];
    for (text, expected) in
        [(address.as_str(), 1), (bob.email.as_str(), 0), ("granter@", 0), (world.owner.email.as_str(), 0)]
    {
        let search = UserSearch::parse(text).unwrap();
        let filter = UserFilter { status: None, search: Some(search.clone()) };
        let listed = store.users(world.project.id, &filter, &PageRequest::FIRST).await.unwrap().items;
        let found = store.find_users(&projects, &search, 10).await.unwrap();
        assert_eq!((listed.len(), found.len()), (expected, expected), "{text}");
        assert!(found.iter().all(|user| user.account_id == ann.id && user.project_id == world.project.id), "{text}");
    }
    let before = store.user_of(world.project.id, ann.id).await.unwrap().unwrap();
    let left = ProjectUser { status: UserStatus::Disconnected, ..before.clone() };
    store.commit(change().replace(before, left.clone())).await.unwrap();
    assert_eq!(emails(world.project.id).await, [], "A user who left shows no address.");
    let back = ProjectUser { status: UserStatus::Connected, revision: left.revision.next(), ..left };
    store.commit(change().replace(back.clone(), back)).await.unwrap();
    assert_eq!(emails(world.project.id).await.len(), 1);
    store.commit(change().remove(granted)).await.unwrap();
    assert_eq!(emails(world.project.id).await, []);
    let filter = UserFilter { status: None, search: Some(UserSearch::parse(&address).unwrap()) };
    assert_eq!(store.users(world.project.id, &filter, &PageRequest::FIRST).await.unwrap().items, []);
}

pub async fn users_are_found_by_status_and_by_literal_text(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let people = [
        ("did:web:x:1", "Ünal 100%", "unal_b", UserStatus::Connected),
        ("did:web:x:2", "Back\\slash", "Annabel", UserStatus::Blocked),
        ("did:web:x:3", "100x", "unalxb", UserStatus::Blocked),
    ];
    for (age, (did, name, username, status)) in people.into_iter().enumerate() {
        let person = account(&format!("person-{age}"));
        let profile = JsonObject::parse(members(json!({"name": name, "username": username}))).unwrap();
        let new_user = user(&world.project, &person);
        let (created_at, user_did) = (later(i64::try_from(age).unwrap() + 1), did.to_owned());
        insert(&store, [person.into(), ProjectUser { profile, status, user_did, created_at, ..new_user }.into()]).await;
    }
    let blocked = Some(UserStatus::Blocked);
    assert_eq!(
        found(&store, &world, blocked, None).await,
        ["did:web:x:3", "did:web:x:2"],
        "Users are listed newest first."
    );
    for (search, dids) in [
        ("ünal", vec!["did:web:x:1"]),
        ("ÜNAL 1", vec!["did:web:x:1"]),
        ("100%", vec!["did:web:x:1"]),
        ("l_b", vec!["did:web:x:1"]),
        ("K\\S", vec!["did:web:x:2"]),
        ("NABE", vec!["did:web:x:2"]),
        ("web:X:", vec!["did:web:x:3", "did:web:x:2", "did:web:x:1"]),
        ("unal", vec!["did:web:x:3", "did:web:x:1"]),
        ("%", vec!["did:web:x:1"]),
        ("nobody", vec![]),
    ] {
        assert_eq!(found(&store, &world, None, Some(search)).await, dids, "{search}");
    }
    assert_eq!(found(&store, &world, blocked, Some("unal")).await, ["did:web:x:3"]);
    assert_eq!(found(&store, &other, None, Some("web:x")).await, Vec::<String>::new());
    let filter = UserFilter { status: blocked, search: None };
    let first = store
        .users(world.project.id, &filter, &PageRequest { limit: Some(1), after: None, ..PageRequest::FIRST })
        .await
        .unwrap();
    let rest = PageRequest { limit: Some(1), after: first.next, ..PageRequest::FIRST };
    let rest = store.users(world.project.id, &filter, &rest).await.unwrap();
    assert_eq!((rest.items[0].user_did.as_str(), rest.next), ("did:web:x:2", None));
    let renamed = JsonObject::parse(members(json!({"name": "Zoë"}))).unwrap();
    let loaded = rest.items[0].clone();
    store.commit(change().replace(loaded.clone(), ProjectUser { profile: renamed, ..loaded })).await.unwrap();
    assert_eq!(found(&store, &world, None, Some("ZOË")).await, ["did:web:x:2"]);
    assert_eq!(found(&store, &world, None, Some("nabe")).await, Vec::<String>::new());
}

fn days_ago(days: i64) -> Time {
    instant() - TimeDelta::days(days)
}

pub async fn each_user_counts_once_per_activity_period(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    for (number, days) in [vec![0, 1, 3], vec![6, 6, 7], vec![29], vec![30, 400]].into_iter().enumerate() {
        let person = account(&format!("person-{number}"));
        let new_user = ProjectUser { last_seen_at: days_ago(500), ..user(&world.project, &person) };
        insert(&store, [person.into(), new_user.clone().into()]).await;
        for day in days {
            store.record_seen(world.project.id, new_user.id, days_ago(day)).await.unwrap();
        }
    }
    let window = ActivityWindow::ending(instant(), Period::parse("8").unwrap());
    let mut counts = store.activity(world.project.id, &window).await.unwrap();
    counts.by_day.sort_unstable();
    // The fixture's user was last seen today.
    assert_eq!((counts.total, counts.week, counts.month), (5, 3, 4));
    let day = |days: i64| -> Day { days_ago(days).date_naive() };
    assert_eq!(counts.by_day, [(day(7), 1), (day(6), 1), (day(3), 1), (day(1), 1), (day(0), 2)]);
    let elsewhere = store.activity(other.project.id, &window).await.unwrap();
    assert_eq!((elsewhere.total, elsewhere.week, elsewhere.by_day), (1, 1, vec![(day(0), 1)]));
}

pub async fn the_last_seen_timestamp_never_moves_backward(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (project, id) = (world.project.id, world.user.id);
    store.record_seen(project, id, later(9)).await.unwrap();
    store.record_seen(project, id, later(5)).await.unwrap();
    let seen = store.user(project, id).await.unwrap().unwrap();
    assert_eq!(
        seen,
        ProjectUser { last_seen_at: later(9), ..world.user.clone() },
        "Recording activity must not raise the revision."
    );
    // A caller that loaded the user earlier does not know the new timestamp.
    let changed = ProjectUser { status: UserStatus::Blocked, ..world.user.clone() };
    store.commit(change().replace(world.user.clone(), changed)).await.unwrap();
    let seen = store.user(project, id).await.unwrap().unwrap();
    assert_eq!((seen.last_seen_at, seen.status), (later(9), UserStatus::Blocked));
    store.record_seen(project, crate::fixture::id().into(), later(9)).await.unwrap();
}

pub async fn old_days_of_activity_are_swept(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for days in [3, 4, 5, 6] {
        store.record_seen(world.project.id, world.user.id, days_ago(days)).await.unwrap();
    }
    let sweep = async |limit| store.sweep(Expiring::UserActivity, days_ago(4), limit).await.unwrap();
    assert_eq!([sweep(1).await, sweep(9).await, sweep(9).await], [1, 1, 0]);
    let window = ActivityWindow::ending(instant(), Period::default());
    let mut left = store.activity(world.project.id, &window).await.unwrap().by_day;
    left.sort_unstable();
    // The numbers of users stay.
    assert_eq!(left, [6, 5, 4, 3, 0].map(|days| (days_ago(days).date_naive(), 1)));
}

pub async fn numbers_of_users_follow_their_changes(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let person = account("person");
    let joined = ProjectUser { last_seen_at: days_ago(40), ..user(&world.project, &person) };
    insert(&store, [person.into(), joined.clone().into()]).await;
    let window = ActivityWindow::ending(instant(), Period::default());
    let counts = async || {
        let counts = store.activity(world.project.id, &window).await.unwrap();
        (counts.total, counts.week, counts.month)
    };
    assert_eq!(counts().await, (2, 1, 1));
    let returned = ProjectUser { last_seen_at: days_ago(10), ..joined.clone() };
    store.commit(change().replace(joined.clone(), returned)).await.unwrap();
    assert_eq!(counts().await, (2, 1, 2));
    store.record_seen(world.project.id, joined.id, days_ago(2)).await.unwrap();
    store.record_seen(world.project.id, joined.id, days_ago(2)).await.unwrap();
    assert_eq!(counts().await, (2, 2, 2));
    let current = store.user(world.project.id, joined.id).await.unwrap().unwrap();
    store.commit(change().remove(current)).await.unwrap();
    assert_eq!(counts().await, (1, 1, 1));
    assert_eq!(store.activity(world.project.id, &window).await.unwrap().by_day.len(), 1);
}

pub async fn deleting_a_user_deletes_their_activity(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    store.record_seen(world.project.id, world.user.id, days_ago(3)).await.unwrap();
    store.commit(change().remove(world.user.clone())).await.unwrap();
    let window = ActivityWindow::ending(instant(), Period::default());
    assert_eq!(store.activity(world.project.id, &window).await.unwrap(), Default::default());
}

pub async fn the_users_of_an_account_are_found_in_pages(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let elsewhere = user(&other.project, &world.owner);
    insert(&store, [elsewhere.clone().into()]).await;
    let mut all = [world.user.clone(), elsewhere];
    all.sort_by_key(|user| user.project_id);
    let page = async |after| store.users_of_account(world.owner.id, after, 1).await.unwrap();
    assert_eq!(page(None).await, all[..1]);
    assert_eq!(page(Some(all[0].project_id)).await, all[1..]);
    assert_eq!(page(Some(all[1].project_id)).await, []);
    store.commit(change().remove(other.project)).await.unwrap();
    let found = store.users_of_account(world.owner.id, None, 10).await.unwrap();
    assert_eq!(found, [world.user], "A user of a deleted project is not found.");
}

pub async fn users_of_several_projects_are_found_newest_first(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let mut users = Vec::new();
    for (age, project) in [&world.project, &other.project, &world.project].into_iter().enumerate() {
        let person = account(&format!("person-{age}"));
        let profile = JsonObject::parse(members(json!({"name": format!("Ünal {age}_"), "username": null}))).unwrap();
        let created_at = later(i64::try_from(age).unwrap() + 1);
        let user = ProjectUser { profile, created_at, ..user(project, &person) };
        insert(&store, [person.into(), user.clone().into()]).await;
        users.push(user.id);
    }
    let (both, first) = ([world.project.id, other.project.id], [world.project.id]);
    let found = async |projects: &[ProjectId], text: &str, limit| {
        let found = store.find_users(projects, &UserSearch::parse(text).unwrap(), limit).await.unwrap();
        found.into_iter().map(|user| user.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&both, "ÜNAL", 9).await, [users[2], users[1], users[0]]);
    assert_eq!(found(&both, "ünal", 2).await, [users[2], users[1]]);
    assert_eq!(found(&first, "ünal", 9).await, [users[2], users[0]], "A user of another project is not found.");
    assert_eq!(found(&both, "1_", 9).await, [users[1]]);
    assert_eq!(found(&both, "l%", 9).await, []);
    assert_eq!(found(&both, &users[1].to_string(), 9).await, [users[1]]);
    assert_eq!(found(&first, &users[1].to_string(), 9).await, []);
    assert_eq!(found(&[], "ünal", 9).await, []);
}
