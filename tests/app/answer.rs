//! A response and assertions on it.

use std::ops::Index;

use reqwest::header::HeaderMap;
use reqwest::{Response, StatusCode};
use serde_json::Value;

/// A response that was read completely.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Method and path of the request, for assertion messages.
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

    /// The body as JSON; null if the body is empty.
    pub fn json(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self}"))
    }

    /// A header as text; empty if the header is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Asserts the status and returns the body.
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

    /// Asserts an error response with this status and code and returns the body.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Body {
        let description = self.to_string();
        let body = self.is(status);
        assert_eq!(body["error"], code, "{description}");
        assert!(body["message"].as_str().is_some_and(|message| !message.is_empty()), "{description}");
        body
    }

    #[track_caller]
    pub fn is_forbidden(self) -> Body {
        self.refused(403, "forbidden")
    }

    #[track_caller]
    pub fn is_not_found(self) -> Body {
        self.refused(404, "not_found")
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} -> {} {}", self.request, self.status, String::from_utf8_lossy(&self.body))
    }
}

/// The JSON body of a response whose status was asserted.
#[derive(Debug, Clone, PartialEq)]
pub struct Body(pub Value);

impl Body {
    /// ID of the created resource.
    pub fn id(&self) -> String {
        self.0["data"]["id"].as_str().unwrap_or_else(|| panic!("The response has no `data.id`: {self:?}")).to_owned()
    }
}

impl Index<&str> for Body {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        &self.0[name]
    }
}
