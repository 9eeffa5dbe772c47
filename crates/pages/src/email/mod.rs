//! Emails in the language of their recipient, as plain text and as HTML, with the messages of the pages
//! (docs/decisions/0079-emails.md).

mod messages;

use std::net::IpAddr;

use askama::Template;
use steward_domain::identity::{AccountChange, EmailKind, EmailMessage, EmailText};
use steward_domain::kernel::{Color, Secret};
use url::Url;

use crate::brand::SERVICE;
use crate::console::frame::Timestamp;
use crate::wording::language::Language;
use crate::wording::message::Message;

/// Writes an email.
pub fn compose(email: &EmailMessage) -> EmailText {
    let language = Language::of(email.language);
    let mut values = values(&email.kind, language);
    // The link is one of this service.
    let link = email.link.expose();
    let host = Url::parse(link).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    values.push(("host", host.clone()));
    values.push(("code", email.code.as_ref().map_or("", Secret::expose).to_owned()));
    values.push(("project", email.look.as_ref().map(|look| look.name.clone()).unwrap_or_default()));
    let say = |id: &'static str| {
        let message = values.iter().fold(Message::new(id), |message, (name, value)| message.with(name, value));
        message.text(language).into_owned()
    };
    let [subject, introduction, consequence, otherwise, button, reason] = messages::of(&email.kind).map(&say);
    let accent = email.look.as_ref().and_then(|look| look.accent).unwrap_or(SERVICE);
    let view = Html {
        language,
        host: &host,
        accent,
        on_accent: accent.text(),
        hello: say("email-hello"),
        project: email.look.as_ref().map(|_| say("email-project")),
        code: email.code.as_ref().map(Secret::expose),
        link,
        subject: &subject,
        introduction,
        button,
        consequence,
        otherwise,
        reason,
    };
    let (plain, html) = (view.plain(), view.render().unwrap_or_default());
    EmailText { plain, html, subject }
}

/// Returns the values of the variables in the messages of an email.
fn values(kind: &EmailKind, language: &'static Language) -> Vec<(&'static str, String)> {
    let until = |at| ("until", Timestamp::from(at).text_in(language));
    match kind {
        EmailKind::Invite { team, expires_at, .. } => vec![("team", team.to_string()), until(*expires_at)],
        EmailKind::AccountChanged(AccountChange::CodeUsed(left)) => vec![("left", left.to_string())],
        EmailKind::AccountChanged(AccountChange::RemovalScheduled(at)) => vec![until(*at)],
        EmailKind::AccountChanged(AccountChange::NewBrowser(address)) => {
            vec![("address", address.as_ref().map(IpAddr::to_string).unwrap_or_default())]
        }
        EmailKind::Link(_) | EmailKind::EmailChanged | EmailKind::AccountChanged(_) | EmailKind::Test => Vec::new(),
    }
}

/// An email with its texts. It loads nothing: images of other hosts would reveal that it is read.
#[derive(Template)]
#[template(path = "email/email.html")]
struct Html<'a> {
    language: &'static Language,
    host: &'a str,
    accent: Color,
    on_accent: Color,
    subject: &'a str,
    hello: String,
    /// To which project the recipient signs in.
    project: Option<String>,
    introduction: String,
    code: Option<&'a str>,
    button: String,
    link: &'a str,
    consequence: String,
    otherwise: String,
    reason: String,
}

impl Html<'_> {
    /// Returns the same as plain text, with the link on its own line.
    fn plain(&self) -> String {
        let Self { hello, introduction, link, consequence, otherwise, host, reason, .. } = self;
        let project = self.project.as_ref().map(|text| format!("{text}\n\n")).unwrap_or_default();
        let body = format!("{hello}\n\n{project}{introduction}\n\n{link}\n\n{consequence}\n\n{otherwise}\n\n");
        format!("{body}-- \nSteward, {host}\n{reason}\n")
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::identity::{Email, EmailLook, LinkPurpose};
    use steward_domain::kernel::{Locale, Time};

    use super::*;

    /// An email of each kind in a language.
    fn emails(language: Locale) -> Vec<EmailMessage> {
        let now = "2030-01-02T03:04:05Z".parse::<Time>().unwrap();
        EmailMessage::examples(&Email::parse("ann@example.com").unwrap(), "https://id.example", language, now)
    }

    #[test]
    fn each_email_contains_its_link_once_on_its_own_line_and_says_why_it_was_sent() {
        for language in Locale::ALL {
            for email in emails(language) {
                let (text, link, name) = (compose(&email), email.link.expose(), email.kind.as_str());
                assert_eq!(text.plain.lines().filter(|line| *line == link).count(), 1, "{}", text.plain);
                assert_eq!(text.plain.matches("http").count(), 1, "{}", text.plain);
                assert!(text.plain.lines().last().unwrap().contains("id.example"), "{}", text.plain);
                assert!(text.html.contains(&format!("<html lang=\"{}\" dir=\"ltr\">", language.as_str())), "{name}");
                assert!(!text.subject.is_empty() && !text.subject.contains(['{', '\n']), "{name}: {}", text.subject);
                for part in [&text.plain, &text.html] {
                    assert!(!part.contains("{ $") && !part.contains("email-"), "{name}: {part}");
                }
                for remote in ["<img", "src=", "url(", "@import", "<script"] {
                    assert!(!text.html.contains(remote), "{name}: {remote}");
                }
            }
        }
    }

    #[test]
    fn only_a_sign_in_shows_the_project_and_its_name_is_text() {
        let look = EmailLook { name: "<b>Acme".into(), accent: Color::parse("#ffcc00").ok() };
        for email in emails(Locale::English) {
            assert!(email.look.is_none() || email.kind == EmailKind::Link(LinkPurpose::SignIn), "{:?}", email.kind);
        }
        let email = emails(Locale::English).swap_remove(0);
        let plain = compose(&email);
        assert!(plain.html.contains("#17614f") && !plain.plain.contains("signing in to"), "{}", plain.html);
        let branded = compose(&EmailMessage { look: Some(look), ..email });
        assert!(branded.html.contains("&#60;b&#62;Acme") && branded.html.contains("#ffcc00"), "{}", branded.html);
        assert!(branded.plain.contains("You are signing in to <b>Acme."), "{}", branded.plain);
        assert_eq!(branded.subject, plain.subject);
    }
}
