//! Rules of imports of items that run in the background.

use chrono::TimeDelta;
use serde_json::json;
use steward_domain::data::{
    AppendOutcome, ImportRecord, ImportState, ItemImport, LineProblem, PortionResult, RecordContent,
};
use steward_domain::identity::Expiring;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccessBasis, CommitError, Time};
use steward_domain::mocks::{an_import, instant};

use crate::fixture::{Fixture, TestStore, change, id, later};

const LIMIT: u64 = 1_000_000;

/// A new import into the fixture's table.
fn upload(world: &Fixture) -> ItemImport {
    ItemImport {
        project_id: world.project.id,
        id: id().into(),
        user_id: world.user.id,
        account_id: world.owner.id,
        state: ImportState::Uploading,
        ..an_import()
    }
}

fn record(line: u64) -> ImportRecord {
    let content = match line % 3 {
        0 => RecordContent::Text(format!("{{\"title\": \"{line}\"}}")),
        1 => RecordContent::Cells(vec![line.to_string(), "😀,\"\n".to_owned(), String::new()]),
        _ => RecordContent::Refused(line.is_multiple_of(2).then(|| "rank".to_owned()), "Wrong.".to_owned()),
    };
    ImportRecord { line, content }
}

/// Stores an import with portions of two lines, which runs from now on.
async fn start(store: &TestStore, world: &Fixture, portions: u64) -> ItemImport {
    let new = upload(world);
    assert!(store.insert_import(&new).await.unwrap());
    let columns = Some(vec!["id".to_owned(), "a,b".to_owned()]);
    let import = ItemImport { chunks: portions, lines: portions * 2, bytes: portions * 100, columns, ..new };
    let records = (0..portions).map(|portion| vec![record(portion * 2), record(portion * 2 + 1)]).collect();
    assert_eq!(store.append_import(&import, records, LIMIT).await.unwrap(), AppendOutcome::Stored);
    let import = ItemImport { state: ImportState::Running, ..import };
    assert!(store.change_import(&import).await.unwrap());
    import
}

fn portion(stored: u64, problems: u64) -> PortionResult {
    let problem = |line| LineProblem { line, field: Some("rank".to_owned()), message: format!("Line {line}.") };
    PortionResult { stored, refused: problems, problems: (0..problems).map(problem).collect(), failure: None }
}

/// Stores the next portion, with an item. Returns the import after it.
async fn advance(store: &TestStore, world: &Fixture, import: &ItemImport) -> Result<ItemImport, CommitError> {
    let (advanced, problems) = import.clone().advanced(portion(1, 2), later(1));
    let item = world.item(&format!("i{}", import.next_chunk), json!({}));
    let changes = change().advance_import(advanced.clone(), problems).import(item, instant());
    store.commit(changes).await.map(|_| advanced)
}

async fn found(store: &TestStore, import: &ItemImport) -> Option<ItemImport> {
    store.import(import.project_id, import.id).await.unwrap()
}

/// Deletes everything of an import that has ended, as the job does.
async fn forget(store: &TestStore, import: &ItemImport) {
    for _ in 0..=import.chunks {
        store.forget_portions(import).await.unwrap();
    }
}

pub async fn an_import_round_trips_and_is_found_only_in_its_project(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let (project, user) = (world.project.id, world.user.id);
    let import = start(&store, &world, 2).await;
    assert_eq!(found(&store, &import).await, Some(import.clone()));
    assert_eq!(store.imports(project, user, "notes").await.unwrap(), std::slice::from_ref(&import));
    assert_eq!(store.import_records(&import, 1).await.unwrap(), [record(2), record(3)]);
    assert_eq!(store.import_records(&import, 2).await.unwrap(), []);
    let newer = start(&store, &world, 1).await;
    assert_eq!(store.imports(project, user, "notes").await.unwrap(), [newer, import.clone()]);

    assert_eq!(store.imports(project, user, "others").await.unwrap(), []);
    assert_eq!(store.imports(other.project.id, user, "notes").await.unwrap(), []);
    assert_eq!(store.import(other.project.id, import.id).await.unwrap(), None);
    let elsewhere = ItemImport { project_id: other.project.id, ..import.clone() };
    assert!(!store.change_import(&ItemImport { state: ImportState::Canceled, ..elsewhere.clone() }).await.unwrap());
    assert_eq!(store.import_records(&elsewhere, 1).await.unwrap(), []);
    store.forget_portions(&elsewhere).await.unwrap();
    assert_eq!(found(&store, &import).await, Some(import));
}

pub async fn a_portion_and_its_progress_are_stored_together_and_once(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let import = start(&store, &world, 3).await;
    let second = advance(&store, &world, &import).await.unwrap();
    assert_eq!(found(&store, &import).await, Some(second.clone()));
    assert_eq!(store.import_records(&import, 0).await.unwrap(), []);
    let again = advance(&store, &world, &import).await;
    assert!(matches!(again, Err(CommitError::Stale(ResourceKind::Item))), "{again:?}");
    let third = advance(&store, &world, &second).await.unwrap();
    let problems = store.import_problems(&third, 3).await.unwrap();
    assert_eq!(problems.iter().map(|one| one.line).collect::<Vec<_>>(), [0, 1, 0]);

    assert!(store.change_import(&third.clone().ended(ImportState::Canceled, "", later(2))).await.unwrap());
    let canceled = advance(&store, &world, &third).await;
    assert!(matches!(canceled, Err(CommitError::Stale(ResourceKind::Item))), "{canceled:?}");
    assert_eq!(store.item(&world.place("i2"), &AccessBasis::default()).await.unwrap(), None);
    let ended = found(&store, &import).await.unwrap();
    assert_eq!((ended.state, ended.stored, ended.next_chunk), (ImportState::Canceled, 2, 2));
    assert!(!store.change_import(&third).await.unwrap(), "An import that has ended stays so.");
    let more = store.append_import(&ItemImport { chunks: 4, ..third.clone() }, vec![vec![record(9)]], LIMIT).await;
    assert_eq!(more.unwrap(), AppendOutcome::Ended);
    forget(&store, &third).await;
    assert_eq!(store.import_records(&import, 2).await.unwrap(), []);
}

