//! Rules of projects.

use serde_json::json;
use steward_domain::administration::{Image, ImageFormat, Project, ProjectImage, RequestCount, Website};
use steward_domain::identity::Expiring;
use steward_domain::kernel::{CommitError, JsonObject, PageRequest, Unique};
use steward_domain::mocks::{a_member, an_image};

use crate::fixture::{
    Fixture, TestStore, account, change, document, insert, later, members, project, schema, team, try_insert,
};

pub async fn project_slugs_are_unique_across_teams(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    for team in [&world.team, &other.team] {
        let refused = try_insert(&store, [project("acme", team).into()]).await;
        assert!(matches!(refused, Err(CommitError::Taken(Unique::ProjectSlug))), "{refused:?}");
    }
}

pub async fn a_project_requires_a_team(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (missing_team, _) = team("nowhere", &world.owner);
    let refused = try_insert(&store, [project("new", &missing_team).into()]).await;
    assert!(matches!(refused, Err(CommitError::Orphaned)), "{refused:?}");
}

pub async fn a_member_sees_the_projects_of_all_their_teams(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let third = Fixture::make(&store, "third").await;
    let newer = Project { created_at: later(1), ..project("newer", &other.team) };
    let guest = a_member(&other.team, world.owner.id, "viewer");
    insert(&store, [newer.clone().into(), guest.into()]).await;

    let seen = store.projects_of(world.owner.id, None, &PageRequest::FIRST).await.unwrap().items;
    let mut slugs: Vec<&str> = seen.iter().map(|seen| seen.project.slug.as_str()).collect();
    assert_eq!(slugs.remove(0), "newer", "Projects are listed newest first.");
    slugs.sort_unstable();
    assert_eq!(slugs, ["acme", "other"]);
    assert_eq!(seen[0].team_slug, other.team.slug);
    let access = store.project_membership(world.owner.id, newer.id).await.unwrap().unwrap();
    assert_eq!((access.project.project.clone(), access.roles.to_string()), (newer, "viewer".to_owned()));
    assert_eq!(store.project_membership(world.owner.id, third.project.id).await.unwrap(), None);
    assert_eq!(store.projects_of(account("eve").id, None, &PageRequest::FIRST).await.unwrap().items, []);
}

pub async fn a_team_lists_only_its_projects_and_cannot_be_deleted_before_them(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let found = store.projects_in(world.team.id, &PageRequest::FIRST).await.unwrap();
    let found: Vec<_> = found.items.into_iter().map(|listed| listed.project).collect();
    assert_eq!(found.as_slice(), std::slice::from_ref(&world.project));
    assert_eq!(store.team(world.team.id).await.unwrap(), Some(world.team.clone()));
    let refused = store.commit(change().remove(world.team.clone())).await;
    assert!(matches!(refused, Err(CommitError::Orphaned)), "{refused:?}");
    store.commit(change().remove(world.project.clone())).await.unwrap();
    while store.remove_data(world.project.id, 100).await.unwrap() {}
    store.commit(change().remove(world.team.clone())).await.unwrap();
    assert_eq!(store.team(world.team.id).await.unwrap(), None);
    assert!(store.team(other.team.id).await.unwrap().is_some());
}

pub async fn a_project_includes_its_newest_schema_number(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    assert_eq!(store.project(world.project.id).await.unwrap().unwrap().schema_number, 0);
    for number in 1..=3 {
        insert(&store, [schema(&world.project, number, document(number)).into()]).await;
    }
    assert_eq!(store.project(world.project.id).await.unwrap().unwrap().schema_number, 3);
    let access = store.project_membership(world.owner.id, world.project.id).await.unwrap().unwrap();
    assert_eq!(access.project.schema_number, 3);
    assert_eq!(store.project(other.project.id).await.unwrap().unwrap().schema_number, 0);
    assert_eq!(store.projects_of(world.owner.id, None, &PageRequest::FIRST).await.unwrap().items[0].schema_number, 3);

    let profile = JsonObject::parse(members(json!({"icon_url": "x", "styles": {"background_url": null}}))).unwrap();
    let changed = Project {
        website: Website::parse("https://a.example").ok(),
        profile,
        updated_at: later(9),
        ..world.project.clone()
    };
    store.commit(change().replace(world.project, changed.clone())).await.unwrap();
    let found = store.project(changed.id).await.unwrap().unwrap().project;
    assert_eq!(
        (found.website, found.profile, found.updated_at),
        (changed.website, changed.profile, changed.updated_at)
    );
}

pub async fn project_images_round_trip(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let mut loaded = world.project;
    for (turn, format) in (1..).zip(ImageFormat::ALL) {
        let icon = Image { format, size: turn, uploaded_at: later(turn), ..an_image("icon") };
        let background = Image { size: i64::MAX, ..an_image("background") };
        let images = loaded.images.clone().with(ProjectImage::Icon, Some(icon));
        let images = images.with(ProjectImage::Background, Some(background).filter(|_| turn % 2 == 0));
        let changed = Project { images: images.clone(), ..loaded.clone() };
        store.commit(change().replace(loaded.clone(), changed)).await.unwrap();

        let access = store.project_membership(world.owner.id, loaded.id).await.unwrap().unwrap();
        assert_eq!(access.project.project.images, images);
        let stale = store.commit(change().replace(loaded.clone(), loaded)).await;
        assert!(matches!(stale, Err(CommitError::Stale(_))), "{stale:?}");
        loaded = access.project.project.clone();
    }
    assert_eq!(store.project(other.project.id).await.unwrap().unwrap().project.images, other.project.images);
    let bare = Project { images: other.project.images, ..loaded.clone() };
    store.commit(change().replace(loaded, bare.clone())).await.unwrap();
    assert_eq!(store.project(bare.id).await.unwrap().unwrap().project.images, bare.images);
}

pub async fn requests_are_counted_per_project_and_day(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (id, day) = (world.project.id, later(0).date_naive());
    let next = day.succ_opt().unwrap();
    let count = |project_id, day, requests| RequestCount { project_id, day, requests };
    let gone = crate::fixture::id().into();
    store.add_requests(&[count(id, day, 2), count(other.project.id, day, 7), count(gone, day, 1)]).await.unwrap();
    store.add_requests(&[count(id, next, 5), count(id, day, 3)]).await.unwrap();
    assert_eq!(store.project_requests(id, day).await.unwrap(), [(day, 5), (next, 5)]);
    assert_eq!(store.project_requests(id, next).await.unwrap(), [(next, 5)]);
    assert_eq!(store.project_requests(gone, day).await.unwrap(), []);

    let before = next.and_time(chrono::NaiveTime::MIN).and_utc();
    while store.sweep(Expiring::RequestCounts, before, 1).await.unwrap() > 0 {}
    assert_eq!(store.project_requests(id, day).await.unwrap(), [(next, 5)]);
    assert_eq!(store.project_requests(other.project.id, day).await.unwrap(), []);
}
