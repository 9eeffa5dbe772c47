//! Providers as their documentation describes them. Each sends claims, members and keys of its own, which stop no
//! sign-in.

use serde_json::{Value, json};
use steward_tests::{Backend, Browser, IdentityProvider, Mailbox, ProviderBehavior};

use super::{AT_PROVIDER, HOME, OF_SERVICE, SIGN_IN, account, add, is_confirmed, is_refused, operator, start};

/// What a provider sends, and whether the address of its people counts as confirmed.
struct Documented {
    name: &'static str,
    kind: &'static str,
    behavior: ProviderBehavior,
    /// Claims besides those that every ID token has.
    claims: Value,
    is_confirmed: bool,
}

impl Documented {
    fn new(name: &'static str, kind: &'static str, claims: Value) -> Self {
        Self { name, kind, behavior: ProviderBehavior::default(), claims, is_confirmed: true }
    }
}

/// <https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload>: the issuer without its
/// scheme.
fn google(address: &str) -> Documented {
    let issuer = address.strip_prefix("http://").unwrap();
    let claims = json!({
        "iss": issuer, "azp": "steward", "sub": "10769150350006150715113082367", "hd": "example.com", "locale": "en",
        "email": "Google@Example.com", "email_verified": true, "picture": "https://lh3.googleusercontent.com/a-/x=s96-c",
        "given_name": "Ann", "family_name": "Example", "name": "Ann Example",
    });
    Documented::new("Google", "google", claims)
}

/// <https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference>: nothing is said about the address
/// that counts, seconds are texts in version 1, and keys name their issuer.
fn microsoft(address: &str) -> Documented {
    let claims = json!({
        "ver": "2.0", "tid": "9122040d-6c67-4c5b-b112-36a304b66dad", "oid": "00000000-0000-0000-66f3-3332eca7ea81",
        "aio": "AXQAi/8IAAAA", "rh": "0.AQ", "uti": "x", "nbf": "1700000000", "acct": 0, "xms_edov": true,
        "sub": "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ", "email": "microsoft@example.com",
        "preferred_username": "ann@example.onmicrosoft.com", "groups": ["a", "b"], "_claim_names": {"groups": "src1"},
    });
    let behavior = ProviderBehavior {
        metadata: json!({
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
            "http_logout_supported": true, "kerberos_endpoint": format!("{address}/kerberos"),
            "cloud_graph_host_name": "graph.windows.net", "rbac_url": "https://pas.windows.net",
        }),
        keys: vec![json!({
            "kty": "RSA", "use": "sig", "kid": "nOo3ZDrODXEK1jKWhXslHR_KXEg", "n": "AQAB", "e": "AQAB", "x5t": "nOo3",
            "x5c": ["MIIC"], "issuer": "https://login.microsoftonline.com/{tenantid}/v2.0",
        })],
        tokens: json!({"expires_in": "3599", "ext_expires_in": "3599", "not_before": "1700000000", "refresh_token": null}),
        ..ProviderBehavior::default()
    };
    Documented { behavior, is_confirmed: false, ..Documented::new("Microsoft", "microsoft", claims) }
}

/// <https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple>: booleans
/// as text, no userinfo endpoint, and the secret in the body.
fn apple(_: &str) -> Documented {
    let claims = json!({
        "sub": "001999.a5a7b5c0.1234", "email": "apple@example.com", "email_verified": "true", "is_private_email": "true",
        "nonce_supported": true, "real_user_status": 2, "auth_time": 1_700_000_000, "c_hash": "x",
    });
    let metadata = json!({
        "token_endpoint_auth_methods_supported": ["client_secret_post"], "userinfo_endpoint": null,
        "claims_supported": ["aud", "email", "is_private_email", "nonce_supported"],
    });
    let behavior = ProviderBehavior { metadata, ..ProviderBehavior::default() };
    Documented { behavior, ..Documented::new("Apple", "apple", claims) }
}

