//! An authenticator app, with a library that the service does not use.

use std::time::{SystemTime, UNIX_EPOCH};

use totp_rs::{Algorithm, Secret, TOTP};

use crate::{App, Browser};

/// An app that is set up for an account.
pub struct Authenticator {
    codes: TOTP,
    /// The key, without spaces.
    pub key: String,
}

impl Authenticator {
    /// Sets up an app for the person who is signed in. Returns it with the recovery codes.
    pub async fn set_up(browser: &Browser) -> (Self, Vec<String>) {
        let address = "/console/account/two-factor/app";
        let page = browser.open(address).await;
        let app = Self::with_key(&text_of(&page.html, "key"));
        let done = browser.submit(&page, address, &[("code", &app.code(0))]).await;
        assert_eq!(done.heading(), "Your recovery codes", "{done}");
        let codes: Vec<String> = text_of(&done.html, "codes").lines().map(str::to_owned).collect();
        assert_eq!(codes.len(), 10, "{done}");
        (app, codes)
    }

    /// An app with the key that a page shows.
    pub fn with_key(key: &str) -> Self {
        let key = key.replace(' ', "");
        let bytes = Secret::Encoded(key.clone()).to_bytes().unwrap();
        Self { codes: TOTP::new(Algorithm::SHA1, 6, 1, 30, bytes).unwrap(), key }
    }

    /// The code that the app shows, or shows this many steps later. The service accepts the steps before and after.
    #[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
    pub fn code(&self, steps: i64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        self.codes.generate(now.checked_add_signed(steps * 30).unwrap())
    }
}

impl App {
    /// Makes the service accept codes again that were used before, so that a test does not wait for the next one.
    pub fn forget_used_codes(&self) {
        self.execute_sql("UPDATE authenticator_apps SET last_step = 0");
    }
}

/// The text that a page offers to copy.
fn text_of(html: &str, id: &str) -> String {
    let after = html.split(&format!("<code id=\"{id}\">")).nth(1);
    let after = after.unwrap_or_else(|| panic!("There is no value {id} in {html}"));
    after.split("</code>").next().unwrap().to_owned()
}
