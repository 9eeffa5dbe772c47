//! Rules that apply to every operation (docs/contract.md).

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::json;
use steward_tests::{World, on_sqlite};

on_sqlite! {
    async fn every_error_is_json_with_a_code_and_a_message(app: &App) {
        let anon = app.anonymous();
        anon.get("/nothing/here").await.is_not_found();
        anon.get("/team/x/y/z").await.is_not_found();
        anon.get("/%ff").await.is_not_found();
        anon.send(Method::from_bytes(b"BREW").unwrap(), "/team", None, &[]).await.refused(405, "method_not_allowed");
        let response = anon.put("/auth/login", json!({})).await;
        assert!(response.header("Allow").contains("POST"), "{:?}", response.headers);
        response.refused(405, "method_not_allowed");
        let response = anon.delete("/team").await;
        assert!(response.header("Allow").contains("GET") && response.header("Allow").contains("POST"));
        response.refused(405, "method_not_allowed");
    }

    async fn a_body_must_be_valid_json(app: &App) {
        let anon = app.anonymous();
        let send = |media_type: &'static str, body: &[u8]| {
            let (anon, body) = (anon.clone(), body.to_vec());
            async move { anon.send_raw(Method::POST, "/auth/login", Some((media_type, body)), &[]).await }
        };
        let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
        let invalid: [&[u8]; 9] = [
            b"{",
            b"",
            b"[]",
            br#"{"email": "a@b.c", "email": "d@e.f", "password": "x"}"#,
            b"{\"email\": \"\xff\"}",
            br#"{"email": "\ud800"}"#,
            br#"{"email": "a\u0000b"}"#,
            br#"{"email": 1e999}"#,
            br#"{"email": 1e-400}"#,
        ];
        for body in invalid {
            let response = send("application/json", body).await;
            assert_eq!(response.status.as_u16(), 400, "{response}");
            assert!(response.json()["message"].is_string());
        }
        assert_eq!(send("application/json", deep.as_bytes()).await.status.as_u16(), 400);
        send("text/plain", b"{}").await.refused(415, "unsupported_media_type");
        send("application/x-www-form-urlencoded", b"a=b").await.refused(415, "unsupported_media_type");
        let large = format!("{{\"email\": \"{}\"}}", "x".repeat(1_100_000));
        send("application/json", large.as_bytes()).await.refused(413, "payload_too_large");
        let charset = send("application/json; charset=utf-8", br#"{"email": "a@b.c", "password": "x"}"#).await;
        charset.refused(401, "invalid_credentials");
        let with_mark = "\u{feff}{\"email\": \"a@b.c\", \"password\": \"x\"}";
        send("application/json", with_mark.as_bytes()).await.refused(401, "invalid_credentials");
    }

    async fn a_body_that_is_not_in_utf_8_or_is_compressed_returns_415_with_the_reason(app: &App) {
        let anon = app.anonymous();
        let send = async |path: &str, media_type: &str, body: &[u8], encoding: &str| {
            let headers = [("Content-Encoding", encoding)];
            anon.send_raw(Method::POST, path, Some((media_type, body.to_vec())), &headers).await
        };
        let utf_16: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cases: [(&str, &[u8], &str, &str); 4] = [
            ("application/json; charset=ISO-8859-1", b"{\"email\": \"\xe9\"}", "identity", "ISO-8859-1"),
            ("application/json", &utf_16, "identity", "UTF-16"),
            ("application/json", b"\x1f\x8b\x08", "gzip", "gzip"),
            ("application/json", b"{}", "br", "br"),
        ];
        for (media_type, body, encoding, name) in cases {
            let refused = send("/auth/login", media_type, body, encoding).await.refused(415, "unsupported_media_type");
            let message = refused["message"].as_str().unwrap();
            assert!(message.contains(&format!(" {name} is not supported.")), "{message}");
        }
        // What is sent is ASCII, whatever the client calls it.
        let form = "application/x-www-form-urlencoded; charset=ISO-8859-1";
        let read = send("/auth/token", form, b"grant_type=other", "identity").await;
        assert_ne!(read.status.as_u16(), 415, "{read}");
        send("/auth/token", form, b"grant_type=%E9", "identity").await.refused(415, "unsupported_media_type");
    }

    async fn a_valid_request_id_is_returned(app: &App) {
        let id = |value: &'static str| {
            let anon = app.anonymous();
            async move {
                let response = anon.send(Method::GET, "/nothing", None, &[("X-Request-Id", value)]).await;
                response.header("X-Request-Id").to_owned()
            }
        };
        assert_eq!(id("my-request.1").await, "my-request.1");
        for other in ["has space", "semi;colon", "<script>"] {
            let generated = id(other).await;
            assert!(generated != other && generated.len() == 36, "{generated}");
        }
        assert_eq!(app.anonymous().get("/health/live").await.header("X-Request-Id").len(), 36);
    }

    async fn an_invalid_credential_is_refused_even_where_none_is_required(app: &App) {
        let invalid = app.bearer("nonsense");
        let documents = ["/", "/docs", "/docs/json", "/schemas/schema-document.json", "/auth/.well-known/jwks.json"];
        let resources = ["/team/slug?slug=x", "/utils/slugify?slug=x", "/team", "/auth/userinfo"];
        invalid.get("/health/live").await.ok();
        for path in documents.into_iter().chain(resources) {
            let response = invalid.get(path).await;
            assert!(response.header("WWW-Authenticate").contains("invalid_token"), "{path}: {:?}", response.headers);
            response.refused(401, "unauthorized");
        }
        let none = app.anonymous().get("/team").await;
        assert_eq!(none.header("WWW-Authenticate"), "Bearer");
        none.refused(401, "unauthorized");
        let basic = [("Authorization", "Basic YTpi")];
        app.anonymous().send(Method::GET, "/team", None, &basic).await.refused(401, "unauthorized");
        let ann = app.person("ann").await;
        let lower = format!("bearer {}", ann.credential.clone().unwrap());
        app.anonymous().send(Method::GET, "/team", None, &[("Authorization", &lower)]).await.ok();
    }

    async fn any_origin_can_send_requests_and_read_the_exposed_headers(app: &App) {
        let origin = [("Origin", "https://app.example.com")];
        let documented = app.anonymous().get("/docs/json").await.json();
        let paths = documented["paths"].as_object().unwrap().values();
        let operations = paths.flat_map(|path| path.as_object().unwrap().values());
        let responses = operations.filter_map(|operation| operation["responses"].as_object()).flat_map(|all| all.values());
        let headers = responses.filter_map(|response| response["headers"].as_object()).flat_map(|all| all.keys());
        let others = ["Allow", "Content-Disposition", "Idempotency-Replayed", "Link", "Location", "Retry-After",
            "WWW-Authenticate", "X-Request-Id"];
        let expected: BTreeSet<&str> = headers.map(String::as_str).chain(others).collect();
        assert!(expected.contains("ETag") && expected.contains("RateLimit"), "{expected:?}");
        for path in ["/team/slug?slug=x", "/team", "/nothing"] {
            let response = app.anonymous().send(Method::GET, path, None, &origin).await;
            assert_eq!(response.header("Access-Control-Allow-Origin"), "*", "{path}");
            assert_eq!(response.header("Access-Control-Allow-Credentials"), "");
            let exposed: BTreeSet<&str> = response.header("Access-Control-Expose-Headers").split(", ").collect();
            assert_eq!(exposed, expected, "{path}");
        }
        let token = app.anonymous().send(Method::POST, "/auth/token", None, &origin).await;
        assert_eq!(token.header("Access-Control-Allow-Origin"), "https://app.example.com");
        assert_eq!(token.header("Access-Control-Allow-Credentials"), "true");
        let preflight = [
            ("Origin", "https://app.example.com"),
            ("Access-Control-Request-Method", "PATCH"),
            ("Access-Control-Request-Headers", "authorization,content-type,if-match"),
        ];
        let response = app.anonymous().send(Method::OPTIONS, "/team/x", None, &preflight).await;
        assert!(response.status.is_success(), "{response}");
        assert_eq!(response.header("Access-Control-Allow-Origin"), "*");
        assert!(response.header("Access-Control-Allow-Methods").contains("PATCH"));
        assert!(response.header("Access-Control-Allow-Headers").to_lowercase().contains("authorization"));
        // Without a successful preflight, a browser reports a network error instead of the 404.
        for path in ["/nothing", "/project/x/unknown/", "/account/x/db"] {
            let response = app.anonymous().send(Method::OPTIONS, path, None, &preflight).await;
            assert_eq!((response.status.as_u16(), response.body.len()), (204, 0), "{path}");
            assert_eq!(response.header("Access-Control-Allow-Origin"), "*", "{path}");
            assert!(response.header("Access-Control-Allow-Methods").contains("PATCH"), "{path}");
            assert!(response.header("Access-Control-Allow-Headers").to_lowercase().contains("if-match"), "{path}");
            let patch = app.anonymous().send(Method::PATCH, path, None, &preflight[..1]).await;
            assert_eq!(patch.header("Access-Control-Allow-Origin"), "*", "{path}");
            patch.is_not_found();
        }
    }

    async fn a_preflight_allows_the_headers_that_programs_for_tracing_add(app: &App) {
        let asked = "authorization,baggage,cache-control,content-type,sentry-trace,traceparent,x-requested-with";
        let preflight = [
            ("Origin", "https://app.example.com"),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", asked),
        ];
        let paths = ["/team", "/project/x/upload/icon", "/auth/token", "/auth/register", "/account/x/db/notes",
            "/docs/json", "/.well-known/openid-configuration", "/nothing"];
        for path in paths {
            let response = app.anonymous().send(Method::OPTIONS, path, None, &preflight).await;
            let allowed = response.header("Access-Control-Allow-Headers").to_lowercase();
            let allowed: BTreeSet<&str> = allowed.split(", ").collect();
            assert_eq!(asked.split(',').find(|name| !allowed.contains(name)), None, "{path}: {allowed:?}");
            assert!(allowed.contains("dpop") && !allowed.contains("*"), "{path}: {allowed:?}");
            assert_eq!(response.header("Vary"), "Access-Control-Request-Headers", "{path}");
            // Cookies are ignored at the token endpoint, and sent by no script elsewhere.
            let with_cookies = if path == "/auth/token" { "true" } else { "" };
            assert_eq!(response.header("Access-Control-Allow-Credentials"), with_cookies, "{path}");
        }
    }

    async fn options_lists_exactly_the_methods_of_each_path(app: &App) {
        let document = app.anonymous().get("/docs/json").await.json();
        let id = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";
        for (path, item) in document["paths"].as_object().unwrap() {
            let documented = item.as_object().unwrap().keys().map(|method| method.to_uppercase());
            let mut expected: BTreeSet<String> = documented.chain(["OPTIONS".to_owned()]).collect();
            if expected.contains("GET") {
                expected.insert("HEAD".to_owned());
            }
            let segments = path.split('/').map(|segment| if segment.starts_with('{') { id } else { segment });
            let address = segments.collect::<Vec<_>>().join("/");
            let listed = |allow: &str| allow.split(", ").map(str::to_owned).collect::<BTreeSet<String>>();
            let options = app.anonymous().send(Method::OPTIONS, &address, None, &[]).await;
            assert_eq!((options.status.as_u16(), listed(options.header("Allow"))), (204, expected.clone()), "{path}");
            let other = app.anonymous().send(Method::TRACE, &address, None, &[]).await;
            assert_eq!((other.status.as_u16(), listed(other.header("Allow"))), (405, expected), "{path}");
        }
        for (page, methods) in [("/console/search", "GET, HEAD, OPTIONS"), ("/auth/sign-in", "GET, HEAD, POST, OPTIONS")] {
            let options = app.anonymous().send(Method::OPTIONS, page, None, &[]).await;
            assert_eq!((options.status.as_u16(), options.header("Allow")), (204, methods), "{page}");
            let other = app.anonymous().send(Method::DELETE, page, None, &[]).await;
            assert_eq!((other.status.as_u16(), other.header("Allow")), (405, methods), "{page}");
        }
    }

    async fn head_is_supported_wherever_get_is(app: &App) {
        let world = World::make(app, "acme").await;
        for path in ["/", "/team", "/project/", "/team/slug?slug=x", &world.item("first"), "/docs/json"] {
            let (head, get) = (world.owner.send(Method::HEAD, path, None, &[]).await, world.owner.get(path).await);
            assert_eq!(head.status, get.status, "{path}");
            assert!(head.body.is_empty());
            assert_eq!(head.header("ETag"), get.header("ETag"));
        }
    }

    async fn an_empty_body_is_accepted_where_no_body_is_expected(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/key/{}/regenerate", world.project, world.key_id);
        let empty = Some(("application/json", Vec::new()));
        world.owner.send_raw(Method::POST, &path, empty.clone(), &[]).await.ok();
        world.owner.send_raw(Method::DELETE, &world.item("first"), empty, &[]).await.ok();
    }

    async fn the_log_contains_each_request_and_no_secrets(app: &App) {
        let world = World::make(app, "acme").await;
        let id = [("X-Request-Id", "logged-request")];
        world.key.send(Method::GET, &world.item("first"), None, &id).await.ok();
        let log = app.complete_log().await;
        let line = log.lines().find(|line| line.contains("logged-request")).unwrap_or_else(|| panic!("{log}"));
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["status"], 200);
        assert_eq!(line["route"], "/project/{id}/user/{user_id}/db/{table_id}/{item_id}");
        assert!(line["caller"].as_str().unwrap().contains(&world.key_id), "{line}");
        assert!(line["duration_ms"].is_number(), "{line}");
        let secrets = [world.owner.credential.clone(), world.key.credential.clone()];
        for secret in secrets.into_iter().flatten().chain(["correct horse battery".to_owned()]) {
            assert!(!log.contains(&secret), "The log contains a secret.");
        }
    }
}
