//! Logos of OAuth clients: upload, download and deletion, and the pages that show them.

use serde_json::{Value, json};
use steward_tests::{Actor, Answer, App, Browser, Client, Page, World, on_both_in_full, on_sqlite};

use crate::administration::images::{JPEG, PNG, form, padded, path_of, upload};

const WEB: &str = "https://shop.example/callback";

/// Registers a public client. Returns its path in the API, and its ID.
async fn register(world: &World) -> (String, String) {
    let clients = format!("/project/{}/client", world.project);
    let new = json!({"name": "Web shop", "type": "public", "redirect_uris": [WEB]});
    let id = world.owner.post(&clients, new).await.created().id();
    (format!("{clients}/{id}"), id)
}

async fn upload_logo(actor: &Actor, client: &str, bytes: &[u8]) -> Answer {
    upload(actor, &format!("{client}/logo"), bytes).await
}

async fn image(app: &App, url: &Value) -> Answer {
    app.anonymous().get(path_of(app, url)).await
}

fn stored(app: &App) -> usize {
    std::fs::read_dir(app.directory().join("blobs")).map(Iterator::count).unwrap_or_default()
}

on_both_in_full! {
    async fn a_logo_is_deleted_with_its_client_and_its_project(app: &App) {
        let world = World::make(app, "acme").await;
        let ((deleted, _), (kept, _)) = (register(&world).await, register(&world).await);
        let first = upload_logo(&world.owner, &deleted, PNG).await.ok()["data"]["logo_url"].clone();
        let second = upload_logo(&world.owner, &kept, PNG).await.ok()["data"]["logo_url"].clone();
        world.owner.delete(&deleted).await.ok();
        image(app, &first).await.is_not_found();
        assert_eq!((image(app, &second).await.status.as_u16(), stored(app)), (200, 1));
        world.owner.delete(&format!("/project/{}", world.project)).await.ok();
        image(app, &second).await.is_not_found();
        assert_eq!(stored(app), 0);
    }
}

