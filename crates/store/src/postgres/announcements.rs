//! Announces changes of items to the other processes with `NOTIFY`, and receives theirs with `LISTEN` (PostgreSQL
//! documentation, "NOTIFY" and "LISTEN").
//!
//! Changes are announced after their commit and by a connection of its own, because PostgreSQL lets only one transaction
//! with a notification commit at a time. An announcement may be lost, so a caller that waits for one also polls.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection as _;
use diesel::dsl::sql;
use diesel::sql_types::{Integer, Text};
use diesel::{PgConnection, QueryResult, RunQueryDsl as _};
use steward_domain::data::ChangedUsers;
use steward_domain::kernel::{ProjectUserId, lock};

use super::connection::establish::establish;
use super::connection::pooling::Pooling;
use crate::change_inbox::ChangeInbox;
use crate::error::OpenError;

const CHANNEL: &str = "steward_item_changes";
/// The payload of an announcement of too many users to list.
const ANY: &str = "*";
/// No statement takes long.
const SESSION: &str = "SET statement_timeout = '1s'; SET lock_timeout = '1s'";
/// An announcement is not durable, so it does not wait for the disk.
const NOTIFY: &str = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)";
/// Interval at which received announcements are looked for, while there are some. It costs no query.
const TICK: Duration = Duration::from_millis(2);
/// The same if nothing has been sent or received for [`ACTIVE_TIME`]: an idle process rarely wakes up.
const IDLE_TICK: Duration = Duration::from_millis(20);
const ACTIVE_TIME: Duration = Duration::from_secs(1);
/// Minimum time between two announcements: changes in between are announced together.
const ANNOUNCING_INTERVAL: Duration = Duration::from_millis(10);
/// How long announcements are received after the last call of [`Announcements::next`].
const LISTENING_TIME: Duration = Duration::from_secs(10);
/// Time after a failure until the next connection.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Default)]
struct State {
    /// The users whose changes are not announced yet.
    outgoing: ChangedUsers,
    /// When a caller in this process last asked for changes.
    asked_at: Option<Instant>,
    /// When changes were last announced or received.
    active_at: Option<Instant>,
    is_stopped: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    inbox: ChangeInbox,
    is_listening: AtomicBool,
}

/// The changes that this process announces and receives.
pub(super) struct Announcements(Arc<Shared>);

impl Announcements {
    /// Starts the thread that announces and listens. It connects on first use.
    pub(super) fn start(url: &str, pooling: Arc<Pooling>) -> Result<Self, OpenError> {
        let (shared, url) = (Arc::<Shared>::default(), url.to_owned());
        let worker = shared.clone();
        let named = thread::Builder::new().name("announcements".to_owned());
        named.spawn(move || worker.run(&url, &pooling)).map_err(OpenError::Thread)?;
        Ok(Self(shared))
    }

    /// Reports committed changes to this process, and to the others.
    pub(super) fn add(&self, users: ChangedUsers) {
        if users.is_empty() {
            return;
        }
        self.0.inbox.add(users.clone());
        let mut state = lock(&self.0.state);
        if state.outgoing.is_empty() {
            self.0.wake.notify_one();
        }
        state.outgoing.add(users);
    }

    /// Waits until items change. Returns the users whose items have changed since the last call.
    pub(super) async fn next(&self) -> ChangedUsers {
        if lock(&self.0.state).asked_at.replace(Instant::now()).is_none() {
            self.0.wake.notify_one();
        }
        self.0.inbox.next().await
    }

    /// Returns whether the changes of other processes are received: not behind a pooler that gives each transaction another
    /// connection.
    pub(super) fn is_listening(&self) -> bool {
        self.0.is_listening.load(Ordering::Acquire)
    }
}

impl Drop for Announcements {
    fn drop(&mut self) {
        lock(&self.0.state).is_stopped = true;
        self.0.wake.notify_one();
    }
}

/// What the thread does next.
enum Task {
    Announce(ChangedUsers),
    Receive,
    StopListening,
    End,
}

