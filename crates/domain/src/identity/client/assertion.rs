//! Authentication of clients with assertions that they sign (RFC 7523, OpenID Connect IdentityCore §9
//! `private_key_jwt`).

use chrono::TimeDelta;

use crate::identity::token::used_ids::Sender;
use crate::identity::{AssertionClaims, ClientKeys, PresentedAssertion, ProjectClient, TokenGrants};
use crate::kernel::error::OAuthError;
use crate::kernel::{ProjectClientId, Time};

/// How long an assertion may be valid. It is remembered for that time.
const MAX_TTL: TimeDelta = TimeDelta::minutes(10);
/// Tolerated difference between two clocks.
const CLOCK_LEEWAY: TimeDelta = TimeDelta::seconds(30);

impl TokenGrants {
    /// Checks that a client signed an assertion for this service with one of its keys, and that it is used once in this
    /// process (RFC 7523 §3).
    pub(crate) fn check_assertion(
        &self,
        client: &ProjectClient,
        keys: &ClientKeys,
        presented: Option<&PresentedAssertion>,
    ) -> Result<(), OAuthError> {
        let presented = presented.ok_or_else(|| {
            OAuthError::client(
                "The client authenticates with its keys. Send `client_assertion`, signed with one of them.",
            )
        })?;
        let claims = self.core.ports.signatures.assertion(presented.jwt.expose(), keys).ok_or_else(|| {
            OAuthError::client(
                "The client assertion is not valid. Send a JWT with the claims `iss`, `sub`, `aud`, `exp` and `jti`, signed \
                 with one of the keys of the client, with ES256, EdDSA, RS256 or PS256.",
            )
        })?;
        let (now, id) = (self.core.now(), client.id.to_string());
        let names_client = |name: &str| ProjectClientId::parse(name) == Some(client.id);
        if !names_client(&claims.issuer) || !names_client(&claims.subject) {
            return Err(OAuthError::client(
                "The client assertion is about another client. Its claims `iss` and `sub` must be the `client_id`.",
            ));
        }
        self.check_audience(&claims, presented.endpoint)?;
        check_times(&claims, now)?;
        // Anyone can register a client in a project that the operator has opened.
        let sender = if client.registered_itself { Sender::Stranger } else { Sender::Known };
        let used = || {
            let id = self.core.system.vault.sha256(&format!("{id} {}", claims.id));
            let expires_at = claims.expires_at + CLOCK_LEEWAY;
            self.core.used_assertions.use_once(sender, id, expires_at, now)
        };
        if presented.used.or_use(used) {
            return Ok(());
        }
        Err(OAuthError::client(
            "The client assertion was already used. Make a new one, with another `jti`, for each request.",
        ))
    }

    /// Checks that an assertion is for this service: its issuer, or the endpoint at which it is presented. Libraries send that of
    /// the token endpoint everywhere (RFC 9126 §2). Another service for which it is too could send it here.
    fn check_audience(&self, claims: &AssertionClaims, endpoint: &str) -> Result<(), OAuthError> {
        let address = &self.core.address;
        let own = [address.as_str().to_owned(), address.at("/auth/token"), address.at(endpoint)];
        if !claims.audiences.is_empty() && claims.audiences.iter().all(|audience| own.contains(audience)) {
            return Ok(());
        }
        let message =
            format_args!("The client assertion is for another service. Its claim `aud` must be {}.", address.as_str());
        Err(OAuthError::client(message))
    }
}

