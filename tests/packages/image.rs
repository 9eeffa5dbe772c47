//! The container image: its layout, its contents, and a service that runs in its root file system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use steward_tests::{TIMEOUT, free_port};
use tempfile::TempDir;

use crate::{is_root, packaging, run, stripped};

/// Bytes of a digest's name before its value.
const SHA256: &str = "sha256:";

/// Mounts the root file system read-only, except for the data directory.
const MOUNT: &str = "mount --bind \"$root\" \"$root\"; mount --bind \"$root/data\" \"$root/data\"; \
     mount -o remount,bind,ro \"$root\"";
/// Runs a command in the root file system.
const ENTER: &str = "exec chroot ${OWNER:+--userspec=\"$OWNER\"} \"$root\" \"$@\"";

/// Options of `unshare` with which the tests can mount. Without that permission, as in a container, only the user of
/// the image keeps it from writing.
fn namespaces() -> Vec<&'static str> {
    // A user that is not root becomes root in a namespace of its own.
    let options = if is_root() { vec!["--mount"] } else { vec!["--map-root-user", "--mount"] };
    let can_mount = Command::new("unshare").args(&options).arg("true").output().unwrap().status.success();
    assert!(can_mount || is_root(), "The test requires root, or namespaces of users.");
    if can_mount { options } else { Vec::new() }
}

/// An image that was unpacked.
struct Image {
    layout: TempDir,
    root: TempDir,
    config: Value,
    layer: PathBuf,
}

fn build(binary: &Path, file: &Path) {
    let mut build = Command::new(packaging("container/build.py"));
    run(build.arg(binary).arg(file).args(["--revision", "abc"]).env("SOURCE_DATE_EPOCH", "1000000000"));
}

impl Image {
    fn unpack() -> Self {
        let (layout, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let archive = layout.path().join("image.tar");
        build(&stripped(layout.path()), &archive);
        run(Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(layout.path()));
        let blob = |descriptor: &Value| verified_blob(layout.path(), descriptor);
        let json = |path: &Path| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };

        let index = json(&layout.path().join("index.json"));
        let manifest = json(&blob(&index["manifests"][0]));
        let (config, layer) = (json(&blob(&manifest["config"])), blob(&manifest["layers"][0]));
        assert_eq!(manifest["layers"].as_array().unwrap().len(), 1);
        run(Command::new("tar").arg("-xzpf").arg(&layer).arg("-C").arg(root.path()));
        Self { layout, root, config, layer }
    }

    /// A command in the root file system, as the user and with the settings of the image.
    fn command(&self, port: u16, arguments: &[&str]) -> Command {
        let namespaces = namespaces();
        let mount = if namespaces.is_empty() { "true" } else { MOUNT };
        let script = format!("set -e; PATH=$PATH:/usr/sbin; root=$1; shift; {mount}; {ENTER}");
        let mut command = Command::new("unshare");
        command.args(namespaces).args(["sh", "-c", &script, "sh"]).arg(self.root.path()).args(arguments);
        let variables = self.config["config"]["Env"].as_array().unwrap().iter();
        command.env_clear().envs(variables.map(|variable| variable.as_str().unwrap().split_once('=').unwrap()));
        command.env("STEWARD_BIND", format!("127.0.0.1:{port}"));
        if is_root() {
            command.env("OWNER", self.config["config"]["User"].as_str().unwrap());
        }
        command
    }

    /// The files of the root file system, without those of the data directory.
    fn files(&self) -> String {
        let format = "%p %m %U %G %s %T@ %y\\n";
        let mut find = Command::new("find");
        find.current_dir(self.root.path()).args([".", "-path", "./data", "-prune", "-o", "-printf", format]);
        run(&mut find)
    }
}

/// Returns the path of a blob whose size and digest are those of its descriptor.
fn verified_blob(layout: &Path, descriptor: &Value) -> PathBuf {
    let digest = descriptor["digest"].as_str().unwrap().strip_prefix(SHA256).unwrap();
    let path = layout.join("blobs/sha256").join(digest);
    assert_eq!(fs::metadata(&path).unwrap().len(), descriptor["size"].as_u64().unwrap());
    assert_eq!(run(Command::new("sha256sum").arg(&path)).split(' ').next(), Some(digest));
    path
}

