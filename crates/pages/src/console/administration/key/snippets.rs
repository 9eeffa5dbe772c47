//! Code that uses the API with a key, ready to be pasted.

use std::borrow::Cow;

use steward_domain::kernel::{ProjectId, ServiceAddress};
use steward_sdks::{PYTHON, Package, RUST, TYPESCRIPT};

/// A piece of code in one language.
pub(crate) struct Snippet {
    /// ID of its element.
    pub(crate) id: Cow<'static, str>,
    pub(crate) label: Cow<'static, str>,
    pub(crate) text: String,
}

impl Snippet {
    pub(crate) fn new(
        id: impl Into<Cow<'static, str>>,
        label: impl Into<Cow<'static, str>>,
        text: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), label: label.into(), text: text.into() }
    }

    /// Returns code that reads a project with an API key.
    pub(crate) fn of_project(address: &ServiceAddress, project: ProjectId, key: &str) -> Vec<Self> {
        let (url, id) = (address.at(&format!("/project/{project}")), project.to_string());
        let package = |package: &Package| address.at(&format!("/sdk/{}", package.name));
        let service = address.at("");
        vec![
            Self::new("curl", "curl", format!("curl {url} -H 'Authorization: Bearer {key}'")),
            Self::new("typescript", "TypeScript", typescript(&package(&TYPESCRIPT), &service, &id, key)),
            Self::new("python", "Python", python(&package(&PYTHON), &service, &id, key)),
            Self::new("rust", "Rust", rust(&package(&RUST), &service, &id, key)),
        ]
    }
}

fn typescript(package: &str, service: &str, project: &str, key: &str) -> String {
    format!(
        "// npm install {package}\nimport {{ createAdmin }} from \"@steward/sdk/admin\";\n\n\
         const admin = createAdmin({{ url: \"{service}\", token: \"{key}\" }});\n\
         console.log(await admin.projects.get(\"{project}\"));"
    )
}

fn python(package: &str, service: &str, project: &str, key: &str) -> String {
    format!(
        "# pip install {package}\nfrom steward_sdk import Steward\n\n\
         with Steward(\"{service}\", \"{key}\") as client:\n    print(client.projects.get(\"{project}\"))"
    )
}

fn rust(package: &str, service: &str, project: &str, key: &str) -> String {
    let directory = RUST.name.trim_end_matches(".tar.gz");
    format!(
        "// curl -fsS {package} | tar xz\n// cargo add steward-client --path {directory}/crates/client\n\
         // cargo add tokio --features macros,rt-multi-thread\nuse steward_client::{{Client, Credential, Error}};\n\n\
         #[tokio::main]\nasync fn main() -> Result<(), Error> {{\n    \
         let key = Credential::Token(\"{key}\".to_owned());\n    \
         let client = Client::builder(\"{service}\").credential(key).build()?;\n    \
         println!(\"{{}}\", client.projects().get(\"{project}\").data().await?.summary.name);\n    Ok(())\n}}"
    )
}
