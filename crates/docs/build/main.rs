//! Renders the documentation: reads `docs/`, the READMEs of the SDKs and the OpenAPI document, and writes all pages to one
//! compressed file.
#![expect(clippy::indexing_slicing, reason = "A member that a JSON value does not have is null.")]
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "Build scripts talk to cargo this way.")]

#[path = "../src/page.rs"]
mod page;
#[path = "../src/tokens.rs"]
mod tokens;

mod events;
#[cfg_attr(not(feature = "highlight"), path = "no_highlight.rs")]
mod highlight;
mod links;
mod markdown;
mod operation;
mod reference;
mod samples;
mod schema_table;
mod sections;
mod shell_samples;
mod sources;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use self::highlight::Highlighter;
use self::links::Links;
use self::markdown::Rendered;
use self::page::{Group, Page, Site};
use self::sources::{Source, SourceGroup};

fn main() -> Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../..");
    for watched in [
        "docs",
        "sdks/samples.json",
        "sdks/typescript/README.md",
        "sdks/typescript/samples",
        "sdks/python/README.md",
        "sdks/python/samples",
        "crates/client/README.md",
        "crates/client/examples/operations.rs",
    ] {
        println!("cargo::rerun-if-changed={}", root.join(watched).display());
    }
    println!("cargo::rerun-if-changed=build");
    let mut groups = sources::of_repository(&root)?;
    let document = fs::read_to_string(root.join("docs/openapi.json")).context("docs/openapi.json")?;
    // Developers of apps read what comes before it.
    let operations = groups.iter().position(|group| group.title == "Operations").unwrap_or_default();
    groups.splice(operations..operations, reference::groups(&root, &serde_json::from_str(&document)?)?);

    let site = render(&groups);
    let output = PathBuf::from(env::var("OUT_DIR")?).join("pages.json.gz");
    let mut encoder = GzEncoder::new(File::create(output)?, Compression::best());
    serde_json::to_writer(&mut encoder, &site)?;
    encoder.finish()?;
    Ok(())
}

fn render(groups: &[SourceGroup]) -> Site {
    let all: Vec<&Source> = groups.iter().flat_map(|group| &group.sources).collect();
    let (links, highlighter) = (Links::of(&all), Highlighter::new());
    let rendered: Vec<Rendered> = all.iter().map(|source| markdown::render(source, &links, &highlighter)).collect();
    let (sections, average_length) = sections::of(&rendered);
    let mut site = Site { sections, average_length, ..Site::default() };
    for SourceGroup { title, is_part, sources } in groups {
        let start = site.groups.last().map_or(0, |group: &Group| group.start + group.count);
        site.groups.push(Group { title: title.clone(), is_part: *is_part, start, count: sources.len() });
    }
    site.pages = all.iter().zip(rendered).map(|(source, rendered)| page_of(source, rendered)).collect();
    site
}

fn page_of(source: &Source, rendered: Rendered) -> Page {
    let Rendered { title, summary, html, headings, .. } = rendered;
    let (path, markdown, operation) = (source.path.clone(), source.markdown.clone(), source.operation.clone());
    Page { path, title, summary, markdown, html, headings, operation }
}
