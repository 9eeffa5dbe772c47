//! Where a person starts: the home page, the first steps, and search.

#[cfg(debug_assertions)]
pub(crate) mod all_parts;
pub(crate) mod first_run;
pub(crate) mod overview;
pub(crate) mod search;
