//! Records the secrets that a service returned, to detect leaks of them in errors, logs and the database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION, SET_COOKIE};
use serde_json::Value;
use steward_domain::kernel::hex;
use url::form_urlencoded;

use crate::actor::PASSWORD;

/// Prefixes of values that are always secrets: opaque tokens, webhook signing secrets, JSON web tokens.
const SECRET_PREFIXES: [&str; 3] = ["stw_", "whsec_", "eyJ"];
/// Minimum length of a secret. Hints of secrets are shorter.
const MIN_SECRET_LENGTH: usize = 20;

/// Number of bytes from which one search for all secrets takes less time than one for each, with its preparation.
const MANY_BYTES: usize = 64 * 1024;

/// All secrets that one service returned in its responses, each with its hexadecimal form.
pub struct SecretLeaks(Mutex<BTreeMap<String, String>>);

impl Default for SecretLeaks {
    fn default() -> Self {
        Self(Mutex::new(BTreeMap::from([with_hex(PASSWORD.to_owned())])))
    }
}

impl SecretLeaks {
    /// Records the secrets in a successful response. Panics if an error response contains a recorded secret, even one
    /// that the caller sent.
    pub fn watch(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) {
        if status.is_client_error() || status.is_server_error() {
            let leaked = self.found_in(body);
            let text = String::from_utf8_lossy(body);
            assert!(leaked.is_empty(), "An error response contains the secrets {leaked:?}: {text}");
            return;
        }
        let mut secrets = self.0.lock().unwrap();
        let json = serde_json::from_slice(body).unwrap_or_default();
        let mut found = secrets_in(&json);
        let cookies = headers.get_all(SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok());
        // The ID of a project is not a secret.
        let cookies = cookies.filter(|cookie| !cookie.contains("steward-docs-project="));
        let values = cookies.filter_map(|cookie| Some(cookie.split(';').next()?.split_once('=')?.1.to_owned()));
        let query = headers.get(LOCATION).and_then(|address| Some(address.to_str().ok()?.split_once('?')?.1));
        let parameters = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let codes = parameters.filter(|(name, _)| name == "code").map(|(_, code)| code.into_owned());
        found.extend(values.chain(codes).filter(|value| value.len() >= MIN_SECRET_LENGTH));
        secrets.extend(found.into_iter().map(with_hex));
    }

    /// Forgets all secrets recorded so far.
    pub fn forget(&self) {
        self.0.lock().unwrap().clear();
    }

    /// Returns the recorded secrets that occur in these bytes, verbatim or in hexadecimal.
    pub fn found_in(&self, bytes: &[u8]) -> Vec<String> {
        let secrets = self.0.lock().unwrap();
        if bytes.len() < MANY_BYTES {
            let text = String::from_utf8_lossy(bytes);
            let is_found = |(secret, hex): &(&String, &String)| text.contains(*secret) || text.contains(*hex);
            return secrets.iter().filter(is_found).map(|(secret, _)| secret.clone()).collect();
        }
        let patterns = secrets.iter().flat_map(|(secret, hex)| [secret, hex]);
        // An automaton of the other kind takes longer to build than to search a database.
        let searcher = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(patterns).unwrap();
        let found: BTreeSet<usize> =
            searcher.find_overlapping_iter(bytes).map(|found| found.pattern().as_usize() / 2).collect();
        let is_found = |(index, secret): (usize, &String)| found.contains(&index).then(|| secret.clone());
        secrets.keys().enumerate().filter_map(is_found).collect()
    }
}

/// The values in a body that are always secrets.
pub fn secrets_in(body: &Value) -> BTreeSet<String> {
    let mut secrets = BTreeSet::new();
    collect(body, &mut secrets);
    secrets
}

fn with_hex(secret: String) -> (String, String) {
    let hex = hex::encode(secret.as_bytes());
    (secret, hex)
}

fn collect(value: &Value, secrets: &mut BTreeSet<String>) {
    match value {
        Value::String(text)
            if text.len() >= MIN_SECRET_LENGTH && SECRET_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) =>
        {
            secrets.insert(text.clone());
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, secrets)),
        Value::Object(members) => members.values().for_each(|member| collect(member, secrets)),
        _ => {}
    }
}