/// <https://docs.github.com/rest/users/users#get-the-authenticated-user>: an API instead of ID tokens.
fn github(_: &str) -> Documented {
    let emails = json!([
        {"email": "other@example.com", "verified": true, "primary": false, "visibility": null},
        {"email": "github@example.com", "verified": true, "primary": true, "visibility": "private"},
    ]);
    let user = json!({"id": 583_231, "login": "octocat", "node_id": "MDQ6", "plan": {"name": "pro"}, "emails": emails});
    let tokens = json!({"scope": "read:user,user:email", "expires_in": "28800", "token_type": "bearer"});
    let behavior = ProviderBehavior { tokens, ..ProviderBehavior::default() };
    Documented { behavior, ..Documented::new("GitHub", "github", user) }
}

/// <https://docs.gitlab.com/integration/openid_connect_provider/#shared-information>: groups in claims of its own.
fn gitlab(_: &str) -> Documented {
    let claims = json!({
        "sub": 7, "sub_legacy": "0b9a", "name": "Ann Example", "nickname": "ann", "preferred_username": "ann",
        "email": "gitlab@example.com", "email_verified": true, "profile": "/ann", "picture": "", "website": "example.com",
        "groups": ["acme"], "groups_direct": ["acme/web"], "https://gitlab.org/claims/groups/owner": ["acme"],
        "auth_time": 1_700_000_000, "project_path": {"odd": []},
    });
    Documented::new("GitLab", "gitlab", claims)
}

/// <https://auth0.com/docs/secure/tokens/id-tokens/id-token-structure>: a time as text, and an issuer with a slash at
/// the end.
fn auth0(address: &str) -> Documented {
    let claims = json!({
        "sub": "auth0|5f7c8ec7c33c6c004bbafe82", "updated_at": "2026-01-05T10:30:00.000Z", "sid": "x", "nickname": "ann",
        "email": "auth0@example.com", "email_verified": true, "name": "auth0@example.com", "https://acme.example/roles": ["a"],
    });
    let behavior = ProviderBehavior {
        issuer: Some(format!("{address}/")),
        metadata: json!({"request_uri_parameter_supported": "false", "claims_supported": {"odd": true}}),
        ..ProviderBehavior::default()
    };
    Documented { behavior, ..Documented::new("Auth0", "openid_connect", claims) }
}

/// <https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/>: the address only at the userinfo
/// endpoint.
fn okta(_: &str) -> Documented {
    let claims = json!({
        "sub": "00uid4BxXw6I6TV4m0g3", "ver": 1, "jti": "ID.x", "amr": ["pwd", "mfa"], "idp": "00o1", "updated_at": 1_700_000_000,
        "zoneinfo": "America/Los_Angeles", "locale": "en-US", "phone_number": null, "address": {"street_address": 1},
        "email": "okta@example.com", "email_verified": true, "name": "Ann Example", "only_userinfo": true,
    });
    Documented::new("Okta", "openid_connect", claims)
}

/// <https://zitadel.com/docs/apis/openidoauth/claims>: the project as a second audience, and objects as claims.
fn zitadel(_: &str) -> Documented {
    let claims = json!({
        "sub": "215928378212220161", "aud": ["steward", "215928378212220300"], "azp": "steward", "client_id": "steward",
        "amr": ["password", "mfa"], "updated_at": 1_700_000_000, "locale": {"language": "en"}, "gender": 1,
        "email": "zitadel@example.com", "email_verified": true, "urn:zitadel:iam:org:project:roles": {"admin": {"1": "acme"}},
    });
    Documented::new("Zitadel", "openid_connect", claims)
}

/// <https://www.keycloak.org/docs/latest/server_admin/#audience-support>: a mapper adds an audience, keys are for
/// encryption, too, and the userinfo response may be signed.
fn keycloak(_: &str) -> Documented {
    let claims = json!({
        "sub": "f:550e8400:ann", "aud": ["account", "steward"], "azp": "steward", "typ": "ID", "acr": "1", "sid": "x",
        "session_state": "x", "address": {}, "realm_access": {"roles": ["offline_access"]}, "name": ["Ann"],
        "email": "keycloak@example.com", "email_verified": true, "only_userinfo": true,
    });
    let keys = vec![
        json!({"kty": "RSA", "use": "enc", "alg": "RSA-OAEP", "kid": "key-0", "n": "AQAB", "e": "AQAB", "x5c": ["MIIC"]}),
        json!({"kty": "AKP", "use": "sig", "alg": "ML-DSA-65", "kid": "key-0", "pub": "AA"}),
        json!({"kty": "EC", "use": "sig", "alg": "ES256K", "crv": "secp256k1", "x": "AA", "y": "AA"}),
        json!({"kty": "oct", "k": "aHVzaA", "kid": 7, "use": "vendor"}),
        json!("not a key"),
    ];
    let behavior = ProviderBehavior { keys, signs_userinfo: true, ..ProviderBehavior::default() };
    Documented { behavior, ..Documented::new("Keycloak", "openid_connect", claims) }
}

