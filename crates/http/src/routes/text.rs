//! Text utilities (docs/contract.md#slugs).

use actix_web::HttpResponse;
use serde::Serialize;
use steward_domain::error::Error;
use steward_domain::model::slugify;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{OptionalCaller, Query};
use crate::response;
use crate::route::{ApiRoute, operations};

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        Slugify => to_slug;
    }
}

/// A slug that was generated from text.
#[derive(Serialize, ToSchema)]
pub(crate) struct SlugBody {
    /// Lowercase letters and digits, with single hyphens between words.
    #[schema(example = "rock-roll")]
    slug: String,
}

/// Convert text to a slug
///
/// Removes special characters, transliterates letters of other scripts, and replaces white space, `_` and `-` with
/// single hyphens. Requires no credential.
#[utoipa::path(get, path = "/utils/slugify", tag = "utils",
    params(
        ("slug" = Option<String>, Query, description = "Text to convert.", example = "Rock & Roll"),
        ("text" = Option<String>, Query, description = "Alias of `slug`, used if `slug` is absent.")
    ),
    responses((status = 200, body = SlugBody)))]
pub(crate) async fn to_slug(_: OptionalCaller, query: Query) -> Result<HttpResponse, ApiError> {
    let text = match query.get("slug")? {
        Some(text) => Some(text),
        None => query.get("text")?,
    };
    let text = text.ok_or_else(|| Error::invalid("slug", "is required. Send the text to convert."))?;
    let slug = slugify(text).ok_or_else(|| Error::invalid("slug", "must contain at least one letter or digit"))?;
    Ok(response::ok(&SlugBody { slug }))
}
