//! Text utilities (docs/contract.md#slugs).

use actix_web::HttpResponse;
use steward_api as wire;
use steward_domain::error::Error;
use steward_domain::model::slugify;

use crate::error::ApiError;
use crate::extract::{OptionalCaller, Query};
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        Slugify => to_slug;
    }
}

pub(crate) async fn to_slug(_: OptionalCaller, query: Query) -> Result<HttpResponse, ApiError> {
    let text = match query.get("slug")? {
        Some(text) => Some(text),
        None => query.get("text")?,
    };
    let text = text.ok_or_else(|| Error::invalid("slug", "is required. Send the text to convert."))?;
    let slug = slugify(text).ok_or_else(|| Error::invalid("slug", "must contain at least one letter or digit"))?;
    Ok(response::ok(&wire::SlugText { slug }))
}
