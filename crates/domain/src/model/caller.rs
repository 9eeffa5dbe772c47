//! Who calls, as far as their credential tells.

use std::net::IpAddr;

use super::{AccountId, KeyBearer};

/// What one request is known by in the audit trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The request id that the answer carries.
    pub id: String,
    /// The address the request came from. `None` for commands.
    pub address: Option<IpAddr>,
}

/// Whose credential it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// A person, by a first-party token.
    Account(AccountId),
    /// A project's API key.
    Key(Box<KeyBearer>),
}

/// An authenticated caller of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Whose credential it is.
    pub identity: Identity,
    /// The request it came with.
    pub request: Request,
}
