//! How clients receive authorization responses.

/// How the client receives the response (OAuth 2.0 Multiple Response Type Encoding Practices §2.1, OAuth 2.0 Form Post Response
/// Mode §2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResponseMode {
    /// In the query of the redirect URI.
    #[default]
    Query,
    /// In the fragment of the redirect URI, which browsers do not send to servers.
    Fragment,
    /// In a form that the browser posts to the redirect URI.
    FormPost,
}

impl ResponseMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Query, Self::Fragment, Self::FormPost];

    /// Returns the name used in OAuth.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Fragment => "fragment",
            Self::FormPost => "form_post",
        }
    }

    /// Parses the name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text)
    }
}
