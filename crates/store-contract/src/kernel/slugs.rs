//! Rules of slugs: a former slug stays reserved for its team or project.

use steward_domain::administration::{Project, Team};
use steward_domain::kernel::{CommitError, Slug, Unique};

use crate::fixture::{Fixture, TestStore, change, insert, project, team, try_insert};

fn slug(text: &str) -> Slug {
    Slug::parse(text).unwrap()
}

/// Changes the slug of the stored team.
async fn rename_team(store: &TestStore, team: &Team, to: &str) -> Result<(), CommitError> {
    let now = store.team(team.id).await.unwrap().unwrap();
    let renamed = Team { slug: slug(to), ..now.clone() };
    store.commit(change().replace(now, renamed)).await.map(|_| ())
}

/// Changes the slug of the stored project.
async fn rename_project(store: &TestStore, project: &Project, to: &str) -> Result<(), CommitError> {
    let now = store.project(project.id).await.unwrap().unwrap().project;
    let renamed = Project { slug: slug(to), ..now.clone() };
    store.commit(change().replace(now, renamed)).await.map(|_| ())
}

pub async fn a_former_team_slug_is_reserved_for_its_team(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    rename_team(&store, &world.team, "apex").await.unwrap();
    let refused = try_insert(&store, [team("acme", &other.owner).0.into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::TeamSlug))), "{refused:?}");
    let refused = rename_team(&store, &other.team, "acme").await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::TeamSlug))), "{refused:?}");
    assert_eq!(
        store.team(other.team.id).await.unwrap(),
        Some(other.team),
        "A refused rename must not change the team."
    );
    assert_eq!(store.taken_team_slugs(&[slug("acme"), slug("free")]).await.unwrap(), [slug("acme")]);

    rename_team(&store, &world.team, "acme").await.unwrap();
    let refused = try_insert(&store, [team("apex", &world.owner).0.into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::TeamSlug))), "{refused:?}");
    let of_project = store.taken_project_slugs(&[slug("apex")]).await.unwrap();
    assert_eq!(of_project, [], "Slugs of teams and projects are independent.");
}

pub async fn a_former_project_slug_is_reserved_for_its_project(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    rename_project(&store, &world.project, "apex").await.unwrap();
    for team in [&world.team, &other.team] {
        let refused = try_insert(&store, [project("acme", team).into()]).await;
        assert!(matches!(refused, Err(CommitError::Taken(Unique::ProjectSlug))), "{refused:?}");
    }
    let refused = rename_project(&store, &other.project, "acme").await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::ProjectSlug))), "{refused:?}");
    assert_eq!(store.taken_project_slugs(&[slug("acme"), slug("free")]).await.unwrap(), [slug("acme")]);
    rename_project(&store, &world.project, "acme").await.unwrap();
    assert_eq!(store.project(world.project.id).await.unwrap().unwrap().project.slug, slug("acme"));
}

pub async fn deleting_a_team_or_project_frees_its_slugs(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    rename_project(&store, &world.project, "apex").await.unwrap();
    let current = store.project(world.project.id).await.unwrap().unwrap().project;
    store.commit(change().remove(current)).await.unwrap();
    insert(&store, [project("acme", &world.team).into(), project("apex", &world.team).into()]).await;

    let (empty, member) = team("empty", &world.owner);
    insert(&store, [empty.clone().into(), member.into()]).await;
    rename_team(&store, &empty, "void").await.unwrap();
    let current = store.team(empty.id).await.unwrap().unwrap();
    store.commit(change().remove(current)).await.unwrap();
    assert_eq!(store.taken_team_slugs(&[slug("empty"), slug("void")]).await.unwrap(), []);
    insert(&store, [team("empty", &world.owner).0.into(), team("void", &world.owner).0.into()]).await;
}

pub async fn one_of_two_concurrent_renames_to_the_same_slug_succeeds(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let both = tokio::join!(rename_team(&store, &world.team, "wanted"), rename_team(&store, &other.team, "wanted"),);
    let refused = |result: &Result<(), CommitError>| matches!(result, Err(CommitError::Taken(Unique::TeamSlug)));
    assert!(both.0.is_ok() && refused(&both.1) || refused(&both.0) && both.1.is_ok(), "{both:?}");
    let both = tokio::join!(
        rename_project(&store, &world.project, "wanted"),
        rename_project(&store, &other.project, "wanted"),
    );
    let refused = |result: &Result<(), CommitError>| matches!(result, Err(CommitError::Taken(Unique::ProjectSlug)));
    assert!(both.0.is_ok() && refused(&both.1) || refused(&both.0) && both.1.is_ok(), "{both:?}");
}

pub async fn a_slug_given_up_concurrently_stays_reserved(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (renamed, wanted) =
        tokio::join!(rename_team(&store, &world.team, "apex"), rename_team(&store, &other.team, "acme"));
    renamed.unwrap();
    assert!(matches!(wanted, Err(CommitError::Taken(Unique::TeamSlug))), "{wanted:?}");
}
