//! Webhooks of a team or project: the list, one webhook, resuming a paused one, and deleting one.

use actix_web::HttpResponse;
use askama::Template;
use steward_domain::error::Error;
use steward_domain::model::{AccountId, Caller, EventSelection, Webhook};
use steward_domain::usecases::UpdateWebhook;

use crate::error::PageError;

use super::confirmation::Confirmation;
use super::form_state::FormState;
use super::outcome::{Outcome, Submitted};
use super::shell::Shell;
use super::signed::Signed;
use super::submission::Submission;
use super::timestamps::date_time;
use super::webhook_scope::{WebhookAction, WebhookScope, webhook_id};

/// Lists the webhooks of a team or project.
pub(super) async fn list(signed: Signed) -> Result<HttpResponse, PageError> {
    let scope = WebhookScope::of(&signed).await?;
    let found = signed.steward().webhooks.list(&signed.caller, scope.id(), &signed.page_request()).await?;
    let own = signed.signed_in.account.id;
    signed.page(&Webhooks {
        shell: scope.shell(&signed).await?,
        webhooks: found.items.iter().map(|webhook| WebhookLine::of(webhook, &scope, own)).collect(),
        next: signed.next_page(found.next.as_ref(), &[]),
        address: scope.at("/new"),
        scope,
    })
}

/// Shows a webhook.
pub(super) async fn show(signed: Signed) -> Result<HttpResponse, PageError> {
    let (scope, webhook) = load(&signed).await?;
    let now = signed.steward().clock.now();
    let previous = webhook.previous.as_ref().filter(|previous| previous.expires_at > now);
    signed.page(&WebhookPage {
        shell: scope.shell_below(&signed, webhook.url.as_str()).await?,
        webhook: WebhookLine::of(&webhook, &scope, signed.signed_in.account.id),
        previous_secret: previous.map(|previous| date_time(previous.expires_at)),
        scope,
    })
}

/// Asks before a paused webhook is resumed.
pub(super) async fn show_resume(signed: Signed) -> Result<HttpResponse, PageError> {
    let (scope, webhook) = load(&signed).await?;
    scope.require(WebhookAction::Update)?;
    let form = FormState::new(&signed, &[]);
    resume_page(&signed, &scope, &webhook, form).await
}

/// Resumes a paused webhook.
pub(super) async fn take_resume(submission: Submission) -> Result<HttpResponse, PageError> {
    let scope = WebhookScope::of(&submission.signed).await?;
    let (id, when) = (webhook_id(&submission.signed)?, submission.precondition());
    let act = async |caller: &Caller| -> Result<Outcome, Error> {
        let command = UpdateWebhook { url: None, events: None, resume: true };
        submission.signed.steward().webhooks.update(caller, scope.id(), id, command, &when).await?;
        Ok(Outcome::next(scope.at(&format!("/{id}")), "The webhook was resumed."))
    };
    match submission.once(submission.access(scope.operation(WebhookAction::Update)), act).await? {
        Submitted::Done(response) => Ok(response),
        Submitted::Refused(form) => {
            let (scope, webhook) = load(&submission.signed).await?;
            resume_page(&submission.signed, &scope, &webhook, form).await
        }
    }
}

async fn resume_page(
    signed: &Signed,
    scope: &WebhookScope,
    webhook: &Webhook,
    form: FormState,
) -> Result<HttpResponse, PageError> {
    let back = scope.at(&format!("/{}", webhook.id));
    let page = Confirmation {
        shell: scope.shell_below(signed, "Resume").await?,
        form: form.about(webhook.revision),
        title: "Resume the webhook",
        subject: webhook.url.as_str().to_owned(),
        consequences: vec![
            "Delivery continues with the first event that was not delivered.".to_owned(),
            "You become the member who authorizes the webhook: it is paused when you may no longer manage webhooks."
                .to_owned(),
        ],
        address: format!("{back}/resume"),
        button: "Resume the webhook",
        is_danger: false,
        back,
    };
    page.form.page(signed, &page)
}

