//! Generates a Rust client of the API from the OpenAPI document, for the tests.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use openapi_to_rust::analysis::SchemaAnalyzer;
use openapi_to_rust::config::ClientSection;
use openapi_to_rust::{CodeGenerator, GeneratorConfig};

/// The operations that the tests use. The complete client has 140,000 lines, which take too long to compile.
const OPERATIONS: &[&str] = &[
    "signUp",
    "logIn",
    "createTeam",
    "createProject",
    "createKey",
    "publishSchema",
    "connectUser",
    "listUsers",
    "putItem",
    "getItem",
];

const DOCUMENT: &str = "../docs/openapi.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DOCUMENT}");
    println!("cargo::rerun-if-changed=build.rs");
    let document = serde_json::from_str(&fs::read_to_string(DOCUMENT)?)?;
    let operations = OPERATIONS.iter().map(|id| (*id).to_owned()).collect();
    let generator = CodeGenerator::new(GeneratorConfig {
        client: Some(ClientSection { operations, prune_models: true }),
        enable_sse_client: false,
        tracing_enabled: false,
        ..GeneratorConfig::default()
    });
    let result = generator.generate_all(&mut SchemaAnalyzer::new(document)?.analyze()?)?;
    let directory = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set.")?);
    for file in &result.files {
        // `include!` does not accept inner attributes and inner documentation.
        let lines = file.content.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("#!["));
        fs::write(directory.join(&file.path), lines.collect::<Vec<_>>().join("\n"))?;
    }
    Ok(())
}
