//! `steward webhook`.

use crate::remote::plain::noun;

const COLUMNS: &[&str] = &["id", "url", "events", "ordering", "status", "created_at"];
const DELIVERY_COLUMNS: &[&str] = &["id", "event", "attempt", "at", "status", "took_ms", "error"];
const STORE_SECRET: &str = "Store the secret now. It is not shown again.";

noun! {
    WebhookCommand {}

    /// List the webhooks of a team or project, newest first
    "webhook list", example("--team acme"), example("--project shop --json"), columns(COLUMNS) {}
    /// Get a webhook
    "webhook get" {}
    /// Create a webhook and print its secret, which is not shown again
    "webhook create", example("--team acme --url https://example.com/hooks"),
        example("--project shop --url https://example.com/hooks --events item.created,item.updated"),
        note("secret", STORE_SECRET) {
        /// Public https URL to send events to
        text "url";
        /// Comma-separated names of the events to send, such as team.updated; * for all events
        list "events", arg(|arg| arg.value_delimiter(',').default_value("*"));
        /// Send the events of each project in order (project), or all events in any order (none)
        text "ordering", one_of(["project", "none"]), or("project");
    }
    /// Change the URL, the events or the ordering of a webhook, pause it or resume it
    "webhook update", example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --events team.updated"),
        example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --ordering none"),
        example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --pause"),
        example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --resume") {
        /// New URL to send events to
        text "url";
        /// Comma-separated names of the events to send; * for all events
        list "events", arg(|arg| arg.value_delimiter(','));
        /// Send the events of each project in order (project), or all events in any order (none)
        text "ordering", one_of(["project", "none"]);
        /// Pause the webhook: no further events are sent, but they are kept
        switch "pause", sets("status", "paused");
        /// Resume a paused webhook, with the first event that was not delivered
        switch "resume", sets("status", "active");
    }
    /// Delete a webhook
    "webhook delete", confirm("Delete the webhook {}?"), done("deleted", "The webhook {} is deleted.") {}
    /// List the attempts to deliver events to a webhook, newest first
    "webhook deliveries", example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme --limit 20"),
        columns(DELIVERY_COLUMNS) {}
    /// Get an attempt to deliver an event, with its message, the beginning of the response, and the next attempt
    "webhook delivery", example("018f2a43-1f5c-7b8d-92e4-6d7a0c3f5b18 \
        --webhook 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme") {}
    /// Send the event of an earlier delivery again, now
    "webhook redeliver", example("018f2a43-1f5c-7b8d-92e4-6d7a0c3f5b18 \
        --webhook 018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme") {}
    /// Send a test event to a webhook, now, also while it is paused
    "webhook test", example("018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62 --team acme") {}
    /// Rotate the secret of a webhook; for 24 hours, messages are signed with both secrets
    "webhook rotate-secret", confirm("Rotate the secret of the webhook {}?"), note("secret", STORE_SECRET) {}
}