/// Asks before a webhook is deleted.
pub(super) async fn show_delete(signed: Signed) -> Result<HttpResponse, PageError> {
    let (scope, webhook) = load(&signed).await?;
    scope.require(WebhookAction::Delete)?;
    let form = FormState::new(&signed, &[]);
    delete_page(&signed, &scope, &webhook, form).await
}

/// Deletes a webhook.
pub(super) async fn take_delete(mut submission: Submission) -> Result<HttpResponse, PageError> {
    if let Some(page) = submission.ask_for_password("Delete the webhook").await? {
        return Ok(page);
    }
    let scope = WebhookScope::of(&submission.signed).await?;
    let (id, when) = (webhook_id(&submission.signed)?, submission.precondition());
    let act = async |caller: &Caller| -> Result<Outcome, Error> {
        submission.signed.steward().webhooks.delete(caller, scope.id(), id, &when).await?;
        Ok(Outcome::next(scope.at(""), "The webhook was deleted."))
    };
    match submission.once(submission.access(scope.operation(WebhookAction::Delete)), act).await? {
        Submitted::Done(response) => Ok(response),
        Submitted::Refused(form) => {
            let (scope, webhook) = load(&submission.signed).await?;
            delete_page(&submission.signed, &scope, &webhook, form).await
        }
    }
}

async fn delete_page(
    signed: &Signed,
    scope: &WebhookScope,
    webhook: &Webhook,
    form: FormState,
) -> Result<HttpResponse, PageError> {
    let back = scope.at(&format!("/{}", webhook.id));
    let page = Confirmation {
        shell: scope.shell_below(signed, "Delete").await?,
        form: form.about(webhook.revision),
        title: "Delete the webhook",
        subject: webhook.url.as_str().to_owned(),
        consequences: vec!["Nothing more is sent, and its deliveries are no longer listed.".to_owned()],
        address: format!("{back}/delete"),
        button: "Delete the webhook",
        is_danger: true,
        back,
    };
    page.form.page(signed, &page)
}

/// Returns the webhook in the path, and its team or project.
pub(super) async fn load(signed: &Signed) -> Result<(WebhookScope, Webhook), PageError> {
    let scope = WebhookScope::of(signed).await?;
    let webhook = signed.steward().webhooks.get(&signed.caller, scope.id(), webhook_id(signed)?).await?;
    Ok((scope, webhook))
}

/// A webhook as pages show it.
struct WebhookLine {
    address: String,
    url: String,
    events: Vec<String>,
    created: String,
    is_own: bool,
    pause: Option<PauseLine>,
}

/// Since when and why a webhook is paused.
struct PauseLine {
    since: String,
    reason: String,
}

impl WebhookLine {
    /// `own` is the account of the person.
    fn of(webhook: &Webhook, scope: &WebhookScope, own: AccountId) -> Self {
        let events = match &webhook.events {
            EventSelection::All => Vec::new(),
            EventSelection::Names(names) => names.clone(),
        };
        Self {
            address: scope.at(&format!("/{}", webhook.id)),
            url: webhook.url.as_str().to_owned(),
            events,
            created: date_time(webhook.created_at),
            is_own: webhook.authorized_by == own,
            pause: webhook
                .pause
                .as_ref()
                .map(|pause| PauseLine { since: date_time(pause.at), reason: pause.reason.clone() }),
        }
    }
}

#[derive(Template)]
#[template(path = "console/webhooks.html")]
struct Webhooks {
    shell: Shell,
    scope: WebhookScope,
    webhooks: Vec<WebhookLine>,
    next: Option<String>,
    /// The address of the form to create a webhook.
    address: String,
}

#[derive(Template)]
#[template(path = "console/webhook.html")]
struct WebhookPage {
    shell: Shell,
    scope: WebhookScope,
    webhook: WebhookLine,
    /// Until when messages are also signed with the previous secret.
    previous_secret: Option<String>,
}
