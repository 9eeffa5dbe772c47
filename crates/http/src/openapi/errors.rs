//! The errors of each operation: for each status, the codes that it can return, with an example of each.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use serde_json::{Map, Value, json};
use steward_api::{Idempotency, RateClass};
use steward_domain::administration::{ImageError, ImageFormat, ImageUse};
use steward_domain::data::schema::{ItemViolation, SchemaDiff};
use steward_domain::kernel::Slug;
use steward_domain::kernel::error::{
    AuthenticationError, Conflict, Error, ErrorCode, Forbidden, InvalidProof, OAuthError, ResourceKind,
};
use steward_domain::kernel::policy::{Permission, Quota, Requirement};
use steward_domain::kernel::violations::{Violation, ViolationCode};

use super::edit;
use super::rules::Contract;
use crate::error::{ApiError, RequestError};
use crate::extract::body::{MAX_BYTES, MAX_FORM_BYTES};

/// Adds the errors of an operation to those that its handler describes. `body` has the media types of the request body.
pub(super) fn add(responses: &mut Map<String, Value>, contract: Contract, body: Option<&Value>) {
    let mut by_status: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for error in errors(contract, body) {
        let body = error.body();
        let code = body.get("error").and_then(Value::as_str).unwrap_or_default().to_owned();
        by_status.entry(error.status().as_str().to_owned()).or_default().insert(code, body);
    }
    for (status, bodies) in by_status {
        let codes: Vec<&String> = bodies.keys().collect();
        let schema = json!({"allOf": [
            {"$ref": "#/components/schemas/ErrorBody"},
            {"properties": {"error": {"description": "Code of the error.", "enum": codes}}},
        ]});
        let examples: Map<String, Value> =
            bodies.iter().map(|(code, body)| (code.clone(), json!({"value": body}))).collect();
        let description = responses.get(&status).and_then(|response| response.get("description").cloned());
        let listed = codes.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ");
        let standard = json!(format!("{}: {listed}.", edit::reason(&status).unwrap_or("Error")));
        responses.insert(
            status,
            json!({
                "description": description.unwrap_or(standard),
                "content": {"application/json": {"schema": schema, "examples": examples}},
            }),
        );
    }
    responses.sort_keys();
}

/// Moves each error response that several operations share to the components of the document.
pub(super) fn share(document: &mut Value) {
    let mut uses: BTreeMap<String, (usize, Value)> = BTreeMap::new();
    for (status, response) in all(document) {
        let (count, _) = uses.entry(format!("{status} {response}")).or_insert_with(|| (0, response.clone()));
        *count = count.saturating_add(1);
    }
    uses.retain(|_, (count, _)| *count > 1);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for text in uses.keys() {
        let status = text.split(' ').next().unwrap_or_default();
        let number = names.values().filter(|name| name.starts_with(&format!("Error{status}"))).count();
        names.insert(text.clone(), format!("Error{status}-{}", number.saturating_add(1)));
    }
    for (status, response) in all(document) {
        if let Some(name) = names.get(&format!("{status} {response}")) {
            *response = json!({"$ref": format!("#/components/responses/{name}")});
        }
    }
    let shared: Map<String, Value> =
        uses.into_iter().filter_map(|(text, (_, response))| Some((names.get(&text)?.clone(), response))).collect();
    if let Some(components) = document.get_mut("components").and_then(Value::as_object_mut) {
        components.insert("responses".to_owned(), Value::Object(shared));
    }
}

/// Returns the error responses of all operations.
fn all(document: &mut Value) -> impl Iterator<Item = (&str, &mut Value)> {
    edit::operations(document).flat_map(edit::responses).filter(|(status, _)| *status >= "400")
}

