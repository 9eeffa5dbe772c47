//! Passwords from data breaches, asked for by the first five digits of their SHA-1 hash, so that the service that knows
//! them does not learn the password (k-anonymity; the range interface of Have I Been Pwned, "Pwned Passwords").

use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use reqwest::header::USER_AGENT;
use reqwest::redirect::Policy;
use reqwest::{Client, Error};
use sha1::{Digest as _, Sha1};
use steward_domain::identity::{BreachedPasswords, Password};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::Url;

/// A person waits for the answer.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Number of requests at a time. Further ones wait, and give up after [`TIMEOUT`].
const MAX_REQUESTS: usize = 8;
/// A response has some 2,000 lines of 40 bytes.
const MAX_BYTES: usize = 1024 * 1024;
/// Number of hexadecimal digits that are sent.
const PREFIX: usize = 5;

/// Asks a service with the range interface.
pub struct BreachRanges {
    client: Client,
    url: Url,
    requests: Semaphore,
}

impl BreachRanges {
    /// Asks the service at this URL, to which the first digits of a hash are appended.
    pub fn new(url: Url) -> Result<Self, Error> {
        let client = Client::builder().redirect(Policy::none()).timeout(TIMEOUT).build()?;
        Ok(Self { client, url, requests: Semaphore::new(MAX_REQUESTS) })
    }

    async fn ask(&self, hash: &str) -> anyhow::Result<bool> {
        let _permit = self.requests.acquire().await?;
        let (prefix, suffix) = hash.split_at(PREFIX);
        let url = format!("{}/{prefix}", self.url.as_str().trim_end_matches('/'));
        // With padding, the length of an encrypted response does not reveal the prefix.
        let request = self.client.get(url).header("Add-Padding", "true");
        let request = request.header(USER_AGENT, concat!("Steward/", env!("CARGO_PKG_VERSION")));
        let mut body = request.send().await?.error_for_status()?.bytes_stream();
        let mut text = Vec::new();
        while let Some(part) = body.next().await {
            text.extend_from_slice(&part?);
            anyhow::ensure!(text.len() <= MAX_BYTES, "The response is too long.");
        }
        Ok(String::from_utf8_lossy(&text).lines().any(|line| is_listed(line, suffix)))
    }
}

/// Returns whether a line of a response lists the hash. A line of padding has the count 0.
fn is_listed(line: &str, suffix: &str) -> bool {
    let listed = line.trim().split_once(':');
    listed.is_some_and(|(listed, count)| listed.eq_ignore_ascii_case(suffix) && count != "0")
}

#[async_trait]
impl BreachedPasswords for BreachRanges {
    async fn contains(&self, password: &Password) -> bool {
        let digest = Sha1::digest(password.secret().expose());
        let hash: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
        let problem = match timeout(TIMEOUT, self.ask(&hash)).await {
            Ok(Ok(is_listed)) => return is_listed,
            Ok(Err(error)) => format!("{error:#}"),
            Err(_) => "it did not respond in time".to_owned(),
        };
        tracing::warn!(error = problem, "A new password was not compared with data breaches.");
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use steward_domain::kernel::Secret;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::sync::Mutex;

    use super::*;

    /// The hash of "password" is 5BAA6 and this.
    const SUFFIX: &str = "1E4C9B93F3F0682250B6CF8331B7EE68FD8";

    /// Responds to each request with the same text, and records the requests.
    async fn serve(response: String) -> (BreachRanges, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/range/", listener.local_addr().unwrap())).unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let received = requests.clone();
        tokio::spawn(async move {
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                let mut request = vec![0; 4096];
                let length = connection.read(&mut request).await.unwrap();
                received.lock().await.push(String::from_utf8_lossy(&request[..length]).into_owned());
                drop(connection.write_all(response.as_bytes()).await);
            }
        });
        (BreachRanges::new(url).unwrap(), requests)
    }

    fn ok(body: &str) -> String {
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
    }

    async fn knows(ranges: &BreachRanges, text: &str) -> bool {
        ranges.contains(&Password::parse(Secret::new(text.to_owned())).unwrap()).await
    }

    #[test]
    fn a_line_lists_a_hash_unless_it_is_padding() {
        assert!(is_listed(&format!("{SUFFIX}:3"), SUFFIX));
        assert!(is_listed(&format!("{}:10434004\r", SUFFIX.to_lowercase()), SUFFIX));
        assert!(!is_listed(&format!("{SUFFIX}:0"), SUFFIX));
        assert!(!is_listed("0018A45C4D1DEF81644B54AB7F969B88D65:3", SUFFIX));
        assert!(!is_listed(SUFFIX, SUFFIX));
    }

    #[tokio::test]
    async fn only_the_first_digits_of_the_hash_are_sent() {
        let (ranges, requests) = serve(ok(&format!("{SUFFIX}:7\r\n"))).await;
        assert!(!knows(&ranges, "xkcd-ladder-moon").await);
        let requests = requests.lock().await;
        let (first, ..) = requests[0].split_once(" HTTP").unwrap();
        let prefix = first.strip_prefix("GET /range/").unwrap();
        assert!(prefix.len() == PREFIX && prefix.chars().all(|c| c.is_ascii_hexdigit()), "{first}");
        assert!(requests[0].to_lowercase().contains("add-padding: true"), "{}", requests[0]);
    }

    #[tokio::test]
    async fn a_password_whose_hash_is_listed_is_known() {
        let hash = Sha1::digest("testing-this").iter().map(|byte| format!("{byte:02X}")).collect::<String>();
        let (ranges, _) = serve(ok(&format!("{SUFFIX}:1\r\n{}:7\r\n", &hash[PREFIX..]))).await;
        assert!(knows(&ranges, "testing-this").await);
        assert!(!knows(&ranges, "testing-that").await);
    }

    #[tokio::test]
    async fn without_an_answer_no_password_is_known() {
        let (failing, _) =
            serve("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()).await;
        assert!(!knows(&failing, "testing-this").await);
        let (endless, _) = serve("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".to_owned()).await;
        assert!(!knows(&endless, "testing-this").await);
        let nobody = BreachRanges::new(Url::parse("http://127.0.0.1:1/range").unwrap()).unwrap();
        assert!(!knows(&nobody, "testing-this").await);
    }
}
