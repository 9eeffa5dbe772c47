//! Registering, changing and deleting clients, and rotating their secrets.

use reqwest::Method;
use serde_json::{Value, json};
use steward_crypto::Vault;
use steward_domain::kernel::TokenVault as _;
use steward_tests::{Actor, Answer, App, Backend, World, eventually, on_both_in_full, on_sqlite};

use super::{Named, WEB, bearer, clients, is_not_authenticated, machine, own_token, register, rotate};

/// Each request about one client.
async fn each_request(caller: &Actor, client: &str) -> Vec<Answer> {
    vec![
        caller.get(client).await,
        caller.patch(client, json!({"name": "Theirs"})).await,
        caller.post(&format!("{client}/rotate-secret"), json!({})).await,
        caller.delete(client).await,
    ]
}

/// A client that acts on its own behalf with these roles.
fn new_machine(roles: &str) -> Value {
    json!({"name": "Worker", "type": "confidential", "grant_types": ["client_credentials"], "roles": roles})
}

/// The field of the first violation in an error.
#[track_caller]
fn invalid_field(answer: Answer) -> String {
    let error = answer.refused(400, "invalid_request");
    error["errors"][0]["field"].as_str().unwrap_or_default().to_owned()
}

on_both_in_full! {
    async fn a_client_is_registered_read_changed_and_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        let (owner, path) = (&world.owner, clients(&world));
        let new = json!({"name": " Web shop ", "type": "confidential", "redirect_uris": [WEB, WEB]});
        let response = owner.post(&path, new).await;
        assert_eq!(response.header("Cache-Control"), "no-store");
        let created = response.created();
        let (id, mut shown) = (created.id(), created["data"].clone());
        let secret = shown.as_object_mut().unwrap().remove("client_secret").unwrap();
        let secret = secret.as_str().unwrap();
        assert!(secret.starts_with("stw_cs_") && secret.len() == 50, "{} characters", secret.len());
        let of_app = "app:db:read app:db:write app:profile:read app:profile:write app:admin";
        let scope = format!("openid profile email offline_access {of_app}");
        let expected = json!({
            "id": id, "type": "confidential", "name": "Web shop", "redirect_uris": [WEB], "scope": scope, "roles": null,
            "grant_types": ["authorization_code", "refresh_token"], "require_pkce": false, "skip_consent": false,
            "jwks": null, "require_dpop": false, "require_pushed_requests": false, "logo_url": null,
            "access_token_seconds": null, "sign_in_seconds": null, "created_at": shown["created_at"], "registered_itself": false,
            "secret": {"hint": format!("stw_cs_...{}", &secret[46..]), "last_used": null, "current_last_used": null},
        });
        assert_eq!(shown, expected);
        let one = format!("{path}/{id}");
        assert_eq!(owner.get(&one).await.ok()["data"], expected);
        let public = json!({"name": "App", "type": "public", "redirect_uris": [WEB]});
        let public = owner.post(&path, public).await.created()["data"].clone();
        assert_eq!((&public["secret"], public.get("client_secret")), (&Value::Null, None));
        assert_eq!(public["require_pkce"], json!(true));
        assert_eq!(owner.get(&path).await.ok()["data"], json!([expected, public]));

        let response = owner.get(&one).await;
        let etag = response.header("ETag").to_owned();
        let unchanged = owner.patch(&one, response.ok()["data"].clone()).await.ok();
        assert_eq!(unchanged["data"], expected, "A response can be sent back.");
        let changes = json!({
            "name": "Shop", "type": "public", "redirect_uris": ["https://shop.example/other"], "scope": "email openid",
            "grant_types": ["client_credentials", "authorization_code"], "roles": "db:read, read", "require_pkce": true,
            "skip_consent": true, "access_token_seconds": 60, "sign_in_seconds": 31_536_000,
            "require_dpop": true, "require_pushed_requests": true,
        });
        let stale = owner.send(Method::PATCH, &one, Some(changes.clone()), &[("If-Match", &etag)]).await;
        stale.refused(412, "precondition_failed");
        let changed = owner.patch(&one, changes).await.ok();
        let expected = json!({
            "id": id, "type": "confidential", "name": "Shop", "redirect_uris": ["https://shop.example/other"],
            "grant_types": ["authorization_code", "client_credentials"], "roles": "read,db:read",
            "scope": "openid email", "require_pkce": true, "skip_consent": true, "access_token_seconds": 60,
            "sign_in_seconds": 31_536_000, "registered_itself": false, "secret": expected["secret"],
            "jwks": null, "require_dpop": true, "require_pushed_requests": true, "logo_url": null,
            "created_at": expected["created_at"],
        });
        assert_eq!(changed["data"], expected, "The type and the secret do not change.");

        owner.send(Method::DELETE, &one, None, &[("If-Match", &etag)]).await.refused(412, "precondition_failed");
        owner.delete(&one).await.ok();
        for answer in each_request(owner, &one).await {
            answer.is_not_found();
        }
        assert_eq!(owner.get(&path).await.ok()["data"], json!([public]));
    }
}

