//! Access policy: permissions, roles, the table of operations, rate limits, quotas, and the permit that every write
//! requires. Contains only data and pure functions.

mod account_rules;
mod actor;
mod authority_change;
mod authority_end;
mod conditions;
mod confirmation;
mod endable;
mod lane;
mod operation;
mod permission;
mod permit;
mod quota;
mod rate_limit;
mod replay;
mod roles;

pub use account_rules::{AccountRules, AccountStanding, UnmetCondition};
pub use actor::Actor;
pub use authority_change::{AuthorityChange, CONFIRMATION_TTL, LastSignIn};
pub use authority_end::{AuthorityEffect, AuthorityEvent, AuthorityKind};
pub use conditions::Conditions;
pub use confirmation::Confirmation;
pub use endable::{EndableKind, EndableKinds, UnknownKind};
pub use lane::Lane;
pub use operation::{Callers, Effect, Operation, Requirement, Rule};
pub use permission::{Permission, PermissionSet};
pub use permit::Permit;
pub(crate) use permit::accepts;
pub use quota::{Quota, Quotas};
pub use rate_limit::{ActionLimit, LimitedAction};
pub use replay::Replay;
pub use roles::{InvalidRoles, KeyRoles, Role, RoleSet};
