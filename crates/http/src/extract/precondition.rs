//! Entity tags of resources that can be changed, and the preconditions that refer to them: `If-Match` and
//! `If-None-Match` (docs/contract.md#conditional-requests, RFC 9110 §13.1).

use std::fmt;
use std::hash::Hasher as _;

use actix_web::HttpRequest;
use actix_web::http::header::{ETAG, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use serde::Serialize;
use siphasher::sip::SipHasher13;
use steward_domain::kernel::error::{Error, FieldViolations, ResourceKind};
use steward_domain::kernel::{Precondition, Revision};

use crate::error::ApiError;

/// The entity tag of a resource: its revision and a hash of what GET returns, or of its version. GET also returns values
/// that change without the revision, such as the usage of a project or the members of a team, and a cache must not keep
/// them. A write compares only the revision, so that it does not fail because of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResourceTag {
    revision: Revision,
    /// `None` if the revision changes with everything that GET returns.
    hash: Option<u64>,
}

impl From<Revision> for ResourceTag {
    fn from(revision: Revision) -> Self {
        Self { revision, hash: None }
    }
}

impl ResourceTag {
    /// Returns the tag of a resource. `shown` is the body with which GET returns it, or a version of everything in it.
    pub(crate) fn of(revision: Revision, shown: &impl Serialize) -> Self {
        // Serialization of a response body cannot fail.
        Self::of_text(revision, &serde_json::to_vec(shown).unwrap_or_default())
    }

    /// Returns the tag of a resource from the JSON of `shown`.
    pub(crate) fn of_text(revision: Revision, shown: &[u8]) -> Self {
        // The same on every replica, also while they run different versions.
        let mut hasher = SipHasher13::new();
        hasher.write(shown);
        Self { revision, hash: Some(hasher.finish()) }
    }

    /// Returns whether a client sent this tag, perhaps with the suffix of a proxy that compressed the response.
    fn is_sent(self, tag: &str) -> bool {
        tag.strip_prefix(&self.to_string()).is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('-'))
    }

    /// Returns the `ETag` header.
    pub(crate) fn header(self) -> (HeaderName, String) {
        (ETAG, format!("\"{self}\""))
    }
}

impl fmt::Display for ResourceTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { revision: Revision(revision), hash } = self;
        match hash {
            Some(hash) => write!(f, "{revision}-{hash:016x}"),
            None => write!(f, "{revision}"),
        }
    }
}

/// What a header may be, as a regular expression (ECMA-262). [`read`] accepts exactly these texts.
pub(crate) const PATTERN: &str =
    r#"^[ \t]*(\*[ \t]*)?$|^[ \t,]*(W/)?"[\t !#-~]*"([ \t]*,[ \t,]*(W/)?"[\t !#-~]*")*[ \t,]*$"#;

/// Maximum number of entity tags in a member of a body.
const MAX_MEMBER_TAGS: usize = 20;

/// The error of another text.
const NOT_TAGS: &str = "must be * or a list of quoted entity tags";

/// The value of one header: `*`, or a list of tags without their quotes and without `W/`. The tags of this service are
/// strong, and proxies that compress responses make them weak or append a suffix such as `-gzip`. With the strong
/// comparison of `If-Match` (RFC 9110 §8.8.3.2), clients behind such a proxy could never write, so both headers compare
/// only what this service wrote.
enum Tags {
    Any,
    List(Vec<String>),
}

/// Returns the precondition of a write: what both headers require (RFC 9110 §13.2.2).
pub(crate) fn for_write(request: &HttpRequest) -> Result<Precondition, ApiError> {
    let if_none_match = excluded(read(request, &IF_NONE_MATCH)?);
    Ok(both(if_match(request)?, if_none_match))
}

/// Returns the precondition of one write of a body: its members have the values that the headers would have.
pub(crate) fn of_members(
    if_match: Option<&str>,
    if_none_match: Option<&str>,
    errors: &mut FieldViolations,
) -> Precondition {
    let mut read = |name, text: Option<&str>| errors.check(name, text.map(member_tags).transpose()).flatten();
    both(required(read("if_match", if_match)), excluded(read("if_none_match", if_none_match)))
}

/// Returns what both headers require.
fn both(if_match: Precondition, if_none_match: Precondition) -> Precondition {
    use Precondition as P;
    match (if_match, if_none_match) {
        (P::None, only) | (only, P::None) => only,
        (P::Exists, P::NoneOf(excluded)) => P::ExistsExcept(excluded),
        (P::Matches(mut allowed), P::NoneOf(excluded)) => {
            allowed.retain(|revision| !excluded.contains(revision));
            P::Matches(allowed)
        }
        // One header requires that the resource exists, the other one that it does not.
        _ => P::Matches(Vec::new()),
    }
}