/// <https://learn.microsoft.com/windows-server/identity/ad-fs/overview/ad-fs-openid-connect-oauth-concepts>: another
/// issuer for access tokens, and an address only with a rule that issues it.
fn ad_fs(_: &str) -> Documented {
    let claims = json!({
        "sub": "Hs2M+Zv5uC5c8B2x0Q==", "upn": "ann@corp.example.com", "unique_name": "CORP\\ann", "sid": "S-1-5-21-1",
        "auth_time": "1700000000.5", "mfa_auth_time": "", "pwd_exp": "1209600", "pwd_url": "https://fs.example.com/adfs/portal",
        "apptype": "Confidential", "ver": "1.0", "scp": "openid", "email": "adfs@example.com", "aud": ["steward"],
    });
    let metadata = json!({
        "access_token_issuer": "http://fs.example.com/adfs/services/trust", "capabilities": ["kdf_ver2"],
        "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic", "windows_client_authentication"],
        "microsoft_multi_refresh_token": true, "rp_id_token_token_binding_supported": "true",
    });
    let behavior = ProviderBehavior { metadata, ..ProviderBehavior::default() };
    Documented { behavior, is_confirmed: false, ..Documented::new("AD FS", "openid_connect", claims) }
}

const ALL: [fn(&str) -> Documented; 10] =
    [google, microsoft, apple, github, gitlab, auth0, okta, zitadel, keycloak, ad_fs];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_sign_in_at_ten_providers_as_documented() {
    let mail = Mailbox::start().await;
    let app = start(Backend::Sqlite, &mail, &[]).await;
    let root = operator(&app).await;
    for documented in ALL {
        let provider = IdentityProvider::start().await;
        let Documented { name, kind, behavior, claims, is_confirmed: expected } = documented(&provider.url);
        let issuer = behavior.issuer.clone().unwrap_or_else(|| provider.url.clone());
        provider.behave(behavior);
        let added = add(&root, OF_SERVICE, &provider, &[("kind", kind), ("name", name)]).await;
        assert!(added.html.contains(&format!("<code>{issuer}</code>")), "{name}: {added}");
        let id = added.url.path().rsplit('/').next().unwrap().to_owned();
        let at_provider = async |claims: &Value| {
            let browser = Browser::new(&app);
            let page = browser.submit(&browser.open(SIGN_IN).await, AT_PROVIDER, &[("provider", &id)]).await;
            assert!(page.left, "{name}: {page}");
            (browser.open(&provider.sign_in(&page.url, claims)).await, browser)
        };
        // Signs up, and then signs in.
        for _ in 0..2 {
            let (page, browser) = at_provider(&claims).await;
            assert!(page.is_at(HOME), "{name}: {page}\n{}", app.log());
            let address = format!("{}@example.com", name.to_lowercase().replace(' ', ""));
            assert_eq!(account(&browser).await.to_lowercase(), address, "{name}");
            assert_eq!(is_confirmed(&browser).await, expected, "{name}");
        }
        let is_basic = provider.requests().iter().any(|request| request.starts_with("POST /token Basic "));
        assert_eq!(is_basic, !["Apple", "GitHub"].contains(&name), "{name}: {:?}", provider.requests());

        // Without the address, such as at AD FS without a rule for it, nobody signs up: a `upn` or a name is no
        // address.
        let mut without = claims.clone();
        for (name, value) in [("sub", json!("other")), ("id", json!(9)), ("emails", json!([])), ("email", Value::Null)]
        {
            without[name] = value;
        }
        let (page, _) = at_provider(&without).await;
        is_refused(&page, "did not share an email address");
        let failed = root.open(&format!("{OF_SERVICE}/{id}/failed")).await;
        assert!(failed.html.contains("<code>email</code>"), "{name}: {failed}");
    }
}
