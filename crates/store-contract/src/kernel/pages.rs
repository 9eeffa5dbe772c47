//! Rules of lists: complete without a limit, and in pages that contain each entry exactly once.

use serde_json::json;
use steward_domain::administration::{Recipient, Team};
use steward_domain::data::{ItemKey, ProjectUser, StoredItem, UserFilter};
use steward_domain::identity::Email;
use steward_domain::kernel::{AccessBasis, JsonObject, Name, Page, PageRequest, PageSize, Precondition, StoreError};
use steward_domain::mocks::{a_member, instant};

use crate::data::item_queries::ask_within;
use crate::fixture::{
    Fixture, TestStore, account, change, document, insert, invite, key, later, project, schema, team, user,
};

/// Reads a list of five entries in pages of two. All entries have the same timestamp, so only their IDs determine the
/// order.
async fn assert_pages<T>(list: impl AsyncFn(PageRequest) -> Result<Page<T>, StoreError>)
where
    T: std::fmt::Debug + PartialEq,
{
    let all = list(PageRequest::FIRST).await.unwrap();
    assert_eq!((all.items.len(), &all.next), (5, &None), "{all:?}");
    let exact = list(PageRequest { limit: Some(5), ..PageRequest::FIRST }).await.unwrap();
    assert_eq!((exact.items.len(), &exact.next), (5, &None));

    let (mut paged, mut after) = (Vec::new(), None);
    for _ in 0..3 {
        let page = list(PageRequest { limit: Some(2), after, ..PageRequest::FIRST }).await.unwrap();
        assert!(page.items.len() <= 2);
        paged.extend(page.items);
        after = page.next;
    }
    assert_eq!(after, None);
    assert_eq!(paged, all.items);
}

pub async fn pages_of_every_list_contain_each_entry_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let people: Vec<_> = (0..4).map(|number| account(&format!("person-{number}"))).collect();
    for (number, person) in people.iter().enumerate() {
        let (team, owner) = team(&format!("team-{number}"), person);
        let guest = a_member(&team, world.owner.id, "viewer");
        let member = a_member(&world.team, person.id, "viewer");
        let entities = [person.clone().into(), team.clone().into(), owner.into(), guest.into(), member.into()];
        insert(&store, entities).await;
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
    assert_pages(async |page| store.teams_of(world.owner.id, None, &page).await).await;
    assert_pages(async |page| store.members(world.team.id, &page).await).await;
    assert_pages(async |page| store.members_with_accounts(world.team.id, &page).await).await;
    let found = store.members_with_accounts(world.team.id, &PageRequest::FIRST).await.unwrap().items;
    for found in found {
        assert_eq!(found.account.map(|account| account.id), Some(found.member.account_id));
    }
    assert_pages(async |page| store.pending_invites(world.team.id, instant(), &page).await).await;
    assert_pages(async |page| store.projects_of(world.owner.id, None, &page).await).await;
    assert_pages(async |page| store.keys(world.project.id, &page).await).await;
    assert_pages(async |page| store.schemas(world.project.id, &page).await).await;
    assert_pages(async |page| store.users(world.project.id, &UserFilter::default(), &page).await).await;
}

pub async fn lists_for_a_sign_in_with_one_factor_leave_out_teams_that_require_two(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    for number in 0..7_i64 {
        // The odd ones require it at the time of the lists, those with a higher number earlier, and one requires it
        // later.
        let from = match number {
            1 | 3 | 5 => Some(later(10 - number)),
            4 => Some(later(11)),
            _ => None,
        };
        let (team, owner) = team(&format!("team-{number}"), &world.owner);
        let team = Team { second_factor_from: from, ..team };
        let project = project(&format!("project-{number}"), &team);
        insert(&store, [team.into(), owner.into(), project.into()]).await;
    }
    let (store, owner) = (&store, world.owner.id);
    let now = Some(later(10));
    assert_pages(async |page| store.teams_of(owner, now, &page).await).await;
    assert_pages(async |page| store.projects_of(owner, now, &page).await).await;
    assert_eq!(store.teams_of(owner, Some(later(5)), &PageRequest::FIRST).await.unwrap().items.len(), 7);
    assert_eq!(store.projects_of(owner, Some(later(4)), &PageRequest::FIRST).await.unwrap().items.len(), 8);
    assert_eq!(store.teams_of(owner, None, &PageRequest::FIRST).await.unwrap().items.len(), 8);

    let first = Some((later(5), Name::parse("team-5").unwrap()));
    assert_eq!(store.second_factor_rule(owner).await.unwrap(), first);
    assert_eq!(store.second_factor_rule(account("eve").id).await.unwrap(), None);
}

