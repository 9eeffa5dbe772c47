//! What SQLite does in its own way: pragmas, the migration lock, and one writer that commits what waits together.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};
use diesel::connection::SimpleConnection as _;
use diesel::query_dsl::LoadQuery;
use diesel::r2d2::ConnectionManager;
use diesel::sqlite::Sqlite;
use diesel::{Connection as _, OptionalExtension as _, RunQueryDsl, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};
use r2d2::Pool;
use steward_domain::model::item_query::Pattern;
use steward_domain::model::schema::FieldType;
use steward_domain::ports::StoreError;
use tokio::sync::oneshot;

use crate::error::{Fault, OpenError};
use crate::executor::Executor;
use crate::tables::audit_events;
use item_list::{FieldSql, Matching};
use item_path::KeySql;

#[path = "queries/account.rs"]
mod account;
#[path = "queries/activity.rs"]
mod activity;
#[path = "queries/api_key.rs"]
mod api_key;
#[path = "queries/audit.rs"]
mod audit;
#[path = "queries/audit_log.rs"]
mod audit_log;
#[path = "queries/authorization.rs"]
mod authorization;
#[path = "queries/commit.rs"]
mod commit;
#[path = "queries/email_link.rs"]
mod email_link;
#[path = "queries/idempotency.rs"]
mod idempotency;
#[path = "queries/invite.rs"]
mod invite;
#[path = "queries/item.rs"]
mod item;
#[path = "queries/item_index.rs"]
mod item_index;
#[path = "queries/item_list.rs"]
mod item_list;
#[path = "queries/item_path.rs"]
mod item_path;
#[path = "queries/lease.rs"]
mod lease;
#[path = "queries/misfit.rs"]
mod misfit;
#[path = "queries/page.rs"]
mod page;
#[path = "queries/personal_token.rs"]
mod personal_token;
#[path = "queries/ports.rs"]
mod ports;
#[path = "queries/project.rs"]
mod project;
#[path = "queries/project_user.rs"]
mod project_user;
#[path = "queries/quota.rs"]
mod quota;
#[path = "queries/remains.rs"]
mod remains;
#[path = "queries/schema.rs"]
mod schema;
#[path = "queries/server_key.rs"]
mod server_key;
#[path = "queries/session.rs"]
mod session;
#[path = "queries/slug.rs"]
mod slug;
#[path = "queries/statement.rs"]
mod statement;
#[path = "queries/sweep.rs"]
mod sweep;
#[path = "queries/team.rs"]
mod team;
#[path = "queries/token_family.rs"]
mod token_family;
#[path = "queries/usage.rs"]
mod usage;
#[path = "queries/webhook.rs"]
mod webhook;

type Conn = SqliteConnection;
type Database = SqliteStore;
type Backend = Sqlite;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
/// Every connection waits for a lock, checks foreign keys, and answers a commit only once it is on the disk.
const SESSION: &str = "PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; \
     PRAGMA cache_size = -2000; PRAGMA temp_store = MEMORY";
/// How many changes may wait for the writer, how long, and how many it commits together.
const QUEUE: usize = 1024;
const PATIENCE: Duration = Duration::from_secs(5);
const TOGETHER: usize = 64;
/// Who writes without a pause leaves the file to other processes for a moment this often: they look for it more often than
/// such a moment lasts.
const YIELD_EVERY: Duration = Duration::from_millis(100);
const YIELD_FOR: Duration = Duration::from_millis(3);
/// How long to wait for another process that writes, and how often to look.
const LOCK_TIMEOUT: Duration = Duration::from_secs(4);
const LOCK_POLL: Duration = Duration::from_millis(1);

/// A store in one SQLite file.
pub struct SqliteStore {
    readers: Executor<SqliteConnection>,
    writer: Sender<Waiting>,
}

impl SqliteStore {
    /// Opens the file, which [`SqliteStore::migrate`] made, with so many readers and one writer.
    pub fn open(path: &str, readers: u32) -> Result<Self, OpenError> {
        let pool = Pool::builder()
            .max_size(readers)
            .min_idle(Some(0))
            .connection_customizer(Box::new(Session))
            .test_on_check_out(false)
            .build_unchecked(ConnectionManager::<SqliteConnection>::new(path));
        let conn = connect_writer(path)?;
        let (writer, waiting) = bounded(QUEUE);
        let path_again = path.to_owned();
        let write = move || Writer { path: path_again, conn, waiting }.work();
        thread::Builder::new().name("sqlite-writer".into()).spawn(write).map_err(OpenError::Thread)?;
        let workers = usize::try_from(readers).unwrap_or(1);
        Ok(Self { readers: Executor::start("sqlite-reader", workers, &pool)?, writer })
    }

