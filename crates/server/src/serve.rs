//! `steward serve`: listens, answers, and stops without cutting off a running request.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer};
use anyhow::Context as _;
use steward_crypto::UuidV7Ids;
use steward_domain::ports::SweepMoments;
use steward_domain::usecases::Steward;
use steward_http::{Api, KnownCredentials, Metrics};
use steward_pages::Pages;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::MissedTickBehavior;

use crate::cli;
use crate::config::Config;
use crate::wiring;

/// How long running requests may take to finish once the service is told to stop, in seconds.
const FAREWELL: u64 = 20;
/// How long a client may take to send the head of a request.
const REQUEST_HEAD: Duration = Duration::from_secs(10);
/// How often the keys that other servers made are looked for.
const KEY_RELOAD: Duration = Duration::from_secs(60);
/// How often it is written down when credentials were last used.
const USAGE: Duration = Duration::from_secs(5);

/// How often events get their places in the audit chains.
const SEALING: Duration = Duration::from_millis(500);

/// How often what has expired is removed, and how much of each kind in one transaction.
const SWEEP: Duration = Duration::from_secs(60);
const SWEPT_AT_ONCE: u16 = 1000;

/// How often newly published schemas are looked for, how many items are keyed in one transaction, and how long others have
/// for their writes before the next.
const INDEX: Duration = Duration::from_secs(2);
const INDEXED_AT_ONCE: u16 = 500;
const INDEX_PAUSE: Duration = Duration::from_millis(20);

/// Serves until SIGTERM or SIGINT.
pub async fn serve(config: &Config) -> anyhow::Result<()> {
    let steward = wiring::wire(config).await?;
    let metrics = Metrics::new()?;
    if let Some(address) = config.metrics_bind {
        expose(address, metrics.clone())?;
    }
    let browser_cookie = steward_pages::browser_cookie(config.public_url.is_https());
    let pages = Pages { steward: steward.clone(), browser_cookie };
    let api = Api {
        steward: steward.clone(),
        ids: Arc::new(UuidV7Ids),
        known: Arc::new(KnownCredentials::default()),
        metrics,
        environment: config.environment.clone(),
        allow_private_webhooks: config.webhook_allow_private,
        trusted_proxies: config.trusted_proxies.clone().into(),
        browser_cookie,
        fault_page: steward_pages::fault_page,
    };
    let listener = listen(config.bind)?;
    let app = move || {
        App::new()
            .wrap(from_fn(steward_http::frame))
            .configure(|app| steward_pages::configure(app, &pages))
            .configure(|app| steward_http::configure(app, &api))
    };
    let server = HttpServer::new(app)
        .listen(listener)?
        .client_request_timeout(REQUEST_HEAD)
        .shutdown_timeout(FAREWELL)
        .disable_signals()
        .run();
    let handle = server.handle();

    actix_web::rt::spawn(reload_keys(steward.clone()));
    actix_web::rt::spawn(write_down_usage(steward.clone()));
    actix_web::rt::spawn(tell_webhooks(steward.clone()));
    actix_web::rt::spawn(sweep(steward.clone()));
    actix_web::rt::spawn(index(steward.clone()));
    actix_web::rt::spawn(async move {
        match told_to_stop().await {
            Ok(()) => tracing::info!("stopping: no new requests, running ones may finish"),
            Err(error) => tracing::error!(%error, "signals cannot be listened for; stopping"),
        }
        handle.stop(true).await;
    });
    greet(config)?;
    let ended = server.await.context("the server failed");
    tell_usage(&steward).await;
    ended
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).with_context(|| format!("{address} cannot be listened on; is something else there?"))
}

/// Serves the metrics beside the API, as long as the process runs.
fn expose(address: SocketAddr, metrics: Metrics) -> anyhow::Result<()> {
    let server = HttpServer::new(move || App::new().configure(|app| steward_http::configure_metrics(app, &metrics)))
        .workers(1)
        .listen(listen(address)?)?
        .disable_signals()
        .run();
    actix_web::rt::spawn(server);
    Ok(())
}

