//! Personal access tokens of the caller, and the introspection of tokens.

use std::fmt::Display;

use steward_api::{
    CreatePersonalToken, CreatedPersonalToken, Data, IntrospectToken, Introspection, ListPersonalTokens,
    NewPersonalToken, PersonalToken, RevokePersonalToken, Success, TokenParameters,
};

use crate::{Call, Client, List};

/// Operations of tokens.
#[derive(Debug, Clone)]
pub struct Tokens {
    pub(crate) client: Client,
}

impl Tokens {
    /// Lists the personal access tokens of the caller, newest first.
    pub fn list(&self) -> List<PersonalToken> {
        self.client.list::<ListPersonalTokens>(&[])
    }

    /// Creates a personal access token.
    pub fn create(&self, token: &NewPersonalToken) -> Call<NewPersonalToken, Data<CreatedPersonalToken>> {
        self.client.call::<CreatePersonalToken>(&[]).body(token)
    }

    /// Revokes a personal access token. It stops working immediately.
    pub fn revoke(&self, token_id: impl Display) -> Call<(), Success> {
        self.client.call::<RevokePersonalToken>(&[&token_id])
    }

    /// Returns the metadata of an access token or refresh token (RFC 7662).
    pub fn introspect(&self, token: &str) -> Call<TokenParameters, Introspection> {
        let token = TokenParameters {
            token: token.into(),
            token_type_hint: None,
            client_id: None,
            client_secret: None,
            client_assertion_type: None,
            client_assertion: None,
        };
        self.client.call::<IntrospectToken>(&[]).body(&token)
    }
}
