//! Tokens of clients that act on their own behalf (RFC 6749 §4.4).

use crate::identity::{
    ACCESS_TTL, AccessClaims, Audience, ClientType, GrantType, KeyThumbprint, ProjectClient, ScopeSet, Subject,
    TokenGrants, TokenRequest, Tokens,
};
use crate::kernel::error::{Error, ErrorCode, OAuthError};
use crate::kernel::policy::KeyRoles;
use crate::kernel::to_the_second;

impl TokenGrants {
    /// Issues an access token to a confidential client. It has the roles of the client, or the fewer ones in `scope`.
    pub(crate) async fn client_credentials(&self, command: &TokenRequest) -> Result<Tokens, Error> {
        let presented = command.client.as_ref().ok_or_else(|| {
            let message = "The grant type client_credentials requires a client. Send `client_id` and `client_secret`, or \
                           `client_assertion`.";
            OAuthError::new(ErrorCode::InvalidClient, message)
        })?;
        let client = self.authenticated_client(presented).await?.ok_or_else(|| {
            let message = "No confidential client has this `client_id`. Register one in the project.";
            OAuthError::new(ErrorCode::InvalidClient, message)
        })?;
        if client.client_type() == ClientType::Public {
            let message = "Only a confidential client can use the grant type client_credentials.";
            return Err(OAuthError::new(ErrorCode::UnauthorizedClient, message).into());
        }
        client.check_grant_type(GrantType::ClientCredentials)?;
        let held =
            client.settings.roles.clone().ok_or_else(|| {
                Error::Internal(anyhow::anyhow!("A client that acts on its own behalf has no roles."))
            })?;
        let roles = requested_roles(held, command.scope.as_deref())?;
        self.check_proof(Some(&client), None, command.proof.as_ref())?;
        let key = self.proven_key(command.proof.as_ref())?;
        self.core.keys.reload().await?;
        self.token_of_client(&client, roles, key.cloned())
    }

    fn token_of_client(
        &self,
        client: &ProjectClient,
        roles: KeyRoles,
        bound_to: Option<KeyThumbprint>,
    ) -> Result<Tokens, Error> {
        let issued_at = to_the_second(self.core.now());
        let lasts = client.access_token_ttl(ACCESS_TTL);
        let scope = roles.scope();
        let access_token = self.core.ports.tokens.issue(&AccessClaims {
            subject: Subject::Client(client.id, roles),
            client: Some(client.id),
            audience: Audience::Project(client.project_id),
            scopes: ScopeSet::none(),
            issued_at,
            expires_at: issued_at + lasts,
            id: self.core.next_id(),
            family: None,
            authentication: None,
            bound_to: bound_to.clone(),
        })?;
        Ok(Tokens { access_token, lasts, refresh_token: None, id_token: None, scope, bound_to })
    }
}

/// Returns the roles in `scope`, which must not exceed those of the client; without it, all of them.
fn requested_roles(held: KeyRoles, scope: Option<&str>) -> Result<KeyRoles, OAuthError> {
    let Some(scope) = scope else { return Ok(held) };
    let invalid = || {
        let message = format_args!("The `scope` parameter must contain roles that the client has: {}.", held.scope());
        OAuthError::new(ErrorCode::InvalidScope, message)
    };
    let requested = KeyRoles::from_scope(scope).map_err(|_| invalid())?;
    let exceeds = !requested.permissions().missing_from(held.permissions()).is_empty();
    if exceeds { Err(invalid()) } else { Ok(requested) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_requests_its_roles_or_fewer() {
        let held = || KeyRoles::parse("write,audit:read").unwrap();
        let requested = |scope| requested_roles(held(), scope).map(|roles| roles.scope()).ok();
        assert_eq!(requested(None).as_deref(), Some("write audit:read"));
        assert_eq!(requested(Some("db:read user:write")).as_deref(), Some("user:write db:read"));
        for exceeding in ["admin", "project:read", "openid", "db:read project:write", "unknown"] {
            assert_eq!(requested(Some(exceeding)), None, "{exceeding}");
        }
    }
}
