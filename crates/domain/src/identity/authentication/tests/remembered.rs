//! Tests of tokens that are remembered from an earlier request.

use super::*;
use crate::identity::{CurrentKeys, ProofClaims, check_lifetime};
use crate::kernel::ServiceAddress;
use crate::mocks::{MockClientSignatures, MockKeyRing, MockServerKeyReader, MockTokenVault};

/// What ends a remembered token.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Time,
    SigningKey,
    SignIn,
}

#[tokio::test]
async fn a_remembered_token_ends_with_its_time_its_signing_key_and_its_sign_in() {
    for (end, refusal) in [
        (End::Time, AuthenticationError::ExpiredToken),
        (End::SigningKey, AuthenticationError::InvalidToken),
        (End::SignIn, AuthenticationError::RevokedToken),
    ] {
        let ended = Arc::new(Mutex::new(false));
        let has_ended = |which: End| {
            let ended = ended.clone();
            move || which == end && *ended.lock().unwrap()
        };
        let (mut clock, late) = (MockClock::new(), has_ended(End::Time));
        clock.expect_now().returning(move || instant() + TimeDelta::seconds(if late() { 40 } else { 0 }));
        let (mut ring, mut stored) = (MockKeyRing::new(), MockServerKeyReader::new());
        ring.expect_install().returning(|_| Ok(()));
        stored.expect_server_keys().returning(|| Ok(Vec::new()));
        let installed = CurrentKeys::new(Arc::new(stored), Arc::new(ring), Arc::new(FixedClock::default()));
        let (installed, is_uninstalled) = (Arc::new(installed), has_ended(End::SigningKey));
        let claims = AccessClaims { expires_at: instant() + TimeDelta::seconds(10), ..claims() };
        let token = VerifiedToken { claims, signed_by: id_of("key").into() };
        let mut signed = MockAccessTokens::new();
        signed.expect_verify().returning(move |_, now| match check_lifetime(&token.claims, now) {
            Ok(()) if is_uninstalled() => Err(TokenError::UnknownKey),
            other => other.map(|()| token.clone()),
        });
        let (mut families, is_revoked) = (MockAuthorizationReader::new(), has_ended(End::SignIn));
        families.expect_token_family().returning(move |_, _| {
            let revoked_at = is_revoked().then(instant);
            Ok(Some(of_ann(TokenFamily { revoked_at, ..a_family("ann") })))
        });
        let (mut reader, has_other_epoch) = (MockAccessReader::new(), has_ended(End::SignIn));
        reader.expect_is_current().returning(move |_| Ok(!has_other_epoch()));
        let tokens = tokens(MockAccessTokens::new(), families, MockUserActivityRecorder::new());
        let verifier = TokenVerifier::new(Arc::new(signed), installed.clone(), tokens.verifier.known.clone());
        let tokens = TokenAuthentication { verifier, ..tokens };
        let authentication = authentication(keys(reader), tokens, Arc::new(clock));
        let ask = async || {
            // As the middleware finds it.
            let known = authentication.known().find("token");
            let sent = PresentedCredential { known, ..sent_token() };
            authentication.current(&sent, a_request(), Conditions::All).await
        };

        let remembered = [ask().await, ask().await].map(|caller| caller.unwrap().is_cached);
        assert_eq!(remembered, [false, true], "{end:?}");
        *ended.lock().unwrap() = true;
        if end == End::SigningKey {
            installed.install(&[]).unwrap();
        }
        assert_eq!(error(ask().await), refusal, "{end:?}");
    }
}

#[tokio::test]
async fn a_remembered_bound_token_needs_a_new_proof_for_each_request() {
    let key = |last: &str| KeyThumbprint::parse(&format!("{}{last}", "x".repeat(42))).unwrap();
    let bound = AccessClaims { bound_to: Some(key("1")), ..claims() };
    let token = VerifiedToken { claims: bound, signed_by: id_of("key").into() };
    let mut verified = MockAccessTokens::new();
    verified.expect_verify().times(1).returning(move |_, _| Ok(token.clone()));
    // The last character of the ID of a proof is that of its key.
    let (mut signatures, mut vault) = (MockClientSignatures::new(), MockTokenVault::new());
    signatures.expect_proof().returning(move |id| {
        Some(ProofClaims {
            key: key(id.get(1..).unwrap()),
            id: id.to_owned(),
            method: "GET".into(),
            url: "http://localhost:3003/team".into(),
            issued_at: instant(),
            token_hash: Some("token".into()),
        })
    });
    vault.expect_sha256().returning(str::to_owned);
    let (clock, address) = (Arc::new(FixedClock::default()), ServiceAddress::parse("http://localhost:3003").unwrap());
    let proofs = Proofs::new(Arc::new(signatures), Arc::new(vault), clock.clone(), address);
    let tokens = tokens(verified, families(a_family("ann")), MockUserActivityRecorder::new());
    let tokens = TokenAuthentication { proofs, ..tokens };
    let authentication = authentication(keys(MockAccessReader::new()), tokens, clock);
    let ask = async |proof: Option<&str>| {
        let proof = proof.map(|jwt| authentication.proof(jwt, "GET", "/team").unwrap());
        let sent = PresentedCredential { proof, ..sent_token() };
        authentication.cached(&sent, a_request(), Conditions::All).await
    };

    let remembered = [ask(Some("a1")).await, ask(Some("b1")).await].map(|caller| caller.unwrap().is_cached);
    assert_eq!(remembered, [false, true]);
    assert_eq!(error(ask(None).await), AuthenticationError::BoundToken);
    assert_eq!(error(ask(Some("b1")).await), InvalidProof::Used.into());
    assert_eq!(error(ask(Some("c2")).await), InvalidProof::OtherKey.into());
    assert!(ask(Some("d1")).await.unwrap().is_cached);
}
