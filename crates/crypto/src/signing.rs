//! Access tokens and ID tokens: JSON Web Tokens. Each is verified only with the algorithm of its key.

use anyhow::anyhow;
use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair as RsaKeyPair, KeySize};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::DateTime;
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use ring::digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use steward_domain::identity::{
    AccessClaims, AssuranceLevel, Audience, AuthenticationClaims, IdClaims, IdTokenHint, KeyThumbprint, LogoutClaims,
    ScopeSet, ServerKey, SignedToken, SigningAlgorithm, Subject, TokenError,
};
use steward_domain::kernel::policy::KeyRoles;
use steward_domain::kernel::{AccountId, ProjectClientId, Secret, ServerKeyId, ServiceAddress, Time, TokenFamilyId};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::client_signatures::if_given;
use crate::encryption::ServerSecret;

/// The `typ` claim of access tokens. It distinguishes them from other tokens.
const TYPE: &str = "access";
/// That of tokens that are bound to a key. Versions that do not check proofs refuse it.
const BOUND_TYPE: &str = "bound_access";

/// Returns the purpose for which a key for these tokens is encrypted.
pub fn purpose(token: SignedToken, algorithm: SigningAlgorithm) -> String {
    let purpose = match token {
        SignedToken::Access => "token signing",
        SignedToken::Id => "ID token signing",
    };
    format!("{purpose} {}", algorithm.as_str())
}

/// Generates a private key, as PKCS#8 DER.
pub fn generate(algorithm: SigningAlgorithm) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let (random, failed) = (SystemRandom::new(), |_| anyhow!("The signing key could not be generated."));
    let der = match algorithm {
        SigningAlgorithm::Es256 => {
            let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).map_err(failed)?;
            key.as_ref().to_vec()
        }
        SigningAlgorithm::EdDsa => Ed25519KeyPair::generate_pkcs8v1(&random).map_err(failed)?.as_ref().to_vec(),
        SigningAlgorithm::Rs256 => {
            let key: Pkcs8V1Der<'_> =
                RsaKeyPair::generate(KeySize::Rsa2048).and_then(|key| key.as_der()).map_err(failed)?;
            key.as_ref().to_vec()
        }
    };
    Ok(Zeroizing::new(der))
}

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: String,
    exp: i64,
    iat: i64,
    jti: String,
    scope: String,
    typ: String,
    client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    /// The sign-in (RFC 9068 §2.2.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    auth_time: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    acr: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    amr: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cnf: Option<Confirmation>,
}

/// The key to which a token is bound (RFC 9449 §6.1).
#[derive(Serialize, Deserialize)]
struct Confirmation {
    jkt: String,
}

/// The member of `events` that identifies a logout token.
const BACKCHANNEL_LOGOUT_EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// A decrypted key, with everything that signing and verifying tokens requires.
pub struct SigningKey {
    pub signs: SignedToken,
    pub algorithm: SigningAlgorithm,
    pub generation: i64,
    pub use_from: Time,
    pub id: ServerKeyId,
    pub published: Value,
    header: Header,
    access_header: Header,
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
}

