//! Runs the apps that people sign in to.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use steward_tests::{App, TIMEOUT, free_port, install_npm_package, install_once, install_python_packages};
use tempfile::NamedTempFile;
use tokio::net::TcpStream;

use crate::chrome::ProcessGuard;

/// The Go packages of Debian.
pub const GO_PACKAGES: &str = "/usr/share/gocode";

/// The Node.js apps: names and contents.
const NPM_FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("npm-relying-parties/.npmrc")),
    ("auth_core.mjs", include_str!("npm-relying-parties/auth_core.mjs")),
    ("better_auth.mjs", include_str!("npm-relying-parties/better_auth.mjs")),
    ("express_openid_connect.mjs", include_str!("npm-relying-parties/express_openid_connect.mjs")),
    ("keycloak_js.mjs", include_str!("npm-relying-parties/keycloak_js.mjs")),
    ("mcp_sdk.mjs", include_str!("npm-relying-parties/mcp_sdk.mjs")),
    ("next_auth.mjs", include_str!("npm-relying-parties/next_auth.mjs")),
    ("oauth4webapi.mjs", include_str!("npm-relying-parties/oauth4webapi.mjs")),
    ("oauth4webapi_device.mjs", include_str!("npm-relying-parties/oauth4webapi_device.mjs")),
    ("oidc_client_ts.mjs", include_str!("npm-relying-parties/oidc_client_ts.mjs")),
    ("oidc_spa.mjs", include_str!("npm-relying-parties/oidc_spa.mjs")),
    ("openid_client.mjs", include_str!("npm-relying-parties/openid_client.mjs")),
    ("openid_client_device.mjs", include_str!("npm-relying-parties/openid_client_device.mjs")),
    ("package.json", include_str!("npm-relying-parties/package.json")),
    ("package-lock.json", include_str!("npm-relying-parties/package-lock.json")),
    ("passport_openidconnect.mjs", include_str!("npm-relying-parties/passport_openidconnect.mjs")),
    ("simple_oauth2.mjs", include_str!("npm-relying-parties/simple_oauth2.mjs")),
    ("tokens.mjs", include_str!("npm-relying-parties/tokens.mjs")),
];

/// The Next.js app: names and contents.
const NEXT_FILES: &[(&str, &str)] = &[
    (".npmrc", include_str!("npm-next-auth/.npmrc")),
    ("app/[route]/route.js", include_str!("npm-next-auth/app/[route]/route.js")),
    ("app/api/auth/[...nextauth]/route.js", include_str!("npm-next-auth/app/api/auth/[...nextauth]/route.js")),
    ("app/route.js", include_str!("npm-next-auth/app/route.js")),
    ("auth.js", include_str!("npm-next-auth/auth.js")),
    ("package.json", include_str!("npm-next-auth/package.json")),
    ("package-lock.json", include_str!("npm-next-auth/package-lock.json")),
];

/// The Go app: its name and content.
const GO_FILES: &[(&str, &str)] = &[("oidc.go", include_str!("go/oidc.go"))];

/// The Python apps: names and contents.
const PYTHON_FILES: &[(&str, &str)] = &[
    ("authlib_flask.py", include_str!("python/authlib_flask.py")),
    ("requests_oauthlib_flask.py", include_str!("python/requests_oauthlib_flask.py")),
    ("requirements.txt", include_str!("python/requirements.txt")),
];

/// The Python apps that have a secret: names and contents. Their packages include an older version of Authlib.
const PYTHON_CONFIDENTIAL_FILES: &[(&str, &str)] = &[
    ("allauth_django.py", include_str!("python-confidential/allauth_django.py")),
    ("authlib_0_15_flask.py", include_str!("python-confidential/authlib_0_15_flask.py")),
    ("django_app.py", include_str!("python-confidential/django_app.py")),
    ("mozilla_django.py", include_str!("python-confidential/mozilla_django.py")),
    ("pyoidc_flask.py", include_str!("python-confidential/pyoidc_flask.py")),
    ("requirements.txt", include_str!("python-confidential/requirements.txt")),
    ("social_auth_django.py", include_str!("python-confidential/social_auth_django.py")),
];

/// A running app. Dropping this value stops it.
pub struct Program {
    pub origin: String,
    process: ProcessGuard,
    log: NamedTempFile,
}

