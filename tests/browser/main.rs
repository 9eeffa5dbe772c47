//! Tests of the pages in Debian's Chromium, controlled over WebDriver.

mod accessibility;
mod chrome;
mod console;
mod devices;
mod docs;
mod email_codes;
mod identity_providers;
mod looks;
mod passkeys;
mod relying_party;
mod sign_in;
