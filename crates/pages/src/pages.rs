//! What the pages need.

use std::sync::Arc;

use steward_domain::Steward;
use steward_domain::kernel::SecurityContacts;

use crate::page::Page;

/// Dependencies of the pages.
#[derive(Clone)]
pub struct Pages {
    /// Use cases that the pages run.
    pub steward: Arc<Steward>,
    /// Name of the cookie that identifies a browser. See [`browser_cookie`](crate::browser_cookie).
    pub browser_cookie: &'static str,
    /// Whether webhooks and logout tokens may be sent to private networks.
    pub allow_private_webhooks: bool,
    /// Where people report vulnerabilities of the service.
    pub security_contacts: Arc<SecurityContacts>,
    /// The host of the service, which every page of the sign-in shows.
    pub(crate) host: Arc<str>,
    /// The pages of the console.
    pub(crate) console: &'static [Page],
}
