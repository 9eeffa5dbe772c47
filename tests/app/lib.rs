//! Test harness: runs the real binary on a free port with its own database, provides callers (people and API keys), and
//! checks every response against the OpenAPI document.

mod actor;
mod answer;
mod authenticator;
mod browser;
mod bucket;
mod canary;
mod client;
mod clock;
mod cluster;
mod console;
pub mod device;
mod history;
mod identity_provider;
mod mailbox;
mod npm;
mod openapi;
mod operator;
mod passkey;
mod receiver;
mod server;
mod template;

use std::time::{Duration, Instant};

pub use actor::{Actor, PASSWORD, World, notes_schema};
pub use answer::{Answer, Body};
pub use authenticator::Authenticator;
pub use browser::{Browser, Form, Page};
pub use bucket::Bucket;
pub use canary::SecretLeaks;
pub use client::{CHALLENGE, Client, FORM, VERIFIER, parameter};
pub use clock::Clock;
pub use cluster::{Cluster, as_postgres, directory_of_postgres, has_citus, processes_in, program_directory};
pub use console::{ConsoleWorld, console_page, console_pages};
pub use history::History;
pub use identity_provider::{IdentityProvider, ProviderBehavior};
pub use mailbox::{Mail, Mailbox};
pub use npm::{install_npm_package, install_once, install_python_packages, report_missing};
pub use openapi::{Described, OpenApi};
pub use operator::{Operator, binary};
pub use passkey::{PasskeyDevice, PasskeyForm};
pub use receiver::{Received, Receiver};
pub use server::{App, Backend, SECRET, WEAK_PASSWORD_HASHES, free_port};

/// Whether a run leaves out repetitions, because it has a time limit (`STEWARD_TEST_SHORT`).
pub fn is_short() -> bool {
    std::env::var_os("STEWARD_TEST_SHORT").is_some()
}

/// Defines each test for both databases: of what the stores decide, such as races. A test receives the running service.
#[macro_export]
macro_rules! on_both {
    ($($(#[$meta:meta])* async fn $name:ident($app:ident: &App) $body:block)+) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            $(#[$meta])*
            async fn test_case($app: &$crate::App) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                test_case(&$crate::App::start($crate::Backend::Sqlite).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                test_case(&$crate::App::start($crate::Backend::Postgres).await).await;
            }
        }
    )+};
}

/// Defines each test for both databases, like [`on_both`], where the database matters little, because the tested code
/// is above the stores: one test of a concept goes the whole way on both. A short run leaves out those on PostgreSQL:
/// `tests/run.sh` skips `::full::`.
#[macro_export]
macro_rules! on_both_in_full {
    ($($(#[$meta:meta])* async fn $name:ident($app:ident: &App) $body:block)+) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            $(#[$meta])*
            async fn test_case($app: &$crate::App) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                test_case(&$crate::App::start($crate::Backend::Sqlite).await).await;
            }

            mod full {
                use super::*;

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres() {
                    test_case(&$crate::App::start($crate::Backend::Postgres).await).await;
                }
            }
        }
    )+};
}

/// Defines each test for both databases, like [`on_both_in_full`], with a service that sends its emails to the test's
/// mail server.
#[macro_export]
macro_rules! with_mail {
    ($($(#[$meta:meta])* async fn $name:ident($app:ident: &App, $mail:ident: &Mailbox) $body:block)+) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            $(#[$meta])*
            async fn test_case($app: &$crate::App, $mail: &$crate::Mailbox) $body

            async fn run(backend: $crate::Backend) {
                let mail = $crate::Mailbox::start().await;
                test_case(&$crate::App::start_with_mail(backend, &mail, &[]).await, &mail).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run($crate::Backend::Sqlite).await;
            }

            mod full {
                use super::*;

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres() {
                    run($crate::Backend::Postgres).await;
                }
            }
        }
    )+};
}

/// Defines each test for SQLite only: of what is decided above the stores. On both databases, the contract of the
/// stores has a test of each of their rules, and `laws::access` and a test of each concept perform the operations on
/// PostgreSQL.
#[macro_export]
macro_rules! on_sqlite {
    ($($(#[$meta:meta])* async fn $name:ident($app:ident: &App) $body:block)+) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            $(#[$meta])*
            async fn test_case($app: &$crate::App) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                test_case(&$crate::App::start($crate::Backend::Sqlite).await).await;
            }
        }
    )+};
}

/// How long a test waits for something that it needs. Many tests share few cores, so it is much longer than anything
/// takes on an idle machine.
pub const TIMEOUT: Duration = Duration::from_secs(180);

/// Polls until `ask` returns a value. Panics after [`TIMEOUT`]. Use it for work that the service does in the
/// background.
pub async fn eventually<T>(mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        if let Some(value) = ask().await {
            return value;
        }
        assert!(Instant::now() < deadline, "The condition was not met within {TIMEOUT:?}.");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
