//! Letters over SMTP, sent in the background.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use steward_domain::model::{EmailDelivery, EmailKind, EmailMessage, Secret};
use steward_domain::ports::{EmailDeliveryStore, Mailer};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{sleep, timeout};
use url::Url;

use crate::message;

/// How many emails may wait.
const QUEUE_CAPACITY: usize = 256;
/// How many are sent at once.
const MAX_CONCURRENT: usize = 16;
/// How long one attempt may take.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait before each further attempt.
const RETRY_DELAYS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(30)];

/// Mail settings that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEmailSettings {
    /// The server's address.
    #[error("must be smtp://host:port, smtp://host:port?tls=required or smtps://host, with user:password@ if need be")]
    Url,
    /// A password that anybody on the way could read.
    #[error("must be smtps://..., or smtp://...?tls=required, where there is a password in it")]
    PlainPassword,
    /// The sender's address.
    #[error("must be an address like Steward <no-reply@example.com>")]
    From,
}

type Transport = AsyncSmtpTransport<Tokio1Executor>;

/// Sends emails through a mail server.
pub struct SmtpMailer {
    queue: Sender<EmailMessage>,
    notes: Arc<dyn EmailDeliveryStore>,
}

impl SmtpMailer {
    /// Checks the settings of the server (`smtp://`, `smtps://`) and of the sender.
    pub fn check(url: &Secret, from: &str) -> Result<(), InvalidEmailSettings> {
        parse(url, from).map(|_| ())
    }

    /// Begins to send. Must be called on a Tokio runtime; the task ends with the mailer, once no email waits any more.
    pub fn start(url: &Secret, from: &str, notes: Arc<dyn EmailDeliveryStore>) -> Result<Self, InvalidEmailSettings> {
        Self::with_pauses(url, from, notes, RETRY_DELAYS.to_vec())
    }

    fn with_pauses(
        url: &Secret,
        from: &str,
        notes: Arc<dyn EmailDeliveryStore>,
        pauses: Vec<Duration>,
    ) -> Result<Self, InvalidEmailSettings> {
        let (transport, from) = parse(url, from)?;
        let (queue, emails) = channel(QUEUE_CAPACITY);
        let courier = EmailTask { transport, from, pauses };
        tokio::spawn(Post { emails, courier, notes: notes.clone() }.work());
        Ok(Self { queue, notes })
    }
}

fn parse(url: &Secret, from: &str) -> Result<(Transport, Mailbox), InvalidEmailSettings> {
    let parsed = Url::parse(url.expose()).map_err(|_| InvalidEmailSettings::Url)?;
    let is_plain =
        parsed.scheme() == "smtp" && !parsed.query_pairs().any(|pair| pair == ("tls".into(), "required".into()));
    if is_plain
        && parsed.password().is_some()
        && !matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
    {
        return Err(InvalidEmailSettings::PlainPassword);
    }
    let transport = Transport::from_url(url.expose())
        .map_err(|_| InvalidEmailSettings::Url)?
        .timeout(Some(ATTEMPT_TIMEOUT))
        .build();
    Ok((transport, from.parse().map_err(|_| InvalidEmailSettings::From)?))
}

impl Mailer for SmtpMailer {
    fn reaches_people(&self) -> bool {
        true
    }

    fn send(&self, email: EmailMessage) {
        if let Err(error) = self.queue.try_send(email) {
            let (email, notes) = (error.into_inner(), self.notes.clone());
            let purpose = email.kind.as_str();
            tracing::error!(purpose, "an email is lost: {QUEUE_CAPACITY} others wait for the mail server already");
            tokio::spawn(async move { note(&*notes, &email.kind, EmailDelivery::Failed).await });
        }
    }
}

impl fmt::Debug for SmtpMailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpMailer")
    }
}

/// What sends the emails, some at once.
struct Post {
    emails: Receiver<EmailMessage>,
    courier: EmailTask,
    notes: Arc<dyn EmailDeliveryStore>,
}

impl Post {
    async fn work(mut self) {
        let places = Arc::new(Semaphore::new(MAX_CONCURRENT));
        // A email that waits to be tried again holds up no other.
        while let (Ok(place), Some(email)) = (places.clone().acquire_owned().await, self.emails.recv().await) {
            let (courier, notes) = (self.courier.clone(), self.notes.clone());
            tokio::spawn(async move {
                let became = courier.deliver(&email).await;
                note(&*notes, &email.kind, became).await;
                drop(place);
            });
        }
    }
}

/// Notes what became of the email of an invite.
async fn note(notes: &dyn EmailDeliveryStore, kind: &EmailKind, became: EmailDelivery) {
    let EmailKind::Invite { id, at, .. } = kind else { return };
    if let Err(error) = notes.record_email_delivery(*id, *at, became).await {
        tracing::warn!(invite = %id, %error, became = became.as_str(), "what became of an email could not be noted");
    }
}

/// What delivers one email.
#[derive(Clone)]
struct EmailTask {
    transport: Transport,
    from: Mailbox,
    pauses: Vec<Duration>,
}

