//! Pagination: `limit` and an opaque `cursor` (docs/contract.md#lists).

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, LINK};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::DateTime;
use steward_domain::data::ItemId;
use steward_domain::kernel::{Cursor, PageRequest};
use url::form_urlencoded;

use super::Query;
use crate::error::ApiError;

/// The first character of a cursor: the version of its format.
const VERSION: &str = "1";

impl<Q> Query<Q> {
    /// Parses the pagination parameters.
    pub(crate) fn page(&self) -> Result<PageRequest, ApiError> {
        let limit = self.parsed("limit", |text| {
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            let limit =
                text.parse().ok().filter(|_| digits).filter(|limit| (1..=PageRequest::MAX_LIMIT).contains(limit));
            limit.ok_or("must be a number from 1 to 1000")
        });
        let after = self.parsed("cursor", |text| decode(text).ok_or("must be the next_cursor of a page of this list"));
        Ok(PageRequest { limit: limit?, after: after?, ..PageRequest::FIRST })
    }
}

/// Encodes the position in a list as an opaque cursor.
pub(crate) fn encode(cursor: &Cursor) -> String {
    URL_SAFE_NO_PAD.encode(format!("{VERSION}.{}.{}", cursor.at.timestamp_micros(), cursor.id))
}

fn decode(text: &str) -> Option<Cursor> {
    let plain = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
    let (at, id) = plain.strip_prefix(VERSION)?.strip_prefix('.')?.split_once('.')?;
    let at = DateTime::from_timestamp_micros(at.parse().ok()?)?;
    // Entries are created between these years. Databases do not support all other timestamps.
    let in_range = (2000..3000).contains(&chrono::Datelike::year(&at));
    // The ID is a UUID or an item ID, and every UUID is also a valid item ID.
    (in_range && ItemId::stored(id).is_ok()).then(|| Cursor { at, id: id.to_owned() })
}

/// Returns the header that links to the next page. Its URL is that of this page with the new cursor, and without
/// `offset`.
pub(crate) fn next_link(request: &HttpRequest, cursor: &str) -> (HeaderName, String) {
    let parameters = form_urlencoded::parse(request.query_string().as_bytes())
        .filter(|(name, _)| name != "cursor" && name != "offset");
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters).append_pair("cursor", cursor);
    (LINK, format!("<{}?{}>; rel=\"next\"", request.path(), query.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_decoded_to_its_position_and_an_invalid_one_is_rejected() {
        let at = DateTime::from_timestamp_micros(1_767_225_600_123_456).unwrap();
        for id in ["01940000-0000-7000-8000-00000000abcd", "a.b~c-1", "7"] {
            let cursor = Cursor { at, id: id.to_owned() };
            assert_eq!(decode(&encode(&cursor)), Some(cursor));
        }
        let encoded = ["2.1.x", "1.9999999999999999999.x", "1.1767225600000000.a\0b", "1.1767225600000000."];
        for invalid in
            encoded.map(|plain| URL_SAFE_NO_PAD.encode(plain)).iter().map(String::as_str).chain(["", "x", "MS4x"])
        {
            assert_eq!(decode(invalid), None, "{invalid}");
        }
    }
}
