//! API keys of projects (contract 5).

use actix_web::http::Method;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use steward_domain::error::{Error, Faults};
use steward_domain::model::{ApiKey, Issued, Label};
use steward_domain::policy::KeyRoles;
use steward_domain::usecases::CreateKey;
use utoipa::ToSchema;

use super::at;
use crate::Api;
use crate::answer::{self, Listing, moment};
use crate::body::{JsonBody, parse_moment};
use crate::error::{ApiError, ErrorBody};
use crate::extract::page::PageParameters;
use crate::extract::{Known, Named, Query};

pub(crate) fn mount(app: &mut web::ServiceConfig) {
    at("/project/{id}/key").get(list).on(Method::POST, create).mount(app);
    at("/project/{id}/key/{key_id}/regenerate").on(Method::POST, regenerate).mount(app);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyListed {
    id: String,
    label: String,
    roles: String,
    is_private: bool,
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last used; null while that is not known.
    #[schema(format = DateTime)]
    last_used: Option<String>,
    #[schema(format = DateTime)]
    expires_at: Option<String>,
    /// Prefix and last characters of the value.
    hint: String,
}

impl From<ApiKey> for KeyListed {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id.to_string(),
            label: key.label.to_string(),
            roles: key.roles.to_string(),
            is_private: key.is_private,
            created_at: moment(key.created_at),
            last_used: None,
            expires_at: key.expires_at.map(moment),
            hint: key.hint,
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateKeyBody {
    label: String,
    /// Comma-separated: `admin`, `write`, `read`, or permissions.
    roles: String,
    /// `false` for a key that browsers may see; it may only read.
    is_private: Option<bool>,
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

impl CreateKeyBody {
    fn parse(self) -> Result<CreateKey, Error> {
        let mut faults = Faults::default();
        let label = faults.note("label", Label::parse(&self.label));
        let roles = faults.note("roles", KeyRoles::parse(&self.roles));
        let expires_at = self.expires_at.map(|text| faults.note("expires_at", parse_moment(&text)));
        faults.or(label.zip(roles).map(|(label, roles)| CreateKey {
            label,
            roles,
            is_private: self.is_private.unwrap_or(true),
            expires_at: expires_at.flatten(),
        }))
    }
}

/// Nothing needs to be sent.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RegenerateKeyBody {
    /// How long the old value goes on working. Only 0, at once, is offered so far.
    #[schema(minimum = 0, maximum = 0)]
    grace_seconds: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyIssued {
    key: KeyWithValue,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct KeyWithValue {
    id: String,
    label: String,
    roles: String,
    /// The secret. It is shown here and never again.
    value: String,
    is_private: bool,
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<Issued<ApiKey>> for KeyIssued {
    fn from(issued: Issued<ApiKey>) -> Self {
        let key = issued.value;
        Self {
            key: KeyWithValue {
                id: key.id.to_string(),
                label: key.label.to_string(),
                roles: key.roles.to_string(),
                value: issued.secret.expose().to_owned(),
                is_private: key.is_private,
                created_at: moment(key.created_at),
            },
        }
    }
}

/// List a project's keys, without their values
#[utoipa::path(get, path = "/project/{id}/key", operation_id = "listKeys", tag = "project-keys",
    params(("id" = String, Path), PageParameters), responses((status = 200, body = inline(Listing<KeyListed>))))]
pub(crate) async fn list(
    api: web::Data<Api>,
    caller: Known,
    named: Named,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let page = api.steward.api_keys.list(&caller.0, named.project()?, &query.page()?).await?;
    Ok(answer::listed(named.request(), page, KeyListed::from))
}

/// Make a key
#[utoipa::path(post, path = "/project/{id}/key", operation_id = "createKey", tag = "project-keys",
    params(("id" = String, Path)), request_body = CreateKeyBody, responses((status = 200, body = KeyIssued)))]
pub(crate) async fn create(
    api: web::Data<Api>,
    caller: Known,
    named: Named,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, command) = (named.project()?, body.read::<CreateKeyBody>()?.parse()?);
    let issued = api.steward.api_keys.create(&caller.0, project, command).await?;
    Ok(answer::secret(&KeyIssued::from(issued)))
}

/// Give a key a new value, keeping its label and roles
#[utoipa::path(post, path = "/project/{id}/key/{key_id}/regenerate", operation_id = "regenerateKey",
    tag = "project-keys", params(("id" = String, Path), ("key_id" = String, Path)),
    request_body = Option<RegenerateKeyBody>,
    responses((status = 200, body = KeyIssued), (status = 409, body = ErrorBody)))]
pub(crate) async fn regenerate(
    api: web::Data<Api>,
    caller: Known,
    named: Named,
    body: JsonBody,
) -> Result<HttpResponse, ApiError> {
    let (project, key) = (named.project()?, named.key()?);
    let grace = body.read_if_any::<RegenerateKeyBody>()?.and_then(|body| body.grace_seconds).unwrap_or(0);
    if grace != 0 {
        return Err(Error::invalid("grace_seconds", "must be 0: the old value stops at once").into());
    }
    let issued = api.steward.api_keys.regenerate(&caller.0, project, key).await?;
    Ok(answer::secret(&KeyIssued::from(issued)))
}
