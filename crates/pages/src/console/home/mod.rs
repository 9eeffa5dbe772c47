//! Where a person starts: the home page, the first steps, and search.

pub(crate) mod first_run;
pub(crate) mod overview;
pub(crate) mod search;
