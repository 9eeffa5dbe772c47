//! The groups of operations that a client has. Each operation is one line: the types and the path of its request follow
//! from its row.

mod administration;
mod data;
mod group;
mod identity;

pub use administration::{AuditLog, Images, Invites, Keys, Members, OwnInvites, Projects, Settings, Teams, Webhooks};
pub use data::{Items, MAX_BATCH_OPERATIONS, Schemas, Tables, Users};
pub use identity::{Account, Apps, IdentityProviders, OAuthClients, Sessions, Tokens};
