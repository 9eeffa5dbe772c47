//! Requests that share a statement give exactly what the same requests give one after the other, on PostgreSQL.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test panics if its setup fails")]

use std::sync::Arc;

use diesel::sql_types::BigInt;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _};
use futures_util::future::join_all;
use serde_json::json;
use steward_domain::Store;
use steward_domain::data::{ItemPath, ProjectUser, StoredItem, UserStatus};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::policy::{Lane, Quota, Quotas};
use steward_domain::kernel::work::{Tenant, Work};
use steward_domain::kernel::{
    AccessBasis, AccessEpoch, CommitError, PageSize, Precondition, Revision, StoreHealth as _,
};
use steward_store::PostgresStore;
use steward_store::scratch::ScratchDatabase;
use steward_store_contract::fixture::{Fixture, account, change, change_with_basis, insert, user};

/// Number of items that a round can touch, each at most once.
const ITEMS: u64 = 40;
const ROUNDS: u64 = 30;

/// A reproducible sequence of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[derive(Debug, Clone, Copy)]
enum Access {
    Unchecked,
    Current,
    Stale,
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Read,
    Put,
    Create,
    ReplaceAny,
    ReplaceMatching,
    ReplaceOther,
    Delete,
    DeleteMatching,
    DeleteOther,
}

/// One request.
#[derive(Debug, Clone, Copy)]
struct Request {
    project: usize,
    item: u64,
    action: Action,
    access: Access,
    /// Whether the user of the item is blocked.
    is_blocked: bool,
    length: u64,
}

impl Request {
    fn random(random: &mut Random, item: u64) -> Self {
        let actions = [
            Action::Read,
            Action::Read,
            Action::Put,
            Action::Put,
            Action::Create,
            Action::ReplaceAny,
            Action::ReplaceMatching,
            Action::ReplaceOther,
            Action::Delete,
            Action::DeleteMatching,
            Action::DeleteOther,
        ];
        let accesses = [Access::Unchecked, Access::Current, Access::Current, Access::Current, Access::Stale];
        Self {
            project: usize::try_from(random.below(2)).unwrap(),
            item,
            action: actions[usize::try_from(random.below(11)).unwrap()],
            access: accesses[usize::try_from(random.below(5)).unwrap()],
            is_blocked: random.below(8) == 0,
            // Some are written alone, because they are large.
            length: if random.below(10) == 0 { 20_000 } else { random.below(300) },
        }
    }
}

/// Two projects, each with a connected and a blocked user.
struct Side {
    worlds: Vec<(Fixture, ProjectUser)>,
}

impl Side {
    async fn make(store: &Arc<dyn Store>, name: &str) -> Self {
        let mut worlds = Vec::new();
        for number in 0..2 {
            let world = Fixture::make(store, &format!("{name}-{number}")).await;
            let other = account(&format!("{name}-{number}-other"));
            let blocked = ProjectUser { status: UserStatus::Blocked, ..user(&world.project, &other) };
            insert(store, [other.into(), blocked.clone().into()]).await;
            worlds.push((world, blocked));
        }
        Self { worlds }
    }

    fn path(&self, request: Request) -> ItemPath {
        let (world, blocked) = &self.worlds[request.project];
        let place = world.place(&format!("i{}", request.item));
        if request.is_blocked { ItemPath { user_id: blocked.id, ..place } } else { place }
    }

    /// Runs a request as its team. Returns the result without what differs between the sides.
    async fn run(&self, store: &Arc<dyn Store>, request: Request, known: Option<Revision>, quotas: &Quotas) -> String {
        let (world, _) = &self.worlds[request.project];
        let epoch = match request.access {
            Access::Unchecked => None,
            Access::Current => Some(AccessEpoch(0)),
            Access::Stale => Some(AccessEpoch(7)),
        };
        let basis = AccessBasis { project: epoch.map(|epoch| (world.project.id, epoch)), ..AccessBasis::default() };
        let path = self.path(request);
        let matching = Precondition::Matches(vec![known.unwrap_or(Revision(1))]);
        let (put, when) = match request.action {
            Action::Read => {
                let work = Work { lane: Lane::Interactive, tenant: Tenant::Team(world.team.id) };
                let found = work.scope(store.item(&path, &basis)).await.unwrap();
                return format!("{:?}", found.map(summary));
            }
            Action::Put => (true, Precondition::None),
            Action::Create => (true, Precondition::Absent),
            Action::ReplaceAny => (true, Precondition::Exists),
            Action::ReplaceMatching => (true, matching),
            Action::ReplaceOther => (true, Precondition::Matches(vec![Revision(2)])),
            Action::Delete => (false, Precondition::None),
            Action::DeleteMatching => (false, matching),
            Action::DeleteOther => (false, Precondition::Matches(vec![Revision(2)])),
        };
        let changes: Changes = change_with_basis(basis);
        let changes = if put {
            let value = json!({"text": "x".repeat(usize::try_from(request.length).unwrap())});
            let mut item = world.item(path.id.as_str(), value);
            item.user_id = path.user_id;
            changes.put(item, when).bounded_by(quotas)
        } else {
            changes.remove_item(path, when)
        };
        let work = Work { lane: Lane::Interactive, tenant: Tenant::Team(world.team.id) };
        match work.scope(store.commit(changes)).await {
            Ok(committed) => {
                let outcome = committed.items.into_iter().next().unwrap();
                format!("{:?} {}", summary(outcome.stored), outcome.created)
            }
            Err(CommitError::Stale(kind)) => format!("stale {kind}"),
            Err(other) => format!("{other:?}"),
        }
    }

