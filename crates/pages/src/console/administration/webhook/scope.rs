//! The team or project whose webhooks a page is about. All pages of webhooks are the same for both.

use steward_domain::administration::Webhook;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{ResourceScope, WebhookId};

use crate::console::frame::{Shell, Signed, TeamOrProject};
use crate::error::PageError;

/// The team or project in the path, and what the person may do with its webhooks.
pub(crate) struct WebhookScope(TeamOrProject);

/// What a person does with webhooks. Teams and projects have an operation of their own for each.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WebhookAction {
    Create,
    Update,
    Delete,
    Rotate,
    Deliveries,
    Redeliver,
    Test,
}

impl WebhookScope {
    /// Returns the team or project in the path.
    pub(crate) async fn of(signed: &Signed) -> Result<Self, PageError> {
        Ok(Self(TeamOrProject::of(signed).await?))
    }

    pub(crate) fn id(&self) -> ResourceScope {
        self.0.id()
    }

    /// Returns the address of a page of webhooks. `path` is empty, or starts with a slash.
    pub(crate) fn at(&self, path: &str) -> String {
        self.0.at(&format!("/webhooks{path}"))
    }

    /// Returns the layout of the list of webhooks.
    pub(crate) async fn shell(&self, signed: &Signed) -> Result<Shell, PageError> {
        self.0.shell(signed, "Webhooks").await
    }

    /// Returns the layout of a page below the list.
    pub(crate) async fn shell_below(&self, signed: &Signed, label: &str) -> Result<Shell, PageError> {
        Ok(self.shell(signed).await?.below(self.at(""), label))
    }

    /// Returns the layout of a page below that of a webhook.
    pub(crate) async fn shell_of(&self, signed: &Signed, webhook: &Webhook, label: &str) -> Result<Shell, PageError> {
        Ok(self.below_webhook(self.shell(signed).await?, webhook, label))
    }

    /// Turns the layout of the list into that of a page below a webhook.
    pub(crate) fn below_webhook(&self, list: Shell, webhook: &Webhook, label: &str) -> Shell {
        list.below(self.at(""), webhook.url.as_str()).below(self.at(&format!("/{}", webhook.id)), label)
    }

    pub(crate) fn operation(&self, action: WebhookAction) -> Operation {
        let (of_team, of_project) = match action {
            WebhookAction::Create => (Operation::TeamWebhookCreate, Operation::ProjectWebhookCreate),
            WebhookAction::Update => (Operation::TeamWebhookUpdate, Operation::ProjectWebhookUpdate),
            WebhookAction::Delete => (Operation::TeamWebhookDelete, Operation::ProjectWebhookDelete),
            WebhookAction::Rotate => (Operation::TeamWebhookRotate, Operation::ProjectWebhookRotate),
            WebhookAction::Deliveries => (Operation::TeamWebhookDeliveries, Operation::ProjectWebhookDeliveries),
            WebhookAction::Redeliver => (Operation::TeamWebhookRedeliver, Operation::ProjectWebhookRedeliver),
            WebhookAction::Test => (Operation::TeamWebhookTest, Operation::ProjectWebhookTest),
        };
        self.0.choose(of_team, of_project)
    }

    /// Whether the person may do this.
    pub(crate) fn may(&self, action: WebhookAction) -> bool {
        self.0.permitted().may(self.operation(action))
    }

    /// Refuses to show a form for something that the person may not do.
    pub(crate) fn require(&self, action: WebhookAction) -> Result<(), Error> {
        self.0.permitted().require(self.operation(action))
    }
}

/// Returns the ID of the webhook in the path.
pub(crate) fn webhook_id(signed: &Signed) -> Result<WebhookId, PageError> {
    Ok(WebhookId::parse(signed.parameter("webhook")).ok_or(Error::NotFound(ResourceKind::Webhook))?)
}

/// Returns the webhook in the path, and its team or project.
pub(crate) async fn load(signed: &Signed) -> Result<(WebhookScope, Webhook), PageError> {
    let scope = WebhookScope::of(signed).await?;
    let webhook = signed.steward().webhooks.get(&signed.caller, scope.id(), webhook_id(signed)?).await?;
    Ok((scope, webhook))
}
