//! Health of the service (docs/contract.md#health).

use actix_web::http::header::{HeaderValue, VARY};
use steward_api as wire;
use steward_web::accepts_html;

use crate::error::ApiError;
use crate::route::serve;
use crate::serve::{Anyone, Call, Open, Outcome};

serve! {
    GetRoot => root;
    GetAuthStatus | GetUtilsStatus => status;
    GetLiveness => live;
    GetReadiness => ready;
}

/// A page for browsers is raw, because it is one of another crate.
async fn root(call: Call<wire::GetRoot, Open>) -> Outcome<wire::GetRoot> {
    if accepts_html(call.request.headers()) {
        let mut page = call.api.web.pages.home_page(call.request.clone()).await;
        page.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
        return call.raw(page);
    }
    let (env, db_conn) = (call.api.environment.clone(), call.api.steward.health.check().await.is_ok());
    let info = wire::ServiceInfo { root: true, env, db_conn, version: env!("CARGO_PKG_VERSION").into() };
    Ok(call.reply(info)?.with(VARY, "Accept"))
}

/// The state of a service that can process requests.
pub(crate) fn passed() -> wire::Status {
    wire::Status { status: "pass".into() }
}

async fn status(call: Call<wire::GetAuthStatus, Open>) -> Outcome<wire::GetAuthStatus> {
    call.api.steward.health.check().await?;
    call.reply(passed())
}

async fn live(call: Call<wire::GetLiveness, Anyone>) -> Outcome<wire::GetLiveness> {
    call.reply(passed())
}

async fn ready(call: Call<wire::GetReadiness, Anyone>) -> Outcome<wire::GetReadiness> {
    if call.api.web.shutdown.has_begun() {
        return Err(ApiError::shutting_down());
    }
    call.api.steward.health.check().await?;
    call.reply(passed())
}
