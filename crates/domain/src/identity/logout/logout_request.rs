//! Signing out at the request of a client (OpenID Connect RP-Initiated Logout 1.0).

use crate::identity::{Authorizations, Client, IdTokenHint, Parameters, RedirectUri, SignedIn};
use crate::kernel::error::{Error, OAuthError};
use crate::kernel::policy::LimitedAction;
use crate::kernel::{AccountId, Request};

/// A client's request to sign the user out.
#[derive(Debug, Clone)]
pub struct LogoutRequest {
    /// The client; `None` if the request does not identify it.
    pub client: Option<Client>,
    /// The account that the client's ID token identifies.
    account: Option<AccountId>,
    /// The URI to redirect to afterwards, with the `state`.
    destination: Option<String>,
}

impl LogoutRequest {
    /// Returns whether the client has an ID token of this person. If it has none, another site may have sent the request,
    /// so the person is asked first.
    pub fn identifies(&self, signed_in: &SignedIn) -> bool {
        self.account == Some(signed_in.account.id)
    }

    /// Returns the URI to redirect to after signing out. `None` to stay on this service.
    pub fn destination(&self) -> Option<&str> {
        self.destination.as_deref()
    }
}

impl Authorizations {
    /// Parses a client's request to sign the user out. Fails if the client is unknown, if it is not the client of the ID
    /// token, or if the URI is not registered for it. An invalid ID token is ignored, so that people can still sign out
    /// after its key was removed, but nothing depends on it.
    pub async fn logout_request(&self, request: &Request, parameters: &Parameters) -> Result<LogoutRequest, Error> {
        self.core.action_limiter.take_from(LimitedAction::AuthorizeFrom, request, self.core.now()).await?;
        let token = parameters.one("id_token_hint")?;
        let hint = token.and_then(|token| self.core.ports.tokens.id_token_hint(token));
        let client = self.logout_client(parameters.one("client_id")?, hint.as_ref()).await?;

        let state = parameters.one("state")?.and(parameters.state());
        let destination = match (parameters.one("post_logout_redirect_uri")?, &client) {
            (None, _) => None,
            (Some(uri), Some(client)) => Some(destination(client, uri, state)?),
            // The invalid ID token would have identified the client.
            (Some(_), None) if token.is_some() => None,
            (Some(_), None) => {
                let message = "The `post_logout_redirect_uri` parameter requires `id_token_hint` or `client_id`.";
                return Err(OAuthError::request(message).into());
            }
        };
        Ok(LogoutRequest { client, account: hint.map(|hint| hint.account), destination })
    }

    /// Returns the client that sent the request: the one that it names, which must be that of its ID token.
    async fn logout_client(&self, id: Option<&str>, hint: Option<&IdTokenHint>) -> Result<Option<Client>, Error> {
        let client = match (id, hint) {
            (Some(id), _) => self.client(id).await?,
            (None, Some(hint)) => match self.client(&hint.client).await {
                // The project was deleted after the ID token was issued.
                Err(Error::OAuth(_)) => return Ok(None),
                found => found?,
            },
            (None, None) => return Ok(None),
        };
        let is_issued_to = |hint: &IdTokenHint| {
            let issued_to = self.core.settings.first_party_clients.parse_id(&hint.client, &self.core.address);
            issued_to.is_some_and(|issued_to| issued_to.is(&client.id))
        };
        if hint.is_none_or(is_issued_to) {
            Ok(Some(client))
        } else {
            Err(OAuthError::request("The `id_token_hint` parameter was issued to another client.").into())
        }
    }
}

/// Returns the URI with the `state`, if the URI is registered for the client.
fn destination(client: &Client, text: &str, state: Option<&str>) -> Result<String, OAuthError> {
    let uri = RedirectUri::parse(text)
        .map_err(|error| OAuthError::request(format_args!("The `post_logout_redirect_uri` parameter {error}.")))?;
    if !client.project.as_ref().is_some_and(|project| project.sign_in.allow_after_logout(&uri)) {
        return Err(OAuthError::request(
            "The `post_logout_redirect_uri` parameter is not registered for this client. Add it on the page Sign-in of the \
             project, or to `auth.post_logout_redirect_uris` of its settings.",
        ));
    }
    Ok(match state {
        Some(state) => uri.with(&[("state", state)]),
        None => uri.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::oauth::fixtures::authorizations;
    use crate::mocks::{
        MockAccessTokens, MockAuthorizationReader, a_project_in_team, a_request, a_session, id_of, instant,
    };

    /// Parses a request. The ID token `valid` is one of Ann for the project `rocket`, and no other is valid.
    async fn parsed(parameters: &[(&str, &str)]) -> Result<LogoutRequest, Error> {
        let mut tokens = MockAccessTokens::new();
        tokens.expect_id_token_hint().returning(|token| {
            let (account, client) = (a_session().account.id, a_project_in_team().project.id.to_string());
            (token == "valid").then_some(IdTokenHint { account, client })
        });
        let (authorizations, _) = authorizations(MockAuthorizationReader::new(), tokens, instant(), None);
        let pairs = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        authorizations.logout_request(&a_request(), &Parameters::new(pairs)).await
    }

    #[tokio::test]
    async fn only_a_registered_uri_of_an_identified_client_is_redirected_to() {
        let (rocket, other) = (a_project_in_team().project.id.to_string(), id_of("other").to_string());
        let (local, uri) = ("http://127.0.0.1:1/out", "post_logout_redirect_uri");
        let with_state = Some("http://127.0.0.1:1/out?state=a%26b");
        type Case<'a> = (&'a [(&'a str, &'a str)], Result<Option<&'a str>, ()>);
        let cases: [Case<'_>; 12] = [
            (&[], Ok(None)),
            (&[("state", "s"), ("ui_locales", "de"), ("logout_hint", "ann")], Ok(None)),
            (&[(uri, local), ("id_token_hint", "valid"), ("state", "a&b")], Ok(with_state)),
            (&[(uri, local), ("client_id", &rocket)], Ok(Some(local))),
            (&[(uri, local), ("id_token_hint", "forged")], Ok(None)),
            (&[(uri, local)], Err(())),
            (&[(uri, "https://app.example/"), ("id_token_hint", "valid")], Err(())),
            (&[(uri, "javascript:alert(1)"), ("client_id", &rocket)], Err(())),
            (&[(uri, local), ("client_id", "steward-cli")], Err(())),
            (&[("client_id", "unknown")], Err(())),
            (&[("client_id", &other), ("id_token_hint", "valid")], Err(())),
            (&[(uri, local), (uri, local), ("client_id", &rocket)], Err(())),
        ];
        for (parameters, expected) in cases {
            let request = parsed(parameters).await;
            assert!(matches!(request, Ok(_) | Err(Error::OAuth(_))), "{parameters:?}: {request:?}");
            let destination = request.as_ref().map(LogoutRequest::destination).map_err(|_| ());
            assert_eq!(destination, expected, "{parameters:?}");
        }
    }

    #[tokio::test]
    async fn only_a_valid_id_token_identifies_the_person() {
        assert!(parsed(&[("id_token_hint", "valid")]).await.unwrap().identifies(&a_session()));
        for other in ["forged", ""] {
            assert!(!parsed(&[("id_token_hint", other)]).await.unwrap().identifies(&a_session()), "{other}");
        }
    }
}
