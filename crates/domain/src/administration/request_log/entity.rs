//! Requests to a project as the log of requests has them (docs/decisions/0064-log-of-requests.md).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::kernel::{InvalidValue, Time};

/// Maximum number of instances of the service whose positions a cursor has.
const MAX_INSTANCES: usize = 32;

/// A request to a project. It has nothing that a client sends but its request ID: no path, query, header or body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    /// When the response was ready.
    pub at: Time,
    /// The ID of the request.
    pub request_id: Box<str>,
    /// The method.
    pub method: &'static str,
    /// The path as it is documented, with parameters such as `{id}`.
    pub route: &'static str,
    /// The name of the operation.
    pub operation: &'static str,
    /// The status of the response.
    pub status: u16,
    /// The code of the error in the response.
    pub error: Option<Cow<'static, str>>,
    /// How long the request took.
    pub took: Duration,
    /// Kind and ID of the caller, such as `key:018f2a3d-0b6f-7d93-a1c8-5e7f2d4b8061`.
    pub caller: Option<Arc<str>>,
}

impl LoggedRequest {
    /// Returns the kind and the ID of the caller.
    pub fn caller_parts(&self) -> Option<(&str, &str)> {
        self.caller.as_deref()?.split_once(':')
    }
}

/// Which requests to return.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestFilter {
    /// ID of the caller, such as that of an API key.
    pub caller: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// Text that the route contains.
    pub route: Option<String>,
    /// The status of the response.
    pub status: Option<StatusFilter>,
}

impl RequestFilter {
    /// Returns whether a request meets all conditions.
    pub fn matches(&self, request: &LoggedRequest) -> bool {
        let Self { caller, method, route, status } = self;
        caller.as_ref().is_none_or(|id| request.caller_parts().is_some_and(|(_, other)| other == id))
            && method.as_ref().is_none_or(|method| request.method.eq_ignore_ascii_case(method))
            && route.as_ref().is_none_or(|text| request.route.contains(text))
            && status.is_none_or(|status| status.matches(request.status))
    }
}

/// A status, or all statuses with the same first digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusFilter {
    /// One status, such as 404.
    Exactly(u16),
    /// All statuses of a class, such as 4 for `4xx`.
    Class(u16),
}

impl StatusFilter {
    /// What [`StatusFilter::parse`] accepts, as a regular expression (ECMA-262).
    pub const PATTERN: &str = "^[1-5](xx|[0-9]{2})$";

    /// Parses `404` or `4xx`.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let invalid = InvalidValue("must be a status such as 404, or 2xx, 3xx, 4xx or 5xx");
        let digits = text.strip_suffix("xx").unwrap_or(text);
        let number: u16 = digits.parse().map_err(|_| InvalidValue(invalid.0))?;
        match (digits.len() == text.len(), number) {
            (true, 100..=599) => Ok(Self::Exactly(number)),
            (false, 1..=5) => Ok(Self::Class(number)),
            _ => Err(invalid),
        }
    }

    fn matches(self, status: u16) -> bool {
        match self {
            Self::Exactly(exactly) => status == exactly,
            Self::Class(class) => status / 100 == class,
        }
    }
}

/// Where to continue a log of requests. Each instance of the service has positions of its own, so a cursor has one for each
/// instance that has responded. Of other instances, requests count from the time at which the cursor began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestCursor {
    /// When the first response with this cursor was sent, in milliseconds.
    since: i64,
    /// Instances and positions, the latest last.
    positions: Vec<(u32, u64)>,
}

impl RequestCursor {
    /// Returns a cursor that begins now.
    pub fn beginning(now: Time) -> Self {
        Self { since: now.timestamp_millis(), positions: Vec::new() }
    }

    /// Parses the text of a cursor.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let parse = || {
            let (since, rest) = text.split_once('_')?;
            let position = |part: &str| {
                let (instance, position) = part.split_once('-')?;
                Some((u32::from_str_radix(instance, 16).ok()?, position.parse().ok()?))
            };
            let positions: Vec<_> = rest.split('_').map(position).collect::<Option<_>>()?;
            let cursor = Self { since: since.parse().ok()?, positions };
            (cursor.positions.len() <= MAX_INSTANCES).then_some(cursor)
        };
        parse().ok_or(InvalidValue("must be the value of `next` in an earlier response"))
    }

    /// Returns the position in an instance.
    pub fn position(&self, instance: u32) -> Option<u64> {
        self.positions.iter().find(|(other, _)| *other == instance).map(|(_, position)| *position)
    }

    /// Returns whether requests at this time count for an instance without a position.
    pub fn is_since(&self, at: Time) -> bool {
        at.timestamp_millis() >= self.since
    }

    /// Sets the position in an instance.
    #[must_use]
    pub fn at(mut self, instance: u32, position: u64) -> Self {
        self.positions.retain(|(other, _)| *other != instance);
        if self.positions.len() >= MAX_INSTANCES {
            self.positions.remove(0);
        }
        self.positions.push((instance, position));
        self
    }
}

impl fmt::Display for RequestCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.since)?;
        self.positions.iter().try_for_each(|(instance, position)| write!(f, "_{instance:08x}-{position}"))
    }
}

/// Requests in the order in which their responses were ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestPage {
    /// The requests, oldest first.
    pub requests: Vec<LoggedRequest>,
    /// Where the next page begins.
    pub next: RequestCursor,
    /// Whether requests after the cursor are no longer in memory.
    pub is_truncated: bool,
    /// The instance whose requests these are.
    pub instance: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::instant;

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        let cursor = RequestCursor::beginning(instant()).at(0xab, 7).at(1, u64::MAX).at(0xab, 9);
        assert_eq!(RequestCursor::parse(&cursor.to_string()), Ok(cursor.clone()));
        assert_eq!((cursor.position(0xab), cursor.position(1), cursor.position(2)), (Some(9), Some(u64::MAX), None));
        for invalid in ["", "x", "1", "1_", "1_5", "1_g-5", "1_1--5", "x_1-1", "1_1-1_"] {
            assert!(RequestCursor::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn a_cursor_has_a_maximum_of_instances() {
        let cursor = (0..100).fold(RequestCursor::beginning(instant()), |cursor, number| cursor.at(number, 1));
        assert_eq!((cursor.position(67), cursor.position(68)), (None, Some(1)));
        assert!(RequestCursor::parse(&cursor.to_string()).is_ok());
        assert!(RequestCursor::parse(&format!("{cursor}_ff-1")).is_err());
    }

    #[test]
    fn a_status_is_a_number_or_a_class() {
        assert_eq!(StatusFilter::parse("404"), Ok(StatusFilter::Exactly(404)));
        assert_eq!(StatusFilter::parse("5xx"), Ok(StatusFilter::Class(5)));
        assert!(StatusFilter::Class(4).matches(404) && !StatusFilter::Class(4).matches(500));
        for invalid in ["", "99", "600", "6xx", "0xx", "40x", "xx", "4xxxx", "-1"] {
            assert!(StatusFilter::parse(invalid).is_err(), "{invalid}");
        }
    }
}
