//! The examples of frameworks: the files of the directory `examples`, which its tests run.

use clap::ValueEnum;
use steward_domain::data::schema::TypeLanguage;

use crate::terminal::prompt;

/// A framework that has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Framework {
    React,
    #[value(alias = "nextjs")]
    Next,
    Vue,
    #[value(name = "sveltekit")]
    SvelteKit,
    Html,
    Express,
    Hono,
    #[value(name = "fastapi")]
    FastApi,
    Flask,
    Django,
    Axum,
}

/// What is written for a framework.
pub struct Example {
    /// Paths and texts of the files.
    pub files: &'static [(&'static str, &'static str)],
    /// Path and language of the types, if the example uses them.
    pub types: Option<(&'static str, TypeLanguage)>,
    /// The commands that start the app.
    pub steps: &'static [&'static str],
    /// Name of the guide that explains the example.
    pub guide: &'static str,
}

/// Embeds the example in a directory, which is also the name of its guide: the types, the steps, and the files.
macro_rules! example {
    ($directory:literal, $types:expr, [$($step:expr),+ $(,)?]: $($path:literal),+) => {
        Example {
            files: &[$(($path, include_str!(concat!("../../../../../examples/", $directory, "/", $path)))),+],
            types: $types,
            steps: &[$($step),+],
            guide: $directory,
        }
    };
}

/// Installs the SDK, which is not published yet, with the other packages.
const INSTALL: &str = "npm install ./steward-sdk-0.1.0.tgz";
const VIRTUAL_ENVIRONMENT: &str = "python3 -m venv .venv && . .venv/bin/activate";

const TYPESCRIPT: Option<(&str, TypeLanguage)> = Some(("tables.ts", TypeLanguage::TypeScript));
const PYTHON: Option<(&str, TypeLanguage)> = Some(("tables.py", TypeLanguage::Python));

impl Framework {
    /// Returns the name of the framework, as on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Returns the names of all frameworks.
    pub fn names() -> Vec<String> {
        Self::value_variants().iter().map(|framework| framework.name()).collect()
    }

    /// Asks a person.
    pub fn ask() -> anyhow::Result<Self> {
        let chosen = prompt::choose("Framework", &Self::names())?;
        Ok(Self::value_variants().get(chosen).copied().unwrap_or(Self::React))
    }

    /// Returns what is written.
    pub fn example(self) -> Example {
        match self {
            Self::React => example!("react", TYPESCRIPT, [INSTALL, "npx vite --port 5173"]:
                "package.json", "index.html", "vite.config.ts", "tsconfig.json", "src/main.tsx", "src/App.tsx"),
            Self::Next => example!("nextjs", TYPESCRIPT, [INSTALL, "npx next dev --port 3000"]:
                "package.json", "tsconfig.json", "app/layout.tsx", "app/page.tsx", "app/api/notes/route.ts"),
            Self::Vue => example!("vue", TYPESCRIPT, [INSTALL, "npx vite --port 5173"]:
                "package.json", "index.html", "vite.config.ts", "tsconfig.json", "src/main.ts", "src/App.vue"),
            Self::SvelteKit => example!("sveltekit", TYPESCRIPT, [INSTALL, "npx vite dev --port 5173"]:
                "package.json", "svelte.config.js", "vite.config.ts", "tsconfig.json", "src/app.html",
                "src/routes/+page.svelte"),
            Self::Html => example!("html", None, [INSTALL, "python3 -m http.server 5173"]:
                "package.json", "index.html", "notes.js"),
            Self::Express => example!("express", None, [INSTALL, "PORT=3000 node server.js"]:
                "package.json", "server.js", "public/index.html"),
            Self::Hono => example!("hono", TYPESCRIPT, [INSTALL, "PORT=3000 npx tsx server.ts"]:
                "package.json", "tsconfig.json", "server.ts", "public/index.html"),
            Self::FastApi => example!("fastapi", PYTHON, [
                VIRTUAL_ENVIRONMENT,
                "pip install \"$STEWARD_SOURCE/sdks/python[live]\" fastapi uvicorn itsdangerous python-multipart",
                "uvicorn app:app --port 8000 --timeout-graceful-shutdown 1",
            ]: "app.py", "static/index.html"),
            Self::Flask => example!("flask", PYTHON, [
                VIRTUAL_ENVIRONMENT,
                "pip install \"$STEWARD_SOURCE/sdks/python\" flask",
                "flask run --port 8000",
            ]: "app.py", "static/index.html"),
            Self::Django => example!("django", PYTHON, [
                VIRTUAL_ENVIRONMENT,
                "pip install \"$STEWARD_SOURCE/sdks/python[live]\" django uvicorn",
                "uvicorn asgi:application --port 8000 --timeout-graceful-shutdown 1",
            ]: "app.py", "asgi.py", "settings.py", "templates/index.html"),
            Self::Axum => example!("axum", Some(("src/tables.rs", TypeLanguage::Rust)), [
                "cargo init --name notes-axum",
                "cargo add axum@0.8 --no-default-features --features http1,tokio",
                "cargo add futures-util@0.3 --no-default-features",
                "cargo add serde@1 --features derive",
                "cargo add serde_json@1",
                "cargo add tokio@1 --features macros,rt-multi-thread",
                "cargo add steward-client --path \"$STEWARD_SOURCE/crates/client\" --features live,sign-in",
                "cargo run",
            ]: "src/main.rs", "src/page.html"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    /// What an example has beyond what is written: files that `steward init` generates, and those of its tests.
    const NOT_WRITTEN: &[&str] = &["steward.json", "schema.json", "README.md", "Cargo.toml"];

    #[test]
    fn an_example_is_written_completely() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        for framework in Framework::value_variants() {
            let example = framework.example();
            let listed =
                Command::new("git").args(["ls-files", "--cached", example.guide]).current_dir(&examples).output();
            let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
            let prefix = format!("{}/", example.guide);
            let types = example.types.map(|(path, _)| path);
            let committed: BTreeSet<&str> = listed
                .lines()
                .filter_map(|line| line.strip_prefix(&prefix))
                .filter(|path| !NOT_WRITTEN.contains(path) && types != Some(*path))
                .collect();
            let written: BTreeSet<&str> = example.files.iter().map(|(path, _)| *path).collect();
            assert!(committed == written || committed.is_empty(), "{framework:?}: {committed:?} and {written:?}");
            let guide = examples.join("../docs/guides").join(format!("{}.md", example.guide));
            let guide = std::fs::read_to_string(guide).unwrap();
            // A guide may name further packages in the same command: those of package.json.
            for step in example.steps {
                assert!(guide.contains(step), "{framework:?}: The guide has no `{step}`.");
            }
        }
    }
}
