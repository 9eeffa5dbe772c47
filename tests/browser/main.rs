//! The pages in a real browser: Debian's Chromium, driven over WebDriver.

mod chrome;
mod looks;
mod relying_party;
mod sign_in;