impl Shared {
    fn run(&self, url: &str, pooling: &Pooling) {
        let mut session: Option<Session> = None;
        let mut announced_at: Option<Instant> = None;
        let mut is_failing = false;
        loop {
            let is_subscribed = session.as_ref().is_some_and(|session| session.is_subscribed);
            let task = self.next_task(announced_at, is_subscribed);
            if let Task::Announce(_) = task {
                announced_at = Some(Instant::now());
            }
            let done = match task {
                Task::End => break,
                // A pooler would give the subscription to another client.
                _ if pooling.is_known() => break,
                task => self.perform(task, &mut session, url, pooling),
            };
            match done {
                Ok(()) => is_failing = false,
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        tracing::warn!(%error, "Unable to exchange changes of items with other processes. It is retried.");
                    }
                    session = None;
                    self.is_listening.store(false, Ordering::Release);
                    let is_running = |state: &mut State| !state.is_stopped;
                    drop(self.wake.wait_timeout_while(lock(&self.state), RETRY, is_running));
                }
            }
        }
    }

    /// Waits for the next task, without an end if no caller waits for changes and nothing is to be announced.
    fn next_task(&self, announced_at: Option<Instant>, is_subscribed: bool) -> Task {
        let mut state = lock(&self.state);
        loop {
            let until_due = announced_at.map_or(Duration::ZERO, |at| ANNOUNCING_INTERVAL.saturating_sub(at.elapsed()));
            let is_asked = state.asked_at.is_some_and(|at| at.elapsed() < LISTENING_TIME);
            let wait = match (is_asked, state.outgoing.is_empty()) {
                _ if state.is_stopped => return Task::End,
                (_, false) if until_due.is_zero() => return Task::Announce(std::mem::take(&mut state.outgoing)),
                (true, _) if !is_subscribed => return Task::Receive,
                (true, _) if state.active_at.is_some_and(|at| at.elapsed() < ACTIVE_TIME) => TICK,
                (true, true) => IDLE_TICK,
                (_, false) => until_due,
                (false, true) if is_subscribed => return Task::StopListening,
                (false, true) => {
                    // The next caller wakes the thread.
                    state.asked_at = None;
                    state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
            };
            let (guard, waited) = self.wake.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner);
            state = guard;
            if is_asked && waited.timed_out() {
                return Task::Receive;
            }
        }
    }

    fn perform(&self, task: Task, current: &mut Option<Session>, url: &str, pooling: &Pooling) -> anyhow::Result<()> {
        if pooling.find_out()? {
            return Ok(());
        }
        let session = match current {
            Some(session) => session,
            None => current.insert(Session::open(url)?),
        };
        match task {
            Task::Announce(users) => session.announce(&users)?,
            Task::StopListening => {
                session.connection.batch_execute(&format!("UNLISTEN {CHANNEL}"))?;
                session.is_subscribed = false;
                self.is_listening.store(false, Ordering::Release);
            }
            Task::Receive if !session.is_subscribed => {
                session.connection.batch_execute(&format!("LISTEN {CHANNEL}"))?;
                session.is_subscribed = true;
                // The process listens once it receives its own announcement.
                session.announce(&ChangedUsers::default())?;
            }
            Task::Receive | Task::End => {}
        }
        let Received { is_any, is_own } = session.receive(&self.inbox)?;
        if is_any {
            lock(&self.state).active_at = Some(Instant::now());
        }
        if is_own && session.is_subscribed && !self.is_listening.swap(true, Ordering::AcqRel) {
            // What was announced before is unknown.
            self.inbox.add(ChangedUsers::Any);
        }
        Ok(())
    }
}

/// The connection of the thread.
struct Session {
    connection: PgConnection,
    backend: i32,
    is_subscribed: bool,
}

/// Whether there were announcements, and whether one was of this process.
struct Received {
    is_any: bool,
    is_own: bool,
}

impl Session {
    fn open(url: &str) -> anyhow::Result<Self> {
        let mut connection = establish(url)?;
        connection.batch_execute(SESSION)?;
        let backend = diesel::select(sql::<Integer>("pg_backend_pid()")).get_result(&mut connection)?;
        Ok(Self { connection, backend, is_subscribed: false })
    }

