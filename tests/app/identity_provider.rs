//! An identity provider in the test process: OpenID Connect, and what GitHub has instead. It says whatever a test
//! wants, and like a real one it verifies the code verifier and accepts each code once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openidconnect::core::{CoreEdDsaPrivateSigningKey, CoreHmacKey, CoreJwsSigningAlgorithm};
use openidconnect::{JsonWebKeyId, PkceCodeChallenge, PkceCodeVerifier, PrivateSigningKey as _};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::{Url, form_urlencoded};

use crate::client::parameter;
use crate::{Browser, Page};

/// The form with the buttons of providers.
const AT_PROVIDER: &str = "/auth/sign-in/provider";

/// Keys of ID tokens, which sign nothing but the tokens of tests.
const KEYS: [&str; 2] = [
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINU5V9hY8dPJtgufujfTufXLZlgToBfQA8O6CN2eRb7n\n-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIEerWzSjun7YSj3inON5ttlWVPSXCBWeRLlR9Vre1YM9\n-----END PRIVATE KEY-----\n",
];

/// What is different at a provider. Members replace those of the plain one with the same name, and null removes them.
#[derive(Clone, Default)]
pub struct ProviderBehavior {
    /// The issuer in the metadata and in ID tokens, if it is not the address.
    pub issuer: Option<String>,
    /// Members of the metadata.
    pub metadata: Value,
    /// Further keys, before its own.
    pub keys: Vec<Value>,
    /// Members of token responses.
    pub tokens: Value,
    /// Whether the responses of the userinfo endpoint are JWTs.
    pub signs_userinfo: bool,
}

/// A provider. It stops when this value is dropped.
pub struct IdentityProvider {
    /// The issuer.
    pub url: String,
    state: Arc<Mutex<State>>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct State {
    issuer: String,
    key: usize,
    /// The algorithm in the header of tokens, which are signed with EdDSA only if it says so.
    algorithm: Option<&'static str>,
    codes: HashMap<String, Issued>,
    /// By access token.
    people: HashMap<String, Value>,
    count: usize,
    delay: Duration,
    requests: Vec<String>,
    /// The claims of the person who is signed in, so that the authorization endpoint redirects at once.
    person: Option<Value>,
    behavior: ProviderBehavior,
}

struct Issued {
    claims: Map<String, Value>,
    challenge: String,
}

impl IdentityProvider {
    /// Starts to listen.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
        let state = Arc::new(Mutex::new(State { issuer: url.clone(), ..State::default() }));
        let shared = state.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = shared.clone();
                tokio::spawn(async move { respond(stream, &shared).await });
            }
        });
        Self { url, state, task }
    }

    /// Signs the following tokens with another key, and no longer publishes the previous one.
    pub fn rotate_key(&self) {
        self.state.lock().unwrap().key = 1;
    }

    /// Puts this algorithm into the header of the following tokens, whose signature is then not valid.
    pub fn claim_algorithm(&self, algorithm: &'static str) {
        self.state.lock().unwrap().algorithm = Some(algorithm);
    }

    /// Behaves like this from now on.
    pub fn behave(&self, behavior: ProviderBehavior) {
        self.state.lock().unwrap().behavior = behavior;
    }

    /// Responds to each request after this time.
    pub fn delay_responses(&self, delay: Duration) {
        self.state.lock().unwrap().delay = delay;
    }

    /// The first lines of all requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.state.lock().unwrap().requests.clone()
    }

    /// Signs a person with these claims in at the provider: its authorization endpoint redirects at once.
    pub fn set_person(&self, claims: Value) {
        self.state.lock().unwrap().person = Some(claims);
    }

    /// What the provider responds to an authentication request, as the URL to which it redirects. `claims` are those of
    /// the person; they replace claims of the ID token with the same name, and null removes them.
    pub fn sign_in(&self, request: &Url, claims: &Value) -> String {
        self.state.lock().unwrap().authorize(request, claims)
    }
}

impl State {
    #[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
    fn authorize(&mut self, request: &Url, claims: &Value) -> String {
        let of = |name| parameter(request.as_str(), name);
        assert_eq!(of("code_challenge_method").as_deref(), Some("S256"), "{request}");
        assert_eq!(of("response_type").as_deref().unwrap_or("code"), "code", "{request}");
        self.count += 1;
        let code = format!("code-{}", self.count);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let all = json!({
            "iss": self.named(), "sub": "someone", "aud": of("client_id"), "exp": now + 300, "iat": now, "nonce": of("nonce"),
        });
        let claims = merged(all, claims);
        self.codes.insert(code.clone(), Issued { claims, challenge: of("code_challenge").unwrap() });
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("code", code.as_str()), ("state", &of("state").unwrap())])
            .finish();
        format!("{}?{query}", of("redirect_uri").unwrap())
    }
}

/// Returns an object with other members. Those that are null are removed.
fn merged(all: Value, others: &Value) -> Map<String, Value> {
    let Value::Object(mut all) = all else { panic!("{all} is not an object") };
    all.extend(others.as_object().cloned().unwrap_or_default());
    all.retain(|_, value| !value.is_null());
    all
}

impl Browser {
    /// Adds a provider on the pages of the operator or of a project. Returns its page.
    pub async fn add_identity_provider(&self, pages: &str, issuer: &str, values: &[(&str, &str)]) -> Page {
        let new = format!("{pages}/new");
        let mut all = vec![("issuer", issuer), ("name", "Example ID"), ("client_id", "steward")];
        all.retain(|(name, _)| values.iter().all(|value| value.0 != *name));
        all.extend(values);
        let page = self.submit(&self.open(&new).await, &new, &all).await;
        assert!(page.text().contains("The provider was added."), "{page}");
        page
    }

