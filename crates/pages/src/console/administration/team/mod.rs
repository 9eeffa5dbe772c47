//! Teams: their members, invites and settings.

mod affected;
pub(crate) mod invites;
pub(crate) mod members;
pub(crate) mod overview;
pub(crate) mod ownership;
pub(crate) mod removal;
pub(crate) mod role_choices;
pub(crate) mod settings;
