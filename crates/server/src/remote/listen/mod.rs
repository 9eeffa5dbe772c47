//! `steward listen`: sends the events of a project to a program on this machine, in the form of a webhook.

mod forwarder;

use std::time::Duration;

use clap::Args;
use serde_json::json;
use steward_client::{AuditEvent, Events};
use steward_domain::administration::EventSelection;
use tokio::time::sleep;
use url::Url;

use crate::service::shutdown::Signals;
use crate::terminal::{self, UsageError};

use super::parent::{Parent, ParentId};
use super::reachable::{MAX_WAIT, MIN_WAIT, until_reachable};
use super::{Context, audit};

use forwarder::{Forwarder, Outcome, SigningSecret};

pub const EXAMPLES: &str = "Examples:
  steward listen --project shop --forward-to http://localhost:3000/webhooks
  steward listen --team acme --forward-to localhost:3000/webhooks --events item.created,item.updated
  steward listen --forward-to localhost:3000/webhooks --after 4210

Messages are signed as those of a webhook (Standard Webhooks), with the secret in STEWARD_WEBHOOK_SECRET, or with a
new one that is printed. No webhook is created: the command reads the events, which requires audit:read.

While the service or the program cannot be reached, the command waits, and no event is left out. A message with
another response than 2xx is not sent again: pass --after with the position before it.";

/// How often to ask for new events.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of events in memory.
const PAGE_SIZE: u16 = 100;

#[derive(Debug, Args)]
pub struct Listen {
    #[command(flatten)]
    parent: Parent,
    /// URL of the program that receives the messages, such as http://localhost:3000/webhooks
    #[arg(long, value_name = "URL", value_parser = receiver)]
    forward_to: Url,
    /// Comma-separated names of the events to send, such as item.created; * for all events
    #[arg(long, value_name = "EVENTS", value_delimiter = ',', default_value = "*")]
    events: Vec<String>,
    /// Start after this position [default: the end of the log]
    #[arg(long, value_name = "POSITION", value_parser = clap::value_parser!(i64).range(0..))]
    after: Option<i64>,
}

fn receiver(text: &str) -> Result<Url, String> {
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = Url::parse(&text).map_err(|error| format!("must be a URL: {error}"))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        _ => Err("must be a URL such as http://localhost:3000/webhooks".to_owned()),
    }
}

pub async fn run(context: &Context, arguments: Listen) -> anyhow::Result<()> {
    let selection =
        EventSelection::parse(&arguments.events).map_err(|error| UsageError(format!("--events {error}.")))?;
    let (secret, is_new) = SigningSecret::get()?;
    let parent = arguments.parent.id(context).await?;
    let log = audit::audit_log_of(context, &parent);
    let (ParentId::Team(id) | ParentId::Project(id)) = &parent;
    let mut follower = Follower {
        context,
        forwarder: Forwarder::new(arguments.forward_to.clone(), &secret, id)?,
        names: selection.texts(),
        after: arguments.after,
        history: None,
    };
    if follower.after.is_none() {
        follower.after = audit::newest(&log).await?;
    }
    // Whether the events can be read is known before the command says that it is ready.
    let mut events = log.events(follower.after, Some(PAGE_SIZE)).json().await?;
    if is_new {
        terminal::note(&format!("The signing secret is {}", secret.text()));
    }
    terminal::note(&format!("Sending new events to {}. Press Ctrl-C to stop.", arguments.forward_to));
    let mut signals = Signals::listen()?;
    let follow = async {
        loop {
            follower.forward(&events).await?;
            if events.data.is_empty() {
                sleep(POLL_INTERVAL).await;
            }
            let after = follower.after;
            events = until_reachable(async || log.events(after, Some(PAGE_SIZE)).json().await).await?;
        }
    };
    let stopped: anyhow::Result<()> = tokio::select! {
        result = follow => result,
        _ = signals.next() => Ok(()),
    };
    let after = follower.after.unwrap_or_default();
    terminal::note(&format!("Stopped after position {after}. To continue there, pass --after {after}."));
    stopped
}

/// Sends events, and knows the position up to which that is done.
struct Follower<'a> {
    context: &'a Context,
    forwarder: Forwarder,
    /// Names of the events to send.
    names: Vec<String>,
    after: Option<i64>,
    history: Option<i64>,
}

impl Follower<'_> {
    async fn forward(&mut self, events: &Events) -> anyhow::Result<()> {
        if self.history.replace(events.history).is_some_and(|history| history != events.history) {
            terminal::note(&format!(
                "The database of the service was restored. Events after position {} may be lost.",
                events.history_after
            ));
        }
        for event in &events.data {
            if self.names.iter().any(|name| name == "*" || *name == event.action) {
                self.send(event).await?;
            }
            self.after = Some(event.position);
        }
        self.after = Some(events.next);
        Ok(())
    }

    /// Sends an event, once the program can be reached, and prints the outcome.
    async fn send(&self, event: &AuditEvent) -> anyhow::Result<()> {
        let mut wait = MIN_WAIT;
        loop {
            let outcome = self.forwarder.send(event).await?;
            self.print(event, &outcome)?;
            if !outcome.is_unreachable {
                return Ok(());
            }
            terminal::note(&format!("The event waits. Trying again in {} s.", wait.as_secs()));
            sleep(wait).await;
            wait = wait.saturating_mul(2).min(MAX_WAIT);
        }
    }

    fn print(&self, event: &AuditEvent, outcome: &Outcome) -> anyhow::Result<()> {
        let Outcome { at, status, took, .. } = outcome;
        if self.context.output.is_json {
            return self.context.output.line(&json!({
                "event": event.action, "position": event.position, "at": at, "took_ms": took.as_millis(),
                "status": status.ok(), "error": status.err(),
            }));
        }
        let result = status.map_or_else(str::to_owned, |status| status.to_string());
        let line = format!("{at}  {result}  {} ms  {}  position {}", took.as_millis(), event.action, event.position);
        terminal::print(&terminal::printable(&line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_a_url_whose_scheme_may_be_left_out() {
        assert_eq!(receiver("localhost:3000/webhooks").unwrap().as_str(), "http://localhost:3000/webhooks");
        assert_eq!(receiver("https://app.test/").unwrap().as_str(), "https://app.test/");
        assert!(receiver("ftp://localhost").is_err() && receiver("").is_err());
    }
}
