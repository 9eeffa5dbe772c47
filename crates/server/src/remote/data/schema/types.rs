//! `steward schema types`.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::{Map, Value, json};
use steward_client::Violation;
use steward_domain::data::schema::{Document, TypeLanguage};

use crate::remote::Remote;
use crate::remote::command::RunCommand;
use crate::remote::project_file::ProjectFile;
use crate::terminal::{self, OutputFile};

use super::file::SchemaFile;
use super::publication;

#[derive(Debug, Args)]
pub struct GenerateTypes {
    #[command(flatten)]
    file: SchemaFile,
    /// Language
    #[arg(long, value_parser = languages())]
    lang: TypeLanguage,
    /// File to write; asks before an existing one is replaced [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Use the published schema instead of the schema file
    #[arg(long, conflicts_with = "file")]
    published: bool,
}

/// Returns the languages by their names, and by the extensions of their files.
fn languages() -> impl TypedValueParser<Value = TypeLanguage> {
    let names = [("typescript", "ts"), ("python", "py"), ("rust", "rs")];
    PossibleValuesParser::new(names.map(|(name, alias)| PossibleValue::new(name).alias(alias))).map(|name| {
        match name.as_str() {
            "python" | "py" => TypeLanguage::Python,
            "rust" | "rs" => TypeLanguage::Rust,
            _ => TypeLanguage::TypeScript,
        }
    })
}

/// Generates the types. A schema file needs no service and no sign-in.
impl RunCommand for Remote<GenerateTypes> {
    async fn run(self) -> anyhow::Result<()> {
        let arguments = &self.arguments;
        let document = if arguments.published {
            let context = self.context()?;
            let id = context.project_id(arguments.file.project.project.as_deref()).await?;
            publication::published(&context.client.schemas(&id), None).await?.schema
        } else {
            arguments.file.read(ProjectFile::find()?.as_ref())?
        };
        let types = types(document, arguments.lang)?;
        match &arguments.output {
            Some(path) => OutputFile::new(path, self.options.yes)?.write(types.as_bytes()),
            None => terminal::print(types.trim_end()),
        }
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
