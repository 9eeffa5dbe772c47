//! Where the links of a page lead.

use std::collections::BTreeSet;

use crate::sources::{Source, page_path};

/// The pages that links can lead to.
pub(crate) struct Links {
    paths: BTreeSet<String>,
}

impl Links {
    pub(crate) fn of(sources: &[&Source]) -> Self {
        Self { paths: sources.iter().map(|source| source.path.clone()).collect() }
    }

    /// Returns the address of a link in the service; `None` if it leads to a file of the repository that is not a page.
    pub(crate) fn address(&self, source: &Source, link: &str) -> Option<String> {
        let is_absolute = link.contains("://") || link.starts_with("mailto:");
        let Some(file) = source.file.as_ref().filter(|_| !is_absolute && !link.starts_with(['#', '/'])) else {
            return Some(link.to_owned());
        };
        let (target, anchor) = match link.split_once('#') {
            Some((target, anchor)) => (target, format!("#{anchor}")),
            None => (link, String::new()),
        };
        let target = resolve(file, target);
        match target.as_str() {
            "docs/openapi.json" => return Some("/docs/json".to_owned()),
            "docs/asyncapi.json" => return Some("/docs/asyncapi.json".to_owned()),
            "docs" => return Some("/docs".to_owned()),
            _ => {}
        }
        let path = page_path(target.strip_suffix(".md").unwrap_or(&target));
        self.paths.contains(&path).then(|| format!("/docs/{path}{anchor}"))
    }
}

/// Returns the path of a relative link from the root of the repository.
fn resolve(file: &str, link: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