impl SigningKey {
    /// Decrypts a key for these tokens.
    pub fn decrypt(
        key: &ServerKey,
        signs: SignedToken,
        algorithm: SigningAlgorithm,
        secret: &ServerSecret,
    ) -> anyhow::Result<Self> {
        let der = secret.cipher().decrypt(&purpose(signs, algorithm), &key.encrypted)?;
        let (alg, encoding) = match algorithm {
            SigningAlgorithm::Es256 => (Algorithm::ES256, EncodingKey::from_ec_der(&der)),
            SigningAlgorithm::EdDsa => (Algorithm::EdDSA, EncodingKey::from_ed_der(&der)),
            SigningAlgorithm::Rs256 => {
                let body = Zeroizing::new(STANDARD.encode(&*der));
                let pem =
                    Zeroizing::new(format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", *body));
                (Algorithm::RS256, EncodingKey::from_rsa_pem(pem.as_bytes())?)
            }
        };
        let kid = key.id.to_string();
        let mut jwk = Jwk::from_encoding_key(&encoding, alg)?;
        jwk.common.key_id = Some(kid.clone());
        jwk.common.public_key_use = Some(PublicKeyUse::Signature);
        let mut header = Header::new(alg);
        header.kid = Some(kid);
        // Distinguishes access tokens from ID tokens (RFC 9068 §2.1, RFC 8725 §3.11).
        let access_header = Header { typ: Some("at+jwt".to_owned()), ..header.clone() };
        let mut validation = Validation::new(alg);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        // `verify` checks `exp` with the domain's clock, and `aud`, whose valid values cannot be listed here.
        validation.validate_exp = false;
        validation.validate_aud = false;
        Ok(Self {
            signs,
            algorithm,
            generation: key.generation,
            use_from: key.use_from,
            id: key.id,
            published: serde_json::to_value(&jwk)?,
            header,
            access_header,
            decoding: DecodingKey::from_jwk(&jwk)?,
            encoding,
            validation,
        })
    }

    /// Signs an access token.
    pub fn sign(&self, claims: &AccessClaims, address: &ServiceAddress) -> anyhow::Result<Secret> {
        let (audience, authentication) = (claims.audience.name(address), claims.authentication.as_ref());
        let claims = Claims {
            iss: address.as_str().to_owned(),
            sub: claims.subject.to_string(),
            client_id: claims.client.map_or_else(|| audience.clone(), |client| client.to_string()),
            aud: audience,
            exp: claims.expires_at.timestamp(),
            iat: claims.issued_at.timestamp(),
            jti: claims.id.to_string(),
            scope: match &claims.subject {
                Subject::Account(_) => claims.scopes.to_string(),
                Subject::Client(_, roles) => roles.scope(),
            },
            typ: if claims.bound_to.is_some() { BOUND_TYPE } else { TYPE }.to_owned(),
            family: claims.family.map(|family| family.to_string()),
            auth_time: authentication.map(|authentication| authentication.at.timestamp()),
            acr: authentication.map(|authentication| authentication.level.as_str().to_owned()),
            amr: authentication.map_or_else(Vec::new, |authentication| authentication.references.clone()),
            cnf: claims.bound_to.as_ref().map(|key| Confirmation { jkt: key.as_str().to_owned() }),
        };
        Ok(Secret::new(jsonwebtoken::encode(&self.access_header, &claims, &self.encoding)?))
    }

    /// Signs an ID token (OpenID Connect Core §2) for the access token.
    pub fn sign_identity(
        &self,
        claims: &IdClaims,
        access_token: &Secret,
        address: &ServiceAddress,
    ) -> anyhow::Result<Secret> {
        let user = &claims.user;
        let mut claims = json!({
            "iss": address.as_str(),
            "sub": claims.subject.to_string(),
            "aud": claims.client.as_str(),
            "exp": claims.expires_at.timestamp(),
            "iat": claims.issued_at.timestamp(),
            "auth_time": claims.authentication.at.timestamp(),
            "acr": claims.authentication.level.as_str(),
            "amr": claims.authentication.references,
            "nonce": claims.nonce,
            "at_hash": self.access_token_hash(access_token),
            "name": user.name.as_ref().map(|name| name.as_str()),
            "preferred_username": user.username.as_ref().map(|name| name.as_str()),
            "email": user.email.as_ref().map(|(email, _)| email.as_str()),
            "email_verified": user.email.as_ref().map(|(_, is_verified)| *is_verified),
            "sid": claims.session.map(|session| session.to_string()),
        });
        if let Some(members) = claims.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        Ok(Secret::new(jsonwebtoken::encode(&self.header, &claims, &self.encoding)?))
    }

    /// Returns the `at_hash`: the left half of the token's hash, with the hash function of the signature algorithm,
    /// which is SHA-512 for Ed25519 and otherwise SHA-256 (OpenID Connect Core §3.1.3.6).
    fn access_token_hash(&self, token: &Secret) -> String {
        let hash = if self.header.alg == Algorithm::EdDSA { &digest::SHA512 } else { &digest::SHA256 };
        let digest = digest::digest(hash, token.expose().as_bytes());
        let (left, _) = digest.as_ref().split_at(hash.output_len() / 2);
        URL_SAFE_NO_PAD.encode(left)
    }

    /// Signs a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4).
    pub fn sign_logout(&self, claims: &LogoutClaims, address: &ServiceAddress) -> anyhow::Result<Secret> {
        let claims = json!({
            "iss": address.as_str(),
            "sub": claims.subject.to_string(),
            "aud": claims.client.as_str(),
            "iat": claims.issued_at.timestamp(),
            "exp": claims.expires_at.timestamp(),
            "jti": claims.id.to_string(),
            "sid": claims.session.to_string(),
            "events": {BACKCHANNEL_LOGOUT_EVENT: {}},
        });
        // Distinguishes logout tokens from ID tokens, which are signed with the same key (RFC 8725 §3.11).
        let header = Header { typ: Some("logout+jwt".to_owned()), ..self.header.clone() };
        Ok(Secret::new(jsonwebtoken::encode(&header, &claims, &self.encoding)?))
    }

    /// Reads an ID token that this service issued, even if it has expired. Access tokens, which have a `scope`, and
    /// logout tokens, which have `events`, are rejected.
    pub fn id_token_hint(&self, token: &str, address: &ServiceAddress) -> Option<IdTokenHint> {
        let claims = jsonwebtoken::decode::<Value>(token, &self.decoding, &self.validation).ok()?.claims;
        let text = |name: &str| claims.get(name)?.as_str();
        let is_id_token = text("iss") == Some(address.as_str())
            && ["scope", "events"].into_iter().all(|name| claims.get(name).is_none());
        let hint = || Some(IdTokenHint { account: AccountId::parse(text("sub")?)?, client: text("aud")?.to_owned() });
        hint().filter(|_| is_id_token)
    }

    /// Verifies an access token that names this key, except its lifetime.
    pub fn verify(&self, token: &str, address: &ServiceAddress) -> Result<AccessClaims, TokenError> {
        let decoded = jsonwebtoken::decode::<Claims>(token, &self.decoding, &self.validation);
        let claims = decoded.map_err(|_| TokenError::Invalid)?.claims;
        let parsed = parse(&claims, address).ok_or(TokenError::Invalid)?;
        let expected = if parsed.bound_to.is_some() { BOUND_TYPE } else { TYPE };
        if claims.iss == address.as_str() && claims.typ == expected { Ok(parsed) } else { Err(TokenError::Invalid) }
    }
}

fn parse(claims: &Claims, address: &ServiceAddress) -> Option<AccessClaims> {
    let audience = if claims.aud == address.as_str() {
        Audience::Service
    } else {
        Audience::Project(address.project_named(&claims.aud)?)
    };
    // Only a client that acts on its own behalf has a token for a project without a sign-in.
    let acts_on_its_own_behalf = claims.family.is_none() && audience != Audience::Service;
    let (subject, scopes) = if acts_on_its_own_behalf {
        let roles = KeyRoles::from_scope(&claims.scope).ok()?;
        (Subject::Client(ProjectClientId::parse(&claims.sub)?, roles), ScopeSet::none())
    } else {
        (Subject::Account(AccountId::parse(&claims.sub)?), ScopeSet::parse(&claims.scope))
    };
    Some(AccessClaims {
        subject,
        client: ProjectClientId::parse(&claims.client_id),
        audience,
        scopes,
        issued_at: DateTime::from_timestamp(claims.iat, 0)?,
        expires_at: DateTime::from_timestamp(claims.exp, 0)?,
        id: Uuid::try_parse(&claims.jti).ok()?,
        family: if_given(claims.family.as_deref(), TokenFamilyId::parse)?,
        authentication: claims.auth_time.zip(claims.acr.as_deref()).and_then(|(at, acr)| {
            Some(AuthenticationClaims {
                at: DateTime::from_timestamp(at, 0)?,
                level: AssuranceLevel::parse(acr)?,
                references: claims.amr.clone(),
            })
        }),
        bound_to: if_given(claims.cnf.as_ref(), |confirmation| KeyThumbprint::parse(&confirmation.jkt))?,
    })
}

#[cfg(test)]
mod tests {
    use steward_domain::identity::{ServerKeyPurpose, check_lifetime};
    use steward_domain::kernel::Revision;
    use steward_domain::mocks::{id_of, instant};

