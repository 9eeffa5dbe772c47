//! The forms that create a webhook and change its URL, events and ordering.

use std::net::IpAddr;

use askama::Template;
use steward_domain::administration::{
    CreateWebhook, EventSelection, UpdateWebhook, WebhookOrdering, WebhookUrl, is_public,
};
use steward_domain::kernel::ResourceScope;
use steward_domain::kernel::error::{Error, FieldViolations};

use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission};
use crate::error::PageResult;
use crate::request::form::Form;

use super::scope::{WebhookAction, WebhookScope, load};
use super::secret::NewSecret;

/// Kinds of resources that belong to a team and to none of its projects. A project has no events about them.
const ONLY_OF_TEAMS: [&str; 3] = ["team", "member", "invite"];

/// Creates a webhook and shows its secret.
pub(crate) async fn submit_new(mut submission: Submission) -> PageResult {
    submission.describe("Create a webhook");
    let scope = WebhookScope::of(&submission.signed).await?;
    let shell = scope.shell_below(&submission.signed, "New webhook").await?;
    let submitted = submission.run_once(scope.operation(WebhookAction::Create), async |caller| {
        let new = values(&submission)?;
        let issued = submission.signed.steward().webhooks.create(caller, scope.id(), new).await?;
        NewSecret::outcome(shell, &scope, &issued, "The webhook was created")
    });
    submitted.await?.or_show(|form| form_page(&submission.signed, form)).await
}

/// Changes a webhook.
pub(crate) async fn submit_edit(mut submission: Submission) -> PageResult {
    submission.describe("Change what the webhook sends and where");
    let (scope, before) = load(&submission.signed).await?;
    let (id, when) = (before.id, submission.precondition());
    let submitted = submission.run_once(scope.operation(WebhookAction::Update), async |caller| {
        let CreateWebhook { url, events, ordering } = values(&submission)?;
        // The member who sends a URL becomes the one who authorizes the webhook.
        let url = Some(url).filter(|url| *url != before.url);
        let command = UpdateWebhook { url, events: Some(events), ordering: Some(ordering), ..UpdateWebhook::default() };
        submission.signed.steward().webhooks.update(caller, scope.id(), id, command, &when).await?;
        Ok(Outcome::next(scope.at(&format!("/{id}")), "The webhook was changed."))
    });
    submitted.await?.or_show(|form| form_page(&submission.signed, form)).await
}

/// Shows the form of a new webhook, or of the one in the path.
pub(crate) async fn form_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, webhook) = match signed.parameter("webhook") {
        "" => (WebhookScope::of(signed).await?, None),
        _ => load(signed).await.map(|(scope, webhook)| (scope, Some(webhook)))?,
    };
    let (action, title, button) = match &webhook {
        None => (WebhookAction::Create, "New webhook", "Create the webhook"),
        Some(_) => (WebhookAction::Update, "Edit the webhook", "Save"),
    };
    if !form.is_refused() {
        scope.require(action)?;
    }
    let (shell, form) = match &webhook {
        None => {
            let values = [("events", "*"), ("ordering", WebhookOrdering::default().as_str())];
            (scope.shell_below(signed, title).await?, form.starting_with(&values))
        }
        Some(webhook) => {
            let events = webhook.events.texts();
            let events = events.iter().map(|name| ("events", name.as_str()));
            let others = [("url", webhook.url.as_str()), ("ordering", webhook.ordering.as_str())];
            let form = form.starting_with(&events.chain(others).collect::<Vec<_>>());
            (scope.shell_of(signed, webhook, "Edit").await?, form.with_revision(webhook.revision))
        }
    };
    let (groups, orderings, hint) = (groups(&scope, &form), orderings(), receiver_hint(signed));
    let listen = form.error("url").and_then(|_| listen_command(signed, scope.id(), form.value("url")));
    let view = WebhookForm { shell, form, groups, orderings, hint, listen, title, button };
    view.form.page(signed, &view)
}

