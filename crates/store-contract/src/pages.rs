//! Rules of lists: complete without a limit, and in pages that hold everything once.

use steward_domain::mocks::{a_member, instant};
use steward_domain::model::{Email, Page, PageRequest, Recipient, UserFilter};
use steward_domain::ports::StoreError;

use crate::fixture::{Fresh, World, account, document, insert, invite, key, project, schema, team, user};

/// Walks a list of five in pages of two; all were made at one moment, so only ids tell them apart.
async fn walk<T>(list: impl AsyncFn(PageRequest) -> Result<Page<T>, StoreError>)
where
    T: std::fmt::Debug + PartialEq,
{
    let all = list(PageRequest::ALL).await.unwrap();
    assert_eq!((all.items.len(), &all.next), (5, &None), "{all:?}");
    let exact = list(PageRequest { limit: Some(5), after: None }).await.unwrap();
    assert_eq!((exact.items.len(), &exact.next), (5, &None));

    let (mut walked, mut after) = (Vec::new(), None);
    for _ in 0..3 {
        let page = list(PageRequest { limit: Some(2), after }).await.unwrap();
        assert!(page.items.len() <= 2);
        walked.extend(page.items);
        after = page.next;
    }
    assert_eq!(after, None);
    assert_eq!(walked, all.items);
}

pub async fn every_list_comes_in_pages_that_hold_everything_once(store: Fresh) {
    let world = World::make(&store, "acme").await;
    let people: Vec<_> = (0..4).map(|number| account(&format!("person-{number}"))).collect();
    for (number, person) in people.iter().enumerate() {
        let (team, owner) = team(&format!("team-{number}"), person);
        let guest = a_member(&team, world.owner.id, "viewer");
        let member = a_member(&world.team, person.id, "viewer");
        let subjects = [person.clone().into(), team.clone().into(), owner.into(), guest.into(), member.into()];
        insert(&store, subjects).await;
        insert(&store, [project(&format!("project-{number}"), &team).into(), user(&world.project, person).into()])
            .await;
    }
    for number in 0..5_u32 {
        let recipient = Recipient::Email(Email::parse(&format!("p{number}@b.c")).unwrap());
        let invite = invite(&world.team, &world.owner, recipient);
        let version = schema(&world.project, number + 1, document(number + 1));
        insert(&store, [invite.into(), key(&world.project, &world.owner).into(), version.into()]).await;
    }

    let (store, world) = (&store, &world);
    walk(async |page| store.teams_of(world.owner.id, &page).await).await;
    walk(async |page| store.members(world.team.id, &page).await).await;
    walk(async |page| store.pending_invites(world.team.id, instant(), &page).await).await;
    walk(async |page| store.projects_of(world.owner.id, &page).await).await;
    walk(async |page| store.keys(world.project.id, &page).await).await;
    walk(async |page| store.schemas(world.project.id, &page).await).await;
    walk(async |page| store.users(world.project.id, &UserFilter::default(), &page).await).await;
}
