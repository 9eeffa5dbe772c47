//! A device with a passkey, with a library that the service does not use.

use passkey::authenticator::{Authenticator, UiHint, UserCheck, UserValidationMethod};
use passkey::client::Client;
use passkey::crypto::hash::Sha256Backend as _;
use passkey::crypto::rust_crypto::{RustCryptoBackend, RustCryptoSha2};
use passkey_types::Passkey;
use passkey_types::ctap2::{Aaguid, Ctap2Error};
use passkey_types::webauthn::{CredentialCreationOptions, CredentialRequestOptions};
use scraper::{Html, Selector};
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;

use crate::{App, Browser, Page};

const NEW: &str = "/console/account/passkeys/new";

/// A device that stores one passkey.
#[derive(Clone)]
pub struct PasskeyDevice {
    passkey: Option<Passkey>,
    /// Whether the device recognizes its holder, rather than anyone who touches it.
    pub is_verified: bool,
    /// Whether the device counts the uses. Synced passkeys are not counted.
    pub has_counter: bool,
    /// The site that the device believes to be at.
    pub origin: Url,
    /// What the browser adds to the data that the device signs, such as `crossOrigin` in a frame of another site.
    pub frame: Option<Value>,
}

/// The holder of a device, who agrees to everything.
struct Person {
    is_verified: bool,
}

#[async_trait::async_trait]
impl UserValidationMethod for Person {
    type PasskeyItem = Passkey;

    async fn check_user<'a>(&self, _: UiHint<'a, Passkey>, presence: bool, _: bool) -> Result<UserCheck, Ctap2Error> {
        Ok(UserCheck { presence, verification: self.is_verified })
    }

    fn is_presence_enabled(&self) -> bool {
        true
    }

    fn is_verification_enabled(&self) -> Option<bool> {
        Some(true)
    }
}

/// The challenge of a page, and what its form sends back with the response.
#[derive(Debug, Clone)]
pub struct PasskeyForm {
    pub options: Value,
    pub action: String,
}

impl PasskeyDevice {
    pub fn new(app: &App) -> Self {
        let origin = Url::parse(&app.base).unwrap();
        Self { passkey: None, is_verified: true, has_counter: true, origin, frame: None }
    }

    fn authenticator(&self) -> Authenticator<Option<Passkey>, Person, RustCryptoBackend> {
        let (holder, stored) = (Person { is_verified: self.is_verified }, self.passkey.clone());
        let mut device = Authenticator::new(Aaguid::new_empty(), stored, holder, RustCryptoBackend);
        device.set_make_credentials_with_signature_counter(self.has_counter);
        device
    }

    /// Sets up a passkey for the person who is signed in. Returns the page that follows.
    pub async fn set_up(&mut self, browser: &Browser, name: &str) -> Page {
        let page = browser.open(NEW).await;
        let response = self.create(&PasskeyForm::of(&page)).await;
        browser.submit(&page, NEW, &[("name", name), ("response", &response)]).await
    }

    /// Makes a passkey. Returns the response for the form.
    pub async fn create(&mut self, form: &PasskeyForm) -> String {
        let request: CredentialCreationOptions = serde_json::from_value(json!({"publicKey": form.options})).unwrap();
        let mut client = Client::new(self.authenticator()).allows_insecure_localhost(true);
        let data = self.data_in_frame("webauthn.create", form);
        let mut response = client.register(&self.origin, request, data.as_deref().map(hash)).await.unwrap();
        if let Some(data) = data {
            response.response.client_data_json = data.into();
        }
        self.passkey = client.authenticator().store().clone();
        text(&response)
    }

    /// Answers the challenge of a page. Returns the response for the form.
    pub async fn response(&mut self, form: &PasskeyForm) -> String {
        let request: CredentialRequestOptions = serde_json::from_value(json!({"publicKey": form.options})).unwrap();
        let mut client = Client::new(self.authenticator()).allows_insecure_localhost(true);
        let data = self.data_in_frame("webauthn.get", form);
        let mut response = client.authenticate(&self.origin, request, data.as_deref().map(hash)).await.unwrap();
        if let Some(data) = data {
            response.response.client_data_json = data.into();
        }
        self.passkey = client.authenticator().store().clone();
        text(&response)
    }

    /// The data that a browser collects in a frame (WebAuthn §5.8.1). Outside of frames, the library collects it.
    fn data_in_frame(&self, kind: &str, form: &PasskeyForm) -> Option<Vec<u8>> {
        let frame = self.frame.as_ref()?.as_object().unwrap().clone();
        let origin = self.origin.origin().ascii_serialization();
        let mut data = json!({"type": kind, "challenge": form.options["challenge"], "origin": origin});
        data.as_object_mut().unwrap().extend(frame);
        Some(data.to_string().into_bytes())
    }

    /// Submits the form of a page with a response. Returns the page that follows.
    pub async fn use_at(&mut self, browser: &Browser, page: &Page) -> Page {
        let form = PasskeyForm::of(page);
        let response = self.response(&form).await;
        let field = if page.html.contains("confirm_response") { "confirm_response" } else { "response" };
        browser.submit(page, &form.action, &[(field, &response)]).await
    }
}

impl PasskeyForm {
    /// The form of a page. Panics if it has none.
    pub fn of(page: &Page) -> Self {
        let (html, selector) = (Html::parse_document(&page.html), Selector::parse("form[data-passkey]").unwrap());
        let form = html.select(&selector).next().unwrap_or_else(|| panic!("There is no form for a passkey: {page}"));
        let attribute = |name| form.attr(name).unwrap();
        Self {
            options: serde_json::from_str(attribute("data-options")).unwrap(),
            action: attribute("action").to_owned(),
        }
    }
}

fn hash(data: &[u8]) -> Vec<u8> {
    RustCryptoSha2::sha256(data).to_vec()
}

fn text(response: &impl Serialize) -> String {
    serde_json::to_string(response).unwrap()
}
