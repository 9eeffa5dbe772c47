//! Project images: upload, download and deletion.

use reqwest::Method;
use serde_json::{Value, json};
use steward_tests::{Actor, Answer, App, Backend, Browser, Bucket, Client, Page, World, on_sqlite};

pub const PNG: &[u8] = include_bytes!("../../images/small.png");
pub const JPEG: &[u8] = include_bytes!("../../images/small.jpg");
const WEBP: &[u8] = include_bytes!("../../images/small.webp");
const GIF: &[u8] = include_bytes!("../../images/small.gif");

const FORM: &str = "multipart/form-data; boundary=cut";

/// A file field of a multipart form, encoded as by browsers.
pub fn field(name: &str, file_name: &str, media_type: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!(
        "--cut\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\nContent-Type: {media_type}\r\n\r\n"
    );
    [head.as_bytes(), bytes, b"\r\n"].concat()
}

/// A complete multipart form.
pub fn form(fields: &[Vec<u8>]) -> Vec<u8> {
    [fields.concat(), b"--cut--\r\n".to_vec()].concat()
}

fn icon(world: &World) -> String {
    format!("/project/{}/upload/icon", world.project)
}

fn background(world: &World) -> String {
    format!("/project/{}/upload/background", world.project)
}

async fn send(actor: &Actor, path: &str, body: Vec<u8>) -> Answer {
    actor.send_raw(Method::POST, path, Some((FORM, body)), &[]).await
}

pub async fn upload(actor: &Actor, path: &str, bytes: &[u8]) -> Answer {
    send(actor, path, form(&[field("file", "image.bin", "application/octet-stream", bytes)])).await
}

/// Returns the path of a URL of the service.
pub fn path_of<'a>(app: &App, address: &'a Value) -> &'a str {
    address.as_str().unwrap().strip_prefix(&app.base).unwrap_or_else(|| panic!("{address} is not a URL of the service"))
}

/// A PNG image whose header declares these dimensions.
fn sized(width: u32, height: u32) -> Vec<u8> {
    [&PNG[..16], &width.to_be_bytes(), &height.to_be_bytes(), &PNG[24..]].concat()
}

/// A PNG image with an additional ancillary chunk of this size, which browsers ignore.
pub fn padded(bytes: usize) -> Vec<u8> {
    let length = u32::try_from(bytes).unwrap().to_be_bytes();
    [&PNG[..33], &length, b"stWd", &vec![0; bytes], &[0; 4], &PNG[33..]].concat()
}

