//! Sending the response of an authorization request to the client (RFC 6749 §4.1.2).

use crate::identity::{
    AuthorizationRequest, AuthorizationStep, Authorizations, FormPost, RedirectUri, ResponseMode, ResponseTarget,
};
use crate::kernel::Secret;
use crate::kernel::error::OAuthError;

/// Where and how a client receives a response.
pub(crate) type Destination<'a> = (&'a RedirectUri, ResponseMode);

impl Authorizations {
    /// Sends the code to the client of the request. A device asks for its tokens itself.
    pub(crate) fn allow(&self, authorization: &AuthorizationRequest, code: &Secret) -> AuthorizationStep {
        self.answer(authorization, true, &[("code", code.expose())])
    }

    /// Sends an error to the client of the request.
    pub(crate) fn refuse(&self, authorization: &AuthorizationRequest, error: &OAuthError) -> AuthorizationStep {
        self.answer(authorization, false, &error.members())
    }

    fn answer(
        &self,
        authorization: &AuthorizationRequest,
        is_allowed: bool,
        response: &[(&str, &str)],
    ) -> AuthorizationStep {
        let parameters = &authorization.parameters;
        match &authorization.target {
            ResponseTarget::Client(uri) => {
                self.redirect((uri, parameters.response_mode), parameters.state.as_deref(), response)
            }
            ResponseTarget::Device(_) => AuthorizationStep::DeviceAnswered { is_allowed },
        }
    }

    /// Redirects to the client. The response includes `iss`, so that a client of several services knows which one sent
    /// it (RFC 9207).
    pub(crate) fn redirect(
        &self,
        (uri, mode): Destination<'_>,
        state: Option<&str>,
        response: &[(&str, &str)],
    ) -> AuthorizationStep {
        let state = state.map(|state| ("state", state));
        let all: Vec<_> = response.iter().copied().chain(state).chain([("iss", self.core.address.as_str())]).collect();
        match mode {
            ResponseMode::Query => AuthorizationStep::Redirect(uri.with(&all)),
            ResponseMode::Fragment => AuthorizationStep::Redirect(uri.with_fragment(&all)),
            // Only a web address can receive a form.
            ResponseMode::FormPost if !uri.is_web() => AuthorizationStep::Redirect(uri.with(&all)),
            ResponseMode::FormPost => AuthorizationStep::Post(FormPost {
                action: uri.to_string(),
                fields: all.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            }),
        }
    }
}
