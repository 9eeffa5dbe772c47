//! Events as sentences: "You created the API key Deploy".

use std::borrow::Cow;

use serde_json::Value;
use steward_domain::administration::AuditEvent;
use steward_domain::kernel::ResourceKind;

/// What was done, where the words that follow from the action would say less. Each line has an operation, an action and a
/// phrase; one that is left out stands for any. The first line that fits is used.
const PHRASES: &str = include_str!("phrases.txt");

/// The members of the recorded state that name a resource, in the order in which they are preferred.
const NAMES: [&str; 5] = ["label", "name", "recipient", "url", "version"];

/// Returns what was done, as the words between who did it and the name of the resource.
pub(crate) fn phrase(event: &AuditEvent) -> Cow<'static, str> {
    let fits = |own: &str, text: &str| own.is_empty() || own == text;
    let found =
        phrases().find(|(operation, action, _)| fits(operation, &event.operation) && fits(action, &event.action));
    if let Some((.., phrase)) = found.filter(|_| !is_refused(event)) {
        return Cow::Borrowed(phrase);
    }
    let kind = ResourceKind::parse(&event.target_kind);
    let kind = kind.map_or_else(|| event.target_kind.replace('_', " "), |kind| kind.to_string());
    let verb = event.action.rsplit('.').next().unwrap_or_default();
    Cow::Owned(match verb {
        AuditEvent::REFUSED => format!("tried to change the {kind}"),
        "updated" => format!("changed the {kind}"),
        verb => format!("{} the {kind}", verb.replace('_', " ")),
    })
}

fn phrases() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    PHRASES.lines().filter_map(|line| {
        let mut parts = line.split('|').map(str::trim);
        Some((parts.next()?, parts.next()?, parts.next()?))
    })
}

/// Returns the name of the resource that the event records; `None` if it records none.
pub(crate) fn recorded_name(event: &AuditEvent) -> Option<String> {
    // What a refusal records is its reason.
    let states = [&event.after, &event.before].map(|state| state.as_ref().filter(|_| !is_refused(event)));
    let found = states.into_iter().flatten().find_map(|state| NAMES.iter().find_map(|name| text(state.get(name)?)));
    found.or_else(|| event.is_item_change().then(|| event.target_id.clone()))
}

/// Whether the event is an attempt that was refused.
pub(crate) fn is_refused(event: &AuditEvent) -> bool {
    event.action.ends_with(AuditEvent::REFUSED)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use steward_domain::administration::{EventSelection, RecordedActor};
    use steward_domain::kernel::Time;
    use steward_domain::kernel::policy::Operation;

    use super::*;

    fn event(operation: &str, action: &str, before: Option<Value>, after: Option<Value>) -> AuditEvent {
        AuditEvent {
            position: 1,
            at: Time::default(),
            team_id: None,
            project_id: None,
            actor: RecordedActor { kind: "system".into(), id: None, token_id: None },
            operation: operation.to_owned(),
            action: action.to_owned(),
            target_kind: action.split('.').next().unwrap_or_default().to_owned(),
            target_id: "first".to_owned(),
            before,
            after,
            request_id: String::new(),
            address: None,
        }
    }

    #[test]
    fn an_event_says_what_was_done_to_which_resource() {
        let key = || Some(json!({"label": "Deploy", "hint": "x"}));
        for (event, what, name) in [
            (event("createKey", "api_key.created", None, key()), "created the API key", Some("Deploy")),
            (event("regenerateKey", "api_key.updated", key(), key()), "rotated the API key", Some("Deploy")),
            (event("updateKey", "api_key.updated", key(), key()), "changed the API key", Some("Deploy")),
            (event("deleteKey", "api_key.deleted", key(), None), "deleted the API key", Some("Deploy")),
            (
                event("publishSchema", "schema.created", None, Some(json!({"version": 3}))),
                "published the schema version",
                Some("3"),
            ),
            (
                event("deleteTeam", "team.access_denied", None, Some(json!({"reason": "no", "name": "x"}))),
                "tried to change the team",
                None,
            ),
            (event("putItem", "item.created", None, Some(json!({"table": "x"}))), "created the item", Some("first")),
            (event("x", "new_thing.melted_down", None, None), "melted down the new thing", None),
        ] {
            assert_eq!((&*phrase(&event), recorded_name(&event).as_deref()), (what, name));
        }
    }

    #[test]
    fn the_phrases_name_operations_and_actions_that_exist() {
        let webhooks = EventSelection::known_names();
        assert_eq!(phrases().count(), PHRASES.lines().count());
        for (operation, action, phrase) in phrases() {
            assert!(operation.is_empty() || Operation::named(operation).is_some(), "{operation}: {phrase}");
            let kind = action.split('.').next().unwrap_or_default();
            assert!(action.is_empty() || ResourceKind::parse(kind).is_some(), "{action}: {phrase}");
            assert!(!kind.starts_with("project") || webhooks.contains(&action.to_owned()), "{action}");
        }
    }
}
