//! What the API does differently once the service is asked to stop: it is no longer ready, and it keeps no connection open,
//! so that a proxy moves to another instance before the listener closes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::dev::ServiceResponse;
use actix_web::http::ConnectionType;

/// Whether the service is shutting down. Clones share the state.
#[derive(Debug, Clone, Default)]
pub struct Shutdown(Arc<AtomicBool>);

impl Shutdown {
    /// From now on the service is not ready, and each connection closes after its next response.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has begun.
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Closes the response's connection after it, if the service is shutting down.
    pub(crate) fn apply<B>(&self, response: &mut ServiceResponse<B>) {
        if self.has_begun() {
            response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
        }
    }
}
