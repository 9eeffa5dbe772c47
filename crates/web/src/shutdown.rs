//! Graceful shutdown: the service reports that it is not ready and closes each connection after its next response, so
//! that proxies switch to another instance before the listener closes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::dev::ServiceResponse;
use actix_web::http::ConnectionType;

/// Whether the service is shutting down. Clones share the state.
#[derive(Debug, Clone, Default)]
pub struct Shutdown(Arc<AtomicBool>);

impl Shutdown {
    /// Starts the shutdown: the service is not ready, and each connection closes after its next response.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the shutdown has started.
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Closes the connection after this response if the service is shutting down.
    pub(crate) fn apply<B>(&self, response: &mut ServiceResponse<B>) {
        if self.has_begun() {
            response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
        }
    }
}
