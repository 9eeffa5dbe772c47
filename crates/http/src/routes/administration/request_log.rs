//! The newest requests of a project.

use steward_api as wire;
use steward_domain::administration::{LoggedRequest, RequestCursor, RequestFilter, StatusFilter};
use uuid::Uuid;

use crate::error::ApiError;
use crate::extract::Query;
use crate::route::serve;
use crate::serve::{Call, Outcome};

serve! {
    ListRequests => list;
}

/// Default number of requests.
const DEFAULT_LIMIT: u16 = 100;

fn logged_request(request: LoggedRequest) -> wire::LoggedRequest {
    let caller = request.caller_parts().and_then(|(kind, id)| {
        Some(wire::RequestCaller { kind: kind.to_owned(), id: Uuid::try_parse(id).ok()?.into() })
    });
    wire::LoggedRequest {
        at: request.at.into(),
        request_id: request.request_id.into(),
        method: request.method.to_owned(),
        route: request.route.to_owned(),
        operation: request.operation.to_owned(),
        status: request.status,
        error: request.error.map(Into::into),
        took_ms: (request.took.as_secs_f64() * 100_000.0).round() / 100.0,
        caller,
    }
}

fn filter(query: &Query<wire::RequestParameters>) -> Result<RequestFilter, ApiError> {
    let text = |name: &'static str| Ok::<_, ApiError>(query.get(name)?.map(str::to_owned));
    let not_a_caller = "must be the ID of an API key, an account, a client, a user or a personal access token";
    let caller = |id: &str| Uuid::try_parse(id).map(|id| id.to_string()).map_err(|_| not_a_caller);
    Ok(RequestFilter {
        caller: query.parsed("caller", caller)?,
        method: text("method")?,
        route: text("route")?,
        status: query.parsed("status", StatusFilter::parse)?,
    })
}

async fn list(call: Call<wire::ListRequests>) -> Outcome<wire::ListRequests> {
    let query = call.query();
    query.reject_unknown(&["after", "limit", "caller", "method", "route", "status"])?;
    let filter = filter(&query)?;
    let after = query.parsed("after", RequestCursor::parse)?;
    let limit = query.page()?.limit.unwrap_or(DEFAULT_LIMIT);
    let page = call.api.steward.projects.requests(&call.caller, call.path, after.as_ref(), &filter, limit).await?;
    call.reply(wire::RequestList {
        data: page.requests.into_iter().map(logged_request).collect(),
        next: page.next.to_string(),
        instance: format!("{:08x}", page.instance),
        truncated: page.is_truncated,
    })
}
