//! Teams, their members and projects, and what they set up for programs.

pub(super) mod audit;
pub(super) mod key;
pub(super) mod operator;
pub(super) mod project;
pub(super) mod team;
pub(super) mod webhook;
