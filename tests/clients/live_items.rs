//! Sign-in and live items of the Rust client.

mod proxy;
#[rustfmt::skip]
mod tables;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;
use futures_util::{Stream, StreamExt as _};
use serde_json::json;
use steward_client::{
    Client, Credential, Error, Fields, Items, LiveChange, LiveError, LiveState, LiveStatus, LiveTable, SignIn,
    SignInSession, SignInTokens, TokenError, TokenSource,
};
use steward_tests::{App, Backend, Browser, TIMEOUT, eventually, notes_schema, on_both_in_full};
use tokio::time::timeout;

use crate::{CALLBACK, ann_and_a_project_of_olga};
use proxy::Proxy;
use tables::Notes;

/// Lifetime of an access token in seconds, and a minute.
const AFTER_EXPIRY: u32 = 16 * 60;

/// How far the clocks of a service and of its clients differ, in seconds.
const SKEW: u32 = 5 * 60;

/// Ann, who has signed in to a project, and a developer who sees her notes.
struct Ann {
    project: String,
    client: Client,
    sign_in: SignIn,
    tokens: SignInTokens,
    notes: Items,
}

impl Ann {
    async fn sign_in(app: &App) -> Self {
        let settings = json!({"redirect_uris": ["http://127.0.0.1/callback"]});
        let (olga, project) = ann_and_a_project_of_olga(app, settings).await;
        olga.post(&format!("/project/{project}/schema"), json!({"schema": notes_schema()})).await.ok();
        let client = Client::builder(&app.base).build().unwrap();
        let sign_in = client.sign_in(&project, CALLBACK);
        let started = sign_in.start();
        let callback = Browser::new(app).sign_in_and_allow(&started.url, "ann").await;
        let tokens = sign_in.complete(&callback, started.pending).await.unwrap();
        assert_eq!(tokens.claims()["name"], "ann");
        let developer = client.with_credential(Credential::Token(olga.credential.unwrap()));
        let user = developer.users(&project).list().all().await.unwrap().remove(0).id;
        let notes = developer.items(&project, user, Notes::TABLE);
        Self { project, client, sign_in, tokens, notes }
    }

    /// A client whose tokens are refreshed.
    fn client_of(&self, session: &Arc<SignInSession>) -> Client {
        self.client.with_credential(Credential::Source(session.clone()))
    }

    fn token(&self) -> Credential {
        Credential::Token(self.tokens.access_token().to_owned())
    }

    /// A client with ann's token.
    fn client(&self) -> Client {
        self.client.with_credential(self.token())
    }

    /// A client with ann's token that reaches the service through a proxy.
    fn client_through(&self, proxy: &Proxy) -> Client {
        Client::builder(proxy.url()).credential(self.token()).build().unwrap()
    }

    /// The title that is stored.
    async fn stored_title(&self, id: &str) -> Option<String> {
        match self.notes.get(id).data().await {
            Ok(item) => Some(item["title"].as_str().unwrap().to_owned()),
            Err(Error::NotFound(_)) => None,
            Err(error) => panic!("{error:?}"),
        }
    }
}

fn note(title: &str) -> Notes {
    Notes { title: title.into(), done: None, rank: None, more: None }
}

fn fields(title: &str) -> Fields {
    json!({"title": title}).as_object().unwrap().clone()
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    timeout(TIMEOUT, future).await.expect("The items were not in sync in time.")
}

/// The next change of an item.
async fn next<T>(
    changes: &mut (impl Stream<Item = Result<LiveChange<T>, LiveError>> + Unpin),
    id: &str,
) -> LiveChange<T> {
    within(async {
        loop {
            let change = changes.next().await.expect("The changes ended.").unwrap();
            if change.id == id {
                return change;
            }
        }
    })
    .await
}

#[tokio::test]
async fn the_types_are_those_that_the_command_prints() {
    let app = App::start(Backend::Sqlite).await;
    let schema = tempfile::NamedTempFile::new().unwrap();
    fs::write(schema.path(), notes_schema().to_string()).unwrap();
    let file = schema.path().to_str().unwrap();
    let printed = app.run(&["schema", "types", "--lang", "rust", "--file", file], "").await;
    assert_eq!(String::from_utf8_lossy(&printed.stdout), include_str!("live_items/tables.rs"));
}

