//! Preconditions: `If-Match` and `If-None-Match` (RFC 9110 §13.1) as what must hold of the stored thing.

use actix_web::HttpRequest;
use actix_web::http::header::{ETAG, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use steward_domain::error::Error;
use steward_domain::model::{Precondition, Revision};

use crate::error::ApiError;

/// One header: any thing at all, or these. Tags that are none of ours match nothing.
enum Tags {
    Any,
    These(Vec<Revision>),
}

/// What must hold for a write to be done. `If-Match` wins over `If-None-Match`, as RFC 9110 §13.2.2 has it.
pub(crate) fn of(request: &HttpRequest) -> Result<Precondition, ApiError> {
    let (wanted, unwanted) = of_read(request)?;
    Ok(if wanted == Precondition::None { unwanted } else { wanted })
}

/// What must hold for a read to be answered (else 412), and for its answer to have a body (else 304).
pub(crate) fn of_read(request: &HttpRequest) -> Result<(Precondition, Precondition), ApiError> {
    // Comparison for If-Match is strong: a weak tag matches nothing (RFC 9110 §8.8.3.2).
    let wanted = match read(request, &IF_MATCH, false)? {
        Some(Tags::Any) => Precondition::Exists,
        Some(Tags::These(revisions)) => Precondition::Matches(revisions),
        None => Precondition::None,
    };
    let unwanted = match read(request, &IF_NONE_MATCH, true)? {
        Some(Tags::Any) => Precondition::Absent,
        Some(Tags::These(revisions)) => Precondition::NoneOf(revisions),
        None => Precondition::None,
    };
    Ok((wanted, unwanted))
}

/// The entity tag of a revision, as a header.
pub(crate) fn etag(revision: Revision) -> (HeaderName, String) {
    (ETAG, format!("\"{}\"", revision.0))
}

fn read(request: &HttpRequest, name: &HeaderName, weak_counts: bool) -> Result<Option<Tags>, ApiError> {
    let values: Vec<&HeaderValue> = request.headers().get_all(name).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.to_str().ok()).collect();
    let tags = texts.map(|texts| texts.join(",")).and_then(|text| parse(&text, weak_counts));
    let field = if weak_counts { "If-None-Match" } else { "If-Match" };
    let error = || Error::invalid(field, "must be * or a list of quoted entity tags");
    Ok(Some(tags.ok_or_else(error)?))
}

fn parse(text: &str, weak_counts: bool) -> Option<Tags> {
    if text.trim() == "*" {
        return Some(Tags::Any);
    }
    let mut revisions = Vec::new();
    let mut rest = text.trim_matches([' ', '\t', ',']);
    while !rest.is_empty() {
        let (weak, tag) = rest.strip_prefix("W/").map_or((false, rest), |tag| (true, tag));
        let (tag, after) = tag.strip_prefix('"')?.split_once('"')?;
        if weak_counts || !weak {
            // Tags compare octet by octet: "05" is not "5" (RFC 9110 §8.8.3.2).
            revisions.extend(tag.parse::<i64>().ok().filter(|number| number.to_string() == tag).map(Revision));
        }
        let next = after.trim_start_matches([' ', '\t']);
        if !next.is_empty() && !next.starts_with(',') {
            return None;
        }
        rest = next.trim_start_matches([' ', '\t', ',']);
    }
    Some(Tags::These(revisions))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn precondition(name: &'static str, value: &'static str) -> Option<Precondition> {
        of(&TestRequest::default().insert_header((name, value)).to_http_request()).ok()
    }

    #[test]
    fn headers_become_what_must_hold() {
        let revisions = |numbers: &[i64]| numbers.iter().copied().map(Revision).collect::<Vec<_>>();
        assert_eq!(precondition("X", "y"), Some(Precondition::None));
        assert_eq!(precondition("If-Match", " * "), Some(Precondition::Exists));
        assert_eq!(precondition("If-None-Match", "*"), Some(Precondition::Absent));
        assert_eq!(precondition("If-Match", "\"1\", \"2\",W/\"3\""), Some(Precondition::Matches(revisions(&[1, 2]))));
        assert_eq!(precondition("If-None-Match", "W/\"1\",\"x\""), Some(Precondition::NoneOf(revisions(&[1]))));
        for foreign in ["\"foreign\"", "\"05\"", "\"+5\""] {
            assert_eq!(precondition("If-Match", foreign), Some(Precondition::Matches(Vec::new())), "{foreign}");
        }
        for bad in ["1", "\"1", "\"1\" \"2\"", "w/\"1\""] {
            assert_eq!(precondition("If-Match", bad), None, "{bad}");
        }
    }
}