    /// Makes the file if it is not there and brings the tables up to date, one process at a time.
    pub fn migrate(path: &str) -> Result<(), OpenError> {
        let mut conn = connect(path)?;
        conn.batch_execute("PRAGMA journal_mode = WAL").map_err(|error| OpenError::Migrate(error.into()))?;
        conn.immediate_transaction(|conn| {
            conn.run_pending_migrations(MIGRATIONS).map_err(|error| anyhow!(error))?;
            Ok::<_, anyhow::Error>(())
        })
        .map_err(OpenError::Migrate)
    }

    /// Fails unless the file is there and its tables are up to date.
    pub fn check_schema(path: &str) -> Result<(), OpenError> {
        if !Path::new(path).exists() {
            return Err(OpenError::Outdated);
        }
        let pending = connect(path)?.has_pending_migration(MIGRATIONS);
        if pending.map_err(|error| OpenError::Migrate(anyhow!(error)))? { Err(OpenError::Outdated) } else { Ok(()) }
    }

    async fn read<T, F>(&self, query: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, Fault> + Send + 'static,
    {
        Ok(self.readers.run(query).await.map_err(StoreError::Unavailable)??)
    }

    /// Does the work among what is committed together. `Err`: nothing was written.
    async fn write<T, F>(&self, work: F) -> Result<Result<T, Fault>, anyhow::Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut SqliteConnection) -> Result<T, Fault> + Send + 'static,
    {
        let (sender, answer) = oneshot::channel();
        let deadline = Instant::now() + PATIENCE;
        let waiting: Waiting = Box::new(move |conn| {
            if sender.is_closed() || Instant::now() > deadline {
                return Box::new(|_| ());
            }
            let result = work(conn);
            Box::new(move |committed| drop(sender.send(committed.map(|()| result))))
        });
        self.writer.try_send(waiting).map_err(|_| anyhow!("{QUEUE} changes wait for the database already"))?;
        answer.await.map_err(|_| anyhow!("the change was not written"))?
    }
}

fn connect(path: &str) -> Result<SqliteConnection, OpenError> {
    let mut conn = SqliteConnection::establish(path).map_err(|error| OpenError::Connect(error.into()))?;
    conn.batch_execute(SESSION).map_err(|error| OpenError::Connect(error.into()))?;
    Ok(conn)
}

/// A connection of the writer: it looks for the lock itself, more often than SQLite would.
fn connect_writer(path: &str) -> Result<SqliteConnection, OpenError> {
    let mut conn = connect(path)?;
    conn.batch_execute("PRAGMA busy_timeout = 0").map_err(|error| OpenError::Connect(error.into()))?;
    Ok(conn)
}

/// The kind of value that an item holds in a field, with the field's name between these; NULL: it does not have the field.
const KIND_OF_FIELD: (&str, &str) = ("json_type(items.value, '$.\"' || ", " || '\"')");
/// The names of the fields that an item holds.
const HELD_FIELDS: &str = "json_each(items.value) AS held";

/// The kinds, as [`KIND_OF_FIELD`] tells them, of the values that a field may hold.
const fn kinds_of(field: FieldType) -> &'static [&'static str] {
    match field {
        FieldType::String => &["text"],
        FieldType::Boolean => &["true", "false"],
        FieldType::Number => &["integer", "real"],
        FieldType::Json => &["object", "array"],
    }
}

/// A write of an item and its record are two statements here: a round trip is a function call.
const AN_ITEM_IS_ONE_STATEMENT: bool = false;

/// How many bytes the JSON of a stored item is.
const STORED_BYTES: &str = "coalesce(items.bytes, octet_length(items.value))";

/// Writes an item, records and counts it. `None`: the condition did not hold, and nothing is recorded.
fn recorded<'q, Q>(
    conn: &mut Conn,
    written: Q,
    recording: item::Recording<'_>,
) -> Result<Option<(item::Row, i64, i64)>, Fault>
where
    Q: RunQueryDsl<Conn> + LoadQuery<'q, Conn, (item::Row, i64, i64)>,
{
    let written = written.get_result(conn).optional()?;
    if let Some((_, items, bytes)) = &written {
        quota::counted(conn, recording.project.0, recording.shard, *items, *bytes)?;
        diesel::insert_into(audit_events::table).values(recording.event).execute(conn)?;
    }
    Ok(written)
}

/// How a field of an item is read.
const FIELDS: FieldSql = FieldSql {
    text: &["(CASE json_type(value, ", ") WHEN 'text' THEN json_extract(value, ", ") END)"],
    number: &["(CASE WHEN json_type(value, ", ") IN ('integer', 'real') THEN json_extract(value, ", ") END)"],
    boolean: &["(CASE json_type(value, ", ") WHEN 'true' THEN 1 WHEN 'false' THEN 0 END)"],
    json: &["(CASE WHEN json_type(value, ", ") IN ('object', 'array') THEN 1 END)"],
    // With the sign, or SQLite would make numbers of the keys it compares with, and use no index for it.
    number_before: "+CAST(",
    number_after: " AS NUMERIC)",
};

