//! What messages to webhooks contain: events of the audit log, and test events.

use chrono::SecondsFormat;
use serde_json::{Value, json};

use crate::administration::{AuditEvent, RecordedActor, Webhook, WebhookDelivery};
use crate::kernel::policy::Permit;
use crate::kernel::{DeliveryId, ProjectId, ResourceKind, Time};

/// Position of a test event. No event of the audit log has it.
const TEST_POSITION: i64 = 0;

/// Returns the event that tests a webhook. Receivers can read it like any other event, but the audit log does not
/// contain it.
pub(crate) fn test_event(permit: &Permit, webhook: &Webhook, at: Time) -> AuditEvent {
    AuditEvent {
        position: TEST_POSITION,
        at,
        team_id: Some(webhook.team_id),
        project_id: webhook.project_id,
        actor: RecordedActor::from(permit.actor()),
        operation: permit.operation().rule().name.to_owned(),
        action: WebhookDelivery::TEST_EVENT.to_owned(),
        target_kind: ResourceKind::Webhook.as_str().to_owned(),
        target_id: webhook.id.to_string(),
        before: None,
        after: None,
        request_id: permit.request().id.clone(),
        address: None,
    }
}

/// An event as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventMessage {
    /// Position of the event in the audit log; 0 for a test event.
    pub(crate) position: i64,
    /// The project that the event is about; `None` for an event of the team itself.
    pub(crate) project: Option<ProjectId>,
    /// Name of the event.
    pub(crate) name: String,
    /// The body of the message.
    pub(crate) body: String,
}

impl EventMessage {
    /// Returns the message of an event.
    pub(crate) fn of(event: &AuditEvent) -> Self {
        Self {
            position: event.position,
            project: event.project_id,
            name: event.action.clone(),
            body: payload(event).to_string(),
        }
    }
}

/// Returns the ID of a message, by which receivers recognize repeated messages: the same for every attempt to deliver
/// an event, and unique for each test event.
pub(crate) fn message_id(webhook: &Webhook, position: i64, delivery: DeliveryId) -> String {
    let webhook = webhook.id.hex();
    if position == TEST_POSITION {
        format!("msg_{webhook}_{}", delivery.hex())
    } else {
        format!("msg_{webhook}_{position}")
    }
}

/// Returns the body of a message.
pub(crate) fn payload(event: &AuditEvent) -> Value {
    json!({
        "type": event.action,
        "timestamp": event.at.to_rfc3339_opts(SecondsFormat::Micros, true),
        "data": event.data(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::TeamId;
    use crate::mocks::{a_permit_in, a_webhook, id_of, instant};

    fn a_test(project: Option<ProjectId>) -> (Webhook, AuditEvent) {
        let team = TeamId::from(id_of("acme"));
        let webhook = a_webhook(team, project);
        let event = test_event(&a_permit_in(team, project), &webhook, instant());
        (webhook, event)
    }

    #[test]
    fn a_test_event_says_which_webhook_is_tested_and_by_which_actor() {
        for project in [None, Some(ProjectId::from(id_of("project")))] {
            let (webhook, event) = a_test(project);
            let expected = json!({
                "type": "webhook.test",
                "timestamp": "2026-01-01T00:00:00.000000Z",
                "data": {
                    "operation": "updateTeam",
                    "actor": {"type": "account", "id": id_of("owner").to_string(), "token_id": null},
                    "target": {"type": "webhook", "id": webhook.id.to_string()},
                    "team_id": id_of("acme").to_string(),
                    "project_id": project.map(|id| id.to_string()),
                    "before": null,
                    "after": null,
                    "position": 0,
                },
            });
            assert_eq!(payload(&event), expected);
        }
    }

    #[test]
    fn each_test_has_a_message_id_and_an_event_keeps_its_own() {
        let (webhook, test) = a_test(None);
        let (test, event) = (test.position, 7);
        let [first, second] = ["first", "second"].map(|name| DeliveryId::from(id_of(name)));
        assert_ne!(message_id(&webhook, test, first), message_id(&webhook, test, second));
        assert_eq!(message_id(&webhook, event, first), message_id(&webhook, event, second));
        assert_ne!(message_id(&webhook, event, first), message_id(&webhook, test, first));
    }
}
