//! Who may do what: permissions, the roles that bundle them, the one table of operations, and the permits that every
//! write needs. Pure data and pure decisions.

mod operation;
mod permission;
mod permit;
mod quota;
mod rate_limit;
mod roles;

pub use operation::{Callers, IdempotencyRule, Lane, Operation, RateClass, Requirement, Rule};
pub use permission::{Permission, PermissionSet};
pub use permit::{Actor, Permit};
pub use quota::{Quota, Quotas};
pub use rate_limit::{ActionLimit, LimitedAction};
pub use roles::{InvalidRoles, KeyRoles, Role, RoleSet};