on_both_in_full! {
    async fn two_devices_and_the_api_see_the_changes_of_each_other(app: &App) {
        let ann = Ann::sign_in(app).await;
        let (phone, laptop) = (ann.client().live(&ann.project), ann.client().live(&ann.project));
        within(async { tokio::try_join!(phone.synced(), laptop.synced()) }).await.unwrap();
        let mut seen = laptop.changes();
        let notes: LiveTable<Notes> = phone.table(Notes::TABLE);
        let with_more = Notes { more: Some(json!({"tags": ["a"], "color": "red"})), ..note("Buy milk") };
        notes.put("shared", &with_more).unwrap();
        assert_eq!(notes.get("shared").unwrap().as_ref(), Some(&with_more), "It applies at once.");
        let change = next(&mut seen, "shared").await;
        assert_eq!((change.item.unwrap()["title"].as_str(), change.is_correction), (Some("Buy milk"), false));

        // Each device changes another field at the same time.
        let on_laptop: LiveTable<Notes> = laptop.table(Notes::TABLE);
        on_laptop.patch("shared", &json!({"done": true, "more.tags": null})).unwrap();
        notes.patch("shared", &json!({"rank": 2.0})).unwrap();
        within(async { tokio::try_join!(phone.synced(), laptop.synced()) }).await.unwrap();
        let both = Notes { done: Some(true), rank: Some(2.0), more: Some(json!({"color": "red"})), ..note("Buy milk") };
        for table in [&notes, &on_laptop] {
            eventually(async || (table.get("shared").unwrap() == Some(both.clone())).then_some(())).await;
        }
        let stored = ann.notes.get("shared").data().await.unwrap();
        assert_eq!((&stored["more"], &stored["done"]), (&json!({"color": "red"}), &json!(true)));

        let mut typed = on_laptop.changes();
        ann.notes.put("from-api", fields("Buy bread")).data().await.unwrap();
        assert_eq!(next(&mut typed, "from-api").await.item, Some(note("Buy bread")));
        notes.delete("shared").unwrap();
        assert_eq!(next(&mut typed, "shared").await.item, None);
        let id = notes.create(&note("New")).unwrap();
        within(phone.synced()).await.unwrap();
        assert_eq!(ann.stored_title(&id).await.as_deref(), Some("New"));
        // The stream ends with the connection.
        drop((laptop, on_laptop));
        assert!(within(seen.collect::<Vec<_>>()).await.iter().all(Result::is_ok));
    }

    async fn offline_changes_are_sent_after_interruptions(app: &App) {
        let ann = Ann::sign_in(app).await;
        let mut proxy = Proxy::start(&app.base).await;
        let live = ann.client_through(&proxy).live(&ann.project);
        within(live.synced()).await.unwrap();
        proxy.interrupt();
        within(live.status_after(LiveStatus::Online)).await.unwrap();
        let notes: LiveTable<Notes> = live.table(Notes::TABLE);
        for index in 0..1_500 {
            let rank = Some(f64::from(index));
            notes.put(format!("offline-{index}"), &Notes { rank, ..note("Offline") }).unwrap();
        }
        assert_eq!((live.pending(), notes.items().unwrap().len()), (1_500, 1_500));
        assert!(timeout(Duration::from_millis(100), live.synced()).await.is_err());

        // The connection is lost once more, while changes are in flight.
        proxy.restore().await;
        within(async {
            while live.pending() > 1_000 {
                tokio::task::yield_now().await;
            }
        })
        .await;
        proxy.interrupt();
        within(live.status_after(LiveStatus::Online)).await.unwrap();
        assert!(live.pending() > 0);
        proxy.restore().await;
        within(live.synced()).await.unwrap();
        assert!(proxy.accepted() >= 3, "{}", proxy.accepted());

        let stored = ann.notes.list().all().await.unwrap();
        let mut ranks: Vec<f64> = stored.iter().map(|item| item["rank"].as_f64().unwrap()).collect();
        ranks.sort_by(f64::total_cmp);
        assert_eq!(ranks, (0..1_500).map(f64::from).collect::<Vec<_>>());
    }

    async fn pending_changes_survive_the_end_of_the_program(app: &App) {
        let ann = Ann::sign_in(app).await;
        let mut proxy = Proxy::start(&app.base).await;
        let live = ann.client_through(&proxy).live(&ann.project);
        ann.notes.put("old", fields("Old")).data().await.unwrap();
        within(live.synced()).await.unwrap();
        proxy.interrupt();
        within(live.status_after(LiveStatus::Online)).await.unwrap();
        live.table::<Notes>(Notes::TABLE).put("kept", &note("Kept")).unwrap();
        let state = serde_json::to_string(&live.state()).unwrap();
        drop(live);
        ann.notes.put("other", fields("Other")).data().await.unwrap();
        ann.notes.delete("old").data().await.unwrap();

        let state: LiveState = serde_json::from_str(&state).unwrap();
        let live = ann.client().live_from(state, &ann.project);
        let notes: LiveTable<Notes> = live.table(Notes::TABLE);
        assert_eq!((notes.get("kept").unwrap(), live.pending()), (Some(note("Kept")), 1));
        within(live.synced()).await.unwrap();
        eventually(async || (notes.get("other").unwrap().is_some() && notes.get("old").unwrap().is_none()).then_some(()))
            .await;
        assert_eq!(ann.stored_title("kept").await.as_deref(), Some("Kept"));
    }

    async fn a_change_that_does_not_fit_is_corrected(app: &App) {
        let ann = Ann::sign_in(app).await;
        let live = ann.client().live(&ann.project);
        within(live.synced()).await.unwrap();
        // This device refuses it as soon as it knows the schema, and the service corrects it before.
        let untyped = live.table::<Fields>(Notes::TABLE);
        let error = eventually(async || untyped.patch("wrong", &json!({"title": 1})).err()).await;
        assert_eq!(error.to_string(), "Field title should be type string, got number");
        within(live.synced()).await.unwrap();
        let mut changes = live.changes();
        let unknown = live.table::<Fields>("unknown");
        unknown.patch("wrong", &json!({"title": "x"})).unwrap();
        let right = Notes { rank: Some(1.0), ..note("Right") };
        live.table(Notes::TABLE).put("right", &right).unwrap();
        let last = live.table(Notes::TABLE).create(&note("Last")).unwrap();
        within(live.synced()).await.unwrap();
        let mut corrections = Vec::new();
        let mut acknowledged = 0;
        // The last one appears when it is made, and when it is acknowledged.
        while acknowledged < 2 {
            let change = within(changes.next()).await.unwrap().unwrap();
            acknowledged += usize::from(change.id == last);
            if change.is_correction {
                corrections.push((change.table, change.id, change.item, change.reason.unwrap().code));
            }
        }
        let wrong = ("unknown".to_owned(), "wrong".to_owned(), None, "unknown_table".to_owned());
        assert_eq!(corrections, [wrong]);
        let notes: LiveTable<Notes> = live.table(Notes::TABLE);
        assert_eq!((notes.get("wrong").unwrap(), notes.get("right").unwrap()), (None, Some(right)));
    }

    async fn a_rejected_token_is_replaced_or_ends_the_connection(app: &App) {
        let ann = Ann::sign_in(app).await;
        let source = Credential::Source(Arc::new(Replacing(ann.tokens.access_token().to_owned())));
        let live = ann.client.with_credential(source).live(&ann.project);
        within(live.synced()).await.unwrap();

        let live = ann.client.with_credential(Credential::Token("invalid".into())).live(&ann.project);
        let mut changes = live.changes();
        let error = within(live.synced()).await.unwrap_err();
        assert!(matches!(&error, LiveError::Ended(cause) if matches!(&**cause, Error::Unauthorized(_))), "{error:?}");
        assert!(matches!(within(changes.next()).await, Some(Err(LiveError::Ended(_)))));

        // The end of a sign-in ends the live items of its session.
        let session = Arc::new(ann.sign_in.session(ann.tokens.clone()));
        let live = ann.client_of(&session).live(&ann.project);
        within(live.synced()).await.unwrap();
        let changes = live.changes();
        session.sign_out().await.unwrap();
        let mut changes = within(changes.collect::<Vec<_>>()).await;
        let Some(Err(LiveError::Ended(cause))) = changes.pop() else { panic!("{changes:?}") };
        let Error::Token(error) = &*cause else { panic!("{cause:?}") };
        let error = error.downcast_ref::<Arc<Error>>().unwrap();
        assert!(matches!(**error, Error::SignedOut), "{error:?}");
    }
}

