//! Signing secrets of webhooks: rotating one, and showing a new one once.

use actix_web::HttpResponse;
use askama::Template;
use steward_domain::error::Error;
use steward_domain::model::{Caller, Issued, Webhook};

use crate::error::PageError;

use super::confirmation::Confirmation;
use super::form_state::FormState;
use super::outcome::{Outcome, Submitted};
use super::shell::Shell;
use super::signed::Signed;
use super::submission::Submission;
use super::timestamps::date_time;
use super::webhook_scope::{WebhookAction, WebhookScope, webhook_id};
use super::webhooks::load;

/// Asks before a secret is rotated.
pub(super) async fn show_rotate(signed: Signed) -> Result<HttpResponse, PageError> {
    let (scope, webhook) = load(&signed).await?;
    scope.require(WebhookAction::Rotate)?;
    let form = FormState::new(&signed, &[]);
    rotate_page(&signed, &scope, &webhook, form).await
}

/// Rotates the secret of a webhook and shows the new one.
pub(super) async fn take_rotate(mut submission: Submission) -> Result<HttpResponse, PageError> {
    if let Some(page) = submission.ask_for_password("Rotate the secret of the webhook").await? {
        return Ok(page);
    }
    let scope = WebhookScope::of(&submission.signed).await?;
    let id = webhook_id(&submission.signed)?;
    let shell = scope.shell_below(&submission.signed, "New secret").await?;
    let act = async |caller: &Caller| -> Result<Outcome, Error> {
        let issued = submission.signed.steward().webhooks.rotate(caller, scope.id(), id).await?;
        Outcome::page(&NewSecret::of(shell, &scope, &issued, "The secret was rotated"))
    };
    match submission.once(submission.access(scope.operation(WebhookAction::Rotate)), act).await? {
        Submitted::Done(response) => Ok(response),
        Submitted::Refused(form) => {
            let (scope, webhook) = load(&submission.signed).await?;
            rotate_page(&submission.signed, &scope, &webhook, form).await
        }
    }
}

async fn rotate_page(
    signed: &Signed,
    scope: &WebhookScope,
    webhook: &Webhook,
    form: FormState,
) -> Result<HttpResponse, PageError> {
    let back = scope.at(&format!("/{}", webhook.id));
    let page = Confirmation {
        shell: scope.shell_below(signed, "Rotate the secret").await?,
        form,
        title: "Rotate the secret of the webhook",
        subject: webhook.url.as_str().to_owned(),
        consequences: vec![
            "For 24 hours, messages are signed with both the new and the previous secret. Replace the secret in the \
             receiver within this time."
                .to_owned(),
        ],
        address: format!("{back}/rotate"),
        button: "Rotate the secret",
        is_danger: false,
        back,
    };
    page.form.page(signed, &page)
}

/// The secret of a webhook that was just created or rotated.
#[derive(Template)]
#[template(path = "console/webhook_secret.html")]
pub(super) struct NewSecret<'a> {
    shell: Shell,
    title: &'static str,
    url: &'a str,
    secret: &'a str,
    /// Until when messages are also signed with the previous secret.
    previous_until: Option<String>,
    address: String,
}

impl<'a> NewSecret<'a> {
    pub(super) fn of(shell: Shell, scope: &WebhookScope, issued: &'a Issued<Webhook>, title: &'static str) -> Self {
        let webhook = &issued.value;
        Self {
            shell,
            title,
            url: webhook.url.as_str(),
            secret: issued.secret.expose(),
            previous_until: webhook.previous.as_ref().map(|previous| date_time(previous.expires_at)),
            address: scope.at(&format!("/{}", webhook.id)),
        }
    }
}
