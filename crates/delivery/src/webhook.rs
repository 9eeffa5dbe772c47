//! Webhooks over HTTP: posted once, never redirected, and kept out of private networks.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::global;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Error};
use steward_domain::model::{WebhookMessage, WebhookUrl, is_public};
use steward_domain::ports::WebhookSender;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// How long a receiver may take to answer (Standard Webhooks: 15 to 30 seconds).
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// What is said of an address that must not be reached.
const PRIVATE: &str = "the address is in a private network";

/// Posts messages.
pub struct HttpWebhookSender {
    client: Client,
    allow_private: bool,
}

impl HttpWebhookSender {
    /// Begins. `allow_private`: whether receivers may be in private networks.
    pub fn new(allow_private: bool) -> Result<Self, Error> {
        // A proxy would reach for us what we must not reach.
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(REQUEST_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .no_proxy();
        let client = if allow_private { client } else { client.dns_resolver(Arc::new(PublicOnly)) };
        Ok(Self { client: client.build()?, allow_private })
    }
}

#[async_trait]
impl WebhookSender for HttpWebhookSender {
    async fn send(&self, url: &WebhookUrl, message: &WebhookMessage) -> Result<u16, String> {
        // Addresses that are spelled out are never resolved: the URL is judged as when it was given.
        let allowed =
            WebhookUrl::parse(url.as_str(), self.allow_private).map_err(|error| format!("the URL {}", error.0))?;
        let span = tracing::info_span!(
            "POST webhook",
            otel.kind = "client",
            otel.status_code = Empty,
            http.request.method = "POST",
            http.response.status_code = Empty,
            steward.message_id = message.id,
        );
        let request = self
            .client
            .post(allowed.as_str())
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, concat!("Steward/", env!("CARGO_PKG_VERSION")))
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", message.timestamp)
            .header("webhook-signature", &message.signature)
            .body(message.body.clone());
        let request =
            trace_context(&span).into_iter().fold(request, |request, (name, value)| request.header(name, value));
        // The body of the answer says nothing to us, and is not read.
        let answer = request.send().await.map(|answer| answer.status());
        match &answer {
            Ok(status) => drop(span.record("http.response.status_code", status.as_u16())),
            Err(_) => drop(span.record("otel.status_code", "ERROR")),
        }
        answer.map(|status| status.as_u16()).map_err(|error| reason(&error))
    }
}

/// The headers that let the receiver continue the trace (W3C Trace Context). Without a collector there are none.
fn trace_context(span: &Span) -> HashMap<String, String> {
    let mut headers = HashMap::new();
    global::get_text_map_propagator(|propagator| propagator.inject_context(&span.context(), &mut headers));
    headers
}

/// Why there was no answer, without the address, which its owner knows.
fn reason(error: &Error) -> String {
    let mut causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    if causes.any(|cause| cause.to_string() == PRIVATE) {
        return PRIVATE.to_owned();
    }
    let what = if error.is_timeout() {
        "the receiver did not answer in time"
    } else if error.is_connect() {
        "the receiver could not be reached"
    } else {
        "the receiver broke off"
    };
    what.to_owned()
}

/// Resolves names to public addresses only, as the connection is made: a name that changes its mind after it was checked
/// gains nothing.
struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<SocketAddr> = found.into_iter().filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err(PRIVATE.into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    fn message() -> WebhookMessage {
        WebhookMessage {
            id: "msg_1".into(),
            timestamp: 7,
            signature: "v1,abc".into(),
            body: "{\"type\":\"team.updated\"}".into(),
        }
    }

    /// A receiver that gives one answer; what it was sent.
    async fn receiver(answer: &'static str) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://localhost:{}/hook", listener.local_addr().unwrap().port());
        let task = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut seen = vec![0; 4096];
            let mut length = 0;
            while !String::from_utf8_lossy(&seen[..length]).contains("team.updated") {
                length += stream.read(&mut seen[length..]).await.unwrap();
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&seen[..length]).into_owned()
        });
        (address, task)
    }

    #[tokio::test]
    async fn a_message_is_posted_with_its_headers_and_redirects_are_not_followed() {
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://localhost:1/\r\nContent-Length: 0\r\n\r\n";
        let (address, seen) = receiver(answer).await;
        let sender = HttpWebhookSender::new(true).unwrap();
        let status = sender.send(&WebhookUrl::parse(&address, true).unwrap(), &message()).await;
        assert_eq!(status, Ok(302));
        let seen = seen.await.unwrap().to_ascii_lowercase();
        for header in ["post /hook http/1.1", "webhook-id: msg_1", "webhook-timestamp: 7", "webhook-signature: v1,abc"]
        {
            assert!(seen.contains(header), "{header} in {seen}");
        }
    }

    #[tokio::test]
    async fn a_private_network_is_not_reached_by_name_or_number() {
        let sender = HttpWebhookSender::new(false).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        for (address, error) in [
            (format!("https://localhost:{port}/"), PRIVATE),
            (format!("https://127.0.0.1:{port}/"), "the URL must not be an address of a private network"),
            (format!("http://example.com:{port}/"), "the URL must be an https URL"),
        ] {
            let url = WebhookUrl::parse(&address, true).unwrap();
            let refused = sender.send(&url, &message()).await.unwrap_err();
            assert!(refused.starts_with(error), "{address}: {refused}");
        }
        let nobody_came = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
        assert!(nobody_came.is_err());
    }
}