pub async fn the_imports_of_a_project_are_bounded(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let mut active = Vec::new();
    for _ in 0..ItemImport::MAX_ACTIVE {
        active.push(start(&store, &world, 1).await);
    }
    assert!(!store.insert_import(&upload(&world)).await.unwrap());
    let others = start(&store, &other, 1).await;
    // All files of a project together are limited.
    let upload_of = |world: &Fixture| ItemImport { bytes: 101, chunks: 1, ..upload(world) };
    let large = upload_of(&other);
    assert!(store.insert_import(&ItemImport { bytes: 0, chunks: 0, ..large.clone() }).await.unwrap());
    let append = async |limit| store.append_import(&large, vec![vec![record(1)]], limit).await.unwrap();
    assert_eq!(append(others.bytes + 100).await, AppendOutcome::OverLimit);
    assert_eq!(store.import_records(&large, 0).await.unwrap(), []);
    assert_eq!(append(others.bytes + 101).await, AppendOutcome::Stored);

    for import in &active {
        assert!(store.change_import(&import.clone().ended(ImportState::Failed, "Wrong.", later(1))).await.unwrap());
        assert!(!store.insert_import(&upload(&world)).await.unwrap(), "The portions are not deleted yet.");
        forget(&store, import).await;
        let next = start(&store, &world, 0).await;
        assert!(store.change_import(&next.clone().ended(ImportState::Done, "", later(1))).await.unwrap());
        forget(&store, &next).await;
        assert!(store.insert_import(&upload(&world)).await.unwrap());
    }
    assert_eq!(found(&store, &active[0]).await.map(|import| import.message), Some("Wrong.".to_owned()));
    assert_eq!(found(&store, &others).await, Some(others.clone()));
}

pub async fn imports_that_have_ended_are_deleted_when_there_are_many_or_they_are_old(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let mut ended = Vec::new();
    for _ in 0..=ItemImport::MAX_KEPT {
        let import = start(&store, &world, 1).await;
        advance(&store, &world, &import).await.unwrap();
        ended.push(import);
    }
    assert_eq!(found(&store, &ended[0]).await, None);
    let running = start(&store, &world, 1).await;
    assert_eq!(found(&store, &ended[1]).await, None);
    let last = found(&store, ended.last().unwrap()).await.unwrap();
    assert_eq!(last.state, ImportState::Done);

    let sweep = async |before: Time| store.sweep(Expiring::ItemImports, before, 1_000).await.unwrap();
    assert_eq!(sweep(last.updated_at).await, 0);
    assert!(sweep(last.updated_at + TimeDelta::microseconds(1)).await > 0);
    assert_eq!(found(&store, &last).await, None);
    assert_eq!(found(&store, &running).await, Some(running), "An import that has not ended is not old.");
}

pub async fn an_import_to_continue_is_found_in_each_project_in_turn(store: TestStore) {
    let (mut world, mut other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    if world.project.id > other.project.id {
        std::mem::swap(&mut world, &mut other);
    }
    let next = async |after, before| store.import_to_continue(after, before).await.unwrap().map(|import| import.id);
    assert_eq!(next(None, later(9)).await, None);
    let (first, second, others) =
        (start(&store, &world, 1).await, start(&store, &world, 1).await, start(&store, &other, 1).await);
    assert_eq!(next(None, instant()).await, Some(first.id));
    assert_eq!(next(Some(world.project.id), instant()).await, Some(others.id));
    assert_eq!(next(Some(other.project.id), instant()).await, None);
    advance(&store, &world, &first).await.unwrap();
    assert_eq!(next(None, instant()).await, Some(second.id));

    // Of one that was canceled, the portions are deleted. An upload is interrupted after a time.
    assert!(store.change_import(&others.clone().ended(ImportState::Canceled, "", later(1))).await.unwrap());
    assert_eq!(next(Some(world.project.id), instant()).await, Some(others.id));
    forget(&store, &others).await;
    assert_eq!(next(Some(world.project.id), later(9)).await, None);
    let interrupted = upload(&other);
    assert!(store.insert_import(&interrupted).await.unwrap());
    assert_eq!(next(Some(world.project.id), interrupted.updated_at).await, None);
    assert_eq!(next(Some(world.project.id), later(9)).await, Some(interrupted.id));
}

pub async fn imports_end_with_the_data_of_their_user(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let import = start(&store, &world, 2).await;
    store.commit(change().erase_items(world.project.id, world.user.id, 10)).await.unwrap();
    let stopped = found(&store, &import).await.unwrap();
    assert_eq!((stopped.state, stopped.message.as_str()), (ImportState::Failed, "The user's data was erased."));
    let refused = advance(&store, &world, &import).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::Item))), "{refused:?}");

    let import = start(&store, &world, 2).await;
    while store.commit(change().remove_user_data(world.project.id, world.user.id, 1)).await.is_ok()
        && !store.import_records(&import, 1).await.unwrap().is_empty()
    {}
    store.commit(change().remove(world.user.clone())).await.unwrap();
    assert_eq!(found(&store, &import).await, None);
    assert!(!store.insert_import(&upload(&world)).await.unwrap(), "The user does not exist.");
}
