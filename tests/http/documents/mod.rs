//! Texts that people read: the documentation and its commands, the help, and the pages.

mod docs;
mod guides;
mod packages;
mod reference_samples;
pub mod snapshots;
mod tour;
