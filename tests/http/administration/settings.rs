//! Project settings and public metadata (docs/contract.md#project-settings).

use serde_json::{Value, json};
use steward_tests::{World, on_both, on_both_in_full, on_sqlite};

/// The settings of a project that changed only these.
fn settings_with(redirect_uris: &Value, require_pkce: bool) -> Value {
    json!({"auth": {
        "redirect_uris": redirect_uris, "require_pkce": require_pkce, "legacy_scopes": false,
        "email_codes": true, "second_factor_from": null,
        "post_logout_redirect_uris": [], "backchannel_logout_uri": null,
        "accent_color": null, "background_color": null, "tos_uri": null, "policy_uri": null,
    }})
}

on_both_in_full! {
    async fn settings_are_merged_and_reset(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/settings", world.project);
        let defaults = settings_with(&json!([]), true);
        assert_eq!(world.owner.get(&path).await.ok()["data"], defaults);
        let uris = json!(["https://app.example/cb", "http://localhost/cb"]);
        let patch = json!({"auth": {"redirect_uris": uris}});
        let changed = world.key.patch(&path, patch).await.ok();
        assert_eq!(changed["data"], settings_with(&uris, true));
        world.owner.patch(&path, json!({"auth": {"require_pkce": false}})).await.ok();
        let settings = world.owner.get(&path).await.ok();
        assert_eq!(settings["data"], settings_with(&uris, false));
        world.owner.patch(&path, json!({"data": {"auth": {"require_pkce": true}}})).await.ok();
        let settings = world.owner.get(&path).await.ok();
        assert_eq!(settings["data"]["auth"]["require_pkce"], true, "A body wrapped in `data` must be accepted.");
        let reset = world.owner.delete(&format!("{path}?key=auth.redirect_uris&key=auth.require_pkce")).await.ok();
        assert_eq!(reset["data"], defaults);
        assert_eq!(world.owner.delete(&format!("{path}?key=auth")).await.ok()["data"], defaults);
        world.owner.delete(&path).await.refused(400, "invalid_request");
        world.owner.delete(&format!("{path}?key=name")).await.refused(400, "invalid_request");
        for invalid in ["http://app.example/cb", "https://*.app.example", "https://app.example/#x", "x"] {
            let patch = json!({"auth": {"redirect_uris": ["https://good.example/cb", invalid]}});
            let message = world.owner.patch(&path, patch).await.refused(400, "invalid_request");
            assert_eq!(message["errors"][0]["field"], "auth.redirect_uris[1]", "{invalid}");
        }
        let patch = json!({"auth": {"redirect_uris": ["x", "https://good.example/cb", "y"]}});
        let error = world.owner.patch(&path, patch).await.refused(400, "invalid_request");
        let fields: Vec<&Value> = error["errors"].as_array().unwrap().iter().map(|one| &one["field"]).collect();
        assert_eq!(fields, ["auth.redirect_uris[0]", "auth.redirect_uris[2]"]);
        for (misspelled, field) in [
            (json!({"auth": {"require_pkc": true}}), "auth.require_pkc"),
            (json!({"data": {"authh": {}}}), "authh"),
            (json!({"data": {"auth": {}}, "auth": {}}), "data"),
        ] {
            let error = world.owner.patch(&path, misspelled).await.refused(400, "unknown_field");
            assert_eq!(error["errors"][0]["field"], field);
        }
        assert_eq!(world.owner.get(&path).await.ok()["data"], defaults, "An invalid patch must change nothing.");
    }
}

on_sqlite! {
    async fn logout_addresses_are_set_validated_and_reset(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/settings", world.project);
        let patch = json!({"auth": {
            "post_logout_redirect_uris": ["https://app.example/out", "http://localhost/out"],
            "backchannel_logout_uri": "https://app.example/logout",
        }});
        let changed = world.owner.patch(&path, patch.clone()).await.ok();
        for name in ["post_logout_redirect_uris", "backchannel_logout_uri"] {
            assert_eq!(changed["data"]["auth"][name], patch["auth"][name]);
        }
        assert_eq!(world.owner.get(&path).await.ok(), changed);
        for (name, value, field) in [
            ("post_logout_redirect_uris", json!(["http://app.example/out"]), "auth.post_logout_redirect_uris[0]"),
            ("post_logout_redirect_uris", json!("https://app.example/out"), "auth.post_logout_redirect_uris"),
            ("backchannel_logout_uri", json!("http://app.example/logout"), "auth.backchannel_logout_uri"),
            ("backchannel_logout_uri", json!("https://127.0.0.1/logout"), "auth.backchannel_logout_uri"),
            ("backchannel_logout_uri", json!(["https://app.example/logout"]), "auth.backchannel_logout_uri"),
        ] {
            let error = world.owner.patch(&path, json!({"auth": {name: value}})).await.refused(400, "invalid_request");
            assert_eq!(error["errors"][0]["field"], field);
        }
        let reset = format!("{path}?key=auth.post_logout_redirect_uris&key=auth.backchannel_logout_uri");
        assert_eq!(world.owner.delete(&reset).await.ok()["data"], settings_with(&json!([]), true));
    }

    async fn a_projects_profile_did_and_metadata_are_public(app: &App) {
        let world = World::make(app, "acme").await;
        world.settings(&["https://app.example/cb"], true).await;
        let anon = app.anonymous();
        let profile = anon.get(&format!("/project/{}/profile", world.project)).await.ok();
        assert_eq!(profile["data"]["auth"], json!({"redirect_uris": ["https://app.example/cb"]}));
        let hex = world.project.replace('-', "");
        let host = app.base.trim_start_matches("http://").replace(':', "%3A");
        let document = anon.get(&format!("/projects/{hex}/did.json")).await.ok();
        assert_eq!(document["id"], json!(format!("did:web:{host}:projects:{hex}")));
        let metadata = document["service"][0]["serviceEndpoint"].as_str().unwrap();
        assert_eq!(document["service"][0]["type"], "BasicAppMetadata");
        let metadata = anon.get(metadata.strip_prefix(&app.base).unwrap()).await.ok();
        assert_eq!((&metadata["client_id"], &metadata["client_name"]), (&document["id"], &json!("acme")));
        assert_eq!(metadata["redirect_uris"], json!(["https://app.example/cb"]));
        assert_eq!(metadata["token_endpoint_auth_method"], "none");
        let account = world.owner.id.replace('-', "");
        let document = anon.get(&format!("/u/{account}/did.json")).await.ok();
        assert_eq!(document["id"], json!(format!("did:web:{host}:u:{account}")));
        for unknown in [format!("/projects/{}/did.json", world.project), format!("/u/{hex}/did.json"),
            "/projects/x/did.json".into(), format!("/project/{}/profile", world.owner.id)] {
            anon.get(&unknown).await.is_not_found();
        }
    }
}

// The database decides these races.
on_both! {
    async fn concurrent_changes_are_all_stored(app: &App) {
        let world = World::make(app, "acme").await;
        let path = format!("/project/{}/settings", world.project);
        let uris = json!({"auth": {"redirect_uris": ["https://app.example/cb"]}});
        let pkce = json!({"auth": {"require_pkce": false}});
        let (first, second) = tokio::join!(world.owner.patch(&path, uris), world.key.patch(&path, pkce));
        first.ok();
        second.ok();
        let settings = world.owner.get(&path).await.ok();
        assert_eq!(settings["data"], settings_with(&json!(["https://app.example/cb"]), false));
    }
}
