//! `steward serve`: runs the service and shuts it down without aborting running requests.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::App;
use actix_web::middleware::from_fn;
use actix_web::web::{Data, ServiceConfig};
use anyhow::Context as _;
use steward_crypto::UuidV7Ids;
use steward_domain::Steward;
use steward_domain::identity::SignUpMode;
use steward_domain::kernel::Secret;
use steward_http::{Api, MetricsSources, Rest, SyncHub, SyncLimits};
use steward_pages::Pages;
use steward_web::{CredentialCache, InFlight, RateLimiter, RequestMetrics, Shutdown, Web};

use crate::config::{Config, Database, absolute};
use crate::files::private_files;
use crate::logging::Logging;
use crate::terminal;

use super::connection::http_server;
use super::connection::socket::{METRICS_BIND, listen, reserve};
use super::shutdown::{self, Signals};
use super::starting;
use super::workers::Workers;

/// Runs the service until SIGTERM or SIGINT.
pub async fn serve(config: &Config, logging: &Logging) -> anyhow::Result<()> {
    // First, so that a second service does not even create files. It accepts connections when it is ready.
    let socket = reserve(config.values.bind, "STEWARD_BIND")?;
    private_files::protect(config);
    // Before the first request is accepted: a program may stop the service once it is ready.
    let mut signals = Signals::listen()?;
    let Some(steward) = starting::start(config, &socket, &mut signals).await? else { return Ok(()) };
    let pages = pages(config, &steward);
    let web = web(config, &pages)?;
    let (jobs, stopping) = (steward.jobs.clone(), web.shutdown.clone());
    let (connections, unauthenticated) = (config.values.sync_connections, config.values.sync_unauthenticated);
    let sync = SyncHub::start(steward.clone(), stopping.clone(), SyncLimits { connections, unauthenticated });
    if let Some(address) = config.values.metrics_bind {
        let (steward, jobs, sync) = (steward.clone(), jobs.clone(), sync.clone());
        let dropped_log_lines = Arc::new(logging.dropped_lines());
        expose(address, MetricsSources { web: web.clone(), steward, jobs, sync, dropped_log_lines })?;
    }
    let api = api(config, &web, sync);
    let listener = listen(&socket)?;
    // Otherwise connections would still be accepted after the server stops listening.
    drop(socket);
    limit_readers(&listener, config.values.reader_timeout)?;
    let app = move || {
        App::new()
            .wrap(from_fn(steward_web::serve))
            .app_data(Data::new(web.clone()))
            .configure(|app| steward_pages::configure(app, &pages, steward_http::service()))
            .configure(|app| steward_http::configure(app, &api))
    };
    let server = http_server::start(listener, app)?;
    let handle = server.handle();

    let workers = Workers::start(&steward, &jobs);
    report_ready(config, first_operator_link(&steward).await.as_ref())?;
    let result = tokio::select! {
        result = server => result.context("The server failed"),
        () = shutdown::on_signal(signals, handle, stopping, config.values.shutdown_delay) => Ok(()),
    };
    workers.stop().await;
    result
}

fn pages(config: &Config, steward: &Arc<Steward>) -> Pages {
    let browser_cookie = steward_pages::browser_cookie(config.public_url.is_https());
    let values = &config.values;
    Pages::new(steward.clone(), browser_cookie, values.webhook_allow_private, values.security_contacts.clone())
}

/// Wires what API and pages share to both of them.
fn web(config: &Config, pages: &Pages) -> anyhow::Result<Web> {
    Ok(Web {
        steward: pages.steward.clone(),
        ids: Arc::new(UuidV7Ids),
        credentials: Arc::new(CredentialCache::new(pages.steward.authentication.known().clone(), pages.browser_cookie)),
        rate_limiter: Arc::new(RateLimiter::new(config.rate_limits)),
        in_flight: InFlight::default(),
        metrics: RequestMetrics::new()?,
        outage_log: Arc::default(),
        shutdown: Shutdown::default(),
        trusted_proxies: config.values.trusted_proxies.clone().into(),
        rest: Arc::new(Rest),
        pages: Arc::new(pages.clone()),
    })
}

fn api(config: &Config, web: &Web, sync: Arc<SyncHub>) -> Api {
    Api {
        steward: web.steward.clone(),
        web: web.clone(),
        sync,
        environment: config.values.environment.clone(),
        allow_private_webhooks: config.values.webhook_allow_private,
        openapi: steward_http::openapi_json,
    }
}

/// Lets the operating system close a connection if the client does not read pending data for `timeout`. Accepted
/// connections inherit this option from the listener.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn limit_readers(listener: &TcpListener, timeout: Duration) -> anyhow::Result<()> {
    socket2::SockRef::from(listener).set_tcp_user_timeout(Some(timeout)).context("Cannot set the reader timeout")
}

/// Other operating systems close such connections after their own timeouts.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn limit_readers(_: &TcpListener, _: Duration) -> anyhow::Result<()> {
    Ok(())
}

/// Serves the metrics on a separate address for as long as the process runs.
fn expose(address: SocketAddr, sources: MetricsSources) -> anyhow::Result<()> {
    let configure = move |app: &mut ServiceConfig| steward_http::configure_metrics(app, &sources);
    starting::serve(&reserve(address, METRICS_BIND)?, configure).map(drop)
}

/// Prints where to go next. `first_operator` is the link with which the first person signs up.
fn report_ready(config: &Config, first_operator: Option<&Secret>) -> anyhow::Result<()> {
    let address = config.public_url.as_str();
    if config.mail.is_none() {
        tracing::warn!(
            "No mail server is configured, so emails and their links are written to this log. Set STEWARD_SMTP_URL."
        );
    }
    tracing::info!(bind = %config.values.bind, public_url = address, database = ?config.database, "The service is ready.");
    let next = match first_operator {
        Some(link) => format!("First account   {}", link.expose()),
        None if config.values.sign_up_mode == SignUpMode::Open => format!("Sign up         {address}/auth/sign-up"),
        None => format!("Sign in         {address}/auth/sign-in"),
    };
    let version = env!("CARGO_PKG_VERSION");
    let data = match &config.database {
        Database::Sqlite(path) => format!("\n  Database        {}", absolute(path).display()),
        Database::Postgres(_) => String::new(),
    };
    terminal::print(&format!(
        "Steward {version} is ready at {address}\n  {next}\n  Documentation   {address}/docs{data}"
    ))
}

/// Returns and logs the link with which the first person signs up as operator, unless the service is claimed.
async fn first_operator_link(steward: &Steward) -> Option<Secret> {
    let link = steward.first_operator.link().await.unwrap_or_else(|error| {
        let error = anyhow::Error::new(error);
        tracing::warn!(error = %error.root_cause(), "Cannot create the link of the first operator.");
        None
    });
    if let Some(link) = &link {
        let link = link.expose();
        tracing::warn!(
            link,
            "This service has not been set up. Open this link to create its first account, as operator."
        );
    }
    link
}