/// Returns the settings that a form contains.
fn values(submission: &Submission) -> Result<CreateWebhook, Error> {
    let (form, pages) = (&submission.form, &submission.signed.browser.pages);
    let mut violations = FieldViolations::default();
    let url = violations.check("url", WebhookUrl::parse(form.text("url"), pages.allow_private_webhooks));
    let events = violations.check("events", selected(form));
    let ordering = violations.check("ordering", WebhookOrdering::parse(form.text("ordering")));
    let settings = url.zip(events).zip(ordering);
    violations.finish(settings.map(|((url, events), ordering)| CreateWebhook { url, events, ordering }))
}

/// Returns how pages name an ordering.
pub(super) fn ordering_label(ordering: WebhookOrdering) -> &'static str {
    match ordering {
        WebhookOrdering::Project => "In order for each project",
        WebhookOrdering::Unordered => "In any order",
    }
}

fn orderings() -> Vec<(&'static str, &'static str)> {
    WebhookOrdering::ALL.iter().map(|ordering| (ordering.as_str(), ordering_label(*ordering))).collect()
}

/// Returns the events that a form selects.
fn selected(form: &Form) -> Result<EventSelection, String> {
    let names = form.fields().filter(|(name, _)| *name == "events");
    let names: Vec<String> = names.map(|(_, value)| value.to_owned()).collect();
    if names.is_empty() { Err("must contain at least one event".to_owned()) } else { EventSelection::parse(&names) }
}

/// Returns which URLs the settings of the service accept.
fn receiver_hint(signed: &Signed) -> &'static str {
    match signed.browser.pages.allow_private_webhooks {
        true => "An https or http URL. It may be in the private network of this service.",
        false => "An https URL that is reachable from the internet.",
    }
}

/// Returns the command that sends the events to a receiver on the machine of the developer, if a URL names one that the service
/// does not reach.
fn listen_command(signed: &Signed, scope: ResourceScope, url: &str) -> Option<String> {
    let receiver = url.trim();
    let host = receiver.rsplit("://").next()?.split([':', '/']).next()?;
    let is_local = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| !is_public(address));
    if !is_local || signed.browser.pages.allow_private_webhooks {
        return None;
    }
    let is_word = receiver.chars().all(|c| c.is_ascii_alphanumeric() || "-._~:/".contains(c));
    let receiver = if is_word { receiver } else { "http://localhost" };
    let (server, (kind, id)) = (
        signed.steward().address.as_str(),
        match scope {
            ResourceScope::Team(team) => ("team", team.to_string()),
            ResourceScope::Project(project) => ("project", project.to_string()),
        },
    );
    Some(format!("steward listen --server {server} --{kind} {id} --forward-to {receiver}"))
}

/// The events about one kind of resource.
struct EventGroup {
    kind: String,
    names: Vec<String>,
}

/// Returns the events that a form offers: those that can happen, and those that it selects already.
fn groups(scope: &WebhookScope, form: &FormState) -> Vec<EventGroup> {
    let is_team = matches!(scope.id(), ResourceScope::Team(_));
    let mut groups: Vec<EventGroup> = Vec::new();
    for name in EventSelection::known_names() {
        let kind = name.split('.').next().unwrap_or_default().to_owned();
        if !is_team && ONLY_OF_TEAMS.contains(&kind.as_str()) && !form.has("events", &name) {
            continue;
        }
        match groups.last_mut() {
            Some(group) if group.kind == kind => group.names.push(name),
            _ => groups.push(EventGroup { kind, names: vec![name] }),
        }
    }
    groups
}

#[derive(Template)]
#[template(path = "console/administration/webhook/form.html")]
struct WebhookForm {
    shell: Shell,
    form: FormState,
    groups: Vec<EventGroup>,
    /// The orderings to select from, with their labels.
    orderings: Vec<(&'static str, &'static str)>,
    /// What the URL can be.
    hint: &'static str,
    /// The command to use instead of a webhook to a program on the developer's machine.
    listen: Option<String>,
    title: &'static str,
    button: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_of_teams_have_events() {
        let names = EventSelection::known_names();
        for kind in ONLY_OF_TEAMS {
            assert!(names.iter().any(|name| name.starts_with(&format!("{kind}."))), "{kind}");
        }
    }
}
