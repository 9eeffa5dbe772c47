//! An SMTP server in the test process that stores the emails it receives.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mailparse::MailHeaderMap as _;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::TIMEOUT;

/// A received email.
#[derive(Debug, Clone)]
pub struct Mail {
    /// Sender and recipients of the SMTP envelope.
    pub from: String,
    pub to: Vec<String>,
    pub subject: String,
    pub text: String,
    pub html: String,
    pub message_id: String,
    /// The name with which the client greeted the server.
    pub greeting: String,
}

impl Mail {
    /// The only link in the text. Panics if there is not exactly one.
    pub fn link(&self) -> String {
        let links: Vec<&str> = self.text.split_whitespace().filter(|word| word.starts_with("http")).collect();
        let [link] = links.as_slice() else { panic!("Expected exactly one link in {self:?}") };
        (*link).to_owned()
    }
}

/// A mail server. It stops when this value is dropped.
pub struct Mailbox {
    port: u16,
    mails: Arc<Mutex<Vec<Mail>>>,
    server: JoinHandle<()>,
}

impl Mailbox {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, mails) = (listener.local_addr().unwrap().port(), Arc::default());
        let server_mails = Arc::clone(&mails);
        let server = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // Ignore errors of clients that disconnect in the middle of a session.
                tokio::spawn(serve(stream, Arc::clone(&server_mails)));
            }
        });
        Self { port, mails, server }
    }

    /// A mail server that permanently refuses every email.
    pub async fn refusing() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                // Clients may disconnect before they read it.
                drop(stream.write_all(b"554 no mail is accepted here\r\n").await);
            }
        });
        Self { port, mails: Arc::default(), server }
    }

    /// Settings of a service that sends its emails to this server.
    pub fn settings(&self) -> Vec<(String, String)> {
        let url = format!("smtp://127.0.0.1:{}", self.port);
        let from = "Steward <no-reply@steward.example>".to_owned();
        vec![("STEWARD_SMTP_URL".to_owned(), url), ("STEWARD_MAIL_FROM".to_owned(), from)]
    }

    /// Waits until `count` emails to this address arrived and returns the newest. Panics after [`TIMEOUT`].
    pub async fn nth_to(&self, email: &str, count: usize) -> Mail {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let found = self.to(email);
            match found.last() {
                Some(newest) if found.len() >= count => return newest.clone(),
                _ => assert!(Instant::now() < deadline, "Expected {count} emails to {email}, got {}.", found.len()),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// All emails to this address received so far.
    pub fn to(&self, email: &str) -> Vec<Mail> {
        let mails = self.mails.lock().unwrap();
        mails.iter().filter(|mail| mail.to.iter().any(|to| to == email)).cloned().collect()
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(stream: TcpStream, mails: Arc<Mutex<Vec<Mail>>>) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    let (mut from, mut to, mut greeting) = (String::new(), Vec::new(), String::new());
    writer.write_all(b"220 steward.example ESMTP\r\n").await?;
    while let Some(line) = lines.next_line().await? {
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        let address = || line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
        let reply: &[u8] = match verb.as_str() {
            "EHLO" | "HELO" => {
                line.split_once(' ').map_or("", |(_, name)| name).clone_into(&mut greeting);
                b"250 steward.example\r\n"
            }
            "MAIL" => {
                (from, to) = (address(), Vec::new());
                b"250 ok\r\n"
            }
            "RCPT" => {
                to.push(address());
                b"250 ok\r\n"
            }
            "DATA" => {
                writer.write_all(b"354 end data with a dot\r\n").await?;
                let mut raw = String::new();
                while let Some(line) = lines.next_line().await?.filter(|line| line != ".") {
                    raw.push_str(line.strip_prefix('.').unwrap_or(&line));
                    raw.push_str("\r\n");
                }
                let parsed = mailparse::parse_mail(raw.as_bytes()).unwrap();
                let subject = parsed.headers.get_first_value("Subject").unwrap_or_default();
                let message_id = parsed.headers.get_first_value("Message-ID").unwrap_or_default();
                let [plain, html] = parsed.subparts.as_slice() else { panic!("Expected text and HTML in {raw}") };
                let types = [plain, html].map(|part| part.ctype.mimetype.as_str());
                assert_eq!(
                    (parsed.ctype.mimetype.as_str(), types),
                    ("multipart/alternative", ["text/plain", "text/html"])
                );
                // Lines end with CRLF in transit.
                let [text, html] = [plain, html].map(|part| part.get_body().unwrap().replace("\r\n", "\n"));
                let (from, to) = (from.clone(), to.clone());
                let mail = Mail { from, to, subject, text, html, message_id, greeting: greeting.clone() };
                mails.lock().unwrap().push(mail);
                b"250 ok\r\n"
            }
            "RSET" | "NOOP" => b"250 ok\r\n",
            "QUIT" => {
                writer.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => b"502 command not implemented\r\n",
        };
        writer.write_all(reply).await?;
    }
    Ok(())
}
