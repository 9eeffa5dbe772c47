//! Samples of each operation: those of the SDKs from the files that their generators and tests write, and those of curl and the
//! command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::operation::Operation;

/// The address of the service in samples, which readers see replaced by the real one.
const SERVICE: &str = "http://localhost:3003";

/// The ID of the project in samples.
const PROJECT: &str = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";

/// The languages with a file of samples: label, name for highlighting, file, and the beginning of a comment.
const FILES: [(&str, &str, &str, &str); 3] = [
    ("TypeScript", "ts", "sdks/typescript/samples/operations.ts", "// "),
    ("Python", "python", "sdks/python/samples/operations.py", "# "),
    ("Rust", "rust", "crates/client/examples/operations.rs", "// "),
];

/// The samples of the SDKs, by language and operation.
pub(crate) struct Samples {
    languages: Vec<(&'static str, &'static str, BTreeMap<String, String>)>,
}

impl Samples {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let of_file = |(label, language, file, comment): (&'static str, &'static str, &str, &str)| {
            let text = fs::read_to_string(root.join(file)).with_context(|| file.to_owned())?;
            Ok((label, language, marked(&text, comment)))
        };
        Ok(Self { languages: FILES.into_iter().map(of_file).collect::<Result<_>>()? })
    }

    /// Returns the samples of an operation, in Markdown.
    pub(crate) fn markdown(&self, operation: &Operation<'_>) -> String {
        let mut blocks = vec![block("curl", "sh", &curl(operation), true)];
        for (label, language, samples) in &self.languages {
            blocks.extend(samples.get(operation.id()).map(|code| block(label, language, code, false)));
        }
        blocks.push(block("Command line", "sh", &command(operation), false));
        blocks.concat()
    }

    /// Returns what the samples of a language begin with, in Markdown.
    pub(crate) fn preambles(&self) -> String {
        let all = self.languages.iter().filter_map(|(label, language, samples)| {
            samples.get("preamble").map(|code| format!("### {label}\n\n```{language}\n{code}```\n\n"))
        });
        all.collect()
    }
}

fn block(label: &str, language: &str, code: &str, is_open: bool) -> String {
    let open = if is_open { " open" } else { "" };
    let code = code.trim_end();
    format!(
        "<details class=\"sample\" name=\"sample\"{open}><summary>{label}</summary>\n\n```{language}\n{code}\n```\n\n</details>\n\n"
    )
}

/// Returns the samples of a file: the lines between `sample: <operation>` and `end`, by operation.
fn marked(text: &str, comment: &str) -> BTreeMap<String, String> {
    let (start, end) = (format!("{comment}sample: "), format!("{comment}end"));
    let (mut samples, mut name): (BTreeMap<String, Vec<&str>>, Option<&str>) = Default::default();
    for line in text.lines() {
        match line.trim_start().strip_prefix(&start) {
            Some(operation) => name = Some(operation.trim()),
            None if line.trim() == end => name = None,
            None => samples
                .extend(name.map(|name| (name.to_owned(), Vec::new())).filter(|(name, _)| !samples.contains_key(name))),
        }
        if let Some(lines) = name.and_then(|name| samples.get_mut(name)) {
            lines.push(line);
        }
    }
    samples.into_iter().map(|(name, lines)| (name, dedented(&lines))).collect()
}

fn dedented(lines: &[&str]) -> String {
    let indent = |line: &&&str| line.len() - line.trim_start().len();
    let least = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(&line)).min().unwrap_or_default();
    lines.iter().map(|line| format!("{}\n", line.get(least..).unwrap_or_default())).collect()
}

/// Returns the path with variables of the shell, and the required parameters of the query.
fn address(operation: &Operation<'_>) -> String {
    let path =
        operation.path.split('/').map(|part| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => placeholder(operation.path, name),
            None => part.to_owned(),
        });
    let path = path.collect::<Vec<_>>().join("/");
    let query = operation.parameters("query");
    let required =
        query.iter().filter(|parameter| parameter["required"] == true && parameter["schema"]["type"] != "object");
    let query: Vec<String> =
        required.map(|parameter| format!("{}={}", name_of(parameter), plain(&example(parameter)))).collect();
    if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
}

/// Returns what stands for a parameter of the path: the ID of the example, which readers see replaced by that of their project, or a
/// variable of the shell.
fn placeholder(path: &str, name: &str) -> String {
    match name {
        "id" if path.starts_with("/project") => PROJECT.to_owned(),
        "project_id" => PROJECT.to_owned(),
        name => format!("${}", name.to_uppercase()),
    }
}

fn name_of(parameter: &Value) -> &str {
    parameter["name"].as_str().unwrap_or_default()
}

fn example(parameter: &Value) -> Value {
    [&parameter["example"], &parameter["schema"]["example"]]
        .into_iter()
        .find(|value| !value.is_null())
        .cloned()
        .unwrap_or_else(|| "x".into())
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.replace(' ', "%20"))
}

fn curl(operation: &Operation<'_>) -> String {
    let address = address(operation);
    let mut lines = vec![match operation.method.as_str() {
        "GET" => format!("curl \"{SERVICE}{address}\""),
        method => format!("curl -X {method} \"{SERVICE}{address}\""),
    }];
    if operation.needs_credential() {
        lines.push("-H \"Authorization: Bearer $STEWARD_TOKEN\"".to_owned());
    }
    if let Some(body) = operation.request() {
        match (body.media_type, body.example) {
            ("application/json", Some(example)) => {
                lines.push("-H \"Content-Type: application/json\"".to_owned());
                lines.push(format!("-d '{}'", quoted(&json(example))));
            }
            ("multipart/form-data", _) => lines.push("-F \"file=@image.png\"".to_owned()),
            (_, example) => {
                let fields = example.and_then(Value::as_object).into_iter().flatten();
                lines.extend(
                    fields.map(|(name, value)| format!("--data-urlencode '{name}={}'", quoted(&text_of(value)))),
                );
            }
        }
    }
    lines.join(" \\\n  ")
}

fn command(operation: &Operation<'_>) -> String {
    let address = address(operation);
    let method = &operation.method;
    let Some(body) = operation.request() else { return format!("steward api {method} \"{address}\"") };
    match (body.media_type, body.example) {
        ("application/json", Some(example)) => {
            format!("steward api {method} \"{address}\" --input - <<'JSON'\n{}\nJSON", json(example))
        }
        // The command line sends JSON.
        _ => format!("steward api {method} \"{address}\" --help"),
    }
}

fn json(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns text within single quotes of the shell.
fn quoted(text: &str) -> String {
    text.replace('\'', r"'\''")
}
