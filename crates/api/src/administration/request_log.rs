//! The newest requests of a project (docs/contract.md#requests-of-a-project).

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};

use crate::operation::operations;
use crate::values::{AnyId, Timestamp};

operations! {
    ROWS, "projects";

    /// List requests
    ///
    /// Returns the newest requests to a project, oldest first. To follow them, poll with `after` set to the `next` of the
    /// previous response. Requests are in the memory of the instance of the service that served them: some 600 for each project,
    /// none before its start. A response has those of one instance, which it names. All requests of callers with access to the
    /// project are listed, whatever their result, except those of this operation.
    ListRequests Get "/project/{id}/request", Reads Safe Unlogged, at(Project), query(RequestParameters),
        200(RequestList, "The requests, oldest first."),
        deviates("docs/contract.md#requests-of-a-project: a feed of the memory of one instance"), command("logs");
}

/// A request to a project. The log has neither paths with their values, nor queries, headers, bodies or addresses.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "at": "2026-01-31T12:00:00.000000Z",
    "request_id": "018f2a3d-0a1b-7c2d-8e3f-405162738495",
    "method": "GET",
    "route": "/project/{id}/user/{user_id}/db/{table_id}",
    "operation": "listItems",
    "status": 403,
    "error": "forbidden",
    "took_ms": 3.41,
    "caller": {"type": "key", "id": "018f2a3d-0b6f-7d93-a1c8-5e7f2d4b8061"}
}))]
pub struct LoggedRequest {
    /// When the response was ready.
    pub at: Timestamp,
    /// ID of the request, as in its `X-Request-Id` header.
    pub request_id: String,
    /// Method of the request.
    #[schema(example = "GET")]
    pub method: String,
    /// Path of the operation, with the names of its parameters.
    #[schema(example = "/project/{id}/key")]
    pub route: String,
    /// ID of the operation.
    #[schema(example = "listKeys")]
    pub operation: String,
    /// Status code of the response.
    #[schema(example = 200)]
    pub status: u16,
    /// Code of the error in the response; null if there is none.
    #[schema(example = json!(null))]
    pub error: Option<String>,
    /// Duration of the request in milliseconds, until the response was ready.
    #[schema(example = 3.41)]
    pub took_ms: f64,
    /// Who sent the request; null if the operation needs no credential.
    pub caller: Option<RequestCaller>,
}

/// Who sent a request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RequestCaller {
    /// Kind of the credential: `account`, `token` (a personal access token), `key`, `client` (one that acts on its own behalf) or
    /// `user` (a person in the project).
    #[schema(example = "key")]
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of the account, personal access token, API key, client or user.
    pub id: AnyId,
}

/// Requests in the order of their responses.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RequestList {
    /// The requests, oldest first. Empty if there are no new requests.
    pub data: Vec<LoggedRequest>,
    /// Value of `after` for the next request.
    #[schema(example = "1769860800000_9f3a61c2-4210")]
    pub next: String,
    /// The instance of the service that served these requests, and this one. Another one may respond next: it continues with the
    /// same `after`.
    #[schema(example = "9f3a61c2")]
    pub instance: String,
    /// Whether requests after `after` are missing, because newer ones have replaced them.
    #[schema(example = false)]
    pub truncated: bool,
}

/// Which requests are returned.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RequestParameters {
    /// Return only requests after this point: `next` of the previous response. Without it, the newest requests are returned.
    pub after: Option<String>,
    /// Maximum number of requests to return; 100 by default.
    pub limit: Option<u16>,
    /// Return only requests of the API key, account, client, user or personal access token with this ID.
    pub caller: Option<String>,
    /// Return only requests with this method, such as `POST`.
    pub method: Option<String>,
    /// Return only requests whose route contains this text, such as `/db/`.
    pub route: Option<String>,
    /// Return only requests with this status, such as `404`, or a class of statuses, such as `4xx`.
    #[param(example = "4xx")]
    pub status: Option<String>,
}
