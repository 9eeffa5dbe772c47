//! Teams, members, invites, projects, keys, webhooks, images and the audit log.

mod api_keys;
mod audit;
mod authority;
pub mod images;
mod invite_pages;
mod invite_proofs;
mod invites;
pub mod left_behind;
mod members;
mod projects;
mod quotas;
mod request_log;
mod settings;
mod teams;
mod webhook_ordering;
mod webhooks;
