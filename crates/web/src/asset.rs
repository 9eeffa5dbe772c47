//! Files and documents that every reader gets: compressed once, and not sent again to clients that have them.

use std::hash::Hasher as _;
use std::io::{Read as _, Write as _};

use actix_web::http::header::{
    ACCEPT_ENCODING, AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, ETAG, Encoding, EntityTag, Header as _,
    IfNoneMatch, VARY,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use siphasher::sip::SipHasher13;

/// Caches must revalidate content that changes between releases.
const REVALIDATE: &str = "public, no-cache";

/// Content that does not depend on the caller.
#[derive(Debug)]
pub struct Asset {
    content_type: &'static str,
    hash: u64,
    /// Whether the content itself is compressed, so that no encoding makes it smaller.
    is_archive: bool,
    /// Compressed, because nearly all clients accept that. It is decompressed for others, unless it is an archive.
    gzip: Bytes,
}

impl Asset {
    /// Compresses content.
    pub fn new(content_type: &'static str, content: &[u8]) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        // Writing to memory does not fail.
        let written = encoder.write_all(content).and_then(|()| encoder.finish());
        let gzip = written.unwrap_or_default().into();
        Self { content_type, hash: hash(content), is_archive: false, gzip }
    }

    /// Returns an archive, which is compressed already.
    pub fn archive(content: &'static [u8]) -> Self {
        let gzip = Bytes::from_static(content);
        Self { content_type: "application/gzip", hash: hash(content), is_archive: true, gzip }
    }

    /// Returns the content in an encoding that the client accepts, or 304 if the client has it.
    pub fn respond(&self, request: &HttpRequest, add_headers: impl Fn(&mut HttpResponseBuilder)) -> HttpResponse {
        let is_compressed = !self.is_archive && accepts_gzip(request);
        let suffix = if is_compressed { "-gzip" } else { "" };
        let tag = EntityTag::new_strong(format!("{:016x}{suffix}", self.hash));
        let is_cached = is_cached(request, &tag);
        let mut response = if is_cached { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response.insert_header((ETAG, tag.to_string())).insert_header((CACHE_CONTROL, REVALIDATE));
        response.insert_header((VARY, "Accept-Encoding"));
        add_headers(&mut response);
        if is_cached {
            return response.finish();
        }
        response.content_type(self.content_type);
        if is_compressed {
            return response.insert_header((CONTENT_ENCODING, "gzip")).body(self.gzip.clone());
        }
        if self.is_archive {
            return response.body(self.gzip.clone());
        }
        let mut content = Vec::new();
        match GzDecoder::new(&*self.gzip).read_to_end(&mut content) {
            Ok(_) => response.body(content),
            Err(_) => HttpResponse::InternalServerError().finish(),
        }
    }
}

fn hash(content: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(content);
    hasher.finish()
}

/// Returns whether the client prefers gzip. Without the header it may not be able to decompress.
fn accepts_gzip(request: &HttpRequest) -> bool {
    let preferred = AcceptEncoding::parse(request)
        .ok()
        .and_then(|accepted| accepted.negotiate([Encoding::gzip(), Encoding::identity()].iter()));
    request.headers().contains_key(ACCEPT_ENCODING) && preferred == Some(Encoding::gzip())
}

/// Returns whether the client has the content with this tag in its cache. An invalid header is ignored.
pub fn is_cached(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|cached| cached.weak_eq(tag)),
        Err(_) => false,
    }
}