/// What the headers of a read require: `If-Match`, which fails with 412, and `If-None-Match`, which fails with 304.
pub(crate) struct ReadConditions {
    if_match: Precondition,
    if_none_match: Option<Tags>,
}

impl ReadConditions {
    /// Returns what the headers of a request require.
    pub(crate) fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        Ok(Self { if_match: if_match(request)?, if_none_match: read(request, &IF_NONE_MATCH)? })
    }

    /// Returns whether the client has the resource with this tag in its cache. Fails if `If-Match` does not match it.
    pub(crate) fn has(&self, kind: ResourceKind, tag: ResourceTag) -> Result<bool, Error> {
        self.if_match.check(kind, tag.revision)?;
        Ok(match &self.if_none_match {
            Some(Tags::Any) => true,
            Some(Tags::List(tags)) => tags.iter().any(|sent| tag.is_sent(sent)),
            None => false,
        })
    }
}

fn if_match(request: &HttpRequest) -> Result<Precondition, ApiError> {
    Ok(required(read(request, &IF_MATCH)?))
}

/// Returns the precondition of `If-Match`.
fn required(tags: Option<Tags>) -> Precondition {
    match tags {
        Some(Tags::Any) => Precondition::Exists,
        Some(Tags::List(tags)) => Precondition::Matches(revisions(&tags)),
        None => Precondition::None,
    }
}

/// Returns the precondition of `If-None-Match`.
fn excluded(tags: Option<Tags>) -> Precondition {
    match tags {
        Some(Tags::Any) => Precondition::Absent,
        Some(Tags::List(tags)) => Precondition::NoneOf(revisions(&tags)),
        None => Precondition::None,
    }
}

/// Returns the revisions in tags of this service. Other tags are omitted, as they match nothing.
fn revisions(tags: &[String]) -> Vec<Revision> {
    let revision = |tag: &String| {
        // A hash or the suffix of a proxy can follow.
        let number = tag.split_once('-').map_or(tag.as_str(), |(number, _)| number);
        // Tags are compared octet by octet: "05" is not "5" (RFC 9110 §8.8.3.2).
        number.parse::<i64>().ok().filter(|revision| revision.to_string() == number).map(Revision)
    };
    tags.iter().filter_map(revision).collect()
}

fn read(request: &HttpRequest, name: &HeaderName) -> Result<Option<Tags>, ApiError> {
    let values: Vec<&HeaderValue> = request.headers().get_all(name).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.to_str().ok()).collect();
    let found = texts.ok_or(NOT_TAGS).and_then(|texts| tags(&texts.join(",")));
    let field = if *name == IF_NONE_MATCH { "If-None-Match" } else { "If-Match" };
    Ok(found.map_err(|message| Error::invalid(field, message))?)
}

/// Returns the tags of a member of a body. Their number is limited, because each is compared with each of the other member.
fn member_tags(text: &str) -> Result<Tags, String> {
    match tags(text)?.ok_or(NOT_TAGS)? {
        Tags::List(tags) if tags.len() > MAX_MEMBER_TAGS => {
            Err(format!("must have at most {MAX_MEMBER_TAGS} entity tags"))
        }
        tags => Ok(tags),
    }
}

/// Returns the tags of a header. Some programs send it without a value if they have no tag.
fn tags(text: &str) -> Result<Option<Tags>, &'static str> {
    if text.trim_matches([' ', '\t']).is_empty() { Ok(None) } else { parse(text).map(Some).ok_or(NOT_TAGS) }
}

