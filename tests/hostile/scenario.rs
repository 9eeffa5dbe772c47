//! Defines scenarios: tests on both databases that also check the memory of the service.

/// Generates each test for both databases, with a service that has these settings.
macro_rules! scenarios {
    ($settings:expr; $($(#[$meta:meta])* async fn $name:ident($app:ident: &App) $body:block)+) => {$(
        mod $name {
            use super::*;

            $(#[$meta])*
            async fn scenario($app: &App) $body

            async fn run(backend: Backend) {
                let app = App::start_with(backend, $settings).await;
                scenario(&app).await;
                $crate::process::check_memory(&app);
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run(Backend::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                run(Backend::Postgres).await;
            }
        }
    )+};
}

pub(crate) use scenarios;
