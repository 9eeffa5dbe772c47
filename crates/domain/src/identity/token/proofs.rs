//! Proofs that the sender of a request has the key to which its tokens are bound (RFC 9449).

use std::sync::Arc;

use chrono::TimeDelta;
use url::Url;

use crate::identity::token::used_ids::{Sender, UsedByRequest, UsedIds};
use crate::identity::{ClientSignatures, KeyThumbprint};
use crate::kernel::error::{AuthenticationError, InvalidProof};
use crate::kernel::{Clock, ServiceAddress, Time, TokenVault, debug_only};

/// How far the time of a proof may differ from that of this service.
const TOLERANCE: TimeDelta = TimeDelta::seconds(60);

/// Checks proofs, and that each is used once in this process.
#[derive(Clone)]
pub struct Proofs {
    signatures: Arc<dyn ClientSignatures>,
    vault: Arc<dyn TokenVault>,
    clock: Arc<dyn Clock>,
    address: ServiceAddress,
    used: Arc<UsedIds>,
}

/// A proof that was made for a request, at about the time of the request. It may have been used before.
#[derive(Clone)]
pub struct Proof {
    /// The key that signed it.
    pub(crate) key: KeyThumbprint,
    /// The SHA-256 of the access token that it was made for.
    token_hash: Option<String>,
    /// Identifies the proof among those of all keys.
    id: String,
    /// When a second use would be refused for its time.
    expires_at: Time,
    used: UsedByRequest,
}

debug_only!(Proof: key);

impl Proofs {
    /// Creates it without used proofs.
    pub fn new(
        signatures: Arc<dyn ClientSignatures>,
        vault: Arc<dyn TokenVault>,
        clock: Arc<dyn Clock>,
        address: ServiceAddress,
    ) -> Self {
        Self { signatures, vault, clock, address, used: Arc::default() }
    }

    /// Verifies a proof for a request of this method to this path (RFC 9449 §4.3). Nobody has used it yet then.
    pub fn verify(&self, jwt: &str, method: &str, path: &str) -> Result<Proof, InvalidProof> {
        let claims = self.signatures.proof(jwt).ok_or(InvalidProof::Malformed)?;
        if claims.method != method {
            return Err(InvalidProof::OtherMethod);
        }
        if !is_url_of(&claims.url, &self.address.at(path)) {
            return Err(InvalidProof::OtherUrl);
        }
        // Add to and subtract from `now` only: the time of a proof may be at the limits of the supported range.
        let now = self.clock.now();
        if !(now - TOLERANCE..=now + TOLERANCE).contains(&claims.issued_at) {
            return Err(InvalidProof::OtherTime);
        }
        Ok(Proof {
            id: self.vault.sha256(&format!("{} {}", claims.key.as_str(), claims.id)),
            key: claims.key,
            token_hash: claims.token_hash,
            expires_at: claims.issued_at + TOLERANCE,
            used: UsedByRequest::default(),
        })
    }

    /// Refuses a proof that another request has used. Does not use it: proofs are remembered once the grant or the token
    /// of their request was found valid, so that nobody without one makes this process forget those of others.
    pub(crate) fn check_unused(&self, proof: &Proof) -> Result<(), InvalidProof> {
        let is_used = !proof.used.has_used() && self.used.contain(Sender::Known, &proof.id, self.clock.now());
        if is_used { Err(InvalidProof::Used) } else { Ok(()) }
    }

    /// Uses the proof of a request whose grant or token is valid, unless the same request has done so. Returns its key.
    /// That of a pushed request is one of a stranger: anyone can send it in the name of a public client.
    pub(crate) fn use_once<'a>(&self, sender: Sender, proof: &'a Proof) -> Result<&'a KeyThumbprint, InvalidProof> {
        let use_once = || self.used.use_once(sender, proof.id.clone(), proof.expires_at, self.clock.now());
        if proof.used.or_use(use_once) { Ok(&proof.key) } else { Err(InvalidProof::Used) }
    }

    /// Checks that the sender of a credential with this SHA-256 has the key to which it is bound (RFC 9449 §7.1).
    /// `proof`: that of a request with the scheme `DPoP`; `None` if it has the scheme `Bearer`. The caller MUST use the
    /// proof with [`Proofs::use_with`] once the credential was found valid.
    pub(crate) fn check_holder(
        &self,
        digest: &str,
        bound_to: Option<&KeyThumbprint>,
        proof: Option<&Proof>,
    ) -> Result<(), AuthenticationError> {
        let (key, proof) = match (bound_to, proof) {
            (None, None) => return Ok(()),
            (Some(_), None) => return Err(AuthenticationError::BoundToken),
            (None, Some(_)) => return Err(AuthenticationError::UnboundCredential),
            (Some(key), Some(proof)) => (key, proof),
        };
        if proof.key != *key {
            return Err(InvalidProof::OtherKey.into());
        }
        if proof.token_hash.as_deref() != Some(digest) {
            return Err(InvalidProof::OtherToken.into());
        }
        self.check_unused(proof)?;
        Ok(())
    }

    /// Uses the proof of a credential that is valid.
    pub(crate) fn use_with(&self, proof: Option<&Proof>) -> Result<(), AuthenticationError> {
        proof.map(|proof| self.use_once(Sender::Known, proof)).transpose()?;
        Ok(())
    }
}

