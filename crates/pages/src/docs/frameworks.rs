//! The frameworks for which there is a guide, and the examples of the directory `examples`, which `steward init` writes and
//! the page Connect shows.

use steward_domain::data::schema::TypeLanguage;

/// A framework with a guide.
#[derive(Debug)]
pub struct Framework {
    /// The name on the command line.
    pub name: &'static str,
    /// The name of the guide, and of the directory of the example.
    pub guide: &'static str,
    /// The name that people read.
    pub label: &'static str,
    /// The file of the types, if the example uses them.
    pub types: Option<(&'static str, TypeLanguage)>,
    /// Paths and texts of the files that `steward init` writes; empty if it knows only the guide.
    pub files: &'static [(&'static str, &'static str)],
    /// The commands that start the app, with the address of the samples.
    steps: &'static [&'static str],
}

/// Lists the frameworks: name, guide, label and types, and, for an example, its steps and files.
macro_rules! frameworks {
    ($($name:literal, $guide:literal, $label:literal, $types:expr, [$($step:expr),*]: $($path:literal)*;)*) => {
        /// All frameworks, in the order in which they are shown.
        pub static FRAMEWORKS: [Framework; 13] = [$(Framework {
            name: $name,
            guide: $guide,
            label: $label,
            types: $types,
            files: &[$(($path, include_str!(concat!("../../../../examples/", $guide, "/", $path)))),*],
            steps: &[$($step),*],
        }),*];
    };
}

/// The address of a package of the service, around its version.
macro_rules! sdk {
    ($start:literal, $end:literal) => {
        concat!("http://localhost:3003/sdk/", $start, env!("CARGO_PKG_VERSION"), $end)
    };
}

/// Installs the package for Python, with its optional parts, and those of the framework.
macro_rules! pip {
    ($parts:literal, $others:literal) => {
        concat!("pip install \"steward-sdk", $parts, " @ ", sdk!("steward_sdk-", ".tar.gz"), "\" ", $others)
    };
}

/// Installs the SDK, which is not published yet, with the other packages.
const NPM: &str = concat!("npm install ", sdk!("steward-sdk-", ".tgz"));
const VENV: &str = "python3 -m venv .venv && . .venv/bin/activate";

const TYPESCRIPT: Option<(&str, TypeLanguage)> = Some(("tables.ts", TypeLanguage::TypeScript));
const PYTHON: Option<(&str, TypeLanguage)> = Some(("tables.py", TypeLanguage::Python));
const RUST: Option<(&str, TypeLanguage)> = Some(("src/tables.rs", TypeLanguage::Rust));

frameworks! {
    "react", "react", "React", TYPESCRIPT, [NPM, "npx vite --port 5173"]:
        "package.json" "index.html" "vite.config.ts" "tsconfig.json" "src/main.tsx" "src/App.tsx";
    "next", "nextjs", "Next.js", TYPESCRIPT, [NPM, "npx next dev --port 3000"]:
        "package.json" "tsconfig.json" "app/layout.tsx" "app/page.tsx" "app/api/notes/route.ts";
    "vue", "vue", "Vue", TYPESCRIPT, [NPM, "npx vite --port 5173"]:
        "package.json" "index.html" "vite.config.ts" "tsconfig.json" "src/main.ts" "src/App.vue";
    "sveltekit", "sveltekit", "SvelteKit", TYPESCRIPT, [NPM, "npx vite dev --port 5173"]:
        "package.json" "svelte.config.js" "vite.config.ts" "tsconfig.json" "src/app.html" "src/routes/+page.svelte";
    "html", "html", "Plain HTML", None, [NPM, "python3 -m http.server 5173"]:
        "package.json" "index.html" "notes.js";
    "expo", "expo", "React Native", TYPESCRIPT, []: ;
    "express", "express", "Express", None, [NPM, "PORT=3000 node server.js"]:
        "package.json" "server.js" "public/index.html";
    "hono", "hono", "Hono", TYPESCRIPT, [NPM, "PORT=3000 npx tsx server.ts"]:
        "package.json" "tsconfig.json" "server.ts" "public/index.html";
    "fastapi", "fastapi", "FastAPI", PYTHON, [
        VENV,
        pip!("[live]", "fastapi uvicorn itsdangerous python-multipart"),
        "uvicorn app:app --port 8000 --timeout-graceful-shutdown 1"
    ]: "app.py" "static/index.html";
    "flask", "flask", "Flask", PYTHON, [VENV, pip!("", "flask"), "flask run --port 8000"]: "app.py" "static/index.html";
    "django", "django", "Django", PYTHON, [
        VENV,
        pip!("[live]", "django uvicorn"),
        "uvicorn asgi:application --port 8000 --timeout-graceful-shutdown 1"
    ]: "app.py" "asgi.py" "settings.py" "templates/index.html";
    "python", "python", "Python", PYTHON, []: ;
    "axum", "axum", "axum", RUST, [
        "cargo init --name notes-axum",
        "cargo add axum@0.8 --no-default-features --features http1,tokio",
        "cargo add futures-util@0.3 --no-default-features",
        "cargo add serde@1 --features derive",
        "cargo add serde_json@1",
        "cargo add tokio@1 --features macros,rt-multi-thread",
        concat!("curl -fsS ", sdk!("steward-client-", ".tar.gz"), " | tar xz"),
        concat!("cargo add steward-client --path steward-client-", env!("CARGO_PKG_VERSION"),
            "/crates/client --features live,sign-in"),
        "cargo run"
    ]: "src/main.rs" "src/page.html";
}

impl Framework {
    /// Returns the frameworks for which `steward init` writes an example.
    pub fn with_example() -> impl Iterator<Item = &'static Self> {
        FRAMEWORKS.iter().filter(|framework| !framework.steps.is_empty())
    }

    /// Returns the commands that start the app, with the packages of the service at an address.
    pub fn steps(&self, address: &str) -> Vec<String> {
        self.steps.iter().map(|step| steward_docs::with_address(step, address)).collect()
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
        for framework in Framework::with_example() {
            let listed =
                Command::new("git").args(["ls-files", "--cached", framework.guide]).current_dir(&examples).output();
            let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
            let prefix = format!("{}/", framework.guide);
            let types = framework.types.map(|(path, _)| path);
            let committed: BTreeSet<&str> = listed
                .lines()
                .filter_map(|line| line.strip_prefix(&prefix))
                .filter(|path| !NOT_WRITTEN.contains(path) && types != Some(*path))
                .collect();
            let written: BTreeSet<&str> = framework.files.iter().map(|(path, _)| *path).collect();
            assert!(committed == written || committed.is_empty(), "{framework:?}: {committed:?} and {written:?}");
            let guide = examples.join("../docs/guides").join(format!("{}.md", framework.guide));
            let guide = std::fs::read_to_string(guide).unwrap();
            // A guide may name further packages in the same command: those of package.json.
            for step in framework.steps {
                assert!(guide.contains(step), "{}: The guide has no `{step}`.", framework.name);
            }
        }
    }

    #[test]
    fn the_packages_of_the_commands_are_served() {
        for framework in Framework::with_example() {
            let steps = framework.steps("https://id.example.org").join("\n");
            let (_, rest) = steps.split_once("https://id.example.org/sdk/").unwrap();
            let name = rest.split([' ', '"', '\n']).next().unwrap();
            assert!(steward_sdks::ALL.iter().any(|package| package.name == name), "{name}");
            assert!(!steps.contains("localhost"), "{steps}");
        }
    }
}
