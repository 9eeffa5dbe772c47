//! The sign-ins at a provider that failed because of the provider.

use askama::Template;
use steward_domain::identity::FailedProviderSignIn;

use crate::console::frame::{Shell, Signed, Timestamp};
use crate::error::PageResult;

use super::scope::load;

/// Lists the last failed sign-ins, with the claim that was refused and the reason.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (scope, provider) = load(&signed).await?;
    let providers = &signed.steward().identity_providers;
    let failed = providers.failed_sign_ins(&signed.caller, scope.project(), provider.id).await?;
    let shell = scope.shell_of(&signed, &provider, "Failed sign-ins").await?;
    signed.page(&Failed { shell, failed: failed.into_iter().map(|sign_in| (sign_in.at.into(), sign_in)).collect() })
}

#[derive(Template)]
#[template(path = "console/identity/provider/failed.html")]
struct Failed {
    shell: Shell,
    failed: Vec<(Timestamp, FailedProviderSignIn)>,
}
