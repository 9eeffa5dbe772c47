//! `steward serve`: listens, answers, and stops without cutting off a running request.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::{App, HttpServer};
use anyhow::Context as _;
use steward_crypto::UuidV7Ids;
use steward_domain::usecases::Steward;
use steward_http::{Api, Metrics};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli;
use crate::config::Config;
use crate::wiring;

/// How long running requests may take to finish once the service is told to stop, in seconds.
const FAREWELL: u64 = 20;
/// How long a client may take to send the head of a request.
const REQUEST_HEAD: Duration = Duration::from_secs(10);
/// How often the keys that other servers made are looked for.
const KEY_RELOAD: Duration = Duration::from_secs(60);

/// Serves until SIGTERM or SIGINT.
pub async fn serve(config: &Config) -> anyhow::Result<()> {
    let steward = wiring::wire(config).await?;
    let metrics = Metrics::new()?;
    if let Some(address) = config.metrics_bind {
        expose(address, metrics.clone())?;
    }
    let (ids, environment) = (Arc::new(UuidV7Ids), config.environment.clone());
    let api = Api { steward: steward.clone(), ids, metrics, environment };
    let listener = listen(config.bind)?;
    let server = HttpServer::new(move || App::new().configure(|app| steward_http::configure(app, &api)))
        .listen(listener)?
        .client_request_timeout(REQUEST_HEAD)
        .shutdown_timeout(FAREWELL)
        .disable_signals()
        .run();
    let handle = server.handle();

    actix_web::rt::spawn(reload_keys(steward));
    actix_web::rt::spawn(async move {
        match told_to_stop().await {
            Ok(()) => tracing::info!("stopping: no new requests, running ones may finish"),
            Err(error) => tracing::error!(%error, "signals cannot be listened for; stopping"),
        }
        handle.stop(true).await;
    });
    greet(config)?;
    server.await.context("the server failed")
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

fn greet(config: &Config) -> anyhow::Result<()> {
    let address = config.public_url.as_str();
    tracing::info!(bind = %config.bind, public_url = address, database = ?config.database, "ready");
    cli::print(&format!(
        "Steward {} is ready at {address}\n  API reference   {address}/docs\n  first account   curl {address}/auth/signup \
         -H 'Content-Type: application/json' -d '{{\"email\":\"you@example.com\",\"password\":\"...\"}}'",
        env!("CARGO_PKG_VERSION"),
    ))
}