on_sqlite! {
    async fn each_format_is_detected_by_its_content_and_served_with_its_media_type(app: &App) {
        let world = World::make(app, "acme").await;
        for (bytes, media_type, name) in [
            (PNG, "image/png", "icon.png"),
            (JPEG, "image/jpeg", "icon.jpg"),
            (WEBP, "image/webp", "icon.webp"),
            (GIF, "image/gif", "icon.gif"),
        ] {
            // The file name and media type of the sender are ignored.
            let mislabeled = form(&[field("file", "page.html", "text/html", bytes)]);
            let uploaded = send(&world.owner, &icon(&world), mislabeled).await.ok();
            assert_eq!(uploaded["success"], true);
            let shown = app.anonymous().get(path_of(app, &uploaded["icon_url"])).await;
            assert_eq!(shown.status.as_u16(), 200);
            assert!(shown.body == bytes);
            assert_eq!(shown.header("Content-Type"), media_type);
            assert_eq!(shown.header("Content-Disposition"), format!("inline; filename=\"{name}\""));
            let listed = world.key.get(&format!("/project/{}/upload", world.project)).await.ok();
            let listed = &listed["images"]["icon"];
            assert_eq!((&listed["contentType"], &listed["size"]), (&json!(media_type), &json!(bytes.len())));
            assert_eq!(listed["icon_url"], uploaded["icon_url"]);
            assert!(listed["lastModified"].as_str().unwrap().ends_with('Z'));
        }
    }

    async fn images_are_immutable_and_cannot_run_scripts(app: &App) {
        let world = World::make(app, "acme").await;
        let uploaded = upload(&world.owner, &icon(&world), PNG).await.ok();
        let path = path_of(app, &uploaded["icon_url"]);
        let get = app.anonymous().get(path).await;
        let head = app.anonymous().send(Method::HEAD, path, None, &[]).await;
        assert!(head.body.is_empty());
        for response in [&get, &head] {
            for (name, value) in [
                ("Cache-Control", "public, max-age=31536000, immutable"),
                ("X-Content-Type-Options", "nosniff"),
                ("Content-Security-Policy", "default-src 'none'; sandbox"),
                ("Cross-Origin-Resource-Policy", "cross-origin"),
                ("Access-Control-Allow-Origin", "*"),
                ("Content-Length", &PNG.len().to_string()),
            ] {
                assert_eq!(response.header(name), value, "{name}");
            }
            assert!(response.header("Access-Control-Expose-Headers").contains("ETag"));
        }
        let tag = get.header("ETag");
        assert!(tag.starts_with('"') && path.contains(tag.trim_matches('"')), "{tag}");
        for known in [tag, "*", &format!("\"x\", W/{tag}")] {
            let again = app.anonymous().send(Method::GET, path, None, &[("If-None-Match", known)]).await;
            assert_eq!((again.status.as_u16(), again.header("ETag"), again.body.len()), (304, tag, 0), "{known}");
        }
        assert_eq!(app.anonymous().send(Method::GET, path, None, &[("If-None-Match", "\"x\"")]).await.status.as_u16(), 200);
    }

    async fn incomplete_images_and_other_content_are_refused(app: &App) {
        let world = World::make(app, "acme").await;
        let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>".to_vec();
        let page = [b"<html><script>alert(1)</script>", PNG].concat();
        for unknown in [svg, page, b"%PDF-1.7".to_vec(), b"plain text, and long enough".to_vec()] {
            upload(&world.owner, &icon(&world), &unknown).await.refused(415, "unsupported_image");
        }
        let script = b"GIF89a/*\0\0\0\0\0*/=1;alert(document.domain)//;".to_vec();
        let with_page = [PNG, b"<script>alert(1)</script>"].concat();
        let with_archive = [JPEG, b"PK\x03\x04"].concat();
        let cut_off = [PNG, JPEG, WEBP, GIF].map(|image| image[..image.len() - 1].to_vec());
        for broken in [script, with_page, with_archive].into_iter().chain(cut_off) {
            upload(&world.owner, &icon(&world), &broken).await.refused(400, "invalid_image");
        }
        assert_eq!(world.owner.get(&format!("/project/{}/upload", world.project)).await.ok().0,
            json!({"success": true, "images": {"icon": null, "background": null}}));
    }

    async fn too_many_pixels_or_bytes_are_refused(app: &App) {
        const MIB: usize = 1024 * 1024;
        let world = World::make(app, "acme").await;
        for (width, height) in [(15, 32), (4097, 32), (100_000, 100_000), (0, 0)] {
            let refused = upload(&world.owner, &icon(&world), &sized(width, height)).await.refused(400, "invalid_image");
            assert!(refused["message"].as_str().unwrap().contains(&format!("{width} x {height}")), "{refused:?}");
        }
        upload(&world.owner, &background(&world), &sized(8192, 4097)).await.ok();
        upload(&world.owner, &background(&world), &sized(8193, 16)).await.refused(400, "invalid_image");

        upload(&world.owner, &icon(&world), &padded(2 * MIB - 300)).await.ok();
        upload(&world.owner, &background(&world), &padded(8 * MIB - 300)).await.ok();
        for (path, sizes) in [(icon(&world), [2, 3, 9]), (background(&world), [8, 9, 15])] {
            for size in sizes {
                let refused = upload(&world.owner, &path, &padded(size * MIB)).await.refused(413, "image_too_large");
                assert!(refused["message"].as_str().unwrap().contains("MiB"), "{refused:?}");
            }
        }
        let other_field = form(&[field("file", "i.png", "image/png", PNG), field("more", "x", "x/x", &vec![0; 3 * MIB])]);
        send(&world.owner, &icon(&world), other_field).await.refused(413, "image_too_large");
    }

    async fn the_form_has_one_file(app: &App) {
        let world = World::make(app, "acme").await;
        let (owner, path) = (&world.owner, icon(&world));
        let file = || field("file", "i.png", "image/png", PNG);
        let other = field("note", "n.txt", "text/plain", b"hello");
        send(owner, &path, form(&[other.clone(), file(), other.clone()])).await.ok();

        for fields in [vec![], vec![other], vec![field("File", "i.png", "image/png", PNG)]] {
            let refused = send(owner, &path, form(&fields)).await.refused(400, "invalid_request");
            assert!(refused["message"].as_str().unwrap().starts_with("file: is missing"), "{refused:?}");
        }
        send(owner, &path, form(&[file(), file()])).await.refused(400, "invalid_request");
        send(owner, &path, form(&[field("file", "i.png", "image/png", b"")])).await.refused(400, "invalid_image");
        let unterminated = file();
        send(owner, &path, unterminated).await.refused(400, "invalid_multipart");
        send(owner, &path, b"--other\r\n".to_vec()).await.refused(400, "invalid_multipart");
        send(owner, &path, Vec::new()).await.refused(400, "invalid_multipart");
        send(owner, &path, vec![b'x'; 100_000]).await.refused(400, "invalid_multipart");
        owner.send_raw(Method::POST, &path, Some(("multipart/form-data", form(&[file()]))), &[]).await
            .refused(400, "invalid_multipart");
        for media_type in ["image/png", "application/json", "multipart/mixed; boundary=cut"] {
            let sent = owner.send_raw(Method::POST, &path, Some((media_type, form(&[file()]))), &[]).await;
            sent.refused(415, "unsupported_media_type");
        }
        owner.send_raw(Method::POST, &path, None, &[]).await.refused(415, "unsupported_media_type");
    }

    async fn every_response_with_a_profile_contains_the_uploaded_images(app: &App) {
        let world = World::make(app, "acme").await;
        let project = format!("/project/{}", world.project);
        let own = json!({"profile": {"icon_url": "https://cdn.example/i.png", "styles": {"accent": "red"}}});
        world.owner.patch(&project, own).await.ok();
        let icon_url = upload(&world.key, &icon(&world), PNG).await.ok()["icon_url"].clone();
        let background_url = upload(&world.owner, &background(&world), JPEG).await.ok()["background_url"].clone();

        let whole = json!({"icon_url": icon_url, "styles": {"accent": "red", "background_url": background_url}});
        for path in [project.clone(), format!("{project}/profile")] {
            assert_eq!(world.owner.get(&path).await.ok()["data"]["profile"], whole, "{path}");
        }
        let listed = world.owner.get("/project").await.ok()["data"][0]["profile"].clone();
        assert_eq!(listed, json!({"icon_url": icon_url, "styles": {"background_url": background_url}}));
        let team = world.owner.get(&format!("/team/{}", world.team)).await.ok();
        assert_eq!(team["data"]["projects"][0]["profile"]["icon_url"], icon_url);
        let metadata = app.anonymous().get(&format!("/projects/{}/client-metadata.json", world.project)).await.ok();
        assert_eq!(metadata["logo_uri"], icon_url);

        // Sending back the returned profile does not store the uploaded images' URLs in it.
        let changed = world.owner.patch(&project, json!({"profile": whole})).await.ok();
        assert_eq!(changed["data"]["profile"], whole);
        world.owner.delete(&icon(&world)).await.ok();
        world.key.delete(&background(&world)).await.ok();
        let own = json!({"icon_url": "https://cdn.example/i.png", "styles": {"accent": "red"}});
        assert_eq!(world.owner.get(&project).await.ok()["data"]["profile"], own);
    }

    async fn pages_of_a_sign_in_show_the_uploaded_icon_and_none_of_another_host(app: &App) {
        let world = World::make(app, "acme").await;
        let profile = json!({"profile": {"icon_url": "https://cdn.example/i.png"}});
        world.owner.patch(&format!("/project/{}", world.project), profile).await.ok();
        let client = Client::new(app, &world.project);
        let (stranger, owner) = (Browser::new(app), Browser::signed_in(app, "acme-owner").await);
        let pages = async || -> [Page; 2] {
            let pages = [stranger.open(&client.authorize(&[])).await, owner.open(&client.authorize(&[])).await];
            assert!(pages[0].is_at("/auth/sign-in") && pages[1].is_at("/auth/consent"), "{} {}", pages[0], pages[1]);
            for page in &pages {
                let policy = page.headers["content-security-policy"].to_str().unwrap();
                let images = policy.split(';').map(str::trim).find(|part| part.starts_with("img-src"));
                assert_eq!(images, Some("img-src 'self'"), "{policy}");
            }
            pages
        };
        for page in pages().await {
            assert!(!page.html.contains("<img") && !page.html.contains("cdn.example"), "{page}");
        }
        let icon_url = upload(&world.owner, &icon(&world), PNG).await.ok()["icon_url"].clone();
        for page in pages().await {
            assert!(page.html.contains(&format!("src=\"{}\"", path_of(app, &icon_url))), "{page}");
        }
    }

    async fn a_new_image_gets_a_new_url_and_the_previous_image_is_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        let first = upload(&world.owner, &icon(&world), PNG).await.ok()["icon_url"].clone();
        let second = upload(&world.owner, &icon(&world), PNG).await.ok()["icon_url"].clone();
        assert_ne!(first, second);
        app.anonymous().get(path_of(app, &first)).await.is_not_found();
        let blob_count = || std::fs::read_dir(app.directory().join("blobs")).unwrap().count();
        assert_eq!(blob_count(), 1);

        assert_eq!(world.owner.delete(&icon(&world)).await.ok()["success"], true);
        app.anonymous().get(path_of(app, &second)).await.is_not_found();
        assert_eq!(blob_count(), 0);
        world.owner.delete(&icon(&world)).await.is_not_found();
        let project = world.owner.get(&format!("/project/{}", world.project)).await.ok();
        assert_eq!(project["data"]["profile"], json!({}));
    }

    async fn a_url_without_an_image_is_not_found(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let address = upload(&world.owner, &icon(&world), PNG).await.ok()["icon_url"].clone();
        let path = path_of(app, &address);
        app.anonymous().get(&path.replace(".png", ".gif")).await.is_not_found();
        app.anonymous().get(&path.replace(".png", "")).await.is_not_found();
        app.anonymous().get(&path.replace(&world.project, &other.project)).await.is_not_found();
        for file in ["..%2f..%2fsteward.db", "%2e%2e", "..%5cx", "a%00b", "%ff"] {
            app.anonymous().get(&format!("/images/{}/{file}", world.project)).await.is_not_found();
        }
        app.anonymous().get(&format!("/images/{}", world.project)).await.is_not_found();
    }

    async fn access_is_checked_before_the_body_is_read(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        let viewer = world.member(app, "vera", "viewer").await;
        let keys = format!("/project/{}/key", world.project);
        let reader = world.owner.post(&keys, json!({"label": "r", "roles": "read"})).await.ok();
        let reader = app.bearer(reader["key"]["value"].as_str().unwrap());
        let large = form(&[field("file", "i.png", "image/png", &padded(5 * 1024 * 1024))]);
        for body in [form(&[field("file", "i.png", "image/png", PNG)]), b"no form".to_vec(), large] {
            for path in [icon(&world), background(&world)] {
                send(&app.anonymous(), &path, body.clone()).await.refused(401, "unauthorized");
                for stranger in [&other.owner, &other.key, &world.visitor] {
                    send(stranger, &path, body.clone()).await.is_not_found();
                }
                for weak in [&viewer, &reader] {
                    send(weak, &path, body.clone()).await.is_forbidden();
                    weak.delete(&path).await.is_forbidden();
                }
            }
        }
        viewer.get(&format!("/project/{}/upload", world.project)).await.ok();
        other.owner.get(&format!("/project/{}/upload", world.project)).await.is_not_found();
    }

    async fn an_upload_with_the_same_idempotency_key_is_replayed(app: &App) {
        let world = World::make(app, "acme").await;
        let body = form(&[field("file", "b.png", "image/png", &padded(2 * 1024 * 1024))]);
        let send = async || {
            let body = Some((FORM, body.clone()));
            world.owner.send_raw(Method::POST, &background(&world), body, &[("Idempotency-Key", "one")]).await
        };
        let first = send().await;
        assert_eq!((first.status.as_u16(), send().await.body), (200, first.body));
    }

    async fn the_images_of_a_deleted_project_are_deleted(app: &App) {
        let world = World::make(app, "acme").await;
        let icon_url = upload(&world.owner, &icon(&world), PNG).await.ok()["icon_url"].clone();
        upload(&world.owner, &background(&world), JPEG).await.ok();
        let blob_count = || std::fs::read_dir(app.directory().join("blobs")).unwrap().count();
        assert_eq!(blob_count(), 2);
        world.owner.delete(&format!("/project/{}", world.project)).await.ok();
        assert_eq!(blob_count(), 0);
        app.anonymous().get(path_of(app, &icon_url)).await.is_not_found();
    }

    async fn concurrent_uploads_all_succeed_and_one_image_remains(app: &App) {
        let world = World::make(app, "acme").await;
        let mut uploads = tokio::task::JoinSet::new();
        for number in 0..6 {
            let actor = if number % 2 == 0 { world.owner.clone() } else { world.key.clone() };
            let path = icon(&world);
            uploads.spawn(async move { upload(&actor, &path, PNG).await.status.as_u16() });
        }
        assert_eq!(uploads.join_all().await, [200; 6]);
        let listed = world.owner.get(&format!("/project/{}/upload", world.project)).await.ok();
        let path = path_of(app, &listed["images"]["icon"]["icon_url"]).to_owned();
        assert!(app.anonymous().get(&path).await.body == PNG);
        assert_eq!(std::fs::read_dir(app.directory().join("blobs")).unwrap().count(), 1, "Replaced images are deleted.");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn images_can_be_stored_in_a_bucket_and_its_outage_is_reported() {
    let bucket = Bucket::start().await;
    let settings = bucket.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let world = World::make(&app, "acme").await;

    let doctor = app.run(&["doctor"], "").await;
    assert!(doctor.status.success(), "{}", String::from_utf8_lossy(&doctor.stdout));
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("can be stored in s3://images/steward"));

    let uploaded = upload(&world.owner, &icon(&world), PNG).await.ok();
    let path = path_of(&app, &uploaded["icon_url"]);
    assert_eq!(bucket.names(), [format!("steward/{}", path.rsplit('/').next().unwrap())]);
    assert!(app.anonymous().get(path).await.body == PNG);

    bucket.set_down(true);
    app.anonymous().get(path).await.refused(503, "unavailable");
    upload(&world.owner, &icon(&world), JPEG).await.refused(503, "unavailable");
    let doctor = app.run(&["doctor"], "").await;
    assert!(!doctor.status.success() && String::from_utf8_lossy(&doctor.stdout).contains("FAILED  images"));
    bucket.set_down(false);

    assert!(app.anonymous().get(path).await.body == PNG, "The previous image must still exist.");
    world.owner.delete(&icon(&world)).await.ok();
    assert_eq!(bucket.names(), Vec::<String>::new());
    assert!(!app.directory().join("blobs").exists());
    assert!(!app.complete_log().await.contains("a key for tests"));
}
