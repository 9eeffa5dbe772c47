//! What pages read of a request: the browser, its cookies and the form.

pub(crate) mod browser;
pub(crate) mod browser_name;
pub(crate) mod cookie;
pub(crate) mod form;
pub(crate) mod upload;
