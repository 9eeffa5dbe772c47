//! Tests of the transport against a server in the same process, and of what `Debug` prints.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures_util::TryStreamExt as _;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::{
    AuditParameters, Client, ClientBuilder, CreateTeam, CreatedPersonalToken, Credential, DeleteKey, Error, GetSchema,
    GetTeam, ItemOperation, KeyWithValue, ListUsers, NewTeam, OAuthClientWithSecret, PageParameters, PasswordLogin,
    Response, RevokeToken, TokenError, TokenParameters, TokenSource, UserParameters, VersionParameter,
    WebhookWithSecret,
};

/// Responds to one request after another, each on its own connection, and returns the heads of the requests.
async fn server(responses: &[String]) -> (ClientBuilder, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let responses = responses.to_vec();
    let server = tokio::spawn(async move {
        let mut heads = Vec::new();
        for response in responses {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 16 * 1024];
            let count = stream.read(&mut request).await.unwrap();
            heads.push(String::from_utf8_lossy(&request[..count]).into_owned());
            stream.write_all(response.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
        heads
    });
    (Client::builder(address), server)
}

fn response(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}")
}

fn unavailable() -> String {
    response("503 Service Unavailable", "Retry-After: 0\r\n", r#"{"error": "unavailable", "message": "Try again."}"#)
}

const ID: &str = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";

const TEAM: &str = r#"{"data": {"id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55", "name": "Acme", "slug": "acme",
    "owner": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55", "created_at": "2026-01-01T00:00:00.000Z", "unknown_member": 1}}"#;

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.filter(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
}

#[tokio::test]
async fn a_write_is_retried_with_the_same_idempotency_key() {
    let (client, server) = server(&[unavailable(), "".into(), response("201 Created", "", TEAM)]).await;
    let client = client.credential(Credential::Token("secret".into())).build().unwrap();
    let team = client.teams().create(&NewTeam { name: "Acme".into(), slug: "acme".into() }).data().await.unwrap();
    assert_eq!(team.summary.slug, "acme");
    let heads = server.await.unwrap();
    let keys: Vec<_> = heads.iter().map(|head| header(head, "idempotency-key").unwrap()).collect();
    assert!(keys.len() == 3 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(header(&heads[2], "authorization"), Some("Bearer secret"));
}

#[tokio::test]
async fn a_batch_can_be_sent_again_with_its_key() {
    let (client, server) = server(&[unavailable(), response("200 OK", "", r#"{"data": []}"#)]).await;
    let items = client.max_retries(0).build().unwrap().items("p", "u", "notes");
    let operations = [ItemOperation::Delete { id: "a".into(), if_match: None, if_none_match: None }];
    let batch = || items.batch(&operations, None).idempotency_key("part-1").data();
    assert!(matches!(batch().await, Err(Error::Unavailable(_))));
    assert!(batch().await.unwrap().is_empty());
    let heads = server.await.unwrap();
    let keys: Vec<_> = heads.iter().map(|head| header(head, "idempotency-key")).collect();
    assert_eq!(keys, [Some("part-1"), Some("part-1")]);
}

#[tokio::test]
async fn a_call_has_the_method_the_path_and_the_conditions_of_its_operation() {
    let (client, server) = server(&[response("200 OK", "ETag: \"5\"\r\n", r#"{"message": "x"}"#)]).await;
    let client = client.build().unwrap();
    client.call::<DeleteKey>(&[&"a/b", &ID]).if_match("\"5\"").query("a", "b c").done().await.unwrap();
    let heads = server.await.unwrap();
    assert!(heads[0].starts_with(&format!("DELETE /project/a%2Fb/key/{ID}?a=b+c ")), "{}", heads[0]);
    assert_eq!(header(&heads[0], "if-match"), Some("\"5\""));
    assert!(header(&heads[0], "idempotency-key").is_some());
    let (none, two): (&[&dyn Display], &[&dyn Display]) = (&[], &[&"a", &"b"]);
    for parameters in [none, two] {
        assert!(matches!(client.call::<GetTeam>(parameters).done().await, Err(Error::InvalidRequest(_))));
    }
}

#[tokio::test]
async fn a_call_can_be_awaited_and_has_the_parameters_of_its_query() {
    let list = || response("200 OK", "", r#"{"data": []}"#);
    let (client, server) =
        server(&[response("200 OK", "", TEAM), response("200 OK", "", ""), list(), list(), list(), list()]).await;
    let client = client.build().unwrap();
    assert_eq!(client.call::<CreateTeam>(&[]).body(&NewTeam::default()).await.unwrap().data.summary.slug, "acme");
    let token = TokenParameters { token: "t".into(), ..TokenParameters::default() };
    let () = client.call::<RevokeToken>(&[]).body(&token).await.unwrap();
    let users = UserParameters { q: Some("a b".into()), ..UserParameters::default() };
    let page = PageParameters { limit: Some(2), ..PageParameters::default() };
    client.list_with::<ListUsers>(&[&"p"], &(users, page)).cursor("c").page().await.unwrap();
    let version = VersionParameter { version: Some("all".into()) };
    client.call_with::<GetSchema>(&[&"p"], &(version, PageParameters::default())).await.unwrap();
    client.project_audit_log("p").list(&AuditParameters::default()).page_size(3).page().await.unwrap();
    client.settings("p").reset(&["a.b", "c"]).send().await.unwrap();
    let heads = server.await.unwrap();
    let paths = heads.iter().map(|head| head.split(' ').nth(1).unwrap());
    let expected = ["/team", "/auth/revoke", "/project/p/user?q=a+b&limit=2&cursor=c", "/project/p/schema?version=all"];
    let rest = ["/project/p/audit?limit=3", "/project/p/settings?key=a.b&key=c"];
    assert_eq!(paths.collect::<Vec<_>>(), [&expected[..], &rest[..]].concat());
}

#[tokio::test]
async fn a_program_can_set_the_http_client() {
    let (client, server) = server(&[response("200 OK", "", TEAM)]).await;
    let http = reqwest::Client::builder().user_agent("own").build().unwrap();
    client.http_client(http).build().unwrap().teams().get("t").send().await.unwrap();
    assert_eq!(header(&server.await.unwrap()[0], "user-agent"), Some("own"));
}

#[tokio::test]
async fn operations_of_a_team_and_of_a_project_have_their_own_paths() {
    let responses = [(); 3].map(|()| response("200 OK", "", r#"{"data": []}"#));
    let (client, server) = server(&responses).await;
    let client = client.build().unwrap();
    client.team_webhooks("t").list().all().await.unwrap();
    client.project_webhooks("p").list().all().await.unwrap();
    client.own_items("p", "notes").list().all().await.unwrap();
    let heads = server.await.unwrap();
    for (head, path) in heads.iter().zip(["/team/t/webhook", "/project/p/webhook", "/account/p/db/notes"]) {
        assert!(head.starts_with(&format!("GET {path}?limit=100 ")), "{head}");
    }
}

#[tokio::test]
async fn a_write_without_a_key_is_not_retried() {
    let (client, server) = server(&[unavailable()]).await;
    let client = client.build().unwrap();
    let error = client.request(Method::POST, "/auth/login").send().await.unwrap_err();
    assert!(matches!(&error, Error::Unavailable(error) if error.message == "Try again."), "{error:?}");
    assert_eq!(server.await.unwrap().len(), 1);
}

#[tokio::test]
async fn retries_are_bounded() {
    let (client, server) = server(&[unavailable(), unavailable()]).await;
    let client = client.max_retries(1).build().unwrap();
    assert!(client.teams().get("t").data().await.is_err());
    assert_eq!(server.await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_stream_reads_one_page_after_another() {
    let team = |slug: &str| {
        format!(
            r#"{{"id": "{ID}", "name": "n", "slug": "{slug}", "owner": "{ID}", "roles": "owner", "role_name": "O"}}"#
        )
    };
    let first = format!(r#"{{"data": [{}, {}], "next_cursor": "n/2"}}"#, team("1"), team("2"));
    let last = format!(r#"{{"data": [{}]}}"#, team("3"));
    let (client, server) = server(&[response("200 OK", "", &first), response("200 OK", "", &last)]).await;
    let list = client.build().unwrap().teams().list().page_size(2);
    let slugs: Vec<String> = list.stream().map_ok(|team| team.summary.slug).try_collect().await.unwrap();
    assert_eq!(slugs, ["1", "2", "3"]);
    let heads = server.await.unwrap();
    assert!(heads[0].starts_with("GET /team?limit=2 ") && heads[1].starts_with("GET /team?limit=2&cursor=n%2F2 "));
}

#[tokio::test]
async fn an_error_has_its_code_violations_and_request_id() {
    let body = r#"{"error": "invalid_request", "message": "Some fields are not valid.", "quota": "q",
        "errors": [{"field": "slug", "code": "invalid_value", "message": "must not be empty"}]}"#;
    let (client, _server) = server(&[response("400 Bad Request", "X-Request-Id: r1\r\n", body)]).await;
    let error = client.build().unwrap().teams().delete("t").done().await.unwrap_err();
    let Error::Invalid(error) = error else { panic!("{error:?}") };
    assert_eq!((error.code.as_str(), error.request_id.as_deref()), ("invalid_request", Some("r1")));
    assert_eq!(error.errors[0].to_string(), "slug: must not be empty");
    assert_eq!(error.details["quota"], "q");
}

/// Refreshes the token `old` to `new`.
struct Tokens(AtomicUsize);

#[async_trait]
impl TokenSource for Tokens {
    async fn token(&self) -> Result<String, TokenError> {
        Ok("old".into())
    }

    async fn refresh(&self, rejected: &str) -> Result<Option<String>, TokenError> {
        assert_eq!(rejected, "old");
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Some("new".into()))
    }
}

#[tokio::test]
async fn a_rejected_token_is_refreshed_once() {
    let unauthorized =
        || response("401 Unauthorized", "", r#"{"error": "unauthorized", "message": "The token has expired."}"#);
    let (client, server) = server(&[unauthorized(), unauthorized()]).await;
    let tokens = Arc::new(Tokens(AtomicUsize::new(0)));
    let client = client.credential(Credential::Source(tokens.clone())).build().unwrap();
    assert!(matches!(client.account().user_info().json().await, Err(Error::Unauthorized(_))));
    assert_eq!(tokens.0.load(Ordering::Relaxed), 1);
    assert_eq!(header(&server.await.unwrap()[1], "authorization"), Some("Bearer new"));
}

#[test]
fn debug_does_not_print_secrets() {
    const SECRET: &str = "s3cr3t";
    let at = "2026-01-01T00:00:00.000Z";
    let token: CreatedPersonalToken = serde_json::from_value(json!({
        "id": ID, "label": "CI", "roles": "viewer", "teams": [], "projects": [], "created_at": at, "expires_at": at,
        "last_used": null, "hint": "stw_pat_...abcd", "value": SECRET,
    }))
    .unwrap();
    let key: KeyWithValue = serde_json::from_value(json!({
        "id": ID, "label": "CI", "roles": "read", "value": SECRET, "is_private": true, "created_at": at,
    }))
    .unwrap();
    let webhook: WebhookWithSecret = serde_json::from_value(json!({
        "id": ID, "url": "https://example.com", "events": ["*"], "ordering": "project", "status": "active",
        "created_by": ID, "authorized_by": ID, "created_at": at, "secret": SECRET,
    }))
    .unwrap();
    let oauth_client: OAuthClientWithSecret = serde_json::from_value(json!({
        "id": ID, "type": "confidential", "name": "Worker", "registered_itself": false,
        "grant_types": ["client_credentials"], "redirect_uris": [], "scope": "openid",
        "roles": "read", "require_pkce": false, "skip_consent": false, "access_token_seconds": null, "jwks": null,
        "require_dpop": false, "require_pushed_requests": false,
        "sign_in_seconds": null, "secret": {"hint": "stw_cs_...abcd", "last_used": null}, "created_at": at,
        "client_secret": SECRET,
    }))
    .unwrap();
    let login = PasswordLogin { email: None, username: Some("ann".into()), password: SECRET.into() };
    let credential = Credential::Token(SECRET.into());
    let client = Client::builder("https://steward.example.com").credential(credential).build().unwrap();
    let request = client.request(Method::POST, "/auth/introspect").query("token", SECRET).header("x-token", SECRET);
    let request = request.json(&json!({"token": SECRET}));
    let response = Response { status: 200, headers: HeaderMap::new(), body: SECRET.into() };

    // A derived `Debug` would print a body as numbers.
    let bytes = format!("{:?}", SECRET.as_bytes());
    let bytes = bytes.trim_matches(['[', ']']);
    for printed in [
        format!("{token:?}"),
        format!("{key:?}"),
        format!("{webhook:?}"),
        format!("{oauth_client:?}"),
        format!("{login:?}"),
        format!("{request:?}"),
        format!("{response:?}"),
    ] {
        assert!(!printed.contains(SECRET) && !printed.contains(bytes), "{printed}");
    }
}
