//! Teams, their members and projects, and what they set up for programs.

pub(crate) mod api_key;
pub(crate) mod audit;
pub(crate) mod image;
pub(crate) mod invite;
pub(crate) mod member;
pub(crate) mod project;
pub(crate) mod project_summary;
pub(crate) mod request_log;
pub(crate) mod request_stats;
pub(crate) mod settings;
pub(crate) mod team;
pub(crate) mod webhook;
