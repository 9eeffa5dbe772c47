//! The signals that stop a process, and graceful shutdown of the service. First the service reports that it is not
//! ready and closes each connection after its next response, while it still accepts requests. Then it stops listening,
//! and running requests finish.

use std::time::Duration;

use actix_web::dev::ServerHandle;
use anyhow::Context as _;
use steward_web::Shutdown;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

/// Listens for the signals that stop the process.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Begins to listen: from now on, a signal no longer ends the process by itself.
    pub fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("Cannot listen for signals");
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    /// Waits for the next signal: SIGTERM of a supervisor that stops this instance, which may be behind a proxy, or SIGINT
    /// of a person at a terminal.
    pub async fn next(&mut self) -> SignalKind {
        tokio::select! {
            _ = self.terminate.recv() => SignalKind::terminate(),
            _ = self.interrupt.recv() => SignalKind::interrupt(),
        }
    }
}

/// Waits for a signal, then stops the server. After SIGTERM the server keeps listening for `delay`. A further
/// signal skips the rest of the delay, and another one aborts the running requests.
pub async fn on_signal(mut signals: Signals, server: ServerHandle, shutdown: Shutdown, delay: Duration) {
    let first = signals.next().await;
    shutdown.begin();
    if first == SignalKind::terminate() && !delay.is_zero() {
        tracing::info!(?delay, "Shutting down: no longer ready, still listening.");
        tokio::select! {
            () = sleep(delay) => {}
            _ = signals.next() => {}
        }
    }
    tracing::info!("Shutting down: no new connections, waiting for running requests.");
    tokio::select! {
        () = server.stop(true) => {}
        _ = signals.next() => tracing::warn!("Shutting down immediately: running requests are aborted."),
    }
}
