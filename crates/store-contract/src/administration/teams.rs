//! Rules of teams and members, and of optimistic locking in general.

use steward_domain::administration::{Invite, Member, Project, Recipient, Team, TeamContents};
use steward_domain::identity::Email;
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{CommitError, Name, Revision, RoleName, Slug, Unique};
use steward_domain::mocks::{a_member, a_permit, instant};

use crate::fixture::{Fixture, TestStore, account, change, insert, invite, key, later, project, team, try_insert};

pub async fn team_slugs_are_unique(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (other, member) = team("acme", &world.owner);
    let refused = try_insert(&store, [other.into(), member.into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::TeamSlug))), "{refused:?}");
}

pub async fn only_members_see_a_team(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let eve = account("eve");
    insert(&store, [eve.clone().into()]).await;
    let seen = store.team_membership(world.owner.id, world.team.id).await.unwrap().unwrap();
    assert_eq!((&seen.team, &seen.roles), (&world.team, &world.member.roles));
    assert_eq!(store.team_membership(eve.id, world.team.id).await.unwrap(), None);
    assert_eq!(store.project_membership(eve.id, world.project.id).await.unwrap(), None);
    assert_eq!(store.member(world.team.id, eve.id).await.unwrap(), None);
    assert_eq!(store.member(world.team.id, world.owner.id).await.unwrap(), Some(world.member));
}

pub async fn an_account_joins_a_team_only_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let again = a_member(&world.team, world.owner.id, "viewer");
    let refused = try_insert(&store, [again.into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::Member))), "{refused:?}");
}

pub async fn a_member_requires_a_team_and_an_account(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let orphan = a_member(&world.team, account("nobody").id, "viewer");
    let refused = try_insert(&store, [orphan.into()]).await;
    assert!(matches!(refused, Err(CommitError::Orphaned)), "{refused:?}");
    let (missing_team, _) = team("nowhere", &world.owner);
    let refused = try_insert(&store, [a_member(&missing_team, world.owner.id, "viewer").into()]).await;
    assert!(matches!(refused, Err(CommitError::Orphaned)), "{refused:?}");
}

pub async fn a_stale_replace_is_refused(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let renamed = |name: &str| Team { name: Name::parse(name).unwrap(), ..world.team.clone() };
    store.commit(change().replace(world.team.clone(), renamed("First"))).await.unwrap();
    let seen = store.team_membership(world.owner.id, world.team.id).await.unwrap().unwrap().team;
    assert_eq!((seen.name.as_str(), seen.revision), ("First", Revision(world.team.revision.0 + 1)));

    let refused = store.commit(change().replace(world.team.clone(), renamed("Second"))).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Team))), "{refused:?}");
    let after = store.team_membership(world.owner.id, world.team.id).await.unwrap().unwrap().team;
    assert_eq!(after, seen);
}

pub async fn a_stale_removal_is_refused(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let stale = Member { revision: Revision(9), ..world.member.clone() };
    let refused = store.commit(change().remove(stale)).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Member))), "{refused:?}");
    store.commit(change().remove(world.member.clone())).await.unwrap();
    assert_eq!(store.member(world.team.id, world.owner.id).await.unwrap(), None);
    let refused = store.commit(change().remove(world.member)).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Member))), "{refused:?}");
}

pub async fn a_lock_conflicts_with_every_other_change_of_the_team(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let renamed = |name: &str| Member { role_name: RoleName::parse(name).unwrap(), ..world.member.clone() };
    store.commit(change().lock(world.team.clone()).replace(world.member.clone(), renamed("x"))).await.unwrap();
    for stale in [
        change().lock(world.team.clone()),
        change().replace(world.team.clone(), world.team.clone()),
        change().remove(world.team.clone()),
    ] {
        let refused = store.commit(stale).await;
        assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Team))), "{refused:?}");
    }
}

pub async fn a_missing_row_cannot_be_replaced(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (missing_team, member) = team("nowhere", &world.owner);
    let refused = store.commit(change().replace(missing_team.clone(), missing_team)).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Team))), "{refused:?}");
    let refused = store.commit(change().replace(member.clone(), member)).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Member))), "{refused:?}");
}

pub async fn taken_slugs_are_reported(store: TestStore) {
    Fixture::make(&store, "acme").await;
    Fixture::make(&store, "apex").await;
    let slugs: Vec<Slug> = ["acme", "free", "apex"].into_iter().map(|slug| Slug::parse(slug).unwrap()).collect();
    for taken in [store.taken_team_slugs(&slugs).await.unwrap(), store.taken_project_slugs(&slugs).await.unwrap()] {
        let mut taken: Vec<&str> = taken.iter().map(Slug::as_str).collect();
        taken.sort_unstable();
        assert_eq!(taken, ["acme", "apex"]);
    }
    assert_eq!(store.taken_team_slugs(&[]).await.unwrap(), []);
}

