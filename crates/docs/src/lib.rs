//! The documentation of Steward: the guides in `docs/`, the READMEs of the SDKs, and a reference page for each operation
//! of `docs/openapi.json`. The build script renders them; this crate contains the result, and searches it.

mod access;
mod page;
mod search;
mod tokens;

use std::io::Read as _;
use std::sync::LazyLock;

use flate2::read::GzDecoder;

pub use page::{EXAMPLE_PROJECT, Group, Heading, Operation, Page, Parameter, Place, Section, Site};
pub use search::Hit;

use self::search::Index;

/// The pages, compressed. They are a few megabytes of text, which a service without readers does not need.
const PAGES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pages.json.gz"));
/// The AsyncAPI document of the synchronization of items (`/ws`).
pub const ASYNC_API: &str = include_str!("../../../docs/asyncapi.json");

static SITE: LazyLock<Site> = LazyLock::new(|| {
    let mut text = Vec::new();
    let pages = GzDecoder::new(PAGES).read_to_end(&mut text).map_err(serde_json::Error::io);
    // The build script wrote them with the same types.
    pages.and_then(|_| serde_json::from_slice(&text)).unwrap_or_default()
});
static INDEX: LazyLock<Index> = LazyLock::new(|| Index::of(&SITE));

/// Returns all pages. The first call decompresses them.
pub fn site() -> &'static Site {
    &SITE
}

/// Returns text with the address of a service in place of that of the samples.
pub fn with_address(text: &str, address: &str) -> String {
    page::EXAMPLE_SERVICES.iter().fold(text.to_owned(), |text, example| text.replace(example, address))
}

/// Returns the sections that are most relevant to a query, best first, at most `limit`. A page is contained with its most relevant
/// section only.
pub fn search(query: &str, limit: usize) -> Vec<Hit> {
    INDEX.search(&SITE, query, limit)
}

#[cfg(test)]
mod tests;