/// A running service. Dropping this value stops it.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn the_image_has_a_valid_layout_without_a_shell_and_without_root() {
    let image = Image::unpack();
    let config = &image.config["config"];
    let user = config["User"].as_str().unwrap();
    assert_eq!(user, "65532:65532");
    assert_eq!((&config["Entrypoint"], &config["Cmd"]), (&json!(["/usr/bin/steward"]), &json!(["serve"])));
    assert_eq!(config["Healthcheck"]["Test"], json!(["CMD", "/usr/bin/steward", "health"]));
    assert_eq!(config["Labels"]["org.opencontainers.image.version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(config["Labels"]["org.opencontainers.image.revision"], "abc");
    assert_eq!(image.config["created"], "2001-09-09T01:46:40Z");

    let unpacked = image.layout.path().join("layer.tar");
    run(Command::new("sh").args(["-c", "gzip -dc \"$0\" > \"$1\""]).arg(&image.layer).arg(&unpacked));
    let digest = format!("{SHA256}{}", run(Command::new("sha256sum").arg(&unpacked)).split(' ').next().unwrap());
    assert_eq!(image.config["rootfs"]["diff_ids"], json!([digest]));

    let list = run(Command::new("tar").arg("-tf").arg(&unpacked));
    let files: Vec<&str> = list.lines().filter(|path| !path.ends_with('/')).collect();
    let (libraries, others): (Vec<&str>, Vec<&str>) = files.into_iter().partition(|path| path.starts_with("lib"));
    let expected =
        ["etc/group", "etc/nsswitch.conf", "etc/passwd", "etc/ssl/certs/ca-certificates.crt", "usr/bin/steward"];
    assert_eq!(others, expected);
    assert!(libraries.iter().any(|path| path.ends_with("/libc.so.6")) && libraries.len() <= 5, "{libraries:?}");
    let docker: Value = serde_json::from_slice(&fs::read(image.layout.path().join("manifest.json")).unwrap()).unwrap();
    assert_eq!(docker[0]["RepoTags"], json!([format!("steward:{}", env!("CARGO_PKG_VERSION"))]));
}

#[test]
fn the_same_files_give_the_same_image() {
    let directory = tempfile::tempdir().unwrap();
    // A small program in place of the service: its content makes no difference.
    let binary = directory.path().join("program");
    fs::copy("/bin/echo", &binary).unwrap();
    let images = ["first.tar", "second.tar"].map(|name| directory.path().join(name));
    images.iter().for_each(|image| build(&binary, image));
    run(Command::new("cmp").args(images));
}

#[test]
fn a_service_in_the_image_becomes_healthy_and_writes_only_its_data() {
    let image = Image::unpack();
    let (before, port) = (image.files(), free_port());
    let health: Vec<&str> = image.config["config"]["Healthcheck"]["Test"].as_array().unwrap()[1..]
        .iter()
        .map(|part| part.as_str().unwrap())
        .collect();
    let is_healthy = || image.command(port, &health).output().unwrap().status.success();
    assert!(!is_healthy());

    let log = image.layout.path().join("log");
    let mut serve = image.command(port, &["/usr/bin/steward", "serve"]);
    serve.stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(&log).unwrap());
    let mut service = Service(serve.spawn().unwrap());
    let deadline = std::time::Instant::now() + TIMEOUT;
    while !is_healthy() {
        let ended = service.0.try_wait().unwrap();
        let waiting = ended.is_none() && std::time::Instant::now() < deadline;
        assert!(waiting, "The service did not become healthy ({ended:?}):\n{}", fs::read_to_string(&log).unwrap());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(image.root.path().join("data/steward.db").exists());
    assert_eq!(image.files(), before);
    drop(service);
    assert!(!is_healthy());
}
