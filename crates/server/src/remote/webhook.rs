//! `steward webhook`.

use clap::Subcommand;

use super::plain::{Noun, Plain, plain};

const COLUMNS: &[&str] = &["id", "url", "events", "ordering", "status", "created_at"];
const DELIVERY_COLUMNS: &[&str] = &["id", "event", "attempt", "at", "status", "took_ms", "error"];
const ORDERING: &str = "Send the events of each project in order (project), or all events in any order (none)";
const STORE_SECRET: &str = "Store the secret now. It is not shown again.";

#[derive(Debug, Subcommand)]
pub enum WebhookCommand {}

impl Noun for WebhookCommand {
    fn commands() -> Vec<Plain> {
        vec![
            plain("webhook list", "List the webhooks of a team or project, newest first")
                .example("--team acme")
                .example("--project shop --json")
                .columns(COLUMNS),
            plain("webhook get", "Get a webhook"),
            plain("webhook create", "Create a webhook and print its secret, which is not shown again")
                .example("--team acme --url https://example.com/hooks")
                .example("--project shop --url https://example.com/hooks --events item.created,item.updated")
                .text("url", "Public https URL to send events to")
                .list("events", "Comma-separated names of the events to send, such as team.updated; * for all events")
                .arg(|arg| arg.value_delimiter(',').default_value("*"))
                .text("ordering", ORDERING)
                .one_of(["project", "none"])
                .or("project")
                .note("secret", STORE_SECRET),
            plain("webhook update", "Change the URL, the events or the ordering of a webhook, pause it or resume it")
                .example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --events team.updated")
                .example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --ordering none")
                .example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --pause")
                .example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --resume")
                .text("url", "New URL to send events to")
                .list("events", "Comma-separated names of the events to send; * for all events")
                .arg(|arg| arg.value_delimiter(','))
                .text("ordering", ORDERING)
                .one_of(["project", "none"])
                .switch("pause", "Pause the webhook: no further events are sent, but they are kept")
                .sets("status", "paused")
                .switch("resume", "Resume a paused webhook, with the first event that was not delivered")
                .sets("status", "active"),
            plain("webhook delete", "Delete a webhook")
                .confirm("Delete the webhook {}?")
                .done("deleted", "The webhook {} is deleted."),
            plain("webhook deliveries", "List the attempts to deliver events to a webhook, newest first")
                .example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --limit 20")
                .columns(DELIVERY_COLUMNS),
            plain("webhook redeliver", "Send the event of an earlier delivery again, now").example(
                "018f2a43-1f5c-7b8d-92e4-6d7a0c3f5b18 --webhook 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme",
            ),
            plain("webhook test", "Send a test event to a webhook, now, also while it is paused")
                .example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme"),
            plain(
                "webhook rotate-secret",
                "Rotate the secret of a webhook; for 24 hours, messages are signed with both secrets",
            )
            .confirm("Rotate the secret of the webhook {}?")
            .note("secret", STORE_SECRET),
        ]
    }

    async fn run(self) -> anyhow::Result<()> {
        match self {}
    }
}
