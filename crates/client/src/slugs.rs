//! Slugs of teams and projects.

use reqwest::Method;
use serde::Deserialize;

use crate::{Client, Error};

#[derive(Deserialize)]
struct Availability {
    available: bool,
}

/// Returns whether a slug is neither taken nor reserved. `kind`: `team` or `project`.
pub(crate) async fn is_available(client: &Client, kind: &str, slug: &str) -> Result<bool, Error> {
    let response = client.at(Method::GET, &[kind, "slug"]).query("slug", slug).send().await?;
    Ok(response.json::<Availability>()?.available)
}
