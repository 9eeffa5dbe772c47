//! The secrets that a service gave out, so that it is seen that nothing else of it tells them.

use std::collections::BTreeSet;
use std::sync::Mutex;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION, SET_COOKIE};
use serde_json::Value;
use url::form_urlencoded;

use crate::actor::PASSWORD;

/// How values begin that are secrets wherever they stand: opaque tokens, signing secrets of webhooks, JSON web tokens.
const SECRETS: [&str; 3] = ["stw_", "whsec_", "eyJ"];
/// No secret is shorter; hints of secrets are.
const SHORTEST: usize = 20;

/// Every secret that answers of one service held.
pub struct Canaries(Mutex<BTreeSet<String>>);

impl Default for Canaries {
    fn default() -> Self {
        Self(Mutex::new(BTreeSet::from([PASSWORD.to_owned()])))
    }
}

impl Canaries {
    /// Remembers the secrets in an answer. A refusal must hold none, be it one that the caller sent.
    pub fn watch(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) {
        if status.is_client_error() || status.is_server_error() {
            let told = self.told_by(body);
            assert!(told.is_empty(), "{told:?} in a refusal: {}", String::from_utf8_lossy(body));
            return;
        }
        let mut secrets = self.0.lock().unwrap();
        if let Ok(json) = serde_json::from_slice(body) {
            collect(&json, &mut secrets);
        }
        let cookies = headers.get_all(SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok());
        let values = cookies.filter_map(|cookie| Some(cookie.split(';').next()?.split_once('=')?.1.to_owned()));
        let query = headers.get(LOCATION).and_then(|address| Some(address.to_str().ok()?.split_once('?')?.1));
        let parameters = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let codes = parameters.filter(|(name, _)| name == "code").map(|(_, code)| code.into_owned());
        secrets.extend(values.chain(codes).filter(|value| value.len() >= SHORTEST));
    }

    /// No longer looks for those that it saw until now.
    pub fn forget(&self) {
        self.0.lock().unwrap().clear();
    }

    /// The secrets that stand in some bytes, as they are or in hexadecimal.
    pub fn told_by(&self, bytes: &[u8]) -> Vec<String> {
        let text = String::from_utf8_lossy(bytes);
        let hex = |secret: &str| secret.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
        let secrets = self.0.lock().unwrap();
        secrets.iter().filter(|secret| text.contains(*secret) || text.contains(&hex(secret))).cloned().collect()
    }
}

fn collect(value: &Value, secrets: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.len() >= SHORTEST && SECRETS.iter().any(|begin| text.starts_with(begin)) => {
            secrets.insert(text.clone());
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, secrets)),
        Value::Object(members) => members.values().for_each(|member| collect(member, secrets)),
        _ => {}
    }
}