/// Has an invalid token at first.
struct Replacing(String);

#[async_trait]
impl TokenSource for Replacing {
    async fn token(&self) -> Result<String, TokenError> {
        Ok("invalid".into())
    }

    async fn refresh(&self, rejected: &str) -> Result<Option<String>, TokenError> {
        assert_eq!(rejected, "invalid");
        Ok(Some(self.0.clone()))
    }
}

/// Tokens expire by the clock of the service, which differs from that of the client.
async fn tasks_and_a_connection_share_one_refresh(backend: Backend) {
    let clock = steward_tests::Clock::new(env!("CARGO_TARGET_TMPDIR")).await;
    clock.set(SKEW);
    let app = App::start_with(backend, &clock.settings()).await;
    let ann = Ann::sign_in(&app).await;
    let refreshes = Arc::new(AtomicUsize::new(0));
    let counted = refreshes.clone();
    let session = ann.sign_in.session(ann.tokens.clone());
    let session = Arc::new(session.on_refresh(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    }));
    let client = ann.client_of(&session);
    let live = client.live(&ann.project);
    let notes: LiveTable<Notes> = live.table(Notes::TABLE);
    notes.put("a", &note("A")).unwrap();
    within(live.synced()).await.unwrap();
    assert_eq!(client.own_items(&ann.project, Notes::TABLE).list().all().await.unwrap().len(), 1);
    assert_eq!(refreshes.load(Ordering::Relaxed), 0, "A clock that differs does not make tokens invalid.");

    clock.set(SKEW + AFTER_EXPIRY);
    let list = async || client.own_items(&ann.project, Notes::TABLE).list().all().await.map(|items| items.len());
    let counts = join_all((0..20).map(|_| list())).await;
    assert!(counts.iter().all(|count| matches!(count, Ok(1))), "{counts:?}");
    notes.put("b", &note("B")).unwrap();
    eventually(async || {
        live.synced().await.unwrap();
        client.own_items(&ann.project, Notes::TABLE).get("b").data().await.ok()
    })
    .await;
    assert_eq!(refreshes.load(Ordering::Relaxed), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_and_a_connection_share_one_refresh_sqlite() {
    tasks_and_a_connection_share_one_refresh(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_and_a_connection_share_one_refresh_postgres() {
    tasks_and_a_connection_share_one_refresh(Backend::Postgres).await;
}
