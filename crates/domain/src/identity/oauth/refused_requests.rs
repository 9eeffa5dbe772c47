//! Recording requests of clients that were refused, so that the developers of a project see why their app cannot sign
//! anyone in.

use serde_json::json;

use crate::administration::{AuditEvent, Project};
use crate::identity::{ClientId, IdentityCore};
use crate::kernel::changes::Changes;
use crate::kernel::error::{OAuthError, ResourceKind};
use crate::kernel::policy::{LimitedAction, Operation, Permit};
use crate::kernel::{Request, Time};

/// Maximum number of characters of the caller's input that an event contains.
const MAX_QUOTED: usize = 200;

/// A request of a client that was refused.
pub(crate) struct RefusedClientRequest<'a> {
    /// The operation that was requested.
    pub operation: Operation,
    /// The client that sent the request, or that it names.
    pub client: &'a ClientId,
    /// The redirect URI that the request contains.
    pub redirect_uri: Option<&'a str>,
    /// Why the request was refused.
    pub error: &'a OAuthError,
}

impl IdentityCore {
    /// Records a refused request in the audit log of the project. Anyone can send such requests, so only a few are recorded,
    /// and a failure to record one changes nothing.
    pub(crate) async fn record_refusal(&self, request: &Request, project: &Project, refusal: RefusedClientRequest<'_>) {
        let (now, of) = (self.now(), project.id.to_string());
        if self.action_limiter.take(LimitedAction::RecordRefusedClient, &of, now).await.is_err() {
            return;
        }
        let quoted = |text: &str| text.chars().take(MAX_QUOTED).collect::<String>();
        let details = json!({
            "client_id": refusal.client.as_str(),
            "error": refusal.error.code.as_str(),
            "reason": refusal.error.description,
            "redirect_uri": refusal.redirect_uri.map(quoted),
        });
        let attempt = Permit::refused_client(refusal.operation, request.clone(), project.team_id, project.id);
        let target = (ResourceKind::Project, project.id.to_string());
        let changes = Changes::with_refusal(attempt, AuditEvent::CLIENT_REQUEST_REFUSED, target, details, now);
        drop(self.commit(changes).await);
    }
}

/// A request of a client that was refused because of an error in the request.
#[derive(Debug, Clone)]
pub struct RefusedRequest {
    /// When it was refused.
    pub at: Time,
    /// The client, as the request names it.
    pub client_id: String,
    /// Why it was refused.
    pub reason: String,
    /// The start of the redirect URI that the request contains.
    pub redirect_uri: Option<String>,
}

impl RefusedRequest {
    /// Returns the request that an event of the audit log records.
    pub(crate) fn of(event: &AuditEvent) -> Self {
        let text = |name: &str| event.after.as_ref()?.get(name)?.as_str().map(str::to_owned);
        Self {
            at: event.at,
            client_id: text("client_id").unwrap_or_default(),
            reason: text("reason").unwrap_or_default(),
            redirect_uri: text("redirect_uri"),
        }
    }
}
