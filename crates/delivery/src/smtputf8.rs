//! Whether the mail server sends to addresses with letters outside ASCII: it announces SMTPUTF8 then (RFC 6531 §3.1).

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::{ClientId, Extension};
use lettre::transport::smtp::{SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::Url;

use crate::smtp_name::SmtpName;

/// Maximum time until an answer: that of the requests before, and that of the mail server.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long an answer of the mail server is used.
const ANSWER_TTL: Duration = Duration::from_secs(600);

/// How the connection is encrypted, as in the URL of the mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    None,
    /// From the beginning.
    Implicit,
    /// With STARTTLS.
    Required,
    /// With STARTTLS, if the mail server announces it.
    Opportunistic,
}

/// Asks the mail server, and remembers the answer.
pub(crate) struct Smtputf8 {
    host: String,
    port: u16,
    encryption: Encryption,
    hello: ClientId,
    /// One connection at a time.
    connecting: Semaphore,
    answer: Mutex<Option<(bool, Instant)>>,
}

impl Smtputf8 {
    /// Reads the URL of the mail server as lettre does. `None` if it has no host. `name`: that of this service.
    pub(crate) fn of(url: &Url, name: &SmtpName) -> Option<Self> {
        let tls = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned());
        let (encryption, port) = match (url.scheme(), tls.as_deref()) {
            ("smtps", _) => (Encryption::Implicit, SUBMISSIONS_PORT),
            (_, Some("required")) => (Encryption::Required, SUBMISSION_PORT),
            (_, Some("opportunistic")) => (Encryption::Opportunistic, SUBMISSION_PORT),
            _ => (Encryption::None, SMTP_PORT),
        };
        let in_url = url.path().trim_matches('/');
        let is_own = name.is_configured || in_url.is_empty();
        let hello = if is_own { name.client.clone() } else { ClientId::Domain(in_url.to_owned()) };
        Some(Self {
            host: url.host_str()?.to_owned(),
            port: url.port().unwrap_or(port),
            encryption,
            hello,
            connecting: Semaphore::new(1),
            answer: Mutex::new(None),
        })
    }

    /// Returns whether the mail server announces SMTPUTF8.
    pub(crate) async fn is_announced(&self) -> anyhow::Result<bool> {
        timeout(TIMEOUT, self.known_or_asked()).await.context("the mail server did not respond in time")?
    }

    async fn known_or_asked(&self) -> anyhow::Result<bool> {
        let _slot = self.connecting.acquire().await?;
        if let Some(answer) = self.known() {
            return Ok(answer);
        }
        let answer = self.ask().await.context("the mail server could not be asked for SMTPUTF8")?;
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some((answer, Instant::now()));
        Ok(answer)
    }

    fn known(&self) -> Option<bool> {
        let answer = *self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.filter(|(_, at)| at.elapsed() < ANSWER_TTL).map(|(answer, _)| answer)
    }

    async fn ask(&self) -> Result<bool, lettre::transport::smtp::Error> {
        let tls = || TlsParameters::new(self.host.clone());
        let implicit = if self.encryption == Encryption::Implicit { Some(tls()?) } else { None };
        let server = (self.host.as_str(), self.port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(server, Some(TIMEOUT), &self.hello, implicit, None).await?;
        let upgrades = match self.encryption {
            Encryption::None | Encryption::Implicit => false,
            Encryption::Required => true,
            Encryption::Opportunistic => connection.can_starttls(),
        };
        if upgrades {
            connection.starttls(tls()?, &self.hello).await?;
        }
        let answer = connection.server_info().supports_feature(Extension::SmtpUtfEight);
        connection.abort().await;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    fn of(url: &str) -> Smtputf8 {
        Smtputf8::of(&Url::parse(url).unwrap(), &SmtpName::parse("steward.example").unwrap()).unwrap()
    }

    /// Serves one connection with this response to EHLO.
    async fn asked(ehlo: &'static [u8]) -> Smtputf8 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://127.0.0.1:{}", listener.local_addr().unwrap().port());
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let (reader, mut writer) = stream.into_split();
            let mut lines = BufReader::new(reader).lines();
            writer.write_all(b"220 here\r\n").await.unwrap();
            while let Ok(Some(line)) = lines.next_line().await {
                let response: &[u8] = if line.starts_with("EHLO") { ehlo } else { b"221 bye\r\n" };
                writer.write_all(response).await.unwrap();
            }
        });
        of(&url)
    }

    #[tokio::test]
    async fn the_mail_server_is_asked_once_for_what_it_announces() {
        let with = asked(b"250-here\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n").await;
        let without = asked(b"250-here\r\n250 8BITMIME\r\n").await;
        for _ in 0..2 {
            assert!(with.is_announced().await.unwrap());
            assert!(!without.is_announced().await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_mail_server_that_cannot_be_reached_is_an_error() {
        // Nothing listens on this port, and nobody else can take it.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let url = format!("smtp://127.0.0.1:{}", socket.local_addr().unwrap().port());
        assert!(of(&url).is_announced().await.is_err());
    }

    #[test]
    fn the_url_is_read_as_for_sending() {
        for (url, encryption, port) in [
            ("smtp://mail.example", Encryption::None, 25),
            ("smtp://mail.example?tls=required", Encryption::Required, 587),
            ("smtp://mail.example:2525?tls=opportunistic", Encryption::Opportunistic, 2525),
            ("smtps://mail.example", Encryption::Implicit, 465),
        ] {
            let server = of(url);
            assert_eq!((server.host.as_str(), server.encryption, server.port), ("mail.example", encryption, port));
        }
    }
}
