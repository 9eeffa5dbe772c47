//! What the service responds until its database is available for the first time.

use std::sync::{Arc, Mutex, PoisonError};

use actix_web::{HttpResponse, web};

use crate::error::ApiError;
use crate::routes::health::passed;

/// Why the service is not ready yet.
#[derive(Debug, Clone)]
pub struct Waiting(Arc<Mutex<&'static str>>);

impl Default for Waiting {
    fn default() -> Self {
        Self(Arc::new(Mutex::new("The database is being prepared.")))
    }
}

impl Waiting {
    /// Sets the reason, a sentence that anyone may read.
    pub fn set(&self, reason: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    fn reason(&self) -> &'static str {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Mounts the liveness check. All other paths respond with 503 and the reason.
pub fn configure_waiting(app: &mut web::ServiceConfig, waiting: &Waiting) {
    app.app_data(web::Data::new(waiting.clone()))
        .route("/health/live", web::get().to(async || web::Json(passed())))
        .default_service(web::to(not_ready));
}

async fn not_ready(waiting: web::Data<Waiting>) -> Result<HttpResponse, ApiError> {
    Err(ApiError::starting(waiting.reason()))
}