    /// Goes from a sign-in page to the provider with the first button.
    pub async fn go_to_provider(&self, page: &Page) -> Page {
        let buttons = page.form(AT_PROVIDER).choices;
        let (_, id) = buttons.iter().find(|(name, _)| name == "provider").unwrap();
        self.submit(page, AT_PROVIDER, &[("provider", id)]).await
    }
}

impl Drop for IdentityProvider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl State {
    fn answer(&mut self, head: &str, body: &str) -> (u16, Value) {
        let (method, path) = head.split_once(' ').unwrap();
        let path = path.split(' ').next().unwrap();
        let authorization = head.lines().find_map(|line| line.strip_prefix("authorization: ")).unwrap_or_default();
        self.requests.push(format!("{method} {path} {authorization}"));
        if let (Some(claims), true) = (self.person.clone(), path.starts_with("/authorize?")) {
            let request = format!("{}{path}", self.issuer).parse().unwrap();
            return (303, self.authorize(&request, &claims).into());
        }
        match path {
            "/.well-known/openid-configuration" => (200, merged(self.metadata(), &self.behavior.metadata).into()),
            "/jwks" => {
                let mut keys = self.behavior.keys.clone();
                keys.push(serde_json::to_value(self.signing_key().as_verification_key()).unwrap());
                (200, json!({"keys": keys}))
            }
            "/token" | "/login/oauth/access_token" => self.redeem(body, path == "/token"),
            "/userinfo" | "/api/v3/user" | "/api/v3/user/emails" => {
                let token = head.lines().find_map(|line| line.strip_prefix("authorization: Bearer "));
                match token.and_then(|token| self.people.get(token.trim())) {
                    Some(person) if path.ends_with("emails") => (200, person["emails"].clone()),
                    Some(person) if self.behavior.signs_userinfo => (200, self.signed(person.clone()).into()),
                    Some(person) => (200, person.clone()),
                    None => (401, json!({})),
                }
            }
            _ => (404, json!({})),
        }
    }

    /// The issuer in the metadata and in ID tokens.
    fn named(&self) -> &str {
        self.behavior.issuer.as_ref().unwrap_or(&self.issuer)
    }

    fn metadata(&self) -> Value {
        let at = |path: &str| format!("{}/{path}", self.issuer);
        json!({
            "issuer": self.named(), "authorization_endpoint": at("authorize"), "token_endpoint": at("token"),
            "userinfo_endpoint": at("userinfo"), "jwks_uri": at("jwks"), "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["EdDSA", "HS256", "none"],
        })
    }

    fn redeem(&mut self, body: &str, with_id_token: bool) -> (u16, Value) {
        let of = |name: &str| form_urlencoded::parse(body.as_bytes()).find(|pair| pair.0 == name).map(|pair| pair.1);
        let issued = of("code").and_then(|code| self.codes.remove(code.as_ref()));
        let verifier = of("code_verifier").unwrap_or_default().into_owned();
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&PkceCodeVerifier::new(verifier));
        let Some(issued) = issued.filter(|issued| issued.challenge == challenge.as_str()) else {
            return (400, json!({"error": "invalid_grant"}));
        };
        let token = format!("token-{}", self.count);
        self.people.insert(token.clone(), Value::Object(issued.claims.clone()));
        let id_token = with_id_token.then(|| self.id_token(issued.claims));
        let tokens = json!({"access_token": token, "token_type": "Bearer", "expires_in": 60, "id_token": id_token});
        (200, merged(tokens, &self.behavior.tokens).into())
    }

    fn id_token(&self, mut claims: Map<String, Value>) -> String {
        // Some providers return the address only at the userinfo endpoint.
        if claims.remove("only_userinfo").is_some() {
            claims.retain(|name, _| !["email", "email_verified", "name"].contains(&name.as_str()));
        }
        self.signed(claims.into())
    }

    /// A JWT with these claims.
    fn signed(&self, claims: Value) -> String {
        let encode = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = json!({"alg": self.algorithm.unwrap_or("EdDSA"), "kid": format!("key-{}", self.key)});
        let message = format!("{}.{}", encode(header), encode(claims));
        let signature = match self.algorithm {
            Some("none") => Vec::new(),
            // With the secret of the client, which an attacker could know.
            Some("HS256") => {
                CoreHmacKey::new(b"hush").sign(&CoreJwsSigningAlgorithm::HmacSha256, message.as_bytes()).unwrap()
            }
            _ => self.signing_key().sign(&CoreJwsSigningAlgorithm::EdDsa, message.as_bytes()).unwrap(),
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn signing_key(&self) -> CoreEdDsaPrivateSigningKey {
        let id = JsonWebKeyId::new(format!("key-{}", self.key));
        CoreEdDsaPrivateSigningKey::from_ed25519_pem(KEYS[self.key], Some(id)).unwrap()
    }
}

/// Responds to one request.
async fn respond(mut stream: TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while bytes.len() < end + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8_lossy(&bytes[end..]).into_owned();
    let ((status, answer), delay) = {
        let mut state = state.lock().unwrap();
        (state.answer(&head, &body), state.delay)
    };
    tokio::time::sleep(delay).await;
    let (text, head) = match (status, answer.as_str()) {
        (303, location) => (String::new(), format!("Location: {}", location.unwrap())),
        (_, Some(jwt)) => (jwt.to_owned(), "Content-Type: application/jwt;charset=UTF-8".to_owned()),
        (_, None) => (answer.to_string(), "Content-Type: application/json".to_owned()),
    };
    let head = format!("{head}\r\nConnection: close");
    let response = format!("HTTP/1.1 {status} Status\r\n{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len());
    stream.write_all(response.as_bytes()).await.ok()
}