on_sqlite! {
    async fn an_invalid_client_is_refused_with_the_name_of_the_field(app: &App) {
        let world = World::make(app, "acme").await;
        let (owner, path) = (&world.owner, clients(&world));
        let many: Vec<String> = (0..51).map(|number| format!("https://shop.example/{number}")).collect();
        let machine_type = ["client_credentials"];
        let cases = [
            (json!({"name": ""}), "name"),
            (json!({"name": "x".repeat(101)}), "name"),
            (json!({"type": "secret"}), "type"),
            (json!({"redirect_uris": []}), "redirect_uris"),
            (json!({"redirect_uris": many}), "redirect_uris"),
            (json!({"redirect_uris": [WEB, "http://shop.example/"]}), "redirect_uris[1]"),
            (json!({"redirect_uris": ["https://*.shop.example/"]}), "redirect_uris[0]"),
            (json!({"grant_types": []}), "grant_types"),
            (json!({"grant_types": ["implicit"]}), "grant_types"),
            (json!({"grant_types": ["password", "authorization_code"]}), "grant_types"),
            (json!({"grant_types": ["refresh_token"]}), "grant_types"),
            (json!({"scope": ""}), "scope"),
            (json!({"scope": "openid admin"}), "scope"),
            (json!({"scope": "openid unknown"}), "scope"),
            (json!({"roles": "read"}), "roles"),
            (json!({"grant_types": machine_type}), "roles"),
            (json!({"grant_types": machine_type, "roles": "owner"}), "roles"),
            (json!({"grant_types": machine_type, "roles": "key:write"}), "roles"),
            (json!({"type": "public", "grant_types": machine_type, "roles": "read"}), "grant_types"),
            (json!({"type": "public", "require_pkce": false}), "require_pkce"),
            (json!({"access_token_seconds": 59}), "access_token_seconds"),
            (json!({"access_token_seconds": 86_401}), "access_token_seconds"),
            (json!({"access_token_seconds": -1}), "access_token_seconds"),
            (json!({"sign_in_seconds": 299}), "sign_in_seconds"),
            (json!({"sign_in_seconds": 31_536_001}), "sign_in_seconds"),
            (json!({"skip_consent": "yes"}), "skip_consent"),
        ];
        for (settings, field) in cases {
            let mut new = json!({"name": "Web shop", "type": "confidential", "redirect_uris": [WEB]});
            new.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
            assert_eq!(invalid_field(owner.post(&path, new).await), field, "{settings}");
        }
        let incomplete = json!({"redirect_uris": [WEB], "scope": "admin"});
        let error = owner.post(&path, incomplete).await.refused(400, "invalid_request");
        let fields: Vec<&Value> = error["errors"].as_array().unwrap().iter().map(|one| &one["field"]).collect();
        assert!(["name", "type", "scope"].iter().all(|field| fields.contains(&&json!(field))), "{error:?}");
        let mut chosen = new_machine("read");
        chosen["client_secret"] = json!("of my choice");
        owner.post(&path, chosen).await.refused(400, "unknown_field");
        assert_eq!(owner.get(&path).await.ok()["data"], json!([]), "Nothing was registered.");

        let worker = machine(app, &world, "read").await;
        let public = register(app, &world, json!({"type": "public"})).await;
        for (client, changes, field) in [
            (&worker, json!({}), "name"),
            (&worker, json!({"roles": ""}), "roles"),
            (&worker, json!({"grant_types": ["client_credentials", "authorization_code"]}), "redirect_uris"),
            (&public, json!({"redirect_uris": []}), "redirect_uris"),
            (&public, json!({"require_pkce": false}), "require_pkce"),
            (&public, json!({"roles": "read"}), "roles"),
            (&public, json!({"grant_types": machine_type, "roles": "read"}), "grant_types"),
        ] {
            assert_eq!(invalid_field(owner.patch(&client.path, changes.clone()).await), field, "{changes}");
        }
        own_token(app, "", worker.basic()).await.ok();
    }

    async fn a_client_is_managed_only_in_its_own_project_and_with_both_permissions(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let (shop, path) = (register(app, &world, json!({})).await, clients(&world));
        let foreign = format!("{}/{}", clients(&other), shop.id());
        for (caller, client) in [
            (&other.owner, &foreign),
            (&other.owner, &shop.path),
            (&world.visitor, &shop.path),
            (&world.owner, &format!("{path}/{}", world.user)),
            (&world.owner, &format!("{path}/x")),
            (&world.owner, &format!("{path}/{}", world.project)),
        ] {
            for answer in each_request(caller, client).await {
                answer.is_not_found();
            }
        }
        other.owner.get(&path).await.is_not_found();
        app.anonymous().get(&path).await.refused(401, "unauthorized");
        let public = || json!({"name": "App", "type": "public", "redirect_uris": [WEB]});
        let members = [("vic", "viewer"), ("pia", "viewer,project:write"), ("kim", "viewer,key:write")];
        for (name, roles) in members {
            let member = world.member(app, name, roles).await;
            assert_eq!(member.get(&path).await.ok()["data"][0]["id"], json!(shop.id()));
            member.get(&shop.path).await.ok();
            member.post(&path, public()).await.is_forbidden();
            for answer in each_request(&member, &shop.path).await.into_iter().skip(1) {
                answer.is_forbidden();
            }
        }
        for answer in each_request(&world.key, &shop.path).await {
            answer.is_forbidden();
        }
        let both = world.member(app, "both", "project:write,key:write").await;
        both.post(&path, public()).await.created();
        for answer in each_request(&both, &shop.path).await {
            answer.ok();
        }
    }

    async fn nobody_gives_a_client_or_gets_from_it_more_permissions_than_they_have(app: &App) {
        let world = World::make(app, "acme").await;
        let (dev, path) = (world.member(app, "dev", "developer").await, clients(&world));
        let strong = machine(app, &world, "admin").await;
        for roles in ["admin", "audit:read", "read,audit:read"] {
            dev.post(&path, new_machine(roles)).await.is_forbidden();
        }
        let weak = dev.post(&path, new_machine("read,write")).await.created().id();
        let weak = format!("{path}/{weak}");
        for changes in [json!({"roles": "admin"}), json!({"roles": "read,audit:read"})] {
            dev.patch(&weak, changes).await.is_forbidden();
        }
        dev.patch(&weak, json!({"roles": "read"})).await.ok();
        // Its secret would give them the permissions of the client.
        dev.post(&format!("{}/rotate-secret", strong.path), json!({})).await.is_forbidden();
        dev.patch(&strong.path, json!({"access_token_seconds": 86_400})).await.is_forbidden();
        dev.patch(&strong.path, json!({"roles": "read"})).await.ok();
        own_token(app, "audit:read", strong.basic()).await.refused(400, "invalid_scope");
    }

    async fn a_rotated_secret_works_for_its_grace_period_and_no_longer(app: &App) {
        let world = World::make(app, "acme").await;
        let worker = machine(app, &world, "read").await;
        let (id, path) = (worker.id(), format!("{}/rotate-secret", worker.path));
        let works = async |secret: &str| {
            let answer = own_token(app, "", Named::Basic(id, secret)).await;
            let is_accepted = answer.status == 200;
            if !is_accepted {
                is_not_authenticated(answer, Named::Basic(id, secret));
            }
            is_accepted
        };
        let first = worker.secret.as_str();
        let second = rotate(&world, &worker, 86_400).await;
        assert!(works(first).await && works(&second).await);
        let shown = eventually(async || {
            let secret = world.owner.get(&worker.path).await.ok()["data"]["secret"].clone();
            (secret["last_used"].is_string() && secret["previous"]["last_used"].is_string()).then_some(secret)
        })
        .await;
        assert!(shown["previous"]["expires_at"].is_string(), "{shown}");
        assert_eq!(shown["hint"], json!(format!("stw_cs_...{}", &second[46..])));

        let third = rotate(&world, &worker, 60).await;
        assert!(works(first).await && works(&second).await && works(&third).await);
        let promised = &shown["previous"]["expires_at"];
        let shown = async || world.owner.get(&worker.path).await.ok()["data"]["secret"].clone();
        assert_eq!(shown().await["earlier"]["expires_at"], *promised, "Another rotation keeps what the first one promised.");
        app.execute_sql("UPDATE project_clients SET previous_expires_at = '2020-01-01T00:00:00.000000Z'");
        assert!(works(first).await && !works(&second).await && works(&third).await);
        let left = shown().await;
        assert_eq!((&left["previous"]["expires_at"], left.get("earlier")), (promised, None), "{left}");

        let program = bearer(app, &own_token(app, "", Named::Basic(id, &third)).await.ok());
        for invalid in [json!(86_401), json!(-1), json!("60"), json!(1.5)] {
            let refused = world.owner.post(&path, json!({"grace_seconds": invalid})).await;
            assert_eq!(invalid_field(refused), "grace_seconds", "{invalid}");
        }
        assert!(works(&third).await);
        let response = world.owner.send(Method::POST, &path, None, &[]).await;
        assert_eq!(response.header("Cache-Control"), "no-store");
        let rotated = response.ok();
        let fourth = rotated["data"]["client_secret"].as_str().unwrap();
        for replaced in [first, &second, &third] {
            assert!(!works(replaced).await);
        }
        assert!(works(fourth).await && rotated["data"]["secret"].get("previous").is_none());
        program.get(&world.item("first")).await.ok();
        let public = register(app, &world, json!({"type": "public"})).await;
        let refused = world.owner.post(&format!("{}/rotate-secret", public.path), json!({})).await;
        assert_eq!(invalid_field(refused), "client_id");
    }

    async fn a_repeated_request_gets_the_same_secret(app: &App) {
        let world = World::make(app, "acme").await;
        let worker = machine(app, &world, "read").await;
        let rotate = format!("{}/rotate-secret", worker.path);
        for (key, path, body) in [("create", clients(&world), Some(new_machine("read"))), ("rotate", rotate, None)] {
            let send = async || {
                world.owner.send(Method::POST, &path, body.clone(), &[("Idempotency-Key", key)]).await
            };
            let (first, again) = (send().await, send().await);
            assert!(first.status.is_success(), "{}", first.status);
            assert_eq!((again.status, again.header("Idempotency-Replayed")), (first.status, "true"));
            assert!(first.json()["data"]["client_secret"].is_string() && first.body == again.body, "{path}");
        }
        assert_eq!(world.owner.get(&clients(&world)).await.ok()["data"].as_array().unwrap().len(), 2);
    }

    async fn a_repeated_request_returns_no_secret_with_more_permissions_than_the_member_has_now(app: &App) {
        let world = World::make(app, "acme").await;
        let worker = machine(app, &world, "admin").await;
        let adam = world.member(app, "adam", "admin").await;
        let requests = [
            ("create", clients(&world), Some(new_machine("admin"))),
            ("rotate", format!("{}/rotate-secret", worker.path), None),
        ];
        let send = async |(key, path, body): &(&str, String, Option<Value>)| {
            adam.send(Method::POST, path, body.clone(), &[("Idempotency-Key", *key)]).await
        };
        for request in &requests {
            assert!(send(request).await.status.is_success());
        }
        let member = format!("/team/{}/member/{}", world.team, adam.id);
        world.owner.patch(&member, json!({"roles": "developer"})).await.ok();
        for request in &requests {
            send(request).await.is_forbidden();
        }
    }

    async fn changes_of_clients_are_recorded_without_secrets(app: &App) {
        let world = World::make(app, "acme").await;
        let shop = register(app, &world, json!({})).await;
        world.owner.patch(&shop.path, json!({"name": "Shop"})).await.ok();
        let secrets = [shop.secret.clone(), rotate(&world, &shop, 3_600).await, rotate(&world, &shop, 0).await];
        world.owner.delete(&shop.path).await.ok();
        let log = world.owner.get(&format!("/project/{}/audit?target={}", world.project, shop.id())).await.ok();
        let events = log["data"].as_array().unwrap();
        let operations: Vec<&Value> = events.iter().map(|event| &event["operation"]).collect();
        let rotated = "rotateClientSecret";
        assert_eq!(operations, ["deleteClient", rotated, rotated, "updateClient", "createClient"]);
        let actions: Vec<&Value> = events.iter().map(|event| &event["action"]).collect();
        let updated = "client.updated";
        assert_eq!(actions, ["client.deleted", updated, updated, updated, "client.created"]);
        for event in events {
            assert_eq!(event["target"], json!({"type": "client", "id": shop.id()}));
            assert_eq!(event["actor"]["id"], json!(world.owner.id));
        }
        assert_eq!((&events[3]["before"]["name"], &events[3]["after"]["name"]), (&json!("Web shop"), &json!("Shop")));
        let text = log.0.to_string();
        for secret in &secrets {
            let digest = Vault.sha256(secret);
            assert!(!text.contains(&secret[7..]) && !text.contains(&digest), "{text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_number_of_clients_is_limited() {
    let app = App::start_with(Backend::Sqlite, &[("STEWARD_MAX_CLIENTS_PER_PROJECT", "2")]).await;
    let (world, other) = (World::make(&app, "acme").await, World::make(&app, "other").await);
    let (first, _) = (register(&app, &world, json!({})).await, register(&app, &world, json!({})).await);
    let new = json!({"name": "App", "type": "public", "redirect_uris": [WEB]});
    let refused = world.owner.post(&clients(&world), new.clone()).await.refused(409, "quota_exceeded");
    let expected = (&json!("clients_per_project"), &json!(2), &json!("STEWARD_MAX_CLIENTS_PER_PROJECT"));
    assert_eq!((&refused["quota"], &refused["limit"], &refused["setting"]), expected);
    other.owner.post(&clients(&other), new.clone()).await.created();
    world.owner.delete(&first.path).await.ok();
    world.owner.post(&clients(&world), new).await.created();
}
