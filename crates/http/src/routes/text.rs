//! Text utilities (contract 10).

use actix_web::HttpResponse;
use serde::Serialize;
use steward_domain::error::Error;
use steward_domain::model::slugify;
use utoipa::ToSchema;

use super::{Address, at};
use crate::answer;
use crate::error::ApiError;
use crate::extract::{Query, Visitor};

pub(crate) fn mount(routes: &mut Vec<Address>) {
    at("/utils/slugify").get(to_slug).mount(routes);
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SlugBody {
    slug: String,
}

/// Turn text into a URL-friendly slug
#[utoipa::path(get, path = "/utils/slugify", operation_id = "slugify", tag = "utils",
    params(("slug" = Option<String>, Query, description = "the text"), ("text" = Option<String>, Query, description = "the same")),
    responses((status = 200, body = SlugBody)))]
pub(crate) async fn to_slug(_: Visitor, query: Query) -> Result<HttpResponse, ApiError> {
    let text = match query.get("slug")? {
        Some(text) => Some(text),
        None => query.get("text")?,
    };
    let text = text.ok_or_else(|| Error::invalid("slug", "is missing; send the text to convert"))?;
    let slug = slugify(text).ok_or_else(|| Error::invalid("slug", "holds nothing that can stand in a slug"))?;
    Ok(answer::ok(&SlugBody { slug }))
}
