//! Teams, their members and projects, and what they set up for programs.

pub(super) mod api_key;
pub(super) mod audit;
pub(super) mod image;
pub(super) mod invite;
pub(super) mod member;
pub(super) mod project;
pub(super) mod request_log;
pub(super) mod request_stats;
pub(super) mod settings;
pub(super) mod team;
pub(super) mod webhook;
