//! The client that a request names, and what it presents to authenticate (RFC 6749 §2.3, RFC 7521 §4.2).

use crate::identity::token::used_ids::UsedByRequest;
use crate::identity::{ClientId, Parameters};
use crate::kernel::error::OAuthError;
use crate::kernel::{Secret, debug_only};

/// The only type of assertions that is accepted (RFC 7523 §2.2).
pub const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The client that a request names, and what it presents to authenticate.
#[derive(Debug, Clone)]
pub struct PresentedClient {
    /// The client. Without a secret or an assertion, anyone can name it.
    pub id: ClientId,
    /// The secret. It is ignored for a client that has none.
    pub secret: Option<Secret>,
    /// The assertion. It is ignored for a client that has no keys.
    pub assertion: Option<PresentedAssertion>,
}

/// An assertion that a client presents, and where.
#[derive(Clone)]
pub struct PresentedAssertion {
    pub(crate) jwt: Secret,
    /// The path of the endpoint.
    pub(crate) endpoint: &'static str,
    pub(crate) used: UsedByRequest,
}

debug_only!(PresentedAssertion: endpoint);

impl PresentedAssertion {
    pub(crate) fn new(jwt: &str, endpoint: &'static str) -> Self {
        Self { jwt: Secret::new(jwt.to_owned()), endpoint, used: UsedByRequest::default() }
    }

    /// Returns the assertion in the parameters of a request to this path; `None` if there is none.
    pub fn parse(parameters: &Parameters, endpoint: &'static str) -> Result<Option<Self>, OAuthError> {
        match (parameters.one("client_assertion_type")?, parameters.one("client_assertion")?) {
            (None, None) => Ok(None),
            (Some(ASSERTION_TYPE), Some(jwt)) => Ok(Some(Self::new(jwt, endpoint))),
            (_, None) => Err(OAuthError::request("The `client_assertion` parameter is missing.")),
            (_, Some(_)) => Err(OAuthError::request(format_args!(
                "The `client_assertion_type` parameter must be {ASSERTION_TYPE}."
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_has_the_type_of_the_standard() {
        let parse = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            PresentedAssertion::parse(&Parameters::new(pairs), "/auth/token").map(|found| found.is_some())
        };
        assert_eq!(parse(&[("client_assertion", "jwt"), ("client_assertion_type", ASSERTION_TYPE)]), Ok(true));
        assert_eq!(parse(&[]), Ok(false));
        let saml = "urn:ietf:params:oauth:client-assertion-type:saml2-bearer";
        let invalid: [&[(&str, &str)]; 3] = [
            &[("client_assertion", "jwt")],
            &[("client_assertion_type", ASSERTION_TYPE)],
            &[("client_assertion", "jwt"), ("client_assertion_type", saml)],
        ];
        for invalid in invalid {
            assert!(parse(invalid).is_err(), "{invalid:?}");
        }
    }
}
