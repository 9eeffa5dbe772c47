//! OAuth 2.0 and OpenID Connect (docs/contract.md#authorization-endpoint): authorizing clients.

pub(super) mod authorize;
pub(super) mod code;
pub(super) mod device;
pub(super) mod device_authorization;
#[cfg(test)]
pub(crate) mod fixtures;
mod interaction;
mod issue_code;
pub(super) mod parameters;
pub(crate) mod port;
pub(super) mod pushed;
pub(super) mod refused_requests;
pub(super) mod request;
mod response;
pub(super) mod response_mode;
pub(super) mod scope;
pub(super) mod session;
pub(super) mod step;
mod stored_response;
