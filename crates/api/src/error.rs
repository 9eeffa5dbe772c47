//! The body of error responses (docs/contract.md#errors).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::schema::SchemaDiff;

/// An error: what is wrong and how to fix it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// Machine-readable error code. Codes never change.
    #[schema(example = "invalid_request")]
    pub error: Cow<'static, str>,
    /// Human-readable description of what is wrong and how to fix it.
    #[schema(example = "limit: must be a number from 1 to 1000.")]
    pub message: String,
    /// `false` if a document or value was validated and has errors; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<bool>,
    /// All violations together, at most 100. A violation of a request has `field`, `code` (`unknown_field`,
    /// `missing_field`, `invalid_type` or `invalid_value`) and `message`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        value_type = Option<Vec<Object>>,
        example = json!([{"field": "limit", "code": "invalid_value", "message": "must be a number from 1 to 1000"}])
    )]
    pub errors: Option<Vec<Value>>,
    /// `true` if there are more violations than `errors` lists; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
    /// Changes that the rejected schema would make, and the items that would no longer be valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<SchemaDiff>,
    /// Index of the failed operation of a batch, starting at 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Description of the error for OAuth clients (RFC 6749 §5.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_description: Option<String>,
    /// A valid slug derived from the text that was sent; empty if no slug can be derived from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rock-roll")]
    pub slugified: Option<String>,
    /// Name of the quota that is exhausted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "projects_per_team")]
    pub quota: Option<Cow<'static, str>>,
    /// Limit of the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 200)]
    pub limit: Option<u64>,
    /// Setting with which the operator of the service changes the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "STEWARD_MAX_PROJECTS_PER_TEAM")]
    pub setting: Option<Cow<'static, str>>,
    /// `fail` in the responses of health checks; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "fail")]
    pub status: Option<Cow<'static, str>>,
    /// Part of the service that fails, in the responses of health checks: `database`, `database writes` or
    /// `shutting down`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "database")]
    pub failing: Option<Cow<'static, str>>,
    /// `false` if the sign-in of the access token has ended; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = false)]
    pub active: Option<bool>,
    /// `true` if the sign-in of the access token has ended, so that the person must sign in again; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = true)]
    pub reauth_required: Option<bool>,
}