pub async fn holding_a_changed_member_is_refused(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let ann = account("ann");
    insert(&store, [ann.clone().into()]).await;
    let join = || change().hold(world.member.clone()).insert(a_member(&world.team, ann.id, "viewer"));
    store.commit(change().replace(world.member.clone(), world.member.clone())).await.unwrap();
    let refused = store.commit(join()).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Member))), "{refused:?}");
    assert_eq!(store.member(world.team.id, ann.id).await.unwrap(), None);

    let current = store.member(world.team.id, world.owner.id).await.unwrap().unwrap();
    let held = change().hold(current.clone()).insert(a_member(&world.team, ann.id, "viewer"));
    store.commit(held).await.unwrap();
    let after = store.member(world.team.id, world.owner.id).await.unwrap().unwrap();
    assert_eq!(after, current, "Holding a member must not change it.");
    store.commit(change().remove(current.clone())).await.unwrap();
    let missing = store.commit(change().hold(current)).await;
    assert!(matches!(missing, Err(CommitError::Stale(ResourceKind::Member))), "{missing:?}");
}

fn by_email(email: &str) -> Recipient {
    Recipient::Email(Email::parse(email).unwrap())
}

async fn contents(store: &TestStore, team: &Team) -> TeamContents {
    store.team_contents(team.id, later(10)).await.unwrap().unwrap()
}

pub async fn every_change_of_the_contents_of_a_team_raises_their_revision(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let first = TeamContents::first_at(instant());
    assert_eq!((contents(&store, &world.team).await, contents(&store, &other.team).await), (first, first));

    let ann = account("ann");
    insert(&store, [ann.clone().into()]).await;
    let member = a_member(&world.team, ann.id, "viewer");
    let promoted = Member { roles: world.member.roles.clone(), ..member.clone() };
    let project = project("rocket", &world.team);
    let renamed = Project { name: Name::parse("Renamed").unwrap(), ..project.clone() };
    let invited = Invite { expires_at: later(1), ..invite(&world.team, &world.owner, by_email("a@b.c")) };
    let next = |revision: Revision| Revision(revision.0 + 1);
    let mut last = first.revision;
    for (change, description) in [
        (change().insert(member.clone()), "a new member"),
        (change().replace(member.clone(), promoted.clone()), "a changed member"),
        (change().remove(Member { revision: next(member.revision), ..promoted }), "a removed member"),
        (change().insert(project.clone()), "a new project"),
        (change().replace(project.clone(), renamed.clone()), "a changed project"),
        (change().remove(Project { revision: next(project.revision), ..renamed }), "a deleted project"),
        (change().insert(invited.clone()), "a new invite"),
        (change().replace(invited.clone(), invited.revoke(instant()).unwrap()), "a revoked invite"),
    ] {
        store.commit(change).await.unwrap();
        let now = contents(&store, &world.team).await;
        assert!(now.revision > last, "The revision must grow with {description}.");
        last = now.revision;
    }
    assert_eq!(contents(&store, &other.team).await, first, "Changes of another team must not count.");

    insert(&store, [key(&world.project, &world.owner).into()]).await;
    let refused = store.commit(change().insert(world.member.clone())).await;
    assert!(refused.is_err());
    assert_eq!(contents(&store, &world.team).await.revision, last, "Neither a key nor a refused change must count.");

    let invited = invite(&world.team, &world.owner, by_email("d@b.c"));
    store.commit(Changes::by(a_permit(), later(50)).insert(invited)).await.unwrap();
    let now = contents(&store, &world.team).await.revision;
    assert_eq!(now, Revision::first_at(later(50)), "The revision must not be that of an earlier time.");
    assert_eq!(store.team_contents(account("nobody").id.uuid().into(), later(10)).await.unwrap(), None);
}

pub async fn an_invite_expires_without_a_write(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let expiring =
        |email: &str, at: i64| Invite { expires_at: later(at), ..invite(&world.team, &world.owner, by_email(email)) };
    let (first, second, revoked) = (expiring("a@b.c", 20), expiring("b@b.c", 30), expiring("c@b.c", 15));
    for invite in [&second, &first, &revoked] {
        insert(&store, [invite.clone().into()]).await;
    }
    store.commit(change().replace(revoked.clone(), revoked.revoke(later(1)).unwrap())).await.unwrap();
    for (now, expected) in [(10, Some(20)), (19, Some(20)), (20, Some(30)), (30, None)] {
        let found = store.team_contents(world.team.id, later(now)).await.unwrap().unwrap();
        assert_eq!(found.next_expiry, expected.map(later), "{now}");
    }
}
