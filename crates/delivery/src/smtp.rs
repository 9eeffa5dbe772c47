//! Letters over SMTP, sent in the background.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use steward_domain::model::{Delivery, Letter, Matter, Secret};
use steward_domain::ports::{DeliveryNotes, Mailer};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{sleep, timeout};
use url::Url;

use crate::letter;

/// How many letters may wait.
const QUEUE: usize = 256;
/// How many are sent at once.
const AT_ONCE: usize = 16;
/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(30);
/// How long to wait before each further attempt.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(30)];

/// Mail settings that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMail {
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

/// Sends letters through a mail server.
pub struct SmtpMailer {
    queue: Sender<Letter>,
    notes: Arc<dyn DeliveryNotes>,
}

impl SmtpMailer {
    /// Checks the settings of the server (`smtp://`, `smtps://`) and of the sender.
    pub fn check(url: &Secret, from: &str) -> Result<(), InvalidMail> {
        parse(url, from).map(|_| ())
    }

    /// Begins to send. Must be called on a Tokio runtime; the task ends with the mailer, once no letter waits any more.
    pub fn start(url: &Secret, from: &str, notes: Arc<dyn DeliveryNotes>) -> Result<Self, InvalidMail> {
        Self::with_pauses(url, from, notes, PAUSES.to_vec())
    }

    fn with_pauses(
        url: &Secret,
        from: &str,
        notes: Arc<dyn DeliveryNotes>,
        pauses: Vec<Duration>,
    ) -> Result<Self, InvalidMail> {
        let (transport, from) = parse(url, from)?;
        let (queue, letters) = channel(QUEUE);
        let courier = Courier { transport, from, pauses };
        tokio::spawn(Post { letters, courier, notes: notes.clone() }.work());
        Ok(Self { queue, notes })
    }
}

fn parse(url: &Secret, from: &str) -> Result<(Transport, Mailbox), InvalidMail> {
    let parsed = Url::parse(url.expose()).map_err(|_| InvalidMail::Url)?;
    let is_plain =
        parsed.scheme() == "smtp" && !parsed.query_pairs().any(|pair| pair == ("tls".into(), "required".into()));
    if is_plain
        && parsed.password().is_some()
        && !matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
    {
        return Err(InvalidMail::PlainPassword);
    }
    let transport = Transport::from_url(url.expose()).map_err(|_| InvalidMail::Url)?.timeout(Some(ATTEMPT)).build();
    Ok((transport, from.parse().map_err(|_| InvalidMail::From)?))
}

impl Mailer for SmtpMailer {
    fn reaches_people(&self) -> bool {
        true
    }

    fn send(&self, letter: Letter) {
        if let Err(error) = self.queue.try_send(letter) {
            let (letter, notes) = (error.into_inner(), self.notes.clone());
            let purpose = letter.matter.as_str();
            tracing::error!(purpose, "a letter is lost: {QUEUE} others wait for the mail server already");
            tokio::spawn(async move { note(&*notes, &letter.matter, Delivery::Failed).await });
        }
    }
}

impl fmt::Debug for SmtpMailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SmtpMailer")
    }
}

/// What sends the letters, some at once.
struct Post {
    letters: Receiver<Letter>,
    courier: Courier,
    notes: Arc<dyn DeliveryNotes>,
}

impl Post {
    async fn work(mut self) {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        // A letter that waits to be tried again holds up no other.
        while let (Ok(place), Some(letter)) = (places.clone().acquire_owned().await, self.letters.recv().await) {
            let (courier, notes) = (self.courier.clone(), self.notes.clone());
            tokio::spawn(async move {
                let became = courier.deliver(&letter).await;
                note(&*notes, &letter.matter, became).await;
                drop(place);
            });
        }
    }
}

/// Notes what became of the letter of an invite.
async fn note(notes: &dyn DeliveryNotes, matter: &Matter, became: Delivery) {
    let Matter::Invite { id, at, .. } = matter else { return };
    if let Err(error) = notes.note_delivery(*id, *at, became).await {
        tracing::warn!(invite = %id, %error, became = became.as_str(), "what became of a letter could not be noted");
    }
}

/// What delivers one letter.
#[derive(Clone)]
struct Courier {
    transport: Transport,
    from: Mailbox,
    pauses: Vec<Duration>,
}