/// Returns an example of each error that an operation can return.
fn errors(contract: Contract, body: Option<&Value>) -> Vec<ApiError> {
    use ErrorCode as C;
    let Contract { row, rule } = contract;
    let mut errors = vec![example(C::Internal), example(C::Unavailable)];
    if row.rate != RateClass::Unlimited {
        errors.extend([example(C::TooManyRequests), RequestError::TooManyInFlight { by_caller: true }.into()]);
        errors.push(RequestError::TooManyInFlight { by_caller: false }.into());
    }
    errors.push(example(C::InvalidRequest));
    // A credential that is sent must be valid, even where none is needed (docs/contract.md#credentials). Health checks
    // ignore it.
    if !row.path.starts_with("/health/") {
        errors.extend([C::Unauthorized, C::InsufficientUserAuthentication, C::Forbidden].map(example));
        errors.push(Error::from(AuthenticationError::from(InvalidProof::OtherToken)).into());
    }
    if row.path.contains('{') {
        errors.push(example(C::NotFound));
    }
    let Some(rule) = rule else { return errors };
    if rule.requirement != Requirement::Nothing {
        errors.push(example(C::NotFound));
    }
    if rule.operation.is_write() {
        errors.extend([C::Contended, C::OutcomeUnknown, C::StorageFull].map(example));
    }
    if row.idempotency == Idempotency::Keyed {
        errors.extend([C::IdempotencyMismatch, C::IdempotencyInProgress, C::IdempotencyResponseLost].map(example));
    }
    if let Some(content) = body {
        let accepts = |media_type: &str| content.get(media_type).is_some();
        let limit = if accepts("application/x-www-form-urlencoded") { MAX_FORM_BYTES } else { MAX_BYTES };
        errors.extend([RequestError::BodyTooLarge { limit }, RequestError::BodyTooSlow].map(ApiError::from));
        if accepts("application/json") {
            let reason = "expected `,` or `}` at line 1 column 17".to_owned();
            errors.extend([RequestError::ExpectedJson, RequestError::InvalidJson(reason)].map(ApiError::from));
            errors.push(example(C::UnknownField));
        }
        if accepts("multipart/form-data") {
            let reason = "the boundary is missing".to_owned();
            errors
                .extend([RequestError::ExpectedMultipart, RequestError::InvalidMultipart(reason)].map(ApiError::from));
        }
        if accepts("application/x-www-form-urlencoded") && !accepts("application/json") {
            errors.push(RequestError::ExpectedForm.into());
        }
    }
    errors.extend(contract.codes().map(example));
    if contract.codes().any(|code| code == C::InvalidClient) && body.is_some() {
        errors.push(ApiError::invalid_client("No client has this `client_id`."));
    }
    errors
}

/// Returns a typical conflict with a code; `None` if the code stands for another error.
fn conflict(code: ErrorCode) -> Option<Conflict> {
    use ErrorCode as C;
    let slug = |text: &str| Slug::parse(text).ok();
    match code {
        C::SlugTaken => slug("acme").zip(slug("acme-2")).map(|(slug, free)| Conflict::SlugTaken { slug, free }),
        C::EmailTaken => Some(Conflict::EmailTaken),
        C::UsernameTaken => Some(Conflict::UsernameTaken),
        C::LastOwner => Some(Conflict::LastOwner),
        C::AlreadyMember => Some(Conflict::AlreadyMember),
        C::TeamOwnsProjects => Some(Conflict::TeamOwnsProjects),
        C::VersionConflict => Some(Conflict::VersionTaken { current: 3 }),
        C::SchemaBreaking => Some(Conflict::SchemaBreaking(SchemaDiff { changes: Vec::new() })),
        C::TooManyItems => Some(Conflict::TooManyItems),
        C::UserNotConnected => Some(Conflict::UserNotConnected),
        C::QuotaExceeded => Some(Conflict::QuotaExceeded { quota: Quota::ProjectsPerTeam, limit: 200 }),
        C::Contended => Some(Conflict::Contended(ResourceKind::Project)),
        C::IdempotencyMismatch => Some(Conflict::IdempotencyMismatch),
        C::IdempotencyInProgress => Some(Conflict::IdempotencyInProgress),
        C::IdempotencyResponseLost => Some(Conflict::IdempotencyResponseLost),
        _ => None,
    }
}

