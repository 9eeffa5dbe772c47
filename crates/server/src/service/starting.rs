//! The start on PostgreSQL: waits for a database that is absent, is being migrated or is not migrated yet. Until then
//! it responds to health checks.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use actix_web::web::ServiceConfig;
use actix_web::{App, HttpServer};
use socket2::Socket;
use steward_domain::Steward;
use steward_domain::kernel::StoreError;
use steward_domain::kernel::error::Error;
use steward_http::Waiting;
use steward_store::OpenError;
use tokio::time::sleep;

use crate::config::{Config, Database};
use crate::files::new_database;
use crate::in_thread::in_thread;
use crate::wiring;

use super::connection::socket::{self, METRICS_BIND};
use super::migration_metrics;
use super::shutdown::Signals;

/// A start that takes no longer than this needs no responses.
const QUICK: Duration = Duration::from_secs(1);
/// Pause after a failed attempt.
const RETRY: Duration = Duration::from_secs(1);
/// Time after which the log repeats why the service is not ready.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// Migrates the database and wires the service. On PostgreSQL, waits until that is possible; until then the socket
/// responds with 503, and to the liveness check with 200. Returns `None` if a signal stops the process.
pub async fn start(config: &Config, socket: &Socket, signals: &mut Signals) -> anyhow::Result<Option<Arc<Steward>>> {
    let Database::Postgres(url) = &config.database else {
        new_database::warn(config);
        wiring::migrate(&config.database)?;
        return wiring::wire(config).await.map(Some);
    };
    let metrics = config.values.metrics_bind.map(|address| (address, url.as_str()));
    let mut responses = Responses { socket, metrics, waiting: Waiting::default(), servers: None };
    let mut reported: Option<(String, Instant)> = None;
    let steward = loop {
        let error = tokio::select! {
            result = responses.during(attempt(config)) => match result {
                Ok(steward) => break steward,
                Err(error) if is_temporary(&error) => error,
                Err(error) => return Err(error),
            },
            _ = signals.next() => return Ok(None),
        };
        let reason = format!("{error:#}");
        responses.waiting.set(waits_for(&error));
        if reported.as_ref().is_none_or(|(last, at)| *last != reason || at.elapsed() >= REPORT_INTERVAL) {
            tracing::warn!(error = reason, "The service is not ready. It tries again every second.");
            reported = Some((reason, Instant::now()));
        }
        tokio::select! {
            () = responses.during(sleep(RETRY)) => {}
            _ = signals.next() => return Ok(None),
        }
    };
    responses.end().await;
    Ok(Some(steward))
}

async fn attempt(config: &Config) -> anyhow::Result<Arc<Steward>> {
    if config.values.migrates {
        let database = config.database.clone();
        in_thread(move || wiring::migrate(&database)).await?;
    }
    wiring::wire(config).await
}

/// Returns whether the start may succeed later without a change of the settings.
fn is_temporary(error: &anyhow::Error) -> bool {
    match error.downcast_ref::<OpenError>() {
        Some(OpenError::Connect(_) | OpenError::Outdated | OpenError::Migrate(_)) => true,
        Some(_) => false,
        None => error.chain().any(|cause| {
            matches!(cause.downcast_ref::<StoreError>(), Some(StoreError::Unavailable(_)))
                || matches!(cause.downcast_ref::<Error>(), Some(Error::Unavailable(_)))
        }),
    }
}

/// Returns what the responses say. The error itself may name hosts and users.
fn waits_for(error: &anyhow::Error) -> &'static str {
    match error.downcast_ref::<OpenError>() {
        Some(OpenError::Outdated) => "The database is not migrated yet. Run `steward migrate`.",
        Some(OpenError::Migrate(_)) => "The database cannot be migrated. See the log of the service.",
        _ => "The database is unavailable.",
    }
}

/// The servers that respond while the service is not ready.
struct Responses<'a> {
    socket: &'a Socket,
    /// Where metrics are served, and the database whose migration they report.
    metrics: Option<(SocketAddr, &'a str)>,
    waiting: Waiting,
    servers: Option<Vec<ServerHandle>>,
}

impl Responses<'_> {
    /// Waits for a future. Begins to respond if that takes longer than [`QUICK`].
    async fn during<T>(&mut self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        if self.servers.is_none() {
            tokio::select! {
                result = &mut future => return result,
                () = sleep(QUICK) => {}
            }
            let responds = self.respond();
            if let Err(error) = &responds {
                tracing::warn!(error = %format_args!("{error:#}"), "Cannot respond to health checks yet.");
            }
            self.servers = Some(responds.unwrap_or_default());
        }
        future.await
    }

    fn respond(&self) -> anyhow::Result<Vec<ServerHandle>> {
        let waiting = self.waiting.clone();
        let mut servers = vec![serve(self.socket, move |app| steward_http::configure_waiting(app, &waiting))?];
        if let Some((address, url)) = self.metrics {
            let (socket, url) = (socket::reserve(address, METRICS_BIND)?, url.to_owned());
            servers.push(serve(&socket, move |app| migration_metrics::configure(app, &url))?);
        }
        Ok(servers)
    }

    /// Ends the responses. The socket stays open, so that no connection is refused.
    async fn end(self) {
        for server in self.servers.into_iter().flatten() {
            server.stop(true).await;
        }
    }
}

/// Starts a small server on a socket.
pub fn serve(
    socket: &Socket,
    configure: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
) -> anyhow::Result<ServerHandle> {
    let listener = socket::listen(socket)?;
    let app = move || App::new().configure(configure.clone());
    let server = HttpServer::new(app).workers(1).shutdown_timeout(1).listen(listener)?.disable_signals().run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    Ok(handle)
}