/// Returns whether a proof is for this URL, which has no query. Queries and fragments are not compared (RFC 9449 §4.3).
fn is_url_of(sent: &str, expected: &str) -> bool {
    let parsed = |text: &str| {
        let mut url = Url::parse(text).ok()?;
        url.set_query(None);
        url.set_fragment(None);
        Some(url)
    };
    parsed(sent).is_some_and(|sent| Some(sent) == parsed(expected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::ProofClaims;
    use crate::kernel::Time;
    use crate::mocks::{FixedClock, MockClientSignatures, MockTokenVault, instant};

    const TOKEN: &str = "token";

    fn key(last: char) -> KeyThumbprint {
        KeyThumbprint::parse(&format!("{}{last}", "x".repeat(42))).unwrap()
    }

    /// Proofs at a service. The text of a proof is its `jti`.
    fn proofs(changed: impl Fn(ProofClaims) -> ProofClaims + Send + Sync + 'static) -> Proofs {
        let (mut signatures, mut vault) = (MockClientSignatures::new(), MockTokenVault::new());
        signatures.expect_proof().returning(move |id| {
            let claims = ProofClaims {
                key: key('1'),
                id: id.to_owned(),
                method: "GET".into(),
                url: "http://LOCALHOST:3003/team?a=b".into(),
                issued_at: instant(),
                token_hash: Some(format!("hash of {TOKEN}")),
            };
            (!id.is_empty()).then(|| changed(claims))
        });
        vault.expect_sha256().returning(|text| format!("hash of {text}"));
        let address = ServiceAddress::parse("http://localhost:3003").unwrap();
        Proofs::new(Arc::new(signatures), Arc::new(vault), Arc::new(FixedClock(instant())), address)
    }

    fn verified(changed: impl Fn(ProofClaims) -> ProofClaims + Send + Sync + 'static) -> Option<InvalidProof> {
        proofs(changed).verify("a", "GET", "/team").err()
    }

    #[test]
    fn a_proof_is_for_one_method_one_url_and_about_now() {
        let at = |time: Time| verified(move |claims| ProofClaims { issued_at: time, ..claims });
        let limit = TimeDelta::seconds(60);
        for valid in [instant(), instant() - limit, instant() + limit] {
            assert_eq!(at(valid), None);
        }
        let second = TimeDelta::seconds(1);
        let limits = [Time::MIN_UTC, Time::MAX_UTC, instant() - limit - second, instant() + limit + second];
        for other in limits {
            assert_eq!(at(other), Some(InvalidProof::OtherTime), "{other}");
        }
        let post = verified(|claims| ProofClaims { method: "POST".into(), ..claims });
        assert_eq!(post, Some(InvalidProof::OtherMethod));
        for url in
            ["", "/team", "http://localhost:3003/team/", "https://localhost:3003/team", "http://a@localhost:3003/team"]
        {
            let other = verified(move |claims| ProofClaims { url: url.into(), ..claims });
            assert_eq!(other, Some(InvalidProof::OtherUrl), "{url}");
        }
        assert_eq!(proofs(|claims| claims).verify("", "GET", "/team").err(), Some(InvalidProof::Malformed));
    }

    #[test]
    fn a_bound_token_needs_a_proof_of_its_key_and_an_unbound_one_none() {
        let proofs = proofs(|claims| claims);
        let verify = |id| proofs.verify(id, "GET", "/team").unwrap();
        let check = |token, key: Option<&KeyThumbprint>, proof: Option<&Proof>| {
            proofs.check_holder(&format!("hash of {token}"), key, proof).and_then(|()| proofs.use_with(proof)).err()
        };
        let (bound_to, other) = (key('1'), key('2'));
        let first = verify("a");
        assert_eq!(check(TOKEN, Some(&bound_to), Some(&first)), None);
        assert_eq!(check(TOKEN, Some(&bound_to), Some(&first)), None, "The same request may check it again.");
        assert_eq!(check(TOKEN, Some(&bound_to), Some(&verify("a"))), Some(InvalidProof::Used.into()));
        assert_eq!(check(TOKEN, Some(&other), Some(&verify("b"))), Some(InvalidProof::OtherKey.into()));
        assert_eq!(check("other", Some(&bound_to), Some(&verify("b"))), Some(InvalidProof::OtherToken.into()));
        assert_eq!(check(TOKEN, Some(&bound_to), Some(&verify("b"))), None, "A refused proof was not used.");
        assert_eq!(check(TOKEN, Some(&bound_to), None), Some(AuthenticationError::BoundToken));
        assert_eq!(check(TOKEN, None, Some(&verify("c"))), Some(AuthenticationError::UnboundCredential));
        assert_eq!(check(TOKEN, None, None), None);
    }

    #[test]
    fn a_proof_is_remembered_once_its_credential_is_valid() {
        let proofs = proofs(|claims| claims);
        let verify = || proofs.verify("a", "GET", "/team").unwrap();
        let check = |proof: &Proof| proofs.check_holder("hash of token", Some(&key('1')), Some(proof)).err();
        assert_eq!((check(&verify()), check(&verify())), (None, None), "The token is not valid.");
        let first = verify();
        assert_eq!((check(&first), proofs.use_with(Some(&first)).err()), (None, None));
        assert_eq!((check(&first), check(&verify())), (None, Some(InvalidProof::Used.into())));
        // Of two requests with the same proof, which both were checked before it was used, one goes on.
        assert_eq!(proofs.use_with(Some(&verify())).err(), Some(InvalidProof::Used.into()));
    }
}