/// It knows nothing of how many keys are alike, so it is told which index to use, and by CROSS to begin there.
const KEYS: KeySql = KeySql {
    texts: " FROM item_keys INDEXED BY item_keys_text",
    numbers: " FROM item_keys INDEXED BY item_keys_number",
    joined: " CROSS JOIN items WHERE id = item_id AND ",
    where_keys: " AND ",
};

/// There is one writer, so nothing is claimed, locked or yielded, and every write that comes sees a field that was published.
const CLAIMED: &str = "";
const LOCKED: &str = "";
const HELD: &str = "";
const YIELDING: &str = "";
const SETTLE: [&str; 1] = ["UPDATE indexed_fields SET state = 'filling' WHERE state = 'new'"];

/// A statement is a function call, so events get their places one by one.
const SEAL_ALL: Option<&str> = None;

/// Reads what belongs together as it was at one moment.
fn at_one_moment<T>(conn: &mut Conn, read: impl FnOnce(&mut Conn) -> Result<T, Fault>) -> Result<T, Fault> {
    conn.transaction(read)
}

/// A field is named by a JSON path. Names hold no quotes: schemas see to that.
fn field_path(name: &str) -> String {
    format!("$.\"{name}\"")
}

/// LIKE does not tell the cases of A to Z apart, and GLOB does.
fn matching(pattern: &Pattern) -> Matching {
    if pattern.any_case {
        Matching { before: "", between: " LIKE ", pattern: item_list::like(pattern), after: " ESCAPE '\\'" }
    } else {
        let escaped = |piece: &String| piece.replace('[', "[[]").replace('?', "[?]");
        let glob = pattern.pieces.iter().map(escaped).collect::<Vec<_>>().join("*");
        Matching { before: "", between: " GLOB ", pattern: glob, after: "" }
    }
}

/// Sets up each new connection of a reader.
#[derive(Debug)]
struct Session;

impl r2d2::CustomizeConnection<SqliteConnection, diesel::r2d2::Error> for Session {
    fn on_acquire(&self, conn: &mut SqliteConnection) -> Result<(), diesel::r2d2::Error> {
        conn.batch_execute(SESSION).map_err(diesel::r2d2::Error::QueryError)?;
        conn.batch_execute("PRAGMA query_only = ON").map_err(diesel::r2d2::Error::QueryError)
    }
}

/// Work that waits for the writer: it is done in a savepoint of its own, and answered once it is known whether it was
/// committed.
type Waiting = Box<dyn FnOnce(&mut SqliteConnection) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<(), anyhow::Error>) + Send>;

/// The one writer. It takes what is waiting and commits it together: each change in a savepoint of its own, so that one
/// that is refused takes no other with it, and each answered only after the commit.
struct Writer {
    path: String,
    conn: SqliteConnection,
    waiting: Receiver<Waiting>,
}

impl Writer {
    fn work(mut self) {
        let mut yielded = Instant::now();
        loop {
            let first = match self.waiting.try_recv() {
                Ok(first) => first,
                Err(TryRecvError::Disconnected) => return,
                Err(TryRecvError::Empty) => {
                    let Ok(first) = self.waiting.recv() else { return };
                    yielded = Instant::now();
                    first
                }
            };
            if yielded.elapsed() > YIELD_EVERY {
                thread::sleep(YIELD_FOR);
                yielded = Instant::now();
            }
            let more = self.waiting.try_iter().take(TOGETHER - 1);
            let batch: Vec<Waiting> = std::iter::once(first).chain(more).collect();
            self.commit_together(batch);
        }
    }

    fn commit_together(&mut self, batch: Vec<Waiting>) {
        let mut answers = Vec::with_capacity(batch.len());
        let (mut batch, patience) = (Some(batch), Instant::now() + LOCK_TIMEOUT);
        let committed = catch_unwind(AssertUnwindSafe(|| {
            loop {
                let committed = self.conn.immediate_transaction(|conn| {
                    answers.extend(batch.take().into_iter().flatten().map(|work| work(conn)));
                    Ok::<_, diesel::result::Error>(())
                });
                // While the batch is there, the transaction did not begin: another process writes.
                if committed.is_ok() || batch.is_none() || Instant::now() > patience {
                    return committed;
                }
                thread::sleep(LOCK_POLL);
            }
        }));
        match committed {
            Ok(Ok(())) => answers.into_iter().for_each(|answer| answer(Ok(()))),
            Ok(Err(error)) => {
                let cause = error.to_string();
                answers.into_iter().for_each(|answer| answer(Err(anyhow!("not committed: {cause}"))));
                self.begin_anew();
            }
            // The senders are dropped with the batch: every waiting change learns that it was not written.
            Err(_) => {
                tracing::error!("a write to the database ended in a panic");
                self.begin_anew();
            }
        }
    }

    /// Takes another connection: the old one may be in the middle of a transaction that nobody ends.
    fn begin_anew(&mut self) {
        match connect_writer(&self.path) {
            Ok(conn) => self.conn = conn,
            Err(error) => tracing::error!(%error, "the database cannot be written to any more"),
        }
    }
}
