//! The API reference: the OpenAPI document, an interactive page that displays it, and the JSON Schema of schema
//! documents.

use std::hash::Hasher as _;
use std::io::Write as _;
use std::sync::{LazyLock, OnceLock};

use actix_web::http::header::{
    ACCEPT_ENCODING, AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, Encoding,
    EntityTag, Header as _, VARY,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use flate2::Compression;
use flate2::write::GzEncoder;
use siphasher::sip::SipHasher13;
use steward_domain::model::schema;

use crate::Api;
use crate::error::RequestError;
use crate::error_page;
use crate::extract::{OptionalCaller, PathIds, precondition};
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    let mut routes = routes! {
        GetDocs => page;
        GetOpenApi => json;
        GetJsonSchema => json_schema;
    };
    routes.push(ApiRoute::undocumented("/docs/{file}", file));
    routes
}

/// Content security policy of the page: only requests to this service, no `eval`. RapiDoc uses inline styles and images.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
/// Caches must revalidate files that change between releases.
const REVALIDATE: &str = "public, no-cache";
/// The content at a URL with a version never changes.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

const PAGE: &str = include_str!("../../assets/reference/reference.html");

/// A file to serve, with and without compression.
struct Asset {
    content_type: &'static str,
    cache_control: &'static str,
    hash: u64,
    plain: Bytes,
    gzip: Option<Bytes>,
}

/// The files of the page, by their names.
static FILES: LazyLock<[(&str, Asset); 3]> = LazyLock::new(|| {
    let script = include_bytes!("../../assets/reference/rapidoc-9.3.8.min.js");
    let gzip = include_bytes!("../../assets/reference/rapidoc-9.3.8.min.js.gz");
    let own_script = include_bytes!("../../assets/reference/reference.js");
    let styles = include_bytes!("../../assets/reference/reference.css");
    [
        ("rapidoc-9.3.8.min.js", Asset::new("text/javascript; charset=utf-8", IMMUTABLE, script).with_gzip(gzip)),
        ("reference.js", Asset::new("text/javascript; charset=utf-8", REVALIDATE, own_script)),
        ("reference.css", Asset::new("text/css; charset=utf-8", REVALIDATE, styles)),
    ]
});

/// The JSON Schema of schema documents.
static JSON_SCHEMA: LazyLock<Asset> = LazyLock::new(|| {
    let text = format!("{:#}", schema::json_schema());
    Asset::of("application/schema+json", REVALIDATE, Bytes::from(text))
});

/// The OpenAPI document, compressed when it is first requested, so that the start does not wait for it.
static DOCUMENT: OnceLock<Asset> = OnceLock::new();

fn document(text: &'static str) -> &'static Asset {
    DOCUMENT.get_or_init(|| {
        let asset = Asset::new("application/json", REVALIDATE, text.as_bytes());
        match compressed(text.as_bytes()) {
            Ok(gzip) => Asset { gzip: Some(gzip), ..asset },
            Err(error) => {
                tracing::warn!(%error, "Failed to compress the OpenAPI document. It is served uncompressed.");
                asset
            }
        }
    })
}

pub(crate) async fn page(_: OptionalCaller, request: HttpRequest) -> HttpResponse {
    // The page refers to its files by relative URLs, and its own URL may or may not end with a slash.
    let base = if request.path().ends_with('/') { "" } else { "docs/" };
    let html = Bytes::from(PAGE.replace("{base}", base));
    let page = Asset::of("text/html; charset=utf-8", REVALIDATE, html);
    page.respond(&request, |response| {
        response.insert_header((CONTENT_SECURITY_POLICY, POLICY));
    })
}

pub(crate) async fn json(api: web::Data<Api>, _: OptionalCaller, request: HttpRequest) -> HttpResponse {
    document((api.openapi)()).respond(&request, |_| ())
}

pub(crate) async fn json_schema(_: OptionalCaller, request: HttpRequest) -> HttpResponse {
    JSON_SCHEMA.respond(&request, |_| ())
}

/// Returns a file of the reference page. It is not part of the API, so the OpenAPI document does not contain it.
async fn file(path: PathIds) -> HttpResponse {
    let request = path.request();
    match FILES.iter().find(|(name, _)| *name == path.file()) {
        Some((_, asset)) => asset.respond(request, |_| ()),
        None => {
            let error = RequestError::UnknownRoute { path: request.path().to_owned(), nearest: None };
            error_page::page_or_json(request, &error.into())
        }
    }
}

impl Asset {
    fn new(content_type: &'static str, cache_control: &'static str, content: &'static [u8]) -> Self {
        Self::of(content_type, cache_control, Bytes::from_static(content))
    }

    fn of(content_type: &'static str, cache_control: &'static str, plain: Bytes) -> Self {
        let mut hasher = SipHasher13::new();
        hasher.write(&plain);
        Self { content_type, cache_control, hash: hasher.finish(), plain, gzip: None }
    }

    fn with_gzip(self, gzip: &'static [u8]) -> Self {
        Self { gzip: Some(Bytes::from_static(gzip)), ..self }
    }

    /// Returns the asset in an encoding that the client accepts, or 304 if the client has it.
    fn respond(&self, request: &HttpRequest, add_headers: impl Fn(&mut HttpResponseBuilder)) -> HttpResponse {
        let gzip = self.gzip.as_ref().filter(|_| accepts_gzip(request));
        let suffix = if gzip.is_some() { "-gzip" } else { "" };
        let tag = EntityTag::new_strong(format!("{:016x}{suffix}", self.hash));
        let is_cached = precondition::is_cached(request, &tag);
        let mut response = if is_cached { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response.insert_header((ETAG, tag.to_string())).insert_header((CACHE_CONTROL, self.cache_control));
        if self.gzip.is_some() {
            response.insert_header((VARY, "Accept-Encoding"));
        }
        add_headers(&mut response);
        if is_cached {
            return response.finish();
        }
        if gzip.is_some() {
            response.insert_header((CONTENT_ENCODING, "gzip"));
        }
        response.content_type(self.content_type).body(gzip.unwrap_or(&self.plain).clone())
    }
}

/// Returns whether the client prefers gzip. Without the header it may not be able to decompress.
fn accepts_gzip(request: &HttpRequest) -> bool {
    let preferred = AcceptEncoding::parse(request)
        .ok()
        .and_then(|accepted| accepted.negotiate([Encoding::gzip(), Encoding::identity()].iter()));
    request.headers().contains_key(ACCEPT_ENCODING) && preferred == Some(Encoding::gzip())
}

fn compressed(content: &[u8]) -> std::io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    encoder.finish().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn each_compressed_file_contains_the_plain_file() {
        for asset in FILES.iter().map(|(_, asset)| asset).chain([document(crate::openapi_json())]) {
            let Some(gzip) = &asset.gzip else { continue };
            let mut plain = Vec::new();
            GzDecoder::new(&**gzip).read_to_end(&mut plain).unwrap();
            assert!(plain == asset.plain);
        }
    }
}
