//! Authentication of clients at the endpoints that clients call directly (RFC 6749 §2.3).

use crate::identity::client::known::unknown_client;
use crate::identity::{
    Authorizations, Client, ClientId, ClientType, Parameters, PresentedAssertion, PresentedClient, ProjectClient,
    TokenGrants,
};
use crate::kernel::error::{Error, OAuthError};
use crate::kernel::policy::LimitedAction;
use crate::kernel::{Credential, OpaqueKind, ProjectClientId, Request, Secret};

impl Authorizations {
    /// Returns the client that begins an authorization directly, not through a browser. A confidential one MUST authenticate.
    /// Limits how often it does.
    pub(crate) async fn calling_client(&self, request: &Request, presented: &PresentedClient) -> Result<Client, Error> {
        let now = self.core.now();
        let authenticated = TokenGrants::new(&self.core).authenticated_client(presented).await;
        match &authenticated {
            Ok(Some(client)) if client.client_type() == ClientType::Confidential && !client.registered_itself => {
                let id = client.id.to_string();
                self.core.action_limiter.take(LimitedAction::AuthorizePushedBy, &id, now).await?;
            }
            _ => self.core.action_limiter.take_from(LimitedAction::AuthorizeFrom, request, now).await?,
        }
        authenticated?;
        self.client(presented.id.as_str()).await
    }
}

impl TokenGrants {
    /// Returns the client that a request to this path names, and what it presents: with HTTP Basic, in its parameters, or with an
    /// assertion, which also names it (RFC 7521 §4.2). Fails if the names differ or are unknown, or if the client
    /// authenticates in several ways (RFC 6749 §2.3). `basic`: the user name and the password of HTTP Basic.
    pub fn presented_client(
        &self,
        basic: Option<(&str, Option<&Secret>)>,
        parameters: &Parameters,
        endpoint: &'static str,
    ) -> Result<Option<PresentedClient>, OAuthError> {
        let assertion = PresentedAssertion::parse(parameters, endpoint)?;
        let secret = parameters.one("client_secret")?.map(|secret| Secret::new(secret.to_owned()));
        if assertion.is_some() && (secret.is_some() || basic.is_some()) {
            let message = "The client authenticates in several ways. Send only `client_assertion`, or only its secret.";
            return Err(OAuthError::request(message));
        }
        let claimed = assertion.as_ref().map(|assertion| assertion.jwt.expose());
        let claimed = claimed.and_then(|jwt| self.core.ports.signatures.claimed_subject(jwt));
        let in_body = parameters.one("client_id")?.or(claimed.as_deref());
        let id = self.named_client(basic.map(|(name, _)| name), in_body)?;
        let secret = basic.and_then(|(_, password)| password.cloned()).or(secret);
        Ok(id.map(|id| PresentedClient { id, secret, assertion }))
    }

    fn named_client(&self, basic: Option<&str>, in_body: Option<&str>) -> Result<Option<ClientId>, OAuthError> {
        let parse = |id: &str| {
            self.core.settings.first_party_clients.parse_id(id, &self.core.address).ok_or_else(unknown_client)
        };
        match (basic.map(parse).transpose()?, in_body.map(parse).transpose()?) {
            (Some(basic), Some(in_body)) if !basic.is(&in_body) => Err(OAuthError::request(
                "The `client_id` parameter does not match the user name of HTTP Basic. Send only one of them.",
            )),
            (basic, in_body) => Ok(in_body.or(basic)),
        }
    }

    /// Checks that a request about a code or token was sent by the client to which it was issued, and returns that client if
    /// a project registered it. `what`: the code or token, for the error message.
    pub(crate) async fn check_owner(
        &self,
        owner: &ClientId,
        presented: Option<&PresentedClient>,
        what: &str,
    ) -> Result<Option<ProjectClient>, Error> {
        if presented.is_some_and(|presented| !presented.id.is(owner)) {
            return Err(OAuthError::grant(format_args!("The {what} was issued to another client.")).into());
        }
        let Some(id) = owner.project_client() else { return Ok(None) };
        let deleted = || OAuthError::grant("The client was deleted. Sign in with another client.");
        let client = self.core.ports.project_clients.client(id).await?.ok_or_else(deleted)?;
        self.check_credentials(&client, presented)?;
        Ok(Some(client))
    }

    /// Returns the registered client that a request names, after a confidential one has authenticated;
    /// `None` for any other client.
    pub(crate) async fn authenticated_client(
        &self,
        presented: &PresentedClient,
    ) -> Result<Option<ProjectClient>, Error> {
        let Some(id) = ProjectClientId::parse(presented.id.as_str()) else { return Ok(None) };
        let Some(client) = self.core.ports.project_clients.client(id).await? else { return Ok(None) };
        self.check_credentials(&client, Some(presented))?;
        Ok(Some(client))
    }

