//! Samples of each operation: those of the SDKs from the files that their generators and tests write, and those of curl and the
//! command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::operation::Operation;
use crate::shell_samples::ShellSamples;

/// The languages with a file of samples: label, name for highlighting, file, and the beginning of a comment.
const FILES: [(&str, &str, &str, &str); 3] = [
    ("TypeScript", "ts", "sdks/typescript/samples/operations.ts", "// "),
    ("Python", "python", "sdks/python/samples/operations.py", "# "),
    ("Rust", "rust", "crates/client/examples/operations.rs", "// "),
];

/// What samples need besides the OpenAPI document.
const HINTS: &str = "sdks/samples.json";

/// The samples of the SDKs, by language and operation, and what the others need.
pub(crate) struct Samples {
    languages: Vec<(&'static str, &'static str, BTreeMap<String, String>)>,
    hints: Value,
}

impl Samples {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let of_file = |(label, language, file, comment): (&'static str, &'static str, &str, &str)| {
            let text = fs::read_to_string(root.join(file)).with_context(|| file.to_owned())?;
            Ok((label, language, marked(&text, comment)))
        };
        let hints = fs::read_to_string(root.join(HINTS)).context(HINTS)?;
        Ok(Self {
            languages: FILES.into_iter().map(of_file).collect::<Result<_>>()?,
            hints: serde_json::from_str(&hints)?,
        })
    }

    /// Returns the samples of an operation, in Markdown.
    pub(crate) fn markdown(&self, operation: &Operation<'_>) -> String {
        let shell = ShellSamples::of(operation, &self.hints);
        let mut blocks = vec![block("curl", "sh", &shell.curl(), true)];
        for (label, language, samples) in &self.languages {
            blocks.extend(samples.get(operation.id()).map(|code| block(label, language, code, false)));
        }
        blocks.extend(shell.command().map(|command| block("Command line", "sh", &command, false)));
        blocks.concat()
    }

    /// Returns an example of the body of the request.
    pub(crate) fn body(&self, operation: &Operation<'_>) -> Option<Value> {
        ShellSamples::of(operation, &self.hints).body()
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
