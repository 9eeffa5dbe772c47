//! The packages of the SDKs, which the service serves.

use std::collections::BTreeSet;
use std::process::Command;

use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use steward_tests::on_sqlite;

/// The packages: how their names begin and end around the version, the directory of their files, and some of these.
const PACKAGES: [(&str, &str, &str, &[&str]); 3] = [
    ("steward-sdk-", ".tgz", "package", &["package.json", "dist/client/index.js", "dist/cjs/react/index.d.ts"]),
    ("steward_sdk-", ".tar.gz", "steward_sdk-VERSION", &["PKG-INFO", "pyproject.toml", "src/steward_sdk/live.py"]),
    ("steward-client-", ".tar.gz", "steward-client-VERSION", &["Cargo.toml", "crates/client/src/lib.rs"]),
];

on_sqlite! {
    async fn the_packages_of_the_sdks_are_served(app: &App) {
        let version = env!("CARGO_PKG_VERSION");
        for (start, end, top, expected) in PACKAGES {
            let url = format!("{}/sdk/{start}{version}{end}", app.base);
            let request = |method: Method| app.client.request(method, &url).header(ACCEPT_ENCODING, "gzip");
            let response = request(Method::GET).send().await.unwrap();
            assert_eq!(response.status(), 200, "{url}");
            assert_eq!(response.headers()[CONTENT_TYPE], "application/gzip");
            // Some package managers would store what they decompress.
            assert!(!response.headers().contains_key(CONTENT_ENCODING), "{:?}", response.headers());
            let tag = response.headers()[ETAG].clone();
            let content = response.bytes().await.unwrap();
            let directory = tempfile::tempdir().unwrap();
            std::fs::write(directory.path().join("package"), &content).unwrap();
            let listed = Command::new("tar").args(["tzf", "package"]).current_dir(directory.path()).output().unwrap();
            assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
            let listed = String::from_utf8(listed.stdout).unwrap();
            let prefix = format!("{}/", top.replace("VERSION", version));
            let files: BTreeSet<&str> = listed.lines().map(|path| path.strip_prefix(&prefix).unwrap()).collect();
            assert!(expected.iter().all(|path| files.contains(path)), "{files:?}");
            let is_unwanted = |path: &&str| path.contains("node_modules") || path.contains("__pycache__") || path.ends_with(".map");
            assert_eq!(files.into_iter().find(is_unwanted), None);

            let cached = request(Method::GET).header(IF_NONE_MATCH, tag).send().await.unwrap();
            assert_eq!((cached.status().as_u16(), cached.bytes().await.unwrap().len()), (304, 0));
            assert_eq!(request(Method::HEAD).send().await.unwrap().status(), 200);
        }
        for unknown in ["", "steward-sdk.tgz", "..%2FCargo.toml"] {
            let response = app.client.get(format!("{}/sdk/{unknown}", app.base)).send().await.unwrap();
            assert_eq!(response.status(), 404, "{unknown}");
        }
    }
}
