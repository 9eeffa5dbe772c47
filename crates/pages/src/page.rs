//! The rows of the tables of pages.

use actix_web::Resource;
use actix_web::http::Method;
use steward_domain::kernel::policy::{Conditions, Lane, Operation};
use steward_web::RateClass;

use crate::tab::Tab;

/// A page: what is known about it without its handlers.
pub(crate) struct Page {
    /// The whole path, with parameters like `{team}`.
    pub path: &'static str,
    /// The operation that the page performs, or that its form submits.
    pub operation: Operation,
    /// The conditions that the account of the person must meet.
    pub conditions: Conditions,
    /// The rate limit of what the page does.
    pub rate: RateClass,
    /// The lane that its requests are work of.
    pub lane: Lane,
    pub tab: Tab,
    /// Creates its resources, with and without a trailing slash.
    pub resources: fn() -> Vec<Resource>,
}

impl Page {
    /// Returns the class of a request: to open a page is a read, unless the page is costly.
    pub(crate) fn rate_of(&self, method: &Method) -> RateClass {
        match *method {
            Method::GET | Method::HEAD if self.rate != RateClass::Costly => RateClass::Reads,
            // A page that is only read refuses other methods, which count as a form.
            _ if self.rate == RateClass::Reads => RateClass::Writes,
            _ => self.rate,
        }
    }

    /// Whether a path is that of the page. A trailing slash is ignored.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        let mut segments = path.strip_suffix('/').unwrap_or(path).split('/');
        let matches = |own: &str| {
            segments.next().is_some_and(|segment| own == segment || own.starts_with('{') && !segment.is_empty())
        };
        self.path.split('/').all(matches) && segments.next().is_none()
    }
}

/// Declares pages below a path: `path, operation, conditions, rate class, lane, tab => show`, or `=> show, submit` for
/// a page with a form.
macro_rules! pages {
    ($root:literal: $(
        $path:literal, $operation:ident, $conditions:ident, $rate:ident, $lane:ident, $tab:ident => $($handler:expr),+;
    )+) => {
        &[$($crate::page::Page {
            path: concat!($root, $path),
            operation: steward_domain::kernel::policy::Operation::$operation,
            conditions: steward_domain::kernel::policy::Conditions::$conditions,
            rate: steward_web::RateClass::$rate,
            lane: steward_domain::kernel::policy::Lane::$lane,
            tab: $crate::tab::Tab::$tab,
            resources: || $crate::page::resources!($path, $($handler),+),
        }),+]
    };
}

/// Creates the resources of a page with one handler or two.
macro_rules! resources {
    ($path:literal, $show:expr) => {
        $crate::resource::page($path, $show)
    };
    ($path:literal, $show:expr, $submit:expr) => {
        $crate::resource::form($path, $show, $submit)
    };
}

pub(crate) use {pages, resources};