on_sqlite! {
    async fn a_client_has_a_logo_that_anyone_can_read(app: &App) {
        let world = World::make(app, "acme").await;
        let (client, id) = register(&world).await;
        assert_eq!(world.owner.get(&client).await.ok()["data"]["logo_url"], Value::Null);
        let first = upload_logo(&world.owner, &client, PNG).await;
        let shown = world.owner.get(&client).await;
        assert_eq!((first.header("ETag"), &first.body), (shown.header("ETag"), &shown.body));
        let first = first.ok()["data"]["logo_url"].clone();
        assert!(path_of(app, &first).starts_with(&format!("/images/{id}/")), "{first}");
        let answer = image(app, &first).await;
        assert_eq!((answer.status.as_u16(), &answer.body[..]), (200, PNG));
        assert_eq!(answer.header("Content-Type"), "image/png");
        assert_eq!(answer.header("Content-Disposition"), "inline; filename=\"logo.png\"");
        assert_eq!(answer.header("Content-Security-Policy"), "default-src 'none'; sandbox");
        for other in [path_of(app, &first).replace(&id, &world.project), format!("/images/{id}/icon.png")] {
            app.anonymous().get(&other).await.is_not_found();
        }

        // A URL that the client sends back changes nothing, and other changes keep the logo.
        let renamed = world.owner.patch(&client, json!({"name": "Shop", "logo_url": null})).await.ok();
        assert_eq!(renamed["data"]["logo_url"], first);
        let second = upload_logo(&world.owner, &client, JPEG).await.ok()["data"]["logo_url"].clone();
        image(app, &first).await.is_not_found();
        assert_eq!((image(app, &second).await.body, stored(app)), (JPEG.to_vec(), 1));
        let listed = world.owner.get(&format!("/project/{}/client", world.project)).await.ok();
        assert_eq!(listed["data"][0]["logo_url"], second);

        let logo = format!("{client}/logo");
        world.owner.delete(&logo).await.ok();
        image(app, &second).await.is_not_found();
        assert_eq!((world.owner.get(&client).await.ok()["data"]["logo_url"].clone(), stored(app)), (Value::Null, 0));
        world.owner.delete(&logo).await.is_not_found();
        let changes = format!("/project/{}/audit?action=client.updated", world.project);
        let changes = world.owner.get(&changes).await.ok();
        let replaced = &changes["data"][1];
        assert_eq!(replaced["before"]["logo"], first.as_str().unwrap().split('/').next_back().unwrap().replace(".png", ""));
    }

    async fn only_those_who_may_change_a_client_change_its_logo(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let ((client, id), viewer) = (register(&world).await, world.member(app, "vic", "viewer").await);
        upload_logo(&world.owner, &client, PNG).await.ok();
        let logo = format!("{client}/logo");
        for body in [form(&[]), vec![b'x'; 100_000]] {
            let send = async |actor: &Actor, path: &str| {
                let body = Some(("multipart/form-data; boundary=cut", body.clone()));
                actor.send_raw(reqwest::Method::POST, path, body, &[]).await
            };
            send(&app.anonymous(), &logo).await.refused(401, "unauthorized");
            send(&viewer, &logo).await.is_forbidden();
            send(&world.key, &logo).await.is_forbidden();
            send(&other.owner, &logo).await.is_not_found();
            // A client is not found in another project, either.
            send(&other.owner, &format!("/project/{}/client/{id}/logo", other.project)).await.is_not_found();
        }
        viewer.delete(&logo).await.is_forbidden();
        other.owner.delete(&format!("/project/{}/client/{id}/logo", other.project)).await.is_not_found();
        assert!(world.owner.get(&client).await.ok()["data"]["logo_url"].is_string());
    }

    async fn a_logo_has_the_formats_and_the_limits_of_an_icon(app: &App) {
        const MIB: usize = 1024 * 1024;
        let world = World::make(app, "acme").await;
        let (client, _) = register(&world).await;
        upload_logo(&world.owner, &client, b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>").await.refused(415, "unsupported_image");
        upload_logo(&world.owner, &client, &PNG[..PNG.len() - 1]).await.refused(400, "invalid_image");
        let refused = upload_logo(&world.owner, &client, &padded(3 * MIB)).await.refused(413, "image_too_large");
        assert!(refused["message"].as_str().unwrap().starts_with("The logo can be at most 2 MiB."), "{refused:?}");
        assert_eq!(stored(app), 0);
        upload_logo(&world.owner, &client, &padded(2 * MIB - 300)).await.ok();

        // A stale deletion and a repeated upload.
        let shown = world.owner.get(&client).await;
        world.owner.patch(&client, json!({"name": "Renamed"})).await.ok();
        let stale = [("If-Match", shown.header("ETag"))];
        let logo = format!("{client}/logo");
        world.owner.send(reqwest::Method::DELETE, &logo, None, &stale).await.refused(412, "precondition_failed");
        let again = async || {
            let body = form(&[crate::administration::images::field("file", "a.png", "image/png", &padded(2 * MIB - 300))]);
            let body = Some(("multipart/form-data; boundary=cut", body));
            world.owner.send_raw(reqwest::Method::POST, &logo, body, &[("Idempotency-Key", "one")]).await
        };
        let (first, second) = (again().await, again().await);
        assert_eq!((first.status.as_u16(), &first.body), (200, &second.body));
    }

    async fn pages_of_a_sign_in_show_the_logo_in_place_of_the_icon(app: &App) {
        let world = World::make(app, "acme").await;
        app.person("ann").await;
        let (client, id) = register(&world).await;
        let uploaded = upload(&world.owner, &format!("/project/{}/upload/icon", world.project), PNG).await.ok();
        let icon = path_of(app, &uploaded["icon_url"]).to_owned();
        let mut oauth = Client::new(app, &id);
        oauth.redirect_uri = WEB.to_owned();
        let (stranger, ann) = (Browser::new(app), Browser::signed_in(app, "ann").await);
        let pages = async || -> [Page; 2] {
            [stranger.open(&oauth.authorize(&[])).await, ann.open(&oauth.authorize(&[("prompt", "consent")])).await]
        };
        let shows = |page: &Page, path: &str| page.html.contains(&format!("src=\"{path}\""));
        for page in pages().await {
            assert!(shows(&page, &icon), "{page}");
        }
        let logo_url = upload_logo(&world.owner, &client, PNG).await.ok()["data"]["logo_url"].clone();
        let logo = path_of(app, &logo_url);
        let [sign_in, consent] = pages().await;
        assert!(consent.text().contains("Web shop wants to use your account"), "{consent}");
        for page in [sign_in, consent] {
            assert!(shows(&page, logo) && !shows(&page, &icon), "{page}");
            let policy = page.headers["content-security-policy"].to_str().unwrap();
            assert!(policy.contains("img-src 'self';"), "{policy}");
        }
        app.execute_sql(&format!("UPDATE project_clients SET registered_itself = true WHERE id = '{id}'"));
        assert_eq!(world.owner.get(&client).await.ok()["data"]["logo_url"], logo_url);
        for page in pages().await {
            assert!(!page.html.contains("<img"), "A client that registered itself must not look trusted: {page}");
        }
    }
}
