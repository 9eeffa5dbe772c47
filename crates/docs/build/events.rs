//! The events that webhooks send, as Markdown.

use serde_json::{Value, json};

use crate::operation::{members, text};
use crate::schema_table::{cell, table};

/// Members of an event in the audit log that messages do not have.
const OF_THE_LOG: [&str; 4] = ["at", "action", "address", "request_id"];

/// Returns the page.
pub(crate) fn markdown(document: &Value) -> String {
    let mut page = "# Webhook events\n\nA webhook sends a message for each event, as [Standard Webhooks](https://www.standardwebhooks.com) describes: \
        `type` is the name of the event, `timestamp` is when it happened, and `data` is what happened. The [guide](/docs/guides/webhooks) \
        shows how to verify messages. The [audit log](/docs/contract#audit-log-and-events) has the same events.\n\n## Events\n\n| Event | When |\n|---|---|\n"
        .to_owned();
    for (name, when) in members(&document["x-webhook-events"]) {
        page.push_str(&format!("| `{name}` | {} |\n", cell(when.as_str().unwrap_or_default())));
    }
    let event = &document["components"]["schemas"]["AuditEvent"];
    let (mut schema, mut example) = (event.clone(), event["example"].clone());
    for name in OF_THE_LOG {
        for object in [&mut schema["properties"], &mut example] {
            if let Some(members) = object.as_object_mut() {
                members.remove(name);
            }
        }
    }
    let message =
        json!({"type": text(&event["example"], "action"), "timestamp": text(&event["example"], "at"), "data": example});
    page.push_str(&format!("\n## Data\n\nThe members of `data`:\n\n{}\n", table(document, &schema)));
    let message = serde_json::to_string_pretty(&message).unwrap_or_default();
    page + &format!("## Example\n\n```json\n{message}\n```\n")
}