    fn announce(&mut self, users: &ChangedUsers) -> QueryResult<()> {
        let notify = diesel::sql_query(NOTIFY);
        notify.bind::<Text, _>(CHANNEL).bind::<Text, _>(payload(users)).execute(&mut self.connection).map(drop)
    }

    /// Reports what other processes have announced.
    fn receive(&mut self, inbox: &ChangeInbox) -> QueryResult<Received> {
        let (own, mut all) = (self.backend, Received { is_any: false, is_own: false });
        for received in self.connection.notifications_iter() {
            let received = received?;
            all.is_any = true;
            if received.process_id == own {
                all.is_own = true;
            } else {
                inbox.add(parse(&received.payload));
            }
        }
        Ok(all)
    }
}

/// Returns the payload of an announcement: IDs without hyphens, separated by commas. It is shorter than the 8,000 bytes
/// that are allowed.
fn payload(users: &ChangedUsers) -> String {
    match users {
        ChangedUsers::Any => ANY.to_owned(),
        ChangedUsers::Listed(users) => users.iter().map(|user| user.hex()).collect::<Vec<_>>().join(","),
    }
}

/// Reads a payload. Another version of the service may send what this one does not know: then any items may have changed.
fn parse(payload: &str) -> ChangedUsers {
    let ids = payload.split(',').filter(|id| !id.is_empty());
    let users: Option<ChangedUsers> = ids.map(ProjectUserId::parse_hex).collect();
    users.unwrap_or(ChangedUsers::Any)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use steward_domain::mocks::id_of;
    use tokio::time::timeout;

    use super::*;
    use crate::scratch::ScratchDatabase;

    const LIMIT: Duration = Duration::from_secs(60);

    fn user(name: &str) -> ProjectUserId {
        id_of(name).into()
    }

    #[test]
    fn a_payload_names_all_users_or_any() {
        let most: ChangedUsers = (0..ChangedUsers::MAX_LISTED).map(|number| user(&format!("user{number}"))).collect();
        let sent = payload(&most);
        assert!(sent.len() < 8_000 && parse(&sent) == most, "{sent}");
        assert_eq!(parse(&payload(&ChangedUsers::Any)), ChangedUsers::Any);
        assert_eq!(parse("unknown"), ChangedUsers::Any);
        assert!(parse(&payload(&ChangedUsers::default())).is_empty());
    }

    #[tokio::test]
    async fn a_process_receives_its_own_changes_and_those_of_others_also_after_a_lost_connection() {
        let database = ScratchDatabase::migrated().unwrap();
        let start = || Announcements::start(&database.url(), Arc::new(Pooling::of(&database.url()))).unwrap();
        let (one, other) = (start(), start());
        // Before the process listens, any user may have changes.
        assert_eq!(timeout(LIMIT, one.next()).await.unwrap(), ChangedUsers::Any);
        assert!(one.is_listening() && !other.is_listening());

        let ann = || ChangedUsers::Listed(HashSet::from([user("ann")]));
        one.add(ann());
        assert_eq!(timeout(LIMIT, one.next()).await.unwrap(), ann());
        let bob = ChangedUsers::Listed(HashSet::from([user("bob")]));
        other.add(bob.clone());
        assert_eq!(timeout(LIMIT, one.next()).await.unwrap(), bob);

        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() \
                   AND pid <> pg_backend_pid()";
        diesel::sql_query(end).execute(&mut establish(&database.url()).unwrap()).unwrap();
        assert_eq!(timeout(LIMIT, one.next()).await.unwrap(), ChangedUsers::Any);
        let received = async {
            loop {
                // The connection of the other process was ended too, so its first announcement may be lost.
                other.add(ann());
                if let Ok(received) = timeout(Duration::from_millis(200), one.next()).await {
                    break received;
                }
            }
        };
        assert_eq!(timeout(LIMIT, received).await.unwrap(), ann());
    }
}
