//! `steward serve`: listens, answers, and stops without cutting off a running request.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer};
use anyhow::Context as _;
use steward_crypto::UuidV7Ids;
use steward_domain::jobs::JobRegistry;
use steward_http::{Api, CredentialCache, InFlight, Metrics, MetricsSources, RateLimiter, Shutdown};
use steward_pages::Pages;

use crate::cli;
use crate::config::Config;
use crate::logging::Logging;
use crate::shutdown;
use crate::wiring;
use crate::workers::Workers;

/// How long running requests may take to finish once the service no longer listens, in seconds.
const SHUTDOWN_TIMEOUT: u64 = 20;
/// How long an idle connection stays open. Longer than common proxies keep theirs, so that they are who closes it: no
/// request is sent into a connection that is just being closed.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// How long a client may take to send the head of a request.
const REQUEST_HEAD: Duration = Duration::from_secs(10);

/// Serves until SIGTERM or SIGINT.
pub async fn serve(config: &Config, logging: &Logging) -> anyhow::Result<()> {
    wiring::migrate(config)?;
    let steward = wiring::wire(config).await?;
    let metrics = Metrics::new()?;
    let rate_limiter = Arc::new(RateLimiter::new(config.rate_limits));
    let jobs = Arc::new(JobRegistry::default());
    if let Some(address) = config.metrics_bind {
        let (steward, jobs, rate_limiter) = (steward.clone(), jobs.clone(), rate_limiter.clone());
        let dropped_log_lines = Arc::new(logging.dropped_lines());
        let metrics = metrics.clone();
        expose(address, MetricsSources { metrics, steward, jobs, rate_limiter, dropped_log_lines })?;
    }
    let stopping = Shutdown::default();
    let browser_cookie = steward_pages::browser_cookie(config.public_url.is_https());
    let pages = Pages { steward: steward.clone(), browser_cookie };
    let api = Api {
        steward: steward.clone(),
        ids: Arc::new(UuidV7Ids),
        known: Arc::new(CredentialCache::default()),
        rate_limiter,
        in_flight: InFlight::default(),
        metrics,
        shutdown: stopping.clone(),
        environment: config.environment.clone(),
        allow_private_webhooks: config.webhook_allow_private,
        trusted_proxies: config.trusted_proxies.clone().into(),
        browser_cookie,
        error_page: steward_pages::error_page,
    };
    let listener = listen(config.bind)?;
    limit_readers(&listener, config.reader_timeout)?;
    let app = move || {
        App::new()
            .wrap(from_fn(steward_http::scheduled))
            .wrap(from_fn(steward_http::bound_output))
            .wrap(from_fn(steward_http::limit_rate))
            .wrap(from_fn(steward_http::frame))
            .configure(|app| steward_pages::configure(app, &pages))
            .configure(|app| steward_http::configure(app, &api))
    };
    let server = HttpServer::new(app)
        .listen(listener)?
        .client_request_timeout(REQUEST_HEAD)
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(SHUTDOWN_TIMEOUT)
        // Whoever closes their side has left: the work for them ends, instead of going on for nobody.
        .h1_allow_half_closed(false)
        .disable_signals()
        .run();
    let handle = server.handle();

    let workers = Workers::start(&steward, &jobs);
    greet(config)?;
    let ended = tokio::select! {
        ended = server => ended.context("the server failed"),
        stopped = shutdown::on_signal(handle, stopping, config.shutdown_delay) => stopped,
    };
    workers.stop().await;
    ended
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).with_context(|| format!("{address} cannot be listened on; is something else there?"))
}

/// Lets the system close a connection whose reader took nothing of what waits for it for so long. Accepted connections
/// inherit this from their listener.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn limit_readers(listener: &TcpListener, timeout: Duration) -> anyhow::Result<()> {
    socket2::SockRef::from(listener).set_tcp_user_timeout(Some(timeout)).context("the reader timeout cannot be set")
}

/// Other systems close such a connection after a time of their own.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn limit_readers(_: &TcpListener, _: Duration) -> anyhow::Result<()> {
    Ok(())
}

/// Serves the metrics beside the API, as long as the process runs.
fn expose(address: SocketAddr, sources: MetricsSources) -> anyhow::Result<()> {
    let server = HttpServer::new(move || App::new().configure(|app| steward_http::configure_metrics(app, &sources)))
        .workers(1)
        .listen(listen(address)?)?
        .disable_signals()
        .run();
    actix_web::rt::spawn(server);
    Ok(())
}

fn greet(config: &Config) -> anyhow::Result<()> {
    let address = config.public_url.as_str();
    if config.mail.is_none() {
        tracing::warn!("no mail server is set up (STEWARD_SMTP_URL): emails, and the links in them, go to this log");
    }
    tracing::info!(bind = %config.bind, public_url = address, database = ?config.database, "ready");
    cli::print(&format!(
        "Steward {} is ready at {address}\n  sign up         {address}/auth/sign-up\n  API reference   {address}/docs\n  \
         or with curl    curl {address}/auth/signup \
         -H 'Content-Type: application/json' -d '{{\"email\":\"you@example.com\",\"password\":\"...\"}}'",
        env!("CARGO_PKG_VERSION"),
    ))
}
