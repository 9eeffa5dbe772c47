//! Commands for teams, projects and what they set up.

pub mod audit;
pub mod invite;
pub mod key;
pub mod logs;
pub mod member;
pub mod project;
pub mod team;
pub mod webhook;
