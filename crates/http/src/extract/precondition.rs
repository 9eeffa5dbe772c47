//! Preconditions: `If-Match` and `If-None-Match` (RFC 9110 §13.1).

use actix_web::HttpRequest;
use actix_web::http::header::{
    ETAG, EntityTag, Header as _, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, IfNoneMatch,
};
use steward_domain::error::Error;
use steward_domain::model::{Precondition, Revision};

use crate::error::ApiError;

/// The value of one header: `*`, or a list of tags. Tags that are not revisions of this service are omitted, as they
/// match nothing.
enum Tags {
    Any,
    List(Vec<Revision>),
}

/// Returns the precondition of a write. `If-Match` takes precedence over `If-None-Match` (RFC 9110 §13.2.2).
pub(crate) fn for_write(request: &HttpRequest) -> Result<Precondition, ApiError> {
    let (if_match, if_none_match) = for_read(request)?;
    Ok(if if_match == Precondition::None { if_none_match } else { if_match })
}

/// Returns the preconditions of a read: `If-Match`, which fails with 412, and `If-None-Match`, which fails with 304.
pub(crate) fn for_read(request: &HttpRequest) -> Result<(Precondition, Precondition), ApiError> {
    // If-Match uses strong comparison: a weak tag matches nothing (RFC 9110 §8.8.3.2).
    let if_match = match read(request, &IF_MATCH, false)? {
        Some(Tags::Any) => Precondition::Exists,
        Some(Tags::List(revisions)) => Precondition::Matches(revisions),
        None => Precondition::None,
    };
    let if_none_match = match read(request, &IF_NONE_MATCH, true)? {
        Some(Tags::Any) => Precondition::Absent,
        Some(Tags::List(revisions)) => Precondition::NoneOf(revisions),
        None => Precondition::None,
    };
    Ok((if_match, if_none_match))
}

/// Returns the `ETag` header of a revision.
pub(crate) fn etag(revision: Revision) -> (HeaderName, String) {
    (ETAG, format!("\"{}\"", revision.0))
}

/// Returns whether the client has the content with this tag in its cache. An invalid header is ignored.
pub(crate) fn is_cached(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|cached| cached.weak_eq(tag)),
        Err(_) => false,
    }
}

fn read(request: &HttpRequest, name: &HeaderName, allow_weak: bool) -> Result<Option<Tags>, ApiError> {
    let values: Vec<&HeaderValue> = request.headers().get_all(name).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.to_str().ok()).collect();
    let tags = texts.map(|texts| texts.join(",")).and_then(|text| parse(&text, allow_weak));
    let field = if allow_weak { "If-None-Match" } else { "If-Match" };
    let error = || Error::invalid(field, "must be * or a list of quoted entity tags");
    Ok(Some(tags.ok_or_else(error)?))
}

fn parse(text: &str, allow_weak: bool) -> Option<Tags> {
    if text.trim() == "*" {
        return Some(Tags::Any);
    }
    let mut revisions = Vec::new();
    let mut rest = text.trim_matches([' ', '\t', ',']);
    while !rest.is_empty() {
        let (weak, tag) = rest.strip_prefix("W/").map_or((false, rest), |tag| (true, tag));
        let (tag, after) = tag.strip_prefix('"')?.split_once('"')?;
        if allow_weak || !weak {
            // Tags are compared octet by octet: "05" is not "5" (RFC 9110 §8.8.3.2).
            revisions.extend(tag.parse::<i64>().ok().filter(|number| number.to_string() == tag).map(Revision));
        }
        let next = after.trim_start_matches([' ', '\t']);
        if !next.is_empty() && !next.starts_with(',') {
            return None;
        }
        rest = next.trim_start_matches([' ', '\t', ',']);
    }
    Some(Tags::List(revisions))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn precondition(name: &'static str, value: &'static str) -> Option<Precondition> {
        for_write(&TestRequest::default().insert_header((name, value)).to_http_request()).ok()
    }

    #[test]
    fn headers_are_parsed_into_preconditions() {
        let revisions = |numbers: &[i64]| numbers.iter().copied().map(Revision).collect::<Vec<_>>();
        assert_eq!(precondition("X", "y"), Some(Precondition::None));
        assert_eq!(precondition("If-Match", " * "), Some(Precondition::Exists));
        assert_eq!(precondition("If-None-Match", "*"), Some(Precondition::Absent));
        assert_eq!(precondition("If-Match", "\"1\", \"2\",W/\"3\""), Some(Precondition::Matches(revisions(&[1, 2]))));
        assert_eq!(precondition("If-None-Match", "W/\"1\",\"x\""), Some(Precondition::NoneOf(revisions(&[1]))));
        for foreign in ["\"foreign\"", "\"05\"", "\"+5\""] {
            assert_eq!(precondition("If-Match", foreign), Some(Precondition::Matches(Vec::new())), "{foreign}");
        }
        for invalid in ["1", "\"1", "\"1\" \"2\"", "w/\"1\""] {
            assert_eq!(precondition("If-Match", invalid), None, "{invalid}");
        }
    }
}