/// Returns a typical error with a code.
fn example(code: ErrorCode) -> ApiError {
    use ErrorCode as C;
    if let Some(conflict) = conflict(code) {
        return Error::Conflict(conflict).into();
    }
    match code {
        C::InvalidSchema => Error::InvalidSchema {
            message: "The schema is not valid.".into(),
            errors: [json!({"instancePath": "/tables", "message": "must be object"})].into_iter().collect(),
        },
        C::InvalidItem => Error::InvalidItem([item_violation()].into_iter().collect()),
        C::SlugReserved => Slug::parse("admin").map_or_else(|_| internal(), Error::SlugReserved),
        C::Unauthorized => Error::Unauthenticated(AuthenticationError::InvalidToken),
        C::InvalidCredentials => Error::Unauthenticated(AuthenticationError::WrongPassword),
        C::SecondFactorRequired => Error::Unauthenticated(AuthenticationError::SecondFactorRequired),
        C::InsufficientUserAuthentication => Error::Unauthenticated(AuthenticationError::ConfirmationRequired),
        C::Forbidden => Error::Forbidden(Forbidden::MissingPermission(Permission::ProjectWrite)),
        C::NotFound => Error::NotFound(ResourceKind::Project),
        C::NotSetUp => Error::Forbidden(Forbidden::NotSetUp),
        C::SignupClosed => Error::Forbidden(Forbidden::SignUpClosed),
        C::TooManyRequests => Error::TooMany { retry_after: TimeDelta::seconds(5) },
        C::PreconditionFailed => Error::PreconditionFailed(ResourceKind::Item),
        C::ItemTooLarge => Error::ItemTooLarge,
        C::InvalidImage => Error::Image(ImageError::Malformed(ImageFormat::Png)),
        C::UnsupportedImage => Error::Image(ImageError::UnsupportedFormat),
        C::ImageTooLarge => Error::Image(ImageError::TooLarge(ImageUse::Icon)),
        C::Unavailable => Error::Unavailable(anyhow::anyhow!("An example.")),
        C::OutcomeUnknown => Error::OutcomeUnknown(anyhow::anyhow!("An example.")),
        C::StorageFull => Error::StorageFull(anyhow::anyhow!("An example.")),
        C::InvalidRequest => Error::invalid("limit", "must be a number from 1 to 1000"),
        C::InvalidClient => Error::OAuth(OAuthError::new(code, "No client has this `client_id`.")),
        C::UnknownField => Error::Invalid(
            [Violation {
                field: "nmae".into(),
                code: ViolationCode::UnknownField,
                message: "is not a known field (did you mean `name`?)".into(),
            }]
            .into_iter()
            .collect(),
        ),
        C::InvalidGrant => Error::OAuth(OAuthError::grant("The authorization code has expired.")),
        C::InvalidDpopProof => Error::OAuth(InvalidProof::Used.into()),
        C::InvalidClientMetadata => Error::OAuth(OAuthError::new(code, "`response_types` must contain only `code`.")),
        C::InvalidRedirectUri => Error::OAuth(OAuthError::new(code, "`redirect_uris[0]` must use https.")),
        C::UnauthorizedClient => Error::OAuth(OAuthError::new(code, "The client may not use this grant type.")),
        C::InvalidScope => Error::OAuth(OAuthError::new(code, "The scope is unknown.")),
        C::UnsupportedGrantType => Error::OAuth(OAuthError::new(code, "The grant type is not supported.")),
        C::UnsupportedResponseType => Error::OAuth(OAuthError::new(code, "The response type is not supported.")),
        C::RequestNotSupported | C::RequestUriNotSupported | C::RegistrationNotSupported => {
            Error::OAuth(OAuthError::new(code, "The parameter is not supported."))
        }
        C::LoginRequired => Error::OAuth(OAuthError::new(code, "The user is not signed in.")),
        C::ConsentRequired => Error::OAuth(OAuthError::new(code, "The user has not consented yet.")),
        C::InteractionRequired => Error::OAuth(OAuthError::new(code, "The user must confirm the request.")),
        C::AuthorizationPending => Error::OAuth(OAuthError::new(code, "The user has not decided yet.")),
        C::SlowDown => Error::OAuth(OAuthError::new(code, "The device asks too often.")),
        C::AccessDenied => Error::OAuth(OAuthError::new(code, "The user denied the request.")),
        C::ExpiredToken => Error::OAuth(OAuthError::new(code, "The device code has expired.")),
        C::UnsupportedTokenType => Error::OAuth(OAuthError::new(code, "The token type is not supported.")),
        _ => internal(),
    }
    .into()
}

fn item_violation() -> ItemViolation {
    ItemViolation {
        summary: "A field has the wrong type.",
        message: "Field \"rank\" must be a number.".into(),
        path: "/rank".into(),
    }
}

fn internal() -> Error {
    Error::Internal(anyhow::anyhow!("An example."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::rules::contracts;

    #[test]
    fn every_declared_code_has_an_example_with_that_code() {
        for contract in contracts() {
            for code in contract.codes() {
                assert_eq!(example(code).body()["error"], code.as_str(), "{}", contract.row.name);
            }
        }
    }
}
