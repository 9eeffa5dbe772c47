//! Tokens: issuing, checking and revoking them.

pub(super) mod audience;
pub(super) mod claims;
mod client_credentials;
pub(super) mod family;
pub(super) mod grant_type;
pub(super) mod introspect;
pub(crate) mod port;
pub(super) mod proofs;
mod redeem_code;
mod refresh;
mod revoke;
pub(super) mod tokens;
pub(super) mod used_ids;
