//! The running service as a test sees it: the real binary on a free port over a database of its own, people and keys who
//! call it, and answers that are checked against the OpenAPI document as they arrive.

mod actor;
mod answer;
mod browser;
mod bucket;
mod canary;
mod client;
mod contract;
mod mailbox;
mod receiver;
mod server;

pub use actor::{Actor, PASSWORD, World, schema_of_notes};
pub use answer::{Answer, Body};
pub use browser::{Browser, Form, Page};
pub use bucket::Bucket;
pub use canary::Canaries;
pub use client::{CHALLENGE, Client, FORM, VERIFIER, parameter};
pub use contract::{Contract, Described};
pub use mailbox::{Mail, Mailbox};
pub use receiver::{Received, Receiver};
pub use server::{App, Backend, Operator, free_port};

/// Stamps each test once for each database. A test takes the running service.
#[macro_export]
macro_rules! on_both {
    ($($(#[$meta:meta])* async fn $name:ident($app:ident: &App) $body:block)+) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            $(#[$meta])*
            async fn claim($app: &$crate::App) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                claim(&$crate::App::start($crate::Backend::Sqlite).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                claim(&$crate::App::start($crate::Backend::Postgres).await).await;
            }
        }
    )+};
}

/// Asks again and again until there is an answer: for what the service does on its own, a little later.
pub async fn eventually<T>(mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..1200 {
        if let Some(answer) = ask().await {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("nothing came of it in a minute")
}
