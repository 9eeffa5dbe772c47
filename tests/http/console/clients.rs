//! OAuth clients of a project in the console.

use serde_json::json;
use steward_tests::{App, Browser, World, on_sqlite};

use super::project::GIF;
use super::{copyable, links_to, project_of, signed_in};

fn clients_of(world: &World) -> String {
    format!("{}/clients", project_of(world))
}

/// Creates a confidential client that acts on its own behalf, and returns its ID and its secret.
async fn create(browser: &Browser, world: &World, roles: &str) -> (String, String) {
    let new = format!("{}/new", clients_of(world));
    let values = [("name", "Worker"), ("grant_types", "client_credentials"), ("roles", roles)];
    let created = browser.submit(&browser.open(&new).await, &new, &values).await;
    (copyable(&created, "client-id"), copyable(&created, "client-secret"))
}

/// Whether the client gets a token with this secret.
async fn gets_a_token(app: &App, id: &str, secret: &str) -> bool {
    let request = json!({"grant_type": "client_credentials", "client_id": id, "client_secret": secret});
    app.anonymous().post("/auth/token", request).await.status == 200
}

on_sqlite! {
    async fn a_confidential_client_is_created_once_and_its_secret_is_shown_once(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, clients) = (signed_in(app, "acme-owner").await, clients_of(&world));
        assert!(links_to(&browser.open(&format!("{}/sign-in", project_of(&world))).await, &clients));
        let empty = browser.open(&clients).await;
        assert!(empty.text().contains("No clients yet") && empty.text().contains(&world.project), "{empty}");
        let new = format!("{clients}/new");
        let form = browser.open(&new).await;
        let uris = "https://shop.example/callback\r\n\r\nhttps://www.shop.example/callback";
        let values = [("name", "Shop"), ("redirect_uris", uris), ("access_token_seconds", "900")];
        let created = browser.submit(&form, &new, &values).await;
        assert!(created.status == 200 && created.heading() == "The client was created", "{created}");
        let (id, secret) = (copyable(&created, "client-id"), copyable(&created, "client-secret"));
        assert!(secret.starts_with("stw_cs_"), "{created}");

        let again = browser.submit(&form, &new, &values).await;
        assert_eq!(copyable(&again, "client-secret"), secret, "A repeated submission gets the first response.");
        let (list, address) = (browser.open(&clients).await, format!("{clients}/{id}"));
        for text in ["Shop", id.as_str(), "Confidential", "authorization_code, refresh_token"] {
            assert!(list.text().contains(text), "{text}: {list}");
        }
        assert!(links_to(&list, &address) && list.html.matches("data-label=\"Client ID\"").count() == 1, "{list}");
        let shown = browser.open(&format!("{address}?value=shown")).await;
        assert!(shown.text().contains("cannot be shown again") && !shown.html.contains(&secret), "{shown}");
        for text in ["PKCE Optional", "People are asked", "Valid for 900 seconds", "Last used Never", "www.shop"] {
            assert!(shown.text().contains(text), "{text}: {shown}");
        }
    }

    async fn a_public_client_has_no_secret(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, clients) = (signed_in(app, "acme-owner").await, clients_of(&world));
        let new = format!("{clients}/new");
        let uris = "https://app.example/\r\n\r\nhttp://app.example/";
        let values = [("type", "public"), ("name", "App"), ("redirect_uris", uris), ("access_token_seconds", "1")];
        let refused = browser.submit(&browser.open(&new).await, &new, &values).await;
        for error in ["Line 3 (\"http://app.example/\") must be an https URL", "Access token seconds must be 60 to"] {
            assert!(refused.status == 400 && refused.text().contains(error), "{error}: {refused}");
        }
        let values = [("redirect_uris", ""), ("access_token_seconds", ""), ("grant_types", "client_credentials"),
            ("roles", "read")];
        let refused = browser.submit(&refused, &new, &values).await;
        assert!(refused.status == 400 && refused.text().contains("only for a confidential client"), "{refused}");
        let values = [("redirect_uris", "https://app.example/"), ("grant_types", "authorization_code"), ("roles", "")];
        let created = browser.submit(&refused, &new, &values).await;
        assert!(created.heading() == "App" && created.text().contains("The client was created."), "{created}");
        assert!(created.text().contains("Type Public") && !created.text().contains("Client secret"), "{created}");
        let rotate = format!("{}/rotate", created.url.path());
        let page = browser.open(&rotate).await;
        assert!(page.is_at(created.url.path()) && page.text().contains("The client has no secret."), "{page}");
    }

    async fn a_client_with_keys_has_no_secret(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, new) = (signed_in(app, "acme-owner").await, format!("{}/new", clients_of(&world)));
        let keys = r#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
        let private = keys.replace("\"x\"", "\"d\": \"AQAB\", \"x\"");
        let values = [("name", "Bank"), ("redirect_uris", "https://bank.example/"), ("jwks", private.as_str()),
            ("require_dpop", "yes"), ("require_pushed_requests", "yes")];
        let refused = browser.submit(&browser.open(&new).await, &new, &values).await;
        assert!(refused.status == 400 && refused.text().contains("must contain only public keys"), "{refused}");
        let created = browser.submit(&refused, &new, &[("jwks", keys)]).await;
        assert!(created.heading() == "Bank" && !created.text().contains("Client secret"), "{created}");
        for text in ["11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "DPoP Required", "Pushed requests Required"] {
            assert!(created.text().contains(text), "{text}: {created}");
        }
        let edit = format!("{}/edit", created.url.path());
        let changed = browser.submit(&browser.open(&edit).await, &edit, &[("name", "Shop")]).await;
        assert!(changed.heading() == "Shop" && changed.text().contains("DPoP Required"), "{changed}");
    }

    async fn a_client_is_edited_and_a_stale_form_keeps_what_was_entered(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, clients) = (signed_in(app, "acme-owner").await, clients_of(&world));
        let (id, secret) = create(&browser, &world, "read").await;
        let (client, edit) = (format!("{clients}/{id}"), format!("{clients}/{id}/edit"));
        let (first, second) = (browser.open(&edit).await, browser.open(&edit).await);
        assert!(first.form(&edit).fields.contains(&("roles".into(), "read".into())), "{first}");
        assert!(!first.html.contains("name=\"type\""), "The type of a client does not change: {first}");
        let values = [("name", "Shop"), ("grant_types", "authorization_code"), ("roles", ""), ("skip_consent", "yes"),
            ("redirect_uris", "https://shop.example/"), ("scope", "openid email"), ("sign_in_seconds", "3600")];
        let changed = browser.submit(&first, &edit, &values).await;
        assert!(changed.is_at(&client) && changed.heading() == "Shop", "{changed}");
        for text in ["The client was changed.", "Scope openid email", "Roles None", "asked only to continue", "3600 seconds"] {
            assert!(changed.text().contains(text), "{text}: {changed}");
        }
        assert!(!gets_a_token(app, &id, &secret).await);
        let stale = browser.submit(&second, &edit, &[("name", "Mine")]).await;
        assert!(stale.status == 412 && stale.html.contains("value=\"Mine\""), "{stale}");
        let changed = browser.submit(&stale, &edit, &[]).await;
        assert!(changed.is_at(&client) && changed.heading() == "Mine", "{changed}");
        assert!(changed.text().contains("Renewed for the default time of the service"), "{changed}");
    }

    async fn a_logo_is_uploaded_and_removed(app: &App) {
        let world = World::make(app, "acme").await;
        world.member(app, "vic", "viewer").await;
        let (browser, clients) = (signed_in(app, "acme-owner").await, clients_of(&world));
        let (id, _) = create(&browser, &world, "read").await;
        let (client, logo) = (format!("{clients}/{id}"), format!("{clients}/{id}/logo"));
        let page = browser.open(&client).await;
        assert!(links_to(&page, &logo) && page.text().contains("Logo None"), "{page}");
        let form = browser.open(&logo).await;
        assert!(form.text().contains("at most 2 MiB. Each side has 16 to 4096 pixels."), "{form}");
        let refused = browser.submit(&form, &logo, &[("file", "not an image")]).await;
        assert!(refused.status == 400 && refused.text().contains("is not a PNG, JPEG, WebP or GIF"), "{refused}");
        let large = "x".repeat(3 * 1024 * 1024);
        let refused = browser.submit(&refused, &logo, &[("file", &large)]).await;
        assert!(refused.status == 400 && refused.text().contains("The logo can be at most 2 MiB."), "{refused}");
        let done = browser.submit(&refused, &logo, &[("file", GIF)]).await;
        assert!(done.is_at(&logo) && done.text().contains("The logo was uploaded."), "{done}");

        let page = browser.open(&client).await;
        let source = page.html.split("<img src=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        assert!(source.starts_with(&format!("/images/{id}/")) && browser.open(&source).await.status == 200, "{source}");
        let remove = format!("{logo}/remove");
        let form = browser.open(&remove).await;
        let removed = browser.submit(&form, &remove, &[]).await;
        assert!(removed.is_at(&client) && removed.text().contains("The logo was removed."), "{removed}");
        assert!(!removed.html.contains("<img") && browser.open(&source).await.status == 404, "{removed}");
        assert_eq!(browser.open(&remove).await.status, 404, "There is nothing to remove.");

        let viewer = signed_in(app, "vic").await;
        assert!(!links_to(&viewer.open(&client).await, &logo));
        assert_eq!(viewer.open(&logo).await.status, 403);
    }

    async fn a_rotated_secret_shows_whether_its_previous_value_works(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let (id, old) = create(&browser, &world, "read").await;
        let client = format!("{}/{id}", clients_of(&world));
        let rotate = format!("{client}/rotate");
        assert!(browser.open(&client).await.text().contains("Only the current secret works."));
        let form = browser.open(&rotate).await;
        let rotated = browser.submit(&form, &rotate, &[("grace_seconds", "3600")]).await;
        assert!(rotated.text().contains("The previous secret works until"), "{rotated}");
        let new = copyable(&rotated, "client-secret");
        assert!(gets_a_token(app, &id, &old).await && gets_a_token(app, &id, &new).await);
        let shown = browser.open(&client).await;
        assert!(shown.text().contains("Previous secret works until") && !shown.html.contains(&new), "{shown}");
        let form = browser.open(&rotate).await;
        assert!(form.text().contains("The previous secret works until"), "{form}");
        browser.submit(&form, &rotate, &[("grace_seconds", "3600")]).await;
        let shown = browser.open(&client).await.text();
        assert!(shown.contains("Previous secret works until") && shown.contains("Earlier secret works until"), "{shown}");
        assert!(gets_a_token(app, &id, &old).await && gets_a_token(app, &id, &new).await);
        let form = browser.open(&rotate).await;
        let rotated = browser.submit(&form, &rotate, &[("grace_seconds", "0")]).await;
        assert!(rotated.text().contains("The previous secret no longer works."), "{rotated}");
        assert!(!gets_a_token(app, &id, &old).await && !gets_a_token(app, &id, &new).await);
    }

    async fn a_deleted_client_is_gone(app: &App) {
        let world = World::make(app, "acme").await;
        let (browser, clients) = (signed_in(app, "acme-owner").await, clients_of(&world));
        let (id, secret) = create(&browser, &world, "read").await;
        let delete = format!("{clients}/{id}/delete");
        let form = browser.open(&delete).await;
        assert!(form.text().contains("The tokens of the client stop working immediately."), "{form}");
        for _ in 0..2 {
            let deleted = browser.submit(&form, &delete, &[]).await;
            assert!(deleted.is_at(&clients) && deleted.text().contains("The client was deleted."), "{deleted}");
        }
        assert!(!gets_a_token(app, &id, &secret).await);
        assert_eq!(browser.open(&delete).await.status, 404);
    }

    async fn members_see_only_the_controls_that_they_may_use(app: &App) {
        let world = World::make(app, "acme").await;
        let clients = clients_of(&world);
        let (id, _) = create(&signed_in(app, "acme-owner").await, &world, "admin").await;
        let client = format!("{clients}/{id}");
        // A developer may change clients, but not receive the secret of one with more permissions.
        for (member, may_change) in [("developer", true), ("viewer", false)] {
            world.member(app, member, member).await;
            let browser = signed_in(app, member).await;
            assert_eq!(links_to(&browser.open(&clients).await, &format!("{clients}/new")), may_change, "{member}");
            let page = browser.open(&client).await;
            for (action, is_shown) in [("edit", may_change), ("delete", may_change), ("rotate", false)] {
                let address = format!("{client}/{action}");
                assert_eq!(links_to(&page, &address), is_shown, "{member}: {page}");
                let status = if is_shown { 200 } else { 403 };
                assert_eq!(browser.open(&address).await.status, status, "{member} at {address}");
            }
        }
    }
}
