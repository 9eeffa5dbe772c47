//! How the service ends. First it only says so: it is not ready, and its connections close with their next response, while
//! it still takes requests. Then it stops listening, and the running requests end.

use std::time::Duration;

use actix_web::dev::ServerHandle;
use anyhow::Context as _;
use steward_http::Shutdown;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

/// Which signal came.
#[derive(PartialEq, Eq)]
enum ReceivedSignal {
    /// SIGTERM: a supervisor stops this instance, and a proxy may stand in front of it.
    Terminate,
    /// SIGINT: a person at a terminal.
    Interrupt,
}

/// The signals that end the service.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be listened for");
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> ReceivedSignal {
        tokio::select! {
            _ = self.terminate.recv() => ReceivedSignal::Terminate,
            _ = self.interrupt.recv() => ReceivedSignal::Interrupt,
        }
    }
}

/// Waits for SIGTERM or SIGINT, then ends the server. After SIGTERM it goes on listening for `delay`. A further signal
/// skips what is left of the delay, and another one the running requests.
pub async fn on_signal(server: ServerHandle, shutdown: Shutdown, delay: Duration) -> anyhow::Result<()> {
    let mut signals = Signals::listen()?;
    let first = signals.next().await;
    shutdown.begin();
    if first == ReceivedSignal::Terminate && !delay.is_zero() {
        tracing::info!(?delay, "shutting down: not ready any more, still listening");
        tokio::select! {
            () = sleep(delay) => {}
            _ = signals.next() => {}
        }
    }
    tracing::info!("shutting down: no new connections, running requests may finish");
    tokio::select! {
        () = server.stop(true) => {}
        _ = signals.next() => tracing::warn!("shut down at once: running requests are cut off"),
    }
    Ok(())
}
