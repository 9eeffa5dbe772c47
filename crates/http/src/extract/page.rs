//! Which part of a list is wanted: `limit` and an opaque `cursor` (contract 1.10).

use actix_web::HttpRequest;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::DateTime;
use steward_domain::error::Error;
use steward_domain::model::{Cursor, ItemId, PageRequest};
use url::form_urlencoded;
use utoipa::IntoParams;

use super::Query;
use crate::error::ApiError;

/// The first letter of a cursor: how the rest is to be read.
const VERSION: &str = "1";
const ITEM_CURSOR_PREFIX: &str = "2.";

/// Which part of a list is wanted.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameters that `Query::page` reads")]
pub(crate) struct PageParameters {
    /// At most this many, and at most 4 MiB; without it, all.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

impl Query {
    /// The wanted part of a list.
    pub(crate) fn page(&self) -> Result<PageRequest, ApiError> {
        let limit = self.get("limit")?.map(|text| {
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            let limit =
                text.parse().ok().filter(|_| digits).filter(|limit| (1..=PageRequest::MAX_LIMIT).contains(limit));
            limit.ok_or_else(|| Error::invalid("limit", "must be a number from 1 to 1000"))
        });
        let after = self.get("cursor")?.map(|text| {
            decode(text).ok_or_else(|| Error::invalid("cursor", "must be a next_cursor that a list of this kind gave"))
        });
        Ok(PageRequest { limit: limit.transpose()?, after: after.transpose()?, ..PageRequest::FIRST })
    }
}

/// A place in a list as callers carry it.
pub(crate) fn encode(cursor: &Cursor) -> String {
    URL_SAFE_NO_PAD.encode(format!("{VERSION}.{}.{}", cursor.at.timestamp_micros(), cursor.id))
}

fn decode(text: &str) -> Option<Cursor> {
    let plain = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
    let (at, id) = plain.strip_prefix(VERSION)?.strip_prefix('.')?.split_once('.')?;
    let at = DateTime::from_timestamp_micros(at.parse().ok()?)?;
    // What a list can hold a place in was made between these years; other moments no database can be asked for.
    let sensible = (2000..3000).contains(&chrono::Datelike::year(&at));
    // Every thing in a list has a UUID or an item id, and every UUID is spelled like an item id.
    (sensible && ItemId::parse(id).is_ok()).then(|| Cursor { at, id: id.to_owned() })
}

/// A place in a list of items as callers carry it.
pub(crate) fn encode_of_items(place: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{ITEM_CURSOR_PREFIX}{place}"))
}

/// The place, which only the query it is of can judge. What is no cursor at all is the place of no query.
pub(super) fn decode_of_items(text: &str) -> String {
    let plain = URL_SAFE_NO_PAD.decode(text).ok().and_then(|plain| String::from_utf8(plain).ok());
    plain.as_deref().and_then(|plain| plain.strip_prefix(ITEM_CURSOR_PREFIX)).unwrap_or_default().to_owned()
}

/// The address of the next page: this one with another cursor, which is a place of its own.
pub(crate) fn next_address(request: &HttpRequest, cursor: &str) -> String {
    let kept = form_urlencoded::parse(request.query_string().as_bytes())
        .filter(|(name, _)| name != "cursor" && name != "offset");
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(kept).append_pair("cursor", cursor);
    format!("{}?{}", request.path(), query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was_given() {
        let at = DateTime::from_timestamp_micros(1_767_225_600_123_456).unwrap();
        for id in ["01940000-0000-7000-8000-00000000abcd", "a.b~c-1", "7"] {
            let cursor = Cursor { at, id: id.to_owned() };
            assert_eq!(decode(&encode(&cursor)), Some(cursor));
        }
        let wrapped = ["2.1.x", "1.9999999999999999999.x", "1.1767225600000000.a\0b", "1.1767225600000000."];
        for bad in
            wrapped.map(|plain| URL_SAFE_NO_PAD.encode(plain)).iter().map(String::as_str).chain(["", "x", "MS4x"])
        {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
