//! Emails over SMTP, sent in the background.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use lettre::message::header::{HeaderName, HeaderValue, MessageId};
use lettre::message::{Mailbox, MultiPart};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use steward_domain::administration::EmailDelivery;
use steward_domain::identity::{
    ComposeEmail, EmailDeliveryStore, EmailKind, EmailMessage, EmailStats, EmailText, Mailer,
};
use steward_domain::kernel::Secret;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{sleep, timeout};
use url::{Host, Url};

use crate::smtp_name::SmtpName;
use crate::smtputf8::Smtputf8;

/// Maximum number of queued emails.
const QUEUE_CAPACITY: usize = 256;
/// Maximum number of concurrent deliveries.
const MAX_CONCURRENT: usize = 16;
/// Timeout of one attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);
const AUTO_SUBMITTED: HeaderName = HeaderName::new_from_ascii_str("Auto-Submitted");

/// Delay before each retry.
const RETRY_DELAYS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(30)];

/// Why the mail settings are not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEmailSettings {
    /// The URL of the mail server is not valid.
    #[error("must be smtp://host:port, smtp://host:port?tls=required or smtps://host, with user:password@ if required")]
    Url,
    /// The URL contains a password that would be sent without TLS.
    #[error("must be smtps://... or smtp://...?tls=required, because it contains a password")]
    PlainPassword,
    /// The address of the sender is not valid.
    #[error("must be an address, such as Steward <no-reply@example.com>")]
    From,
}

type Transport = AsyncSmtpTransport<Tokio1Executor>;

/// Sends emails through a mail server.
pub struct SmtpMailer {
    queue: Sender<EmailMessage>,
    outcomes: Arc<Outcomes>,
    smtputf8: Smtputf8,
}

impl SmtpMailer {
    /// Checks the URL of the mail server (`smtp://` or `smtps://`) and the sender.
    pub fn check(url: &Secret, from: &str) -> Result<(), InvalidEmailSettings> {
        parse(url, from, None).map(|_| ())
    }

    /// Starts to send emails, and greets the mail server with a name. Must be called on a Tokio runtime. The task ends
    /// once the mailer is dropped and the queue is empty.
    pub fn start(
        url: &Secret,
        from: &str,
        name: &SmtpName,
        deliveries: Arc<dyn EmailDeliveryStore>,
        compose: ComposeEmail,
    ) -> Result<Self, InvalidEmailSettings> {
        Self::with_retry_delays(url, from, name, deliveries, (compose, RETRY_DELAYS.to_vec()))
    }

    fn with_retry_delays(
        url: &Secret,
        from: &str,
        name: &SmtpName,
        deliveries: Arc<dyn EmailDeliveryStore>,
        (compose, retry_delays): (ComposeEmail, Vec<Duration>),
    ) -> Result<Self, InvalidEmailSettings> {
        let (transport, from) = parse(url, from, Some(name))?;
        let smtputf8 = Url::parse(url.expose()).ok().and_then(|url| Smtputf8::of(&url, name));
        let smtputf8 = smtputf8.ok_or(InvalidEmailSettings::Url)?;
        let (queue, emails) = channel(QUEUE_CAPACITY);
        let task = EmailTask { transport, from, compose, retry_delays };
        let outcomes = Arc::new(Outcomes { deliveries, sent: AtomicU64::new(0), failed: AtomicU64::new(0) });
        tokio::spawn(work(emails, task, outcomes.clone()));
        Ok(Self { queue, outcomes, smtputf8 })
    }
}

fn parse(url: &Secret, from: &str, name: Option<&SmtpName>) -> Result<(Transport, Mailbox), InvalidEmailSettings> {
    let parsed = Url::parse(url.expose()).map_err(|_| InvalidEmailSettings::Url)?;
    let is_plain =
        parsed.scheme() == "smtp" && !parsed.query_pairs().any(|pair| pair == ("tls".into(), "required".into()));
    if is_plain
        && parsed.password().is_some()
        && !matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
    {
        return Err(InvalidEmailSettings::PlainPassword);
    }
    let mut transport =
        Transport::from_url(url.expose()).map_err(|_| InvalidEmailSettings::Url)?.timeout(Some(ATTEMPT_TIMEOUT));
    // The library takes a name from the path of the URL.
    let is_named = parsed.path().len() > 1;
    if let Some(name) = name.filter(|name| name.is_configured || !is_named) {
        transport = transport.hello_name(name.client.clone());
    }
    Ok((transport.build(), from.parse().map_err(|_| InvalidEmailSettings::From)?))
}

#[async_trait]
impl Mailer for SmtpMailer {
    fn is_configured(&self) -> bool {
        true
    }

