//! OAuth 2.0 and OpenID Connect (docs/contract.md#authorization-endpoint): authorizing clients, and issuing,
//! introspecting and revoking tokens.

mod authorize;
mod client;
mod client_assertion;
mod client_authentication;
mod client_credentials;
mod device;
#[cfg(test)]
pub(super) mod fixtures;
mod grants;
mod interaction;
mod introspect;
mod issue_code;
mod logout;
pub(super) mod logout_deliveries;
mod presented_client;
mod pushed;
mod redeem_code;
mod refresh;
mod refused_requests;
mod response;
mod revoke;
mod session;
mod step;
mod stored_response;
mod token;

pub use authorize::{Authorizations, Pending};
pub use client::{Client, ClientOrigin};
pub use device::DeviceCodes;
pub use grants::Grants;
pub(in crate::usecases) use grants::end_grant;
pub use introspect::Introspection;
pub use logout::LogoutRequest;
pub use presented_client::{PresentedAssertion, PresentedClient};
pub use pushed::PushedRequest;
pub use refused_requests::RefusedRequest;
pub use session::ActiveSignIn;
pub use step::{AuthorizationStep, FormPost};
pub use token::{TokenGrants, TokenRequest, Tokens};