    /// Checks the assertion or the secret of a confidential client, and records the use of the secret. A public client has
    /// neither.
    fn check_credentials(&self, client: &ProjectClient, presented: Option<&PresentedClient>) -> Result<(), OAuthError> {
        if let Some(keys) = &client.settings.keys {
            let assertion = presented.and_then(|presented| presented.assertion.as_ref());
            return self.check_assertion(client, keys, assertion);
        }
        let Some(secret) = &client.secret else { return Ok(()) };
        let refused = OAuthError::client;
        let value = presented.and_then(|presented| presented.secret.as_ref()).ok_or_else(|| {
            refused("The client is confidential. Send its secret with HTTP Basic, or as `client_secret`.")
        })?;
        let wrong = || refused("The client secret is wrong or was replaced. Check `client_id` and `client_secret`.");
        let value = OpaqueKind::ClientSecret.parse(value.expose()).ok_or_else(wrong)?;
        let now = self.core.now();
        let which = secret.value_of(&self.core.digest(&value), now).ok_or_else(wrong)?;
        self.core.usage.note(Credential::Client(client.id, which), secret.last_used_of(which), now, None);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::TimeDelta;

    use super::*;
    use crate::identity::{ClientSecret, ClientType};
    use crate::kernel::error::ErrorCode;
    use crate::kernel::{ReplacedValue, ReplacedValues, Secret, TokenDigest};
    use crate::mocks::{
        FixedClock, MockStore, MockTokenVault, a_client, id_of, instant, mock_identity, mock_system_ports,
    };
    use crate::{Ports, SystemPorts};

    /// Two values of secrets. The digest of each is its last character.
    fn value(last: char) -> Secret {
        Secret::new(format!("stw_cs_{}{last}", "0".repeat(42)))
    }

    /// Returns the use cases with this client. Every other ID is unknown.
    fn grants(client: ProjectClient) -> TokenGrants {
        let (mut store, mut vault) = (MockStore::default(), MockTokenVault::new());
        store.project_clients.expect_client().returning(move |id| Ok((id == client.id).then(|| client.clone())));
        vault.expect_sha256().returning(|text| text.chars().last().unwrap_or_default().to_string());
        let clock = Arc::new(FixedClock(instant()));
        let system = SystemPorts { vault: Arc::new(vault), clock, ..mock_system_ports() };
        TokenGrants::new(&mock_identity(Ports { system, ..store.into() }))
    }

    /// A client whose current secret is `2`, and whose previous one, `1`, works for another minute.
    fn rotated() -> ProjectClient {
        let digest = |text: &str| TokenDigest(text.to_owned());
        let (expires_at, last_used) = (instant() + TimeDelta::minutes(1), None);
        let previous = Some(ReplacedValue { stored: digest("1"), expires_at, last_used });
        let replaced = ReplacedValues { previous, ..ReplacedValues::none() };
        let secret = ClientSecret { digest: digest("2"), hint: String::new(), last_used: None, replaced };
        ProjectClient { secret: Some(secret), ..a_client() }
    }

    fn code(result: Result<Option<ProjectClient>, Error>) -> Result<bool, ErrorCode> {
        match result {
            Ok(client) => Ok(client.is_some()),
            Err(Error::OAuth(error)) => Err(error.code),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn only_the_client_with_its_secret_may_use_its_codes_and_tokens() {
        let (client, grants) = (rotated(), grants(rotated()));
        let owner = ClientId::registered(&client);
        let project = ClientId::stored(client.project_id.to_string(), Some(client.project_id));
        let other = ClientId::stored(id_of("other").to_string(), Some(client.project_id));
        let presented = |id: &ClientId, secret| PresentedClient { id: id.clone(), secret, assertion: None };
        let asked = async |owner: &ClientId, client: Option<&PresentedClient>| {
            code(grants.check_owner(owner, client, "code").await)
        };
        for secret in ['1', '2'] {
            assert_eq!(asked(&owner, Some(&presented(&owner, Some(value(secret))))).await, Ok(true), "{secret}");
        }
        for refused in [None, Some(value('3')), Some(Secret::new("stw_sk_2".into())), Some(Secret::new("2".into()))] {
            assert_eq!(asked(&owner, Some(&presented(&owner, refused))).await, Err(ErrorCode::InvalidClient));
        }
        assert_eq!(asked(&owner, None).await, Err(ErrorCode::InvalidClient), "A client must name itself.");
        assert_eq!(asked(&owner, Some(&presented(&project, Some(value('2'))))).await, Err(ErrorCode::InvalidGrant));
        assert_eq!(asked(&owner, Some(&presented(&other, Some(value('2'))))).await, Err(ErrorCode::InvalidGrant));
        assert_eq!(asked(&project, Some(&presented(&owner, Some(value('2'))))).await, Err(ErrorCode::InvalidGrant));
        assert_eq!(asked(&other, None).await, Err(ErrorCode::InvalidGrant), "The client was deleted.");
        // The project itself has no secret, so any is ignored.
        assert_eq!(asked(&project, Some(&presented(&project, Some(value('9'))))).await, Ok(false));
        assert_eq!(asked(&project, None).await, Ok(false));
    }

    #[tokio::test]
    async fn a_public_client_cannot_act_as_a_confidential_one() {
        let public = ProjectClient { secret: None, ..a_client() };
        let id = ClientId::registered(&public);
        let presented = PresentedClient { id, secret: Some(value('2')), assertion: None };
        let registered = grants(public.clone()).authenticated_client(&presented).await.unwrap();
        assert_eq!(registered.map(|client| client.client_type()), Some(ClientType::Public));
        assert_eq!(code(grants(rotated()).authenticated_client(&presented).await), Ok(true));
        let without_secret = PresentedClient { secret: None, ..presented.clone() };
        assert_eq!(code(grants(rotated()).authenticated_client(&without_secret).await), Err(ErrorCode::InvalidClient));
        let project = public.project_id;
        let of_project =
            PresentedClient { id: ClientId::stored(project.to_string(), Some(project)), ..presented.clone() };
        assert_eq!(code(grants(rotated()).authenticated_client(&of_project).await), Ok(false));
        assert_eq!(code(grants(public).check_owner(&presented.id, None, "code").await), Ok(true));
    }
}
