//! The users of a project.

pub(crate) mod details;
pub(crate) mod list;
pub(crate) mod scope;
pub(crate) mod test_person;
