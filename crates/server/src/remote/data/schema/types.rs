//! `steward schema types`.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use steward_client::Violation;
use steward_domain::data::schema::{Document, TypeLanguage};

use crate::remote::Remote;
use crate::remote::project_file::ProjectFile;
use crate::terminal;

use super::file::SchemaFile;
use super::publication;

#[derive(Debug, Args)]
pub struct GenerateTypes {
    #[command(flatten)]
    file: SchemaFile,
    /// Language
    #[arg(long, value_enum)]
    lang: Language,
    /// File to write; asks before an existing one is replaced [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Use the published schema instead of the schema file
    #[arg(long, conflicts_with = "file")]
    published: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Language {
    #[value(alias = "ts")]
    Typescript,
    #[value(alias = "py")]
    Python,
    #[value(alias = "rs")]
    Rust,
}

impl From<Language> for TypeLanguage {
    fn from(language: Language) -> Self {
        match language {
            Language::Typescript => Self::TypeScript,
            Language::Python => Self::Python,
            Language::Rust => Self::Rust,
        }
    }
}

/// Generates the types. A schema file needs no service and no sign-in.
pub async fn run(command: &Remote<GenerateTypes>) -> anyhow::Result<()> {
    let arguments = &command.arguments;
    let document = if arguments.published {
        let context = command.context()?;
        let id = context.project_id(arguments.file.project()).await?;
        publication::published(&context.client.schemas(&id), None).await?.schema
    } else {
        arguments.file.read(ProjectFile::find()?.as_ref())?
    };
    let types = types(document, arguments.lang.into())?;
    match &arguments.output {
        Some(path) => command.output_file(path)?.write(types.as_bytes()),
        None => terminal::print(types.trim_end()),
    }
}

/// Returns the types. What a publication fills in has no effect on them.
pub fn types(mut document: Map<String, Value>, language: TypeLanguage) -> anyhow::Result<String> {
    document.entry("project_id").or_insert_with(|| json!(""));
    document.entry("version").or_insert_with(|| json!(0));
    let document = match Document::parse(&Value::Object(document)) {
        Ok(document) => document,
        Err(violations) => {
            for violation in violations.as_slice() {
                terminal::note(&format!("  {}", Violation::of(&violation.to_value())));
            }
            bail!("The schema is not valid.");
        }
    };
    Ok(document.types(language))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types_of(document: Value) -> anyhow::Result<String> {
        let Value::Object(document) = document else { panic!("{document}") };
        types(document, TypeLanguage::TypeScript)
    }

    #[test]
    fn a_file_without_what_a_publication_fills_in_has_types() {
        let types = types_of(json!({"tables": {"notes": {"fields": {"title": {"type": "string"}}}}})).unwrap();
        assert!(types.contains("title?: string | null;"), "{types}");
    }

    #[test]
    fn an_invalid_document_has_no_types() {
        let error = types_of(json!({"tables": {"notes": {"fields": {"title": {"type": "text"}}}}})).unwrap_err();
        assert_eq!(error.to_string(), "The schema is not valid.");
    }
}
