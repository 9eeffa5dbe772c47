//! The first page of the documentation, the OpenAPI document, and the JSON Schema of schema documents.

use std::sync::{LazyLock, OnceLock};

use steward_api as wire;
use steward_domain::data::schema;
use steward_web::Asset;

use crate::route::serve;
use crate::serve::{Call, Open, Outcome};

serve! {
    GetDocs => page;
    GetOpenApi => json;
    GetJsonSchema => json_schema;
}

/// The JSON Schema of schema documents.
static JSON_SCHEMA: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("application/schema+json", format!("{:#}", schema::json_schema()).as_bytes()));

/// The OpenAPI document, compressed when it is first requested, so that the start does not wait for it.
static DOCUMENT: OnceLock<Asset> = OnceLock::new();

/// Raw, because it is a page of another crate.
async fn page(call: Call<wire::GetDocs, Open>) -> Outcome<wire::GetDocs> {
    call.raw(call.api.web.pages.docs_home(&call.request))
}

/// Raw, because an asset is compressed, and its tag is that of its bytes.
async fn json(call: Call<wire::GetOpenApi, Open>) -> Outcome<wire::GetOpenApi> {
    let document = DOCUMENT.get_or_init(|| Asset::new("application/json", (call.api.openapi)().as_bytes()));
    call.raw(document.respond(&call.request, |_| ()))
}

/// Raw, as the OpenAPI document.
async fn json_schema(call: Call<wire::GetJsonSchema, Open>) -> Outcome<wire::GetJsonSchema> {
    call.raw(JSON_SCHEMA.respond(&call.request, |_| ()))
}
