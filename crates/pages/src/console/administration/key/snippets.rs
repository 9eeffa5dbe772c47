//! Code that uses the API with a key, ready to be pasted.

use std::borrow::Cow;

use steward_domain::kernel::{ProjectId, ServiceAddress};

/// A piece of code in one language.
pub(crate) struct Snippet {
    /// ID of its element.
    pub(crate) id: Cow<'static, str>,
    pub(crate) label: Cow<'static, str>,
    pub(crate) text: String,
}

impl Snippet {
    /// Returns code that reads a project with an API key.
    pub(crate) fn of_project(address: &ServiceAddress, project: ProjectId, key: &str) -> Vec<Self> {
        let url = address.at(&format!("/project/{project}"));
        vec![
            Self {
                id: "curl".into(),
                label: "curl".into(),
                text: format!("curl {url} -H 'Authorization: Bearer {key}'"),
            },
            Self { id: "typescript".into(), label: "TypeScript".into(), text: typescript(&url, key) },
            Self { id: "rust".into(), label: "Rust".into(), text: rust(&url, key) },
        ]
    }
}

fn typescript(url: &str, key: &str) -> String {
    format!(
        "const response = await fetch(\"{url}\", {{\n  headers: {{ Authorization: \"Bearer {key}\" }},\n}});\n\
         console.log(response.status, await response.json());"
    )
}

fn rust(url: &str, key: &str) -> String {
    format!(
        "// cargo add reqwest --features blocking\nfn main() -> Result<(), reqwest::Error> {{\n    \
         let client = reqwest::blocking::Client::new();\n    \
         let response = client\n        .get(\"{url}\")\n        .bearer_auth(\"{key}\")\n        .send()?\n        \
         .error_for_status()?;\n    \
         println!(\"{{}}\", response.text()?);\n    Ok(())\n}}"
    )
}
