//! Recording how sign-ins at an identity provider failed, so that its administrators see why.

use chrono::TimeDelta;
use serde_json::json;

use crate::administration::{AuditEvent, AuditFilter, ItemChanges};
use crate::identity::{IdentityCore, IdentityProvider, ProviderError};
use crate::kernel::changes::Changes;
use crate::kernel::error::Error;
use crate::kernel::policy::{LimitedAction, Permit};
use crate::kernel::{PageRequest, Request, ResourceKind, ResourceScope, Time};

/// For how long failed sign-ins are listed, and at most how many.
const LISTED: TimeDelta = TimeDelta::days(7);
const MAX_LISTED: u16 = 10;

/// A sign-in at a provider that failed because of the provider.
#[derive(Debug, Clone)]
pub struct FailedProviderSignIn {
    /// When it failed.
    pub at: Time,
    /// The claim that was refused.
    pub claim: Option<String>,
    /// Why it failed.
    pub reason: String,
}

impl FailedProviderSignIn {
    /// Returns the sign-in that an event of the audit log records.
    fn of(event: &AuditEvent) -> Self {
        let text = |name: &str| event.after.as_ref()?.get(name)?.as_str().map(str::to_owned);
        Self { at: event.at, claim: text("claim"), reason: text("reason").unwrap_or_default() }
    }
}

/// Records in the audit log how a sign-in failed. Anyone can cause that, so only a few are recorded, and a failure to record one
/// changes nothing.
pub(super) async fn record(core: &IdentityCore, request: &Request, provider: &IdentityProvider, error: &ProviderError) {
    let (now, of) = (core.now(), provider.id.to_string());
    let is_counted = *error != ProviderError::Busy
        && core.action_limiter.take(LimitedAction::RecordFailedProvider, &of, now).await.is_ok();
    if !is_counted {
        return;
    }
    let project = match provider.project_id {
        None => None,
        Some(id) => match core.ports.projects.project(id).await {
            Ok(Some(found)) => Some(found.project),
            Ok(None) | Err(_) => return,
        },
    };
    let attempt = Permit::failed_provider(request.clone(), project.as_ref());
    let details = json!({"claim": error.claim(), "reason": error.to_string()});
    let target = (ResourceKind::IdentityProvider, of);
    drop(core.commit(Changes::with_refusal(attempt, AuditEvent::SIGN_IN_FAILED, target, details, now)).await);
}

/// Returns the last sign-ins at a provider that failed in the last seven days, newest first.
pub(super) async fn last(core: &IdentityCore, provider: &IdentityProvider) -> Result<Vec<FailedProviderSignIn>, Error> {
    let (since, page) = (core.now() - LISTED, PageRequest { limit: Some(MAX_LISTED), ..PageRequest::FIRST });
    let found = match provider.project_id {
        None => core.ports.audit_log.provider_events(provider.id, &page).await?,
        Some(project) => {
            let filter = AuditFilter {
                action: Some(format!("{}.{}", ResourceKind::IdentityProvider.as_str(), AuditEvent::SIGN_IN_FAILED)),
                target: Some(provider.id.to_string()),
                from: Some(since),
                item_changes: ItemChanges::Exclude,
                ..AuditFilter::default()
            };
            core.ports.audit_log.audit_events(ResourceScope::Project(project), &filter, &page).await?
        }
    };
    Ok(found.items.iter().filter(|event| event.at >= since).map(FailedProviderSignIn::of).collect())
}
