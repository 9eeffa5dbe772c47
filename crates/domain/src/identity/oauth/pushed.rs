//! Pushed authorization requests: a client sends the parameters directly, and the browser only carries a reference to
//! them (RFC 9126).

use chrono::TimeDelta;

use crate::identity::oauth::authorize::Refused;
use crate::identity::token::used_ids::Sender;
use crate::identity::{
    AuthorizationParameters, AuthorizationRequest, Authorizations, Client, Parameters, PresentedClient, Proof,
    RedirectUri, ResponseTarget,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, InvalidProof, OAuthError, ResourceKind};
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{CommitError, OpaqueKind, Request, Secret};

/// How long a pushed request can be used.
const PUSHED_TTL: TimeDelta = TimeDelta::seconds(90);
/// What precedes the one-time ID in a `request_uri` (RFC 9126 §2.2).
const PREFIX: &str = "urn:ietf:params:oauth:request_uri:";

/// A stored request.
#[derive(Debug, Clone)]
pub struct PushedRequest {
    /// The `request_uri` that the client sends with its `client_id`.
    pub request_uri: Secret,
    /// How long it can be used, once.
    pub lasts: TimeDelta,
}

impl Authorizations {
    /// Stores a request of a client. A confidential client MUST authenticate. The code is bound to the key of the proof
    /// (RFC 9449 §10.1).
    pub async fn push(
        &self,
        request: Request,
        parameters: &Parameters,
        presented: &PresentedClient,
        proof: Option<&Proof>,
    ) -> Result<PushedRequest, Error> {
        let now = self.core.now();
        let client = self.calling_client(&request, presented).await?;
        if parameters.one("request_uri")?.is_some() || parameters.one("id_token_hint")?.is_some() {
            let message = "The `request_uri` and `id_token_hint` parameters cannot be pushed. Send them to \
                           `/auth/authorize`.";
            return Err(OAuthError::request(message).into());
        }
        let requested = self.requested(&request, parameters, &client).await;
        let (redirect_uri, parameters): (RedirectUri, _) = requested.map_err(|refused| match refused {
            Refused::Directly(error) | Refused::AtClient(_, error) => error,
        })?;
        let parameters = self.bound_to_key(parameters, proof)?;

        let (kind, target, times) =
            (OpaqueKind::PushedRequest, ResponseTarget::Client(redirect_uri), (now, PUSHED_TTL));
        let (secret, pushed) = self.new_request(kind, client.id, target, parameters, times);
        let permit = Permit::system(Operation::AuthorizationPush, request)?;
        self.core.commit(Changes::by(permit, now).insert(pushed)).await?;
        Ok(PushedRequest { request_uri: Secret::new(format!("{PREFIX}{}", secret.expose())), lasts: PUSHED_TTL })
    }

    /// Uses the proof, and binds the request to its key. A `dpop_jkt` parameter must name the same key.
    fn bound_to_key(
        &self,
        parameters: AuthorizationParameters,
        proof: Option<&Proof>,
    ) -> Result<AuthorizationParameters, OAuthError> {
        let Some(proof) = proof else { return Ok(parameters) };
        if parameters.bound_to.as_ref().is_some_and(|bound_to| *bound_to != proof.key) {
            return Err(InvalidProof::OtherKey.into());
        }
        let key = self.core.proofs.use_once(Sender::Stranger, proof)?;
        Ok(AuthorizationParameters { bound_to: Some(key.clone()), ..parameters })
    }

    /// Returns the pushed request that the parameters refer to, and removes it, so that it is used once. `None` if they refer
    /// to none.
    pub(crate) async fn take_pushed(
        &self,
        request: &Request,
        parameters: &Parameters,
        client: &Client,
    ) -> Result<Option<AuthorizationRequest>, Error> {
        let Some(reference) = parameters.one("request_uri")?.and_then(|uri| uri.strip_prefix(PREFIX)) else {
            return Ok(None);
        };
        let unknown =
            || OAuthError::request("The `request_uri` is invalid, expired or already used. Push the request again.");
        let secret = OpaqueKind::PushedRequest.parse(reference).ok_or_else(unknown)?;
        let found = self.core.ports.authorizations.authorization_request(&self.core.digest(&secret)).await?;
        let now = self.core.now();
        let is_usable = |pushed: &AuthorizationRequest| {
            let is_allowed = pushed.redirect_uri().is_some_and(|uri| client.allows(uri));
            pushed.client.is(&client.id) && now < pushed.expires_at && is_allowed
        };
        let pushed = found.filter(is_usable).ok_or_else(unknown)?;
        let permit = Permit::system(Operation::Authorize, request.clone())?;
        self.core.commit(Changes::by(permit, now).remove(pushed.clone())).await.map_err(|error| match error {
            CommitError::Stale(ResourceKind::AuthorizationRequest) => unknown().into(),
            error => Error::from(error),
        })?;
        Ok(Some(pushed))
    }
}
