//! The team or project whose webhooks a page is about. All pages of webhooks are the same for both.

use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{ResourceScope, WebhookId};
use steward_domain::policy::Operation;

use crate::error::PageError;

use super::permitted::Permitted;
use super::scope::{ProjectScope, TeamScope};
use super::shell::Shell;
use super::signed::Signed;

const TAB: &str = "Webhooks";

/// The team or project in the path, and what the person may do with its webhooks.
pub(super) enum WebhookScope {
    Team(Box<TeamScope>),
    Project(Box<ProjectScope>),
}

/// What a person does with webhooks. Teams and projects have an operation of their own for each.
#[derive(Debug, Clone, Copy)]
pub(super) enum WebhookAction {
    Create,
    Update,
    Delete,
    Rotate,
    Deliveries,
    Redeliver,
    Test,
}

impl WebhookScope {
    /// Returns the project in the path or, if there is none, the team.
    pub(super) async fn of(signed: &Signed) -> Result<Self, PageError> {
        if signed.parameter("project").is_empty() {
            Ok(Self::Team(Box::new(signed.team().await?)))
        } else {
            Ok(Self::Project(Box::new(signed.project().await?)))
        }
    }

    pub(super) fn id(&self) -> ResourceScope {
        match self {
            Self::Team(scope) => ResourceScope::Team(scope.team.id),
            Self::Project(scope) => ResourceScope::Project(scope.project.id),
        }
    }

    /// Returns the address of a page of webhooks. `path` is empty, or starts with a slash.
    pub(super) fn at(&self, path: &str) -> String {
        let path = format!("/webhooks{path}");
        match self {
            Self::Team(scope) => scope.at(&path),
            Self::Project(scope) => scope.at(&path),
        }
    }

    /// Returns the layout of the list of webhooks.
    pub(super) async fn shell(&self, signed: &Signed) -> Result<Shell, PageError> {
        match self {
            Self::Team(scope) => scope.shell(signed, TAB).await,
            Self::Project(scope) => scope.shell(signed, TAB).await,
        }
    }

    /// Returns the layout of a page below the list.
    pub(super) async fn shell_below(&self, signed: &Signed, label: &str) -> Result<Shell, PageError> {
        Ok(self.shell(signed).await?.below(self.at(""), label))
    }

    pub(super) fn operation(&self, action: WebhookAction) -> Operation {
        let (of_team, of_project) = match action {
            WebhookAction::Create => (Operation::TeamWebhookCreate, Operation::ProjectWebhookCreate),
            WebhookAction::Update => (Operation::TeamWebhookUpdate, Operation::ProjectWebhookUpdate),
            WebhookAction::Delete => (Operation::TeamWebhookDelete, Operation::ProjectWebhookDelete),
            WebhookAction::Rotate => (Operation::TeamWebhookRotate, Operation::ProjectWebhookRotate),
            WebhookAction::Deliveries => (Operation::TeamWebhookDeliveries, Operation::ProjectWebhookDeliveries),
            WebhookAction::Redeliver => (Operation::TeamWebhookRedeliver, Operation::ProjectWebhookRedeliver),
            WebhookAction::Test => (Operation::TeamWebhookTest, Operation::ProjectWebhookTest),
        };
        match self {
            Self::Team(_) => of_team,
            Self::Project(_) => of_project,
        }
    }

    /// Whether the person may do this.
    pub(super) fn may(&self, action: WebhookAction) -> bool {
        self.permitted().may(self.operation(action))
    }

    /// Refuses to show a form for something that the person may not do.
    pub(super) fn require(&self, action: WebhookAction) -> Result<(), Error> {
        self.permitted().require(self.operation(action))
    }

    fn permitted(&self) -> Permitted {
        match self {
            Self::Team(scope) => scope.permitted,
            Self::Project(scope) => scope.permitted,
        }
    }
}

/// Returns the ID of the webhook in the path.
pub(super) fn webhook_id(signed: &Signed) -> Result<WebhookId, PageError> {
    Ok(WebhookId::parse(signed.parameter("webhook")).ok_or(Error::NotFound(ResourceKind::Webhook))?)
}
