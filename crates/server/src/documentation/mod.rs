//! What the program prints about itself: manual pages, the documentation as a site, and completions of a shell.

pub mod docs;
pub mod man;