/// Returns the items of each page of a list. `size_after` returns the size of the page after one with this number of
/// items.
async fn read_pages(
    store: &TestStore,
    world: &Fixture,
    order: &str,
    first: PageSize,
    size_after: impl Fn(usize) -> PageSize,
) -> Vec<Vec<StoredItem>> {
    let (mut pages, mut cursor, mut size): (Vec<_>, Option<String>, _) = (Vec::new(), None, first);
    loop {
        let mut parameters = vec![("order", order)];
        parameters.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let query = ask_within(&parameters, size);
        let found =
            store.items(world.project.id, world.user.id, "notes", &query, &AccessBasis::default()).await.unwrap();
        let page = query.page(found);
        size = size_after(page.items.len());
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

/// Stores small items before and after large ones in ID order. Returns all IDs in this order.
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

pub async fn pages_of_items_are_limited_by_bytes_and_contain_each_item_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let ids = store_small_and_large(&store, &world).await;
    for (order, size) in [("id.asc", PageSize::MAX), ("id.asc", PageSize::CHUNK), ("t.asc", PageSize::CHUNK)] {
        let pages = read_pages(&store, &world, order, size, |_| size).await;
        for page in &pages {
            assert!(page.len() == 1 || bytes(page) <= size.bytes, "{order}: {} bytes", bytes(page));
            assert!(page.len() <= usize::from(size.rows));
        }
        let paged: Vec<&str> = pages.iter().flatten().map(|stored| stored.item.id.as_str()).collect();
        assert_eq!(paged, ids, "{order}");
    }
    let (mut paged, mut after) = (Vec::new(), None);
    loop {
        let page = store.items_after(world.project.id, world.user.id, after, PageSize::CHUNK).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() == 1 || bytes(&page) <= PageSize::CHUNK.bytes);
        after = Some(ItemKey { table: last.item.table.clone(), id: last.item.id.clone() });
        paged.extend(page.iter().map(|stored| stored.item.id.as_str().to_owned()));
    }
    assert_eq!(paged, ids);
}

pub async fn chunks_of_a_list_contain_each_item_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let ids = store_small_and_large(&store, &world).await;
    for (order, size) in [("id.asc", PageSize::CHUNK), ("t.asc", PageSize::CHUNK), ("id.asc", PageSize::ITEMS)] {
        let chunks = read_pages(&store, &world, order, size, |rows| size.after_chunk_of(rows)).await;
        assert!(chunks.iter().all(|chunk| chunk.len() == 1 || bytes(chunk) <= PageSize::CHUNK.bytes));
        let read: Vec<&str> = chunks.iter().flatten().map(|stored| stored.item.id.as_str()).collect();
        assert_eq!(read, ids, "{order}");
    }
}

pub async fn pages_of_users_are_limited_by_bytes(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let meta = JsonObject::parse(json!({"text": "x".repeat(60 * 1024)}).as_object().unwrap().clone()).unwrap();
    for number in 0..9 {
        let person = account(&format!("person-{number}"));
        let user = ProjectUser { meta: meta.clone(), ..user(&world.project, &person) };
        insert(&store, [person.into(), user.into()]).await;
    }
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let request = PageRequest { limit: Some(1_000), after, size: PageSize::CHUNK };
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
