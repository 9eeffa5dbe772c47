//! Changes of a webhook that a page asks to confirm: pausing, resuming, rotating the secret and deleting.

use futures_util::future::{FutureExt as _, LocalBoxFuture};
use steward_domain::kernel::Caller;
use steward_domain::kernel::error::Error;

use crate::console::frame::{Confirmation, FormState, Outcome, Signed, Submission};
use crate::error::PageResult;

use super::scope::{WebhookAction, WebhookScope, load};

/// A change that is confirmed, and what its page says.
pub(crate) struct WebhookConfirmation {
    pub(crate) action: WebhookAction,
    /// The name of the page below that of the webhook.
    pub(crate) label: &'static str,
    /// What is going to happen, such as "Delete the webhook".
    pub(crate) title: &'static str,
    /// What follows, as sentences.
    pub(crate) consequences: &'static [&'static str],
    pub(crate) button: &'static str,
    pub(crate) is_danger: bool,
}

impl WebhookConfirmation {
    /// Returns the handler of the page that asks before the change.
    pub(crate) fn opened(&'static self) -> impl Fn(Signed) -> LocalBoxFuture<'static, PageResult> + Clone {
        move |signed| async move { self.page(&signed, FormState::new(&signed, &[])).await }.boxed_local()
    }

    /// Makes the change. If it is refused, the page is shown again.
    pub(crate) async fn submit(
        &self,
        submission: &Submission,
        scope: &WebhookScope,
        change: impl AsyncFnOnce(&Caller) -> Result<Outcome, Error>,
    ) -> PageResult {
        let submitted = submission.run_once(scope.operation(self.action), change).await?;
        submitted.or_show(|form| self.page(&submission.signed, form)).await
    }

    async fn page(&self, signed: &Signed, form: FormState) -> PageResult {
        let (scope, webhook) = load(signed).await?;
        if !form.is_refused() {
            scope.require(self.action)?;
        }
        let (shell, form) = (scope.shell_of(signed, &webhook, self.label).await?, form.with_revision(webhook.revision));
        let page = Confirmation {
            consequences: self.consequences.to_vec(),
            button: self.button,
            is_danger: self.is_danger,
            ..Confirmation::of_danger(shell, form, self.title, webhook.url.as_str())
        };
        page.page(signed)
    }
}