impl EmailTask {
    async fn deliver(&self, email: &EmailMessage) -> EmailDelivery {
        let purpose = email.kind.as_str();
        let Ok(to) = email.to.as_str().parse() else {
            tracing::error!(purpose, "an email is lost: its address is none that mail can be sent to");
            return EmailDelivery::Failed;
        };
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(message::subject(&email.kind).into_owned())
            .message_id(None)
            .header(AutoSubmitted)
            .header(ContentType::TEXT_PLAIN)
            .body(message::text(email));
        let Ok(message) = message else {
            tracing::error!(purpose, "an email is lost: it cannot be written");
            return EmailDelivery::Failed;
        };
        let mut pauses = self.pauses.iter();
        loop {
            let failed = match timeout(ATTEMPT_TIMEOUT, self.transport.send(message.clone())).await {
                Ok(Ok(_)) => return EmailDelivery::Sent,
                Ok(Err(error)) if error.is_permanent() => {
                    tracing::warn!(purpose, code = said(&error), "the mail server refuses an email for good");
                    return EmailDelivery::Failed;
                }
                Ok(Err(error)) => said(&error),
                Err(_) => "it took too long".to_owned(),
            };
            let Some(pause) = pauses.next() else {
                tracing::error!(purpose, failed, "an email is lost: the mail server does not take it");
                return EmailDelivery::Failed;
            };
            tracing::warn!(purpose, failed, "the mail server does not take an email; it is tried again");
            sleep(*pause).await;
        }
    }
}

/// What is told of a refusal: its code. What servers say beside it may repeat the email.
fn said(error: &lettre::transport::smtp::Error) -> String {
    error.status().map_or_else(|| "no answer".to_owned(), |code| code.to_string())
}

/// Keeps holiday replies away (RFC 3834 §5).
#[derive(Clone, Copy)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::mocks::{MockEmailDeliveryStore, id_of, instant};
    use steward_domain::model::{Email, LinkPurpose, Slug};
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// Answers one connection after the other, refusing the first email, and gives what the second one says.
    async fn server(listener: TcpListener) -> String {
        let mut first = true;
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (reader, mut writer) = stream.into_split();
            let mut lines = BufReader::new(reader).lines();
            writer.write_all(b"220 here\r\n").await.unwrap();
            let (mut in_text, mut text) = (false, String::new());
            while let Ok(Some(line)) = lines.next_line().await {
                let answer: &[u8] = match line.get(..4).unwrap_or_default() {
                    _ if in_text && line == "." => return text,
                    _ if in_text => {
                        text.push_str(&line);
                        text.push('\n');
                        continue;
                    }
                    "EHLO" => b"250 here\r\n",
                    "MAIL" if first => {
                        first = false;
                        b"451 not now\r\n"
                    }
                    "DATA" => {
                        in_text = true;
                        b"354 go on\r\n"
                    }
                    "QUIT" => break,
                    _ => b"250 good\r\n",
                };
                writer.write_all(answer).await.unwrap();
            }
        }
    }

    #[tokio::test]
    async fn a_letter_that_is_refused_for_now_is_sent_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Secret::new(format!("smtp://127.0.0.1:{}", listener.local_addr().unwrap().port()));
        let from = "Steward <no-reply@example.com>";
        let notes = Arc::new(MockEmailDeliveryStore::new());
        let mailer = SmtpMailer::with_pauses(&url, from, notes, vec![Duration::from_millis(1); 3]).unwrap();
        mailer.send(EmailMessage {
            to: Email::parse("ann@example.com").unwrap(),
            kind: EmailKind::Link(LinkPurpose::ResetPassword),
            link: Secret::new("http://localhost/x".into()),
        });
        let text = timeout(Duration::from_secs(20), server(listener)).await.unwrap();
        for part in ["To: ann@example.com", "http://localhost/x", "Message-ID: ", "Auto-Submitted: auto-generated"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[tokio::test]
    async fn what_became_of_an_invites_email_is_noted() {
        // Nobody listens there once the listener is gone.
        let nowhere = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let url = Secret::new(format!("smtp://127.0.0.1:{}", nowhere.port()));
        let (told, mut hears) = channel(1);
        let mut notes = MockEmailDeliveryStore::new();
        notes.expect_record_email_delivery().returning(move |id, at, became| {
            told.try_send((id, at, became)).unwrap();
            Ok(())
        });
        let mailer = SmtpMailer::with_pauses(&url, "a@example.com", Arc::new(notes), Vec::new()).unwrap();
        let (id, team) = (id_of("invite").into(), Slug::parse("acme").unwrap());
        mailer.send(EmailMessage {
            to: Email::parse("ann@example.com").unwrap(),
            kind: EmailKind::Invite { id, at: instant(), team, expires_at: instant() },
            link: Secret::new("http://localhost/x".into()),
        });
        let heard = timeout(Duration::from_secs(20), hears.recv()).await.unwrap();
        assert_eq!(heard, Some((id, instant(), EmailDelivery::Failed)));
    }

    #[test]
    fn settings_that_cannot_be_used_are_refused_and_do_not_print() {
        let check = |url: &str, from| SmtpMailer::check(&Secret::new(url.to_owned()), from);
        assert_eq!(check("smtps://u:hunter2@mail.example.com", "Steward <a@example.com>"), Ok(()));
        assert_eq!(check("smtp://u:hunter2@mail.example.com?tls=required", "a@example.com"), Ok(()));
        assert_eq!(
            check("smtp://u:hunter2@mail.example.com", "a@example.com"),
            Err(InvalidEmailSettings::PlainPassword)
        );
        assert_eq!(check("smtp://mail.example.com", "a@example.com"), Ok(()));
        assert_eq!(check("mail.example.com", "a@example.com"), Err(InvalidEmailSettings::Url));
        assert_eq!(check("smtp://localhost", "nobody"), Err(InvalidEmailSettings::From));
        assert!(!format!("{:?}", check("hunter2://u:hunter2@x", "a@example.com")).contains("hunter2"));
    }
}
