//! Tests of the pages in Debian's Chromium, controlled over WebDriver.

mod accessibility;
mod chrome;
mod console;
mod devices;
mod email_codes;
mod identity_providers;
mod looks;
mod passkeys;
mod reference;
mod relying_party;
mod sign_in;
