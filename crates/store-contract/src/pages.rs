//! Rules of lists: complete without a limit, and in pages that hold everything once.

use serde_json::json;
use steward_domain::mocks::{a_member, instant};
use steward_domain::model::{
    AccessBasis, Email, ItemKey, JsonObject, Page, PageRequest, PageSize, Precondition, ProjectUser, Recipient,
    StoredItem, UserFilter,
};
use steward_domain::ports::StoreError;

use crate::fixture::{Fixture, TestStore, account, change, document, insert, invite, key, project, schema, team, user};
use crate::item_queries::ask_within;

/// Walks a list of five in pages of two; all were made at one moment, so only ids tell them apart.
async fn walk<T>(list: impl AsyncFn(PageRequest) -> Result<Page<T>, StoreError>)
where
    T: std::fmt::Debug + PartialEq,
{
    let all = list(PageRequest::FIRST).await.unwrap();
    assert_eq!((all.items.len(), &all.next), (5, &None), "{all:?}");
    let exact = list(PageRequest { limit: Some(5), ..PageRequest::FIRST }).await.unwrap();
    assert_eq!((exact.items.len(), &exact.next), (5, &None));

    let (mut walked, mut after) = (Vec::new(), None);
    for _ in 0..3 {
        let page = list(PageRequest { limit: Some(2), after, ..PageRequest::FIRST }).await.unwrap();
        assert!(page.items.len() <= 2);
        walked.extend(page.items);
        after = page.next;
    }
    assert_eq!(after, None);
    assert_eq!(walked, all.items);
}

pub async fn every_list_comes_in_pages_that_hold_everything_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
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

/// Which items stand in each page of a list that is walked in pages of this size.
async fn walk_items(store: &TestStore, world: &Fixture, order: &str, size: PageSize) -> Vec<Vec<StoredItem>> {
    let (mut pages, mut cursor): (Vec<_>, Option<String>) = (Vec::new(), None);
    loop {
        let mut parameters = vec![("order", order)];
        parameters.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let query = ask_within(&parameters, size);
        let found =
            store.items(world.project.id, world.user.id, "notes", &query, &AccessBasis::default()).await.unwrap();
        let page = query.page(found);
        pages.push(page.items);
        cursor = page.next;
        if cursor.is_none() {
            return pages;
        }
    }
}

fn bytes(page: &[StoredItem]) -> usize {
    page.iter().map(|stored| stored.item.value.as_str().len()).sum()
}

/// Small items before large ones and after them, in the order of their ids.
async fn store_small_and_large(store: &TestStore, world: &Fixture) -> Vec<String> {
    let large = "x".repeat(150 * 1024);
    let named = |prefix: &'static str, count: usize| (0..count).map(move |number| format!("{prefix}{number:03}"));
    let mut put = change();
    for id in named("a", 300).chain(named("c", 20)) {
        put = put.put(world.item(&id, json!({"t": id})), Precondition::None);
    }
    store.commit(put).await.unwrap();
    for id in named("b", 40) {
        world.put(store, &id, json!({"t": format!("{id}{large}")}), Precondition::None).await.unwrap();
    }
    named("a", 300).chain(named("b", 40)).chain(named("c", 20)).collect()
}

pub async fn a_page_of_items_ends_by_bytes_and_the_pages_hold_everything_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let ids = store_small_and_large(&store, &world).await;
    for (order, size) in [("id.asc", PageSize::MAX), ("id.asc", PageSize::PIECE), ("t.asc", PageSize::PIECE)] {
        let pages = walk_items(&store, &world, order, size).await;
        for page in &pages {
            assert!(page.len() == 1 || bytes(page) <= size.bytes, "{order}: {} bytes", bytes(page));
            assert!(page.len() <= usize::from(size.rows));
        }
        let walked: Vec<&str> = pages.iter().flatten().map(|stored| stored.item.id.as_str()).collect();
        assert_eq!(walked, ids, "{order}");
    }
    let (mut walked, mut after) = (Vec::new(), None);
    loop {
        let piece = store.items_after(world.project.id, world.user.id, after, PageSize::PIECE).await.unwrap();
        let Some(last) = piece.last() else { break };
        assert!(piece.len() == 1 || bytes(&piece) <= PageSize::PIECE.bytes);
        after = Some(ItemKey { table: last.item.table.clone(), id: last.item.id.clone() });
        walked.extend(piece.iter().map(|stored| stored.item.id.as_str().to_owned()));
    }
    assert_eq!(walked, ids);
}

pub async fn a_page_of_users_ends_by_bytes(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let meta = JsonObject::parse(json!({"text": "x".repeat(60 * 1024)}).as_object().unwrap().clone()).unwrap();
    for number in 0..9 {
        let person = account(&format!("person-{number}"));
        let user = ProjectUser { meta: meta.clone(), ..user(&world.project, &person) };
        insert(&store, [person.into(), user.into()]).await;
    }
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let request = PageRequest { limit: Some(1_000), after, size: PageSize::PIECE };
        let page = store.users(world.project.id, &UserFilter::default(), &request).await.unwrap();
        assert!(page.items.len() <= 5, "{}", page.items.len());
        seen.extend(page.items.into_iter().map(|user| user.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 10);
}
