//! How clients receive authorization responses.

use crate::kernel::named;

named! {
    /// How the client receives the response (OAuth 2.0 Multiple Response Type Encoding Practices §2.1, OAuth 2.0 Form
    /// Post Response Mode §2).
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum ResponseMode: "the name used in OAuth" {
        /// In the query of the redirect URI.
        #[default]
        Query = "query",
        /// In the fragment of the redirect URI, which browsers do not send to servers.
        Fragment = "fragment",
        /// In a form that the browser posts to the redirect URI.
        FormPost = "form_post",
    }
}