async fn told_to_stop() -> std::io::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

async fn reload_keys(steward: Arc<Steward>) {
    let mut beat = tokio::time::interval(KEY_RELOAD);
    loop {
        beat.tick().await;
        if let Err(error) = steward.server_keys.reload().await {
            tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "the server's keys could not be reloaded");
        }
    }
}

async fn write_down_usage(steward: Arc<Steward>) {
    let mut beat = tokio::time::interval(USAGE);
    loop {
        beat.tick().await;
        tell_usage(&steward).await;
    }
}

async fn tell_usage(steward: &Steward) {
    if let Err(error) = steward.usage.write_down().await {
        tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "the use of keys could not be written down");
    }
}

/// Gives events their places in the audit chains, and tells the webhooks that wait for them.
async fn tell_webhooks(steward: Arc<Steward>) {
    let mut beat = tokio::time::interval(SEALING);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beat.tick().await;
        if let Err(error) = steward.audit.seal().await {
            tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "the audit log could not be sealed");
        }
        match steward.deliveries.due().await {
            Ok(due) => due.into_iter().for_each(|due| {
                let steward = steward.clone();
                actix_web::rt::spawn(async move {
                    if let Err(error) = steward.deliveries.deliver(due).await {
                        tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "a webhook could not be told");
                    }
                });
            }),
            Err(error) => {
                tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "no webhooks could be claimed");
            }
        }
    }
}

/// Removes what means nothing any more.
async fn sweep(steward: Arc<Steward>) {
    let mut beat = tokio::time::interval(SWEEP);
    loop {
        beat.tick().await;
        forget_audit(&steward).await;
        match steward.remains.remove_all().await {
            Ok(0) => {}
            Ok(count) => tracing::debug!(count, "what deleted projects left behind is removed"),
            Err(error) => {
                tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "what deleted projects left behind could not be removed");
            }
        }
        loop {
            match steward.sweeper.sweep(&SweepMoments::at(steward.clock.now()), SWEPT_AT_ONCE).await {
                Ok(0) => break,
                Ok(count) => tracing::debug!(count, "what had expired is removed"),
                Err(error) => {
                    tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "what has expired could not be removed");
                    break;
                }
            }
        }
    }
}

/// Keys items by the fields that newly published schemas call indexed.
async fn index(steward: Arc<Steward>) {
    let mut beat = tokio::time::interval(INDEX);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beat.tick().await;
        let mut worked = false;
        loop {
            match steward.indexer.index_items(INDEXED_AT_ONCE).await {
                Ok(true) => {
                    worked = true;
                    tokio::time::sleep(INDEX_PAUSE).await;
                }
                Ok(false) => {
                    if worked {
                        tracing::info!("items are keyed by the fields that schemas call indexed");
                    }
                    break;
                }
                Err(error) => {
                    tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "items could not be indexed");
                    break;
                }
            }
        }
    }
}

/// Forgets what is older than the audit log has to be kept.
async fn forget_audit(steward: &Steward) {
    loop {
        match steward.audit.forget().await {
            Ok(0) => break,
            Ok(count) => tracing::debug!(count, "old events of the audit log are forgotten"),
            Err(error) => {
                tracing::warn!(error = %anyhow::Error::new(error).root_cause(), "old events could not be forgotten");
                break;
            }
        }
    }
}

fn greet(config: &Config) -> anyhow::Result<()> {
    let address = config.public_url.as_str();
    if config.mail.is_none() {
        tracing::warn!("no mail server is set up (STEWARD_SMTP_URL): letters, and the links in them, go to this log");
    }
    tracing::info!(bind = %config.bind, public_url = address, database = ?config.database, "ready");
    cli::print(&format!(
        "Steward {} is ready at {address}\n  sign up         {address}/auth/sign-up\n  API reference   {address}/docs\n  \
         or with curl    curl {address}/auth/signup \
         -H 'Content-Type: application/json' -d '{{\"email\":\"you@example.com\",\"password\":\"...\"}}'",
        env!("CARGO_PKG_VERSION"),
    ))
}