    fn send(&self, email: EmailMessage) {
        if let Err(error) = self.queue.try_send(email) {
            let (email, outcomes) = (error.into_inner(), self.outcomes.clone());
            let purpose = email.kind.as_str();
            tracing::error!(purpose, "An email was dropped: {QUEUE_CAPACITY} others are waiting for the mail server.");
            tokio::spawn(async move { outcomes.record(&email.kind, EmailDelivery::Failed).await });
        }
    }

    async fn supports_smtputf8(&self) -> anyhow::Result<bool> {
        self.smtputf8.is_announced().await
    }

    fn stats(&self) -> EmailStats {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        EmailStats { sent: count(&self.outcomes.sent), failed: count(&self.outcomes.failed) }
    }
}

impl fmt::Debug for SmtpMailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpMailer")
    }
}

/// Sends the emails of a queue, some of them concurrently.
async fn work(mut emails: Receiver<EmailMessage>, task: EmailTask, outcomes: Arc<Outcomes>) {
    let slots = Arc::new(Semaphore::new(MAX_CONCURRENT));
    // An email that waits for a retry does not delay the others.
    while let (Ok(slot), Some(email)) = (slots.clone().acquire_owned().await, emails.recv().await) {
        let (task, outcomes) = (task.clone(), outcomes.clone());
        tokio::spawn(async move {
            let outcome = task.deliver(&email).await;
            outcomes.record(&email.kind, outcome).await;
            drop(slot);
        });
    }
}

/// Counts emails by outcome, and records whether those of invites were delivered.
struct Outcomes {
    deliveries: Arc<dyn EmailDeliveryStore>,
    sent: AtomicU64,
    failed: AtomicU64,
}

impl Outcomes {
    async fn record(&self, kind: &EmailKind, outcome: EmailDelivery) {
        let count = if outcome == EmailDelivery::Sent { &self.sent } else { &self.failed };
        count.fetch_add(1, Ordering::Relaxed);
        let EmailKind::Invite { id, at, .. } = kind else { return };
        if let Err(error) = self.deliveries.record_email_delivery(*id, *at, outcome).await {
            let became = outcome.as_str();
            tracing::warn!(invite = %id, %error, became, "The delivery state of an email could not be stored.");
        }
    }
}

/// Delivers one email.
#[derive(Clone)]
struct EmailTask {
    transport: Transport,
    from: Mailbox,
    compose: ComposeEmail,
    retry_delays: Vec<Duration>,
}

impl EmailTask {
    /// Replaces the name of this machine in the message ID by the domain of the sender, as receivers expect it.
    fn identify(&self, message: &mut Message) {
        let Some(id) = message.headers().get::<MessageId>() else { return };
        let unique = id.as_ref().split('@').next().unwrap_or_default().to_owned();
        let domain = self.from.email.domain();
        let domain = Host::parse(domain).map_or_else(|_| domain.to_owned(), |host| host.to_string());
        message.headers_mut().set(MessageId::from(format!("{unique}@{domain}>")));
    }

    async fn deliver(&self, email: &EmailMessage) -> EmailDelivery {
        let purpose = email.kind.as_str();
        let Ok(to) = email.to.as_str().parse() else {
            tracing::error!(purpose, "An email was dropped: its address is not valid.");
            return EmailDelivery::Failed;
        };
        let EmailText { subject, plain, html } = (self.compose)(email);
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(subject)
            .message_id(None)
            // Prevents automatic replies (RFC 3834 §5).
            .raw_header(HeaderValue::new(AUTO_SUBMITTED, "auto-generated".to_owned()))
            .multipart(MultiPart::alternative_plain_html(plain, html));
        let Ok(mut message) = message else {
            tracing::error!(purpose, "An email was dropped: the message could not be built.");
            return EmailDelivery::Failed;
        };
        self.identify(&mut message);
        let mut retry_delays = self.retry_delays.iter();
        loop {
            let failed = match timeout(ATTEMPT_TIMEOUT, self.transport.send(message.clone())).await {
                Ok(Ok(_)) => return EmailDelivery::Sent,
                Ok(Err(error)) if error.is_permanent() => {
                    let code = status_code(&error);
                    tracing::warn!(purpose, code, "The mail server permanently rejected an email.");
                    return EmailDelivery::Failed;
                }
                // lettre does not begin to send to such an address. It was stored while the mail server accepted it.
                Ok(Err(error)) if error.is_client() && email.to.requires_smtputf8() => {
                    tracing::warn!(purpose, "An email was dropped: the mail server does not announce SMTPUTF8.");
                    return EmailDelivery::Failed;
                }
                Ok(Err(error)) => status_code(&error),
                Err(_) => "timeout".to_owned(),
            };
            let Some(delay) = retry_delays.next() else {
                tracing::error!(purpose, failed, "An email was dropped: the mail server did not accept it.");
                return EmailDelivery::Failed;
            };
            tracing::warn!(purpose, failed, "The mail server did not accept an email. It will be retried.");
            sleep(*delay).await;
        }
    }
}

