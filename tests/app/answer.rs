//! An answer, and what a test claims of it.

use std::ops::Index;

use reqwest::header::HeaderMap;
use reqwest::{Response, StatusCode};
use serde_json::Value;

/// What came back.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The request, for messages.
    pub request: String,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub async fn read(response: Response, request: String) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await.unwrap().to_vec();
        Self { request, status, headers, body }
    }

    /// The body as JSON; null when there is none.
    pub fn json(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self}"))
    }

    /// A header as text; empty when it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Claims the status; answers the body.
    #[track_caller]
    pub fn is(self, status: u16) -> Body {
        assert_eq!(self.status.as_u16(), status, "{self}");
        Body(self.json())
    }

    #[track_caller]
    pub fn ok(self) -> Body {
        self.is(200)
    }

    #[track_caller]
    pub fn created(self) -> Body {
        self.is(201)
    }

    /// Claims a refusal with this status and code; answers the body.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Body {
        let shown = self.to_string();
        let body = self.is(status);
        assert_eq!(body["error"], code, "{shown}");
        assert!(body["message"].as_str().is_some_and(|message| !message.is_empty()), "{shown}");
        body
    }

    #[track_caller]
    pub fn is_forbidden(self) -> Body {
        self.refused(403, "forbidden")
    }

    #[track_caller]
    pub fn is_unknown(self) -> Body {
        self.refused(404, "not_found")
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} -> {} {}", self.request, self.status, String::from_utf8_lossy(&self.body))
    }
}

/// The JSON body of an answer with the claimed status.
#[derive(Debug, Clone, PartialEq)]
pub struct Body(pub Value);

impl Body {
    /// The id of what was made.
    pub fn id(&self) -> String {
        self.0["data"]["id"].as_str().unwrap_or_else(|| panic!("no id in {self:?}")).to_owned()
    }
}

impl Index<&str> for Body {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        &self.0[name]
    }
}