/// Checks that an assertion is valid now, and not for too long.
fn check_times(claims: &AssertionClaims, now: Time) -> Result<(), OAuthError> {
    // Add to and subtract from `now` only: the times of an assertion may be at the limits of the supported range.
    let is_future = |at: Option<Time>| at.is_some_and(|at| at > now + CLOCK_LEEWAY);
    if claims.expires_at <= now - CLOCK_LEEWAY {
        return Err(OAuthError::client("The client assertion has expired. Make a new one for each request."));
    }
    if claims.expires_at > now + MAX_TTL + CLOCK_LEEWAY {
        return Err(OAuthError::client(
            "The client assertion is valid for too long. Its claim `exp` may be in 10 minutes.",
        ));
    }
    if is_future(claims.not_before) || is_future(claims.issued_at) {
        return Err(OAuthError::client(
            "The client assertion is not valid yet. Check the clock and the claims `nbf` and `iat`.",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::mocks::{
        FixedClock, MockClientSignatures, MockStore, MockTokenVault, a_client, instant, mock_identity,
        mock_system_ports,
    };
    use crate::{Ports, SystemPorts};

    const SERVICE: &str = "http://localhost:3003";

    fn claims() -> AssertionClaims {
        AssertionClaims {
            issuer: a_client().id.to_string(),
            subject: a_client().id.to_string(),
            audiences: vec![SERVICE.into()],
            id: "1".into(),
            expires_at: instant() + TimeDelta::minutes(1),
            not_before: None,
            issued_at: Some(instant()),
        }
    }

    fn grants(claims: AssertionClaims) -> TokenGrants {
        let (mut signatures, mut vault) = (MockClientSignatures::new(), MockTokenVault::new());
        signatures.expect_assertion().returning(move |_, _| Some(claims.clone()));
        vault.expect_sha256().returning(str::to_owned);
        let (vault, clock) = (Arc::new(vault), Arc::new(FixedClock(instant())));
        let system = SystemPorts { signatures: Arc::new(signatures), vault, clock, ..mock_system_ports() };
        TokenGrants::new(&mock_identity(Ports { system, ..MockStore::default().into() }))
    }

    fn presented() -> PresentedAssertion {
        PresentedAssertion::new("jwt", "/auth/par")
    }

    fn check(grants: &TokenGrants, presented: Option<&PresentedAssertion>) -> Result<(), OAuthError> {
        let set = json!({"keys": [{"kty": "EC"}]});
        grants.check_assertion(&a_client(), &ClientKeys::parse(set.as_object().unwrap()).unwrap(), presented)
    }

    fn is_accepted(claims: AssertionClaims) -> bool {
        check(&grants(claims), Some(&presented())).is_ok()
    }

    #[test]
    fn an_assertion_is_used_by_one_request() {
        let (grants, first) = (grants(claims()), presented());
        assert!(check(&grants, Some(&first)).is_ok() && check(&grants, Some(&first)).is_ok());
        assert!(check(&grants, Some(&presented())).unwrap_err().description.contains("already used"));
        assert!(check(&grants, None).is_err());
    }

    #[test]
    fn an_assertion_is_about_its_client_and_for_this_service_only() {
        for audience in ["", "/auth/token", "/auth/par"] {
            assert!(is_accepted(AssertionClaims { audiences: vec![format!("{SERVICE}{audience}")], ..claims() }));
        }
        let other = || "https://other.example".to_owned();
        for audiences in [vec![], vec![other()], vec![SERVICE.into(), other()], vec![format!("{SERVICE}/auth/revoke")]]
        {
            assert!(!is_accepted(AssertionClaims { audiences, ..claims() }));
        }
        let upper = || a_client().id.to_string().to_uppercase();
        assert!(is_accepted(AssertionClaims { issuer: upper(), subject: upper(), ..claims() }));
        assert!(!is_accepted(AssertionClaims { issuer: other(), ..claims() }));
        assert!(!is_accepted(AssertionClaims { subject: other(), ..claims() }));
    }

    #[test]
    fn an_assertion_is_valid_for_ten_minutes_at_most() {
        let expiring = |expires_at| is_accepted(AssertionClaims { expires_at, ..claims() });
        assert!(expiring(instant() + MAX_TTL) && expiring(instant()));
        for invalid in
            [Time::MIN_UTC, Time::MAX_UTC, instant() - TimeDelta::minutes(1), instant() + TimeDelta::hours(1)]
        {
            assert!(!expiring(invalid), "{invalid}");
        }
        for early in [Time::MAX_UTC, instant() + TimeDelta::minutes(1)] {
            assert!(!is_accepted(AssertionClaims { not_before: Some(early), ..claims() }));
            assert!(!is_accepted(AssertionClaims { issued_at: Some(early), ..claims() }));
        }
        assert!(is_accepted(AssertionClaims { not_before: Some(Time::MIN_UTC), issued_at: None, ..claims() }));
    }
}