fn parse(text: &str) -> Option<Tags> {
    if text.trim() == "*" {
        return Some(Tags::Any);
    }
    let mut tags = Vec::new();
    let mut rest = text.trim_matches([' ', '\t', ',']);
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (tag, after) = rest.strip_prefix("W/").unwrap_or(rest).strip_prefix('"')?.split_once('"')?;
        tags.push(tag.to_owned());
        let next = after.trim_start_matches([' ', '\t']);
        if !next.is_empty() && !next.starts_with(',') {
            return None;
        }
        rest = next.trim_start_matches([' ', '\t', ',']);
    }
    Some(Tags::List(tags))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn request(name: &'static str, value: &str) -> HttpRequest {
        TestRequest::default().insert_header((name, value)).to_http_request()
    }

    fn precondition(name: &'static str, value: &str) -> Option<Precondition> {
        for_write(&request(name, value)).ok()
    }

    #[test]
    fn a_tag_does_not_depend_on_the_toolchain() {
        let tag = ResourceTag::of(Revision(7), &serde_json::json!({"name": "Acme"}));
        assert_eq!(tag.to_string(), "7-17cfaf699cfd9ef9");
    }

    #[test]
    fn headers_are_parsed_into_preconditions() {
        let revisions = |numbers: &[i64]| numbers.iter().copied().map(Revision).collect::<Vec<_>>();
        assert_eq!(precondition("X", "y"), Some(Precondition::None));
        assert_eq!(precondition("If-Match", " * "), Some(Precondition::Exists));
        assert_eq!(precondition("If-None-Match", "*"), Some(Precondition::Absent));
        assert_eq!(precondition("If-Match", "\"1\", \"2\",\"x\""), Some(Precondition::Matches(revisions(&[1, 2]))));
        // As proxies that compress responses change them.
        let changed = "W/\"1\", \"2-gzip\", W/\"3-17cfaf699cfd9ef9-br\", W/\"05\"";
        assert_eq!(precondition("If-Match", changed), Some(Precondition::Matches(revisions(&[1, 2, 3]))));
        assert_eq!(precondition("If-None-Match", changed), Some(Precondition::NoneOf(revisions(&[1, 2, 3]))));
        assert_eq!(precondition("If-None-Match", "W/\"1\",\"x\""), Some(Precondition::NoneOf(revisions(&[1]))));
        for foreign in ["\"foreign\"", "\"05\"", "\"+5\"", "\"-5\"", "\"\""] {
            assert_eq!(precondition("If-Match", foreign), Some(Precondition::Matches(Vec::new())), "{foreign}");
        }
        // An invalid header must not become a condition that every resource meets.
        for empty in ["", " ", "\t"] {
            assert_eq!(precondition("If-Match", empty), Some(Precondition::None), "{empty:?}");
            assert_eq!(precondition("If-None-Match", empty), Some(Precondition::None), "{empty:?}");
        }
        for invalid in [" , ", "1", "\"1", "\"1\" \"2\"", "\"1\", 2", "w/\"1\"", "*, \"1\""] {
            assert_eq!(precondition("If-Match", invalid), None, "{invalid}");
            assert_eq!(precondition("If-None-Match", invalid), None, "{invalid}");
        }
        assert_eq!(precondition("If-Match", "\"a,b\", \"7\""), Some(Precondition::Matches(revisions(&[7]))));
        let two_lines = TestRequest::default().append_header(("If-Match", "*")).append_header(("If-Match", "\"1\""));
        assert!(for_write(&two_lines.to_http_request()).is_err());
    }

    #[test]
    fn a_write_must_meet_both_headers() {
        let both = |if_match: &str, if_none_match: &str| {
            let request = TestRequest::default().insert_header(("If-Match", if_match));
            for_write(&request.insert_header(("If-None-Match", if_none_match)).to_http_request()).unwrap()
        };
        let revisions = |numbers: &[i64]| numbers.iter().copied().map(Revision).collect::<Vec<_>>();
        assert_eq!(both("\"1\", \"2\"", "\"2\""), Precondition::Matches(revisions(&[1])));
        assert_eq!(both("*", "\"2\""), Precondition::ExistsExcept(revisions(&[2])));
        for contradictory in [both("*", "*"), both("\"1\"", "*")] {
            assert_eq!(contradictory, Precondition::Matches(Vec::new()));
        }
    }

    #[test]
    fn a_write_compares_the_revision_and_a_read_the_whole_tag() {
        let (tag, other) = (ResourceTag::of(Revision(5), &"one"), ResourceTag::of(Revision(5), &"two"));
        assert_ne!(tag, other);
        let (_, header) = other.header();
        assert_eq!(precondition("If-Match", &header), Some(Precondition::Matches(vec![Revision(5)])));

        let has = |name, value: &str| {
            let conditions = ReadConditions::of(&request(name, value)).unwrap();
            conditions.has(ResourceKind::Team, tag).ok()
        };
        assert_eq!(has("If-None-Match", &header), Some(false));
        assert_eq!(has("If-None-Match", &format!("{header}, W/\"{tag}\"")), Some(true));
        assert_eq!(has("If-None-Match", &format!("W/\"{tag}-gzip\"")), Some(true));
        assert_eq!(has("If-None-Match", &format!("\"{tag}0\"")), Some(false));
        assert_eq!(has("If-None-Match", "*"), Some(true));
        assert_eq!(has("If-Match", &header), Some(false));
        assert_eq!(has("If-Match", "\"4\""), None);
    }
}