    use super::*;

    const ISSUER: &str = "http://localhost:3003";

    fn key() -> SigningKey {
        let (secret, signs) = (ServerSecret::parse(&"a".repeat(32)).unwrap(), SignedToken::Access);
        let algorithm = SigningAlgorithm::Es256;
        let key = ServerKey {
            id: id_of("key").into(),
            purpose: ServerKeyPurpose::TokenSigning(signs, algorithm),
            generation: 1,
            encrypted: secret.cipher().encrypt(&purpose(signs, algorithm), &generate(algorithm).unwrap()).unwrap(),
            created_at: instant(),
            use_from: instant(),
            revision: Revision::FIRST,
        };
        SigningKey::decrypt(&key, signs, algorithm, &secret).unwrap()
    }

    fn claims() -> Claims {
        Claims {
            iss: ISSUER.to_owned(),
            sub: id_of("ann").to_string(),
            aud: ISSUER.to_owned(),
            exp: instant().timestamp() + 900,
            iat: instant().timestamp(),
            jti: id_of("token").to_string(),
            scope: "openid".to_owned(),
            typ: TYPE.to_owned(),
            client_id: ISSUER.to_owned(),
            family: None,
            auth_time: None,
            acr: None,
            amr: Vec::new(),
            cnf: None,
        }
    }

