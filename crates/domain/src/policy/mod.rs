//! Who may do what: permissions, the roles that bundle them, the one table of operations, and the permits that every
//! write needs. Pure data and pure decisions.

mod attempt;
mod operation;
mod permission;
mod permit;
mod quota;
mod roles;

pub use attempt::{Attempt, AttemptLimit};
pub use operation::{Callers, Lane, Needs, Operation, RateClass, Repeats, Rule};
pub use permission::{Permission, PermissionSet};
pub use permit::{Actor, Permit};
pub use quota::{Quota, Quotas};
pub use roles::{InvalidRoles, KeyRoles, Role, RoleSet};
