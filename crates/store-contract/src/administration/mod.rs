//! Rules for teams, their members and projects, and what they set up for programs.

pub mod api_keys;
pub mod audit_log;
pub mod invites;
pub mod project_cleanup;
pub mod projects;
pub mod teams;
pub mod webhooks;