/// Returns the status code of an error. The server's text is left out, because it may repeat the email.
fn status_code(error: &lettre::transport::smtp::Error) -> String {
    error.status().map_or_else(|| "no response".to_owned(), |code| code.to_string())
}

#[cfg(test)]
mod tests {
    use steward_domain::identity::{Email, LinkPurpose};
    use steward_domain::kernel::{Locale, ServiceAddress, Slug};
    use steward_domain::mocks::{MockEmailDeliveryStore, id_of, instant};
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    fn name() -> SmtpName {
        SmtpName::of_service(&ServiceAddress::parse("https://steward.example").unwrap())
    }

    fn compose(email: &EmailMessage) -> EmailText {
        let link = email.link.expose();
        EmailText { subject: "Subject".into(), plain: format!("{link}\n"), html: format!("<p>{link}</p>\n") }
    }

    fn to_ann(kind: EmailKind) -> EmailMessage {
        let (to, link) = (Email::parse("ann@example.com").unwrap(), Secret::new("http://localhost/x".into()));
        EmailMessage::new(to, kind, link, Locale::English)
    }

    /// Serves one connection after another, rejects the first email and returns greeting and text of the second.
    async fn server(listener: TcpListener) -> (String, String) {
        let (mut first, mut greeting) = (true, String::new());
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (reader, mut writer) = stream.into_split();
            let mut lines = BufReader::new(reader).lines();
            writer.write_all(b"220 here\r\n").await.unwrap();
            let (mut in_text, mut text) = (false, String::new());
            while let Ok(Some(line)) = lines.next_line().await {
                let response: &[u8] = match line.get(..4).unwrap_or_default() {
                    _ if in_text && line == "." => return (greeting, text),
                    _ if in_text => {
                        text.push_str(&line);
                        text.push('\n');
                        continue;
                    }
                    "EHLO" => {
                        greeting.clone_from(&line);
                        b"250 here\r\n"
                    }
                    "MAIL" if first => {
                        first = false;
                        b"451 not now\r\n"
                    }
                    "DATA" => {
                        in_text = true;
                        b"354 go on\r\n"
                    }
                    "QUIT" => break,
                    _ => b"250 ok\r\n",
                };
                writer.write_all(response).await.unwrap();
            }
        }
    }

    #[tokio::test]
    async fn an_email_that_is_temporarily_rejected_is_retried() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Secret::new(format!("smtp://127.0.0.1:{}", listener.local_addr().unwrap().port()));
        let from = "Steward <no-reply@example.com>";
        let deliveries = Arc::new(MockEmailDeliveryStore::new());
        let delays: (ComposeEmail, _) = (compose, vec![Duration::from_millis(1); 3]);
        let mailer = SmtpMailer::with_retry_delays(&url, from, &name(), deliveries, delays).unwrap();
        mailer.send(to_ann(EmailKind::Link(LinkPurpose::ResetPassword)));
        let (greeting, text) = timeout(Duration::from_secs(20), server(listener)).await.unwrap();
        assert_eq!(greeting, "EHLO steward.example");
        let id = text.lines().find(|line| line.starts_with("Message-ID: <")).unwrap();
        assert!(id.ends_with("@example.com>"), "{id}");
        let parts = ["multipart/alternative", "text/plain", "text/html", "<p>http://localhost/x</p>"];
        for part in ["To: ann@example.com", "http://localhost/x", "Auto-Submitted: auto-generated"].iter().chain(&parts)
        {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[tokio::test]
    async fn the_delivery_state_of_an_invites_email_is_recorded_and_counted() {
        // Nothing listens on this port, and nobody else can take it.
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let nowhere = socket.local_addr().unwrap();
        let url = Secret::new(format!("smtp://127.0.0.1:{}", nowhere.port()));
        let (sender, mut receiver) = channel(1);
        let mut deliveries = MockEmailDeliveryStore::new();
        deliveries.expect_record_email_delivery().returning(move |id, at, outcome| {
            sender.try_send((id, at, outcome)).unwrap();
            Ok(())
        });
        let mailer =
            SmtpMailer::with_retry_delays(&url, "a@example.com", &name(), Arc::new(deliveries), (compose, Vec::new()));
        let mailer = mailer.unwrap();
        let (id, team) = (id_of("invite").into(), Slug::parse("acme").unwrap());
        mailer.send(to_ann(EmailKind::Invite { id, at: instant(), team, expires_at: instant() }));
        let recorded = timeout(Duration::from_secs(20), receiver.recv()).await.unwrap();
        assert_eq!(recorded, Some((id, instant(), EmailDelivery::Failed)));
        assert_eq!(mailer.stats(), EmailStats { sent: 0, failed: 1 });
    }

    #[test]
    fn invalid_settings_are_refused_and_not_printed() {
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
