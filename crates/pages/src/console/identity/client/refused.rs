//! The requests of the clients of a project that were refused.

use askama::Template;
use steward_domain::identity::RefusedRequest;

use crate::console::frame::{Shell, Signed, Timestamp};
use crate::error::PageResult;

/// Lists the last refused requests with their cause.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let scope = signed.project().await?;
    let refused = signed.steward().clients.refused_requests(&signed.caller, scope.project.id).await?;
    let shell = scope.shell(&signed, "Sign-in").await?.below(scope.at("/sign-in"), "Refused requests");
    signed.page(&Refused { shell, refused: refused.into_iter().map(|request| (request.at.into(), request)).collect() })
}

#[derive(Template)]
#[template(path = "console/identity/client/refused.html")]
struct Refused {
    shell: Shell,
    refused: Vec<(Timestamp, RefusedRequest)>,
}