impl Program {
    /// Starts an app that uses the service as this client, and waits until it accepts connections. It finds its
    /// settings in the environment variables `ISSUER`, `CLIENT_ID` and `PORT`.
    pub async fn start(mut command: Command, app: &App, client_id: &str) -> Self {
        let (port, log) = (free_port(), NamedTempFile::new().unwrap());
        let output = || Stdio::from(File::options().append(true).open(log.path()).unwrap());
        command.env("ISSUER", &app.base).env("CLIENT_ID", client_id).env("PORT", port.to_string());
        command.stdin(Stdio::null()).stdout(output()).stderr(output()).process_group(0);
        let child = command.spawn();
        let child =
            child.unwrap_or_else(|error| panic!("{command:?} failed to start: {error}. Run tests/install-tools.sh."));
        let mut program = Self { origin: format!("http://127.0.0.1:{port}"), process: ProcessGuard(child), log };

        let deadline = Instant::now() + TIMEOUT;
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            let ended = program.process.0.try_wait().unwrap();
            assert!(ended.is_none() && Instant::now() < deadline, "{command:?} did not start ({ended:?}).");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        program
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- log of the app ---\n{}", std::fs::read_to_string(self.log.path()).unwrap_or_default());
        }
    }
}

/// A Node.js app.
pub async fn node(file: &str) -> Command {
    let install = || install_npm_package(env!("CARGO_TARGET_TMPDIR"), "npm-relying-parties", NPM_FILES);
    let directory = tokio::task::spawn_blocking(install).await.unwrap();
    let mut command = Command::new("node");
    // Node.js 18 tries only the first address of localhost, which is often ::1.
    command.args(["--dns-result-order=ipv4first", file]).current_dir(directory);
    command
}

/// The Next.js app, whose origin has the name `localhost`.
pub async fn next() -> Command {
    let install = || {
        for (name, _) in NEXT_FILES {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm-next-auth").join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        install_npm_package(env!("CARGO_TARGET_TMPDIR"), "npm-next-auth", NEXT_FILES)
    };
    let directory = tokio::task::spawn_blocking(install).await.unwrap();
    let mut command = Command::new(directory.join("node_modules/.bin/next"));
    command.args(["dev", "--hostname", "127.0.0.1"]).env("NEXT_TELEMETRY_DISABLED", "1").current_dir(directory);
    command
}

/// A Ruby app, whose packages are those of Debian.
pub fn ruby(file: &str) -> Command {
    let mut command = Command::new("ruby");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/ruby").join(file));
    command
}

/// The Go app, whose packages are those of Debian.
pub async fn go() -> Command {
    let compile = |directory: &Path| build_go(directory, Path::new(GO_PACKAGES), &["-o", "oidc", "oidc.go"]);
    let install = move || install_once(env!("CARGO_TARGET_TMPDIR"), "go", GO_FILES, compile);
    Command::new(tokio::task::spawn_blocking(install).await.unwrap().join("oidc"))
}

/// Compiles a Go program in a directory, with the packages in `path`.
pub fn build_go(directory: &Path, path: &Path, arguments: &[&str]) {
    let mut go = Command::new("go");
    go.arg("build").args(arguments).current_dir(directory).stdin(Stdio::null());
    go.envs([("GO111MODULE", "off"), ("GOFLAGS", "")]).env("GOPATH", path);
    go.env("GOCACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-cache"));
    let output = go.output().unwrap_or_else(|error| panic!("{go:?}: {error}. Run tests/install-tools.sh."));
    assert!(output.status.success(), "{go:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A Python app.
pub async fn python(file: &str) -> Command {
    python_of("python-clients", PYTHON_FILES, file).await
}

/// A Python app that has a secret. It finds it in the environment variable `CLIENT_SECRET`.
pub async fn python_confidential(file: &str) -> Command {
    python_of("python-confidential", PYTHON_CONFIDENTIAL_FILES, file).await
}

async fn python_of(name: &'static str, files: &'static [(&'static str, &'static str)], file: &str) -> Command {
    let install = move || install_python_packages(env!("CARGO_TARGET_TMPDIR"), name, files);
    let directory = tokio::task::spawn_blocking(install).await.unwrap();
    let mut command = Command::new(directory.join("venv/bin/python"));
    command.arg(file).current_dir(directory);
    command
}