impl Courier {
    async fn deliver(&self, letter: &Letter) -> Delivery {
        let purpose = letter.matter.as_str();
        let Ok(to) = letter.to.as_str().parse() else {
            tracing::error!(purpose, "a letter is lost: its address is none that mail can be sent to");
            return Delivery::Failed;
        };
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(letter::subject(&letter.matter).into_owned())
            .message_id(None)
            .header(AutoSubmitted)
            .header(ContentType::TEXT_PLAIN)
            .body(letter::text(letter));
        let Ok(message) = message else {
            tracing::error!(purpose, "a letter is lost: it cannot be written");
            return Delivery::Failed;
        };
        let mut pauses = self.pauses.iter();
        loop {
            let failed = match timeout(ATTEMPT, self.transport.send(message.clone())).await {
                Ok(Ok(_)) => return Delivery::Sent,
                Ok(Err(error)) if error.is_permanent() => {
                    tracing::warn!(purpose, code = said(&error), "the mail server refuses a letter for good");
                    return Delivery::Failed;
                }
                Ok(Err(error)) => said(&error),
                Err(_) => "it took too long".to_owned(),
            };
            let Some(pause) = pauses.next() else {
                tracing::error!(purpose, failed, "a letter is lost: the mail server does not take it");
                return Delivery::Failed;
            };
            tracing::warn!(purpose, failed, "the mail server does not take a letter; it is tried again");
            sleep(*pause).await;
        }
    }
}

/// What is told of a refusal: its code. What servers say beside it may repeat the letter.
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
    use steward_domain::mocks::{MockDeliveryNotes, id_of, instant};
    use steward_domain::model::{Email, LinkPurpose, Slug};
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// Answers one connection after the other, refusing the first letter, and gives what the second one says.
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
        let notes = Arc::new(MockDeliveryNotes::new());
        let mailer = SmtpMailer::with_pauses(&url, from, notes, vec![Duration::from_millis(1); 3]).unwrap();
        mailer.send(Letter {
            to: Email::parse("ann@example.com").unwrap(),
            matter: Matter::Link(LinkPurpose::ResetPassword),
            link: Secret::new("http://localhost/x".into()),
        });
        let text = timeout(Duration::from_secs(20), server(listener)).await.unwrap();
        for part in ["To: ann@example.com", "http://localhost/x", "Message-ID: ", "Auto-Submitted: auto-generated"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[tokio::test]
    async fn what_became_of_an_invites_letter_is_noted() {
        // Nobody listens there once the listener is gone.
        let nowhere = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let url = Secret::new(format!("smtp://127.0.0.1:{}", nowhere.port()));
        let (told, mut hears) = channel(1);
        let mut notes = MockDeliveryNotes::new();
        notes.expect_note_delivery().returning(move |id, at, became| {
            told.try_send((id, at, became)).unwrap();
            Ok(())
        });
        let mailer = SmtpMailer::with_pauses(&url, "a@example.com", Arc::new(notes), Vec::new()).unwrap();
        let (id, team) = (id_of("invite").into(), Slug::parse("acme").unwrap());
        mailer.send(Letter {
            to: Email::parse("ann@example.com").unwrap(),
            matter: Matter::Invite { id, at: instant(), team, expires_at: instant() },
            link: Secret::new("http://localhost/x".into()),
        });
        let heard = timeout(Duration::from_secs(20), hears.recv()).await.unwrap();
        assert_eq!(heard, Some((id, instant(), Delivery::Failed)));
    }

    #[test]
    fn settings_that_cannot_be_used_are_refused_and_do_not_print() {
        let check = |url: &str, from| SmtpMailer::check(&Secret::new(url.to_owned()), from);
        assert_eq!(check("smtps://u:hunter2@mail.example.com", "Steward <a@example.com>"), Ok(()));
        assert_eq!(check("smtp://u:hunter2@mail.example.com?tls=required", "a@example.com"), Ok(()));
        assert_eq!(check("smtp://u:hunter2@mail.example.com", "a@example.com"), Err(InvalidMail::PlainPassword));
        assert_eq!(check("smtp://mail.example.com", "a@example.com"), Ok(()));
        assert_eq!(check("mail.example.com", "a@example.com"), Err(InvalidMail::Url));
        assert_eq!(check("smtp://localhost", "nobody"), Err(InvalidMail::From));
        assert!(!format!("{:?}", check("hunter2://u:hunter2@x", "a@example.com")).contains("hunter2"));
    }
}
