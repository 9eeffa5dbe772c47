//! Runs commands of the real binary.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs commands of the binary with the settings and in the directory of the service.
#[derive(Clone)]
pub struct Operator {
    settings: Vec<(String, String)>,
    directory: PathBuf,
}

impl Operator {
    pub(crate) fn new(settings: Vec<(String, String)>, directory: &Path) -> Self {
        Self { settings, directory: directory.to_owned() }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        // A shell only to set the widest umask: the binary itself must restrict the permissions of its files.
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "umask 000; exec \"$0\" \"$@\""]).arg(binary());
        command.args(arguments).current_dir(&self.directory).env_clear();
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs the commands in another directory.
    pub fn in_directory(self, directory: &Path) -> Self {
        Self { directory: directory.to_owned(), ..self }
    }

    /// Overrides settings of the commands.
    pub fn with(mut self, settings: &[(&str, &str)]) -> Self {
        self.settings.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self
    }

    /// Runs a command with this standard input.
    pub async fn run(&self, arguments: &[&str], input: &str) -> Output {
        run_to_completion(self.command(arguments), input).await
    }

    /// Starts a long-running command with piped standard output and standard error. Dropping the returned process kills
    /// it.
    pub fn spawn(&self, arguments: &[&str]) -> tokio::process::Child {
        let mut command = tokio::process::Command::from(self.command(arguments));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap()
    }
}

impl Operator {
    /// Starts a command on a terminal of its own (`script` of util-linux), whose output is the standard output.
    /// Dropping the returned process kills it.
    pub fn spawn_on_terminal(&self, arguments: &[&str]) -> tokio::process::Child {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let binary = binary().display().to_string();
        let words = std::iter::once(binary.as_str()).chain(arguments.iter().copied()).map(quoted);
        let line = words.collect::<Vec<_>>().join(" ");
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).current_dir(&self.directory).env_clear();
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command.env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
        let mut command = tokio::process::Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap()
    }
}

/// Runs a command with this standard input and returns its output.
async fn run_to_completion(mut command: Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let input = input.to_owned();
    let run = move || {
        let mut child = command.spawn().unwrap();
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// Path of the tested binary. It is next to the test binary in the target directory.
pub fn binary() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let path = own.parent().and_then(Path::parent).unwrap().join("steward");
    assert!(path.exists(), "{} does not exist. Run `make test` or `cargo build -p steward` first.", path.display());
    path
}