    fn verified(claims: &Claims) -> Result<AccessClaims, TokenError> {
        let key = key();
        let token = jsonwebtoken::encode(&key.header, claims, &key.encoding).unwrap();
        let claims = key.verify(&token, &ServiceAddress::parse(ISSUER).unwrap())?;
        check_lifetime(&claims, instant())?;
        Ok(claims)
    }

    #[test]
    fn another_issuer_audience_or_type_is_refused_even_if_signed_with_this_key() {
        assert!(verified(&claims()).is_ok());
        let other = || "http://elsewhere:3003".to_owned();
        let invalid = [
            Claims { iss: other(), ..claims() },
            Claims { iss: other(), exp: 0, ..claims() },
            Claims { aud: other(), ..claims() },
            Claims { typ: "id".to_owned(), ..claims() },
            Claims { typ: BOUND_TYPE.to_owned(), ..claims() },
            Claims { cnf: Some(Confirmation { jkt: "x".repeat(43) }), ..claims() },
            Claims { typ: BOUND_TYPE.to_owned(), cnf: Some(Confirmation { jkt: "x".into() }), ..claims() },
        ];
        for claims in invalid {
            assert_eq!(verified(&claims), Err(TokenError::Invalid), "{} {} {}", claims.iss, claims.aud, claims.typ);
        }
    }

    #[test]
    fn timestamps_at_the_limits_of_the_calendar_do_not_panic() {
        let limits = [DateTime::<chrono::Utc>::MIN_UTC.timestamp(), DateTime::<chrono::Utc>::MAX_UTC.timestamp()];
        assert_eq!(verified(&Claims { exp: 0, ..claims() }), Err(TokenError::Expired));
        assert!(verified(&Claims { exp: limits[1], iat: limits[0], ..claims() }).is_ok());
        assert_eq!(verified(&Claims { iat: limits[1], ..claims() }), Err(TokenError::Invalid));
        assert_eq!(verified(&Claims { exp: i64::MAX, ..claims() }), Err(TokenError::Invalid));
    }

    #[test]
    fn a_token_says_to_which_key_it_is_bound() {
        let (key, address) = (key(), ServiceAddress::parse(ISSUER).unwrap());
        let bound_to = KeyThumbprint::parse(&"x".repeat(43));
        let given = AccessClaims { bound_to: bound_to.clone(), ..parse(&claims(), &address).unwrap() };
        let token = key.sign(&given, &address).unwrap();
        assert_eq!(key.verify(token.expose(), &address).unwrap().bound_to, bound_to);
        let decoded = jsonwebtoken::dangerous::insecure_decode::<Value>(token.expose()).unwrap().claims;
        assert_eq!((&decoded["cnf"], &decoded["typ"]), (&json!({"jkt": "x".repeat(43)}), &json!(BOUND_TYPE)));
    }

    #[test]
    fn the_client_id_of_a_token_is_its_audience() {
        let (key, address) = (key(), ServiceAddress::parse(ISSUER).unwrap());
        for (audience, client) in [
            (Audience::Service, ISSUER.to_owned()),
            (Audience::Project(id_of("p").into()), address.project_did(id_of("p").into())),
        ] {
            let given = AccessClaims { audience, ..parse(&claims(), &address).unwrap() };
            let token = key.sign(&given, &address).unwrap();
            let decoded = jsonwebtoken::dangerous::insecure_decode::<Value>(token.expose()).unwrap().claims;
            assert_eq!((decoded["client_id"].as_str(), decoded["aud"].as_str()), (Some(&*client), Some(&*client)));
            assert_eq!(decoded["typ"], "access");
        }
    }
}