    /// Returns everything that is stored, without what differs between the sides.
    async fn state(&self, store: &Arc<dyn Store>, conn: &mut PgConnection) -> String {
        let mut state = String::new();
        for (world, _) in &self.worlds {
            let usage = store.project_usage(world.project.id).await.unwrap();
            let items = store.items_after(world.project.id, world.user.id, None, PageSize::MAX).await.unwrap();
            let items: Vec<_> = items.into_iter().map(|stored| (stored.item.id.clone(), summary(stored))).collect();
            let count = format!(
                "SELECT count(*) * 1000 + count(DISTINCT position) AS count FROM item_changes WHERE project_id = '{}'",
                world.project.id
            );
            let events: Count = diesel::sql_query(count).get_result(conn).unwrap();
            state.push_str(&format!("{} {} {} {items:?}\n", usage.items, usage.bytes, events.count));
        }
        state
    }
}

fn summary(stored: StoredItem) -> (usize, Revision) {
    (stored.item.value.as_str().len(), stored.revision)
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_share_a_statement_give_what_they_give_alone() {
    let database = ScratchDatabase::migrated().unwrap();
    let postgres = Arc::new(PostgresStore::open(&database.url(), 4).unwrap());
    let store: Arc<dyn Store> = postgres.clone();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let (together, alone) = (Side::make(&store, "together").await, Side::make(&store, "alone").await);
    let quotas = Quotas::default();
    let mut random = Random(7);
    for round in 0..ROUNDS {
        let requests: Vec<Request> = (0..ITEMS).map(|item| Request::random(&mut random, item)).collect();
        let mut known = Vec::new();
        for request in &requests {
            let stored = store.item(&alone.path(*request), &AccessBasis::default()).await.unwrap();
            known.push(stored.map(|stored| stored.revision));
        }
        // Callers that leave do not affect the others.
        let leaving: Vec<_> = (0..10)
            .map(|number| {
                let item = together.worlds[0].0.item(&format!("left-{number}"), json!({"round": round}));
                let store = store.clone();
                tokio::spawn(async move { store.commit(change().put(item, Precondition::None)).await.is_ok() })
            })
            .collect();
        let run = |(request, known): (&Request, &Option<Revision>)| together.run(&store, *request, *known, &quotas);
        let shared = join_all(requests.iter().zip(&known).map(run));
        leaving.iter().for_each(tokio::task::JoinHandle::abort);
        let shared = shared.await;
        for ((request, known), shared) in requests.iter().zip(&known).zip(shared) {
            let expected = alone.run(&store, *request, *known, &quotas).await;
            assert_eq!(shared, expected, "round {round}: {request:?}");
        }
        for leaving in leaving {
            drop(leaving.await);
        }
    }
    // What the callers that left may have stored.
    for number in 0..10 {
        let path = together.worlds[0].0.place(&format!("left-{number}"));
        let removed = store.commit(change().remove_item(path, Precondition::None)).await;
        assert!(matches!(removed, Ok(_) | Err(CommitError::Stale(_))), "{removed:?}");
    }
    diesel::sql_query("DELETE FROM item_changes WHERE item_id LIKE 'left-%'").execute(&mut conn).unwrap();
    assert_eq!(together.state(&store, &mut conn).await, alone.state(&store, &mut conn).await);
    for pool in postgres.lanes().into_iter().filter(|stats| stats.pool.starts_with("row-")) {
        assert!(pool.done > pool.statements + 30, "Few requests shared a statement: {pool:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reached_quota_is_reported_to_those_who_exceed_it_only() {
    let database = ScratchDatabase::migrated().unwrap();
    let store: Arc<dyn Store> = Arc::new(PostgresStore::open(&database.url(), 4).unwrap());
    let (full, other) = (Fixture::make(&store, "full").await, Fixture::make(&store, "other").await);
    let limited = Quotas::default().with(Quota::ItemsPerProject, 10);
    let put = |world: &Fixture, number: u64, quotas: &Quotas| {
        let item = world.item(&format!("i{number}"), json!({"number": number}));
        store.commit(change().put(item, Precondition::None).bounded_by(quotas))
    };
    let quotas = Quotas::default();
    let (full_project, other_project, limited, quotas) = (&full, &other, &limited, &quotas);
    let both = async |number| tokio::join!(put(full_project, number, limited), put(other_project, number, quotas));
    // Each refusal takes several transactions, and all must end before the time limit of a request.
    let puts = (0..20).map(both);
    let mut stored = 0;
    for (of_full, of_other) in join_all(puts).await {
        of_other.unwrap();
        match of_full {
            Ok(_) => stored += 1,
            Err(error) => assert!(matches!(error, CommitError::OverQuota(Quota::ItemsPerProject, 10)), "{error:?}"),
        }
    }
    assert_eq!(stored, 10);
    assert_eq!(store.project_usage(full.project.id).await.unwrap().items, 10);
    assert_eq!(store.project_usage(other.project.id).await.unwrap().items, 20);
}
