//! Keeps words out of the sources that the project replaced by the field's standard terms (see CONTRIBUTING.md, Style),
//! and checks that the documents to which sources refer have the sections that they name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Words, and what to write instead. A word matches as a whole, and as a part of an identifier: `letter` matches
/// `send_letter` and `Letters` does not match `letters`.
const REPLACED: &[(&str, &str)] = &[
    ("Matter", "EmailKind"),
    ("Sealer", "Encrypter"),
    ("unseal", "decrypt"),
    ("KeyForge", "KeyGenerator"),
    ("Faults", "Violations, or errors"),
    ("Refusal", "a type that ends in Error"),
    ("Wish", "AuthorizationParameters"),
    ("Errand", "SignInIntent"),
    ("Misfit", "Mismatch"),
    ("Told", "WebhookDelivery"),
    ("let_go", "release"),
    ("DeliveryNotes", "EmailDeliveryStore"),
    ("Presumed", "Cached"),
    ("LASTS", "TTL"),
    ("LONGEST", "MAX"),
    ("PATIENCE", "TIMEOUT"),
    ("FAREWELL", "SHUTDOWN_TIMEOUT"),
    ("manieth", "number"),
    ("mended", "fixed"),
    ("whom", "who, or another sentence"),
    ("whoever", "the caller that"),
    ("whosever", "whose"),
    ("anew", "again"),
    ("unasked", "without a request"),
    ("somebody", "someone"),
    ("thereof", "of it"),
    ("lest", "so that not"),
];

/// Phrases, and what to write instead. Matched without regard to case.
const PHRASES: &[(&str, &str)] = &[
    ("that can be taken", "valid"),
    ("is no id of", "is not a valid ID of"),
    ("for ever", "forever, or never expires"),
    ("no longer good", "expired, or revoked"),
    ("by leave of", "with permission of"),
    ("hands out", "returns"),
    ("had once", "unique"),
    ("lets go of", "releases"),
    ("is told of", "receives"),
    ("none of ours", "unknown"),
    ("as far as", "if, or up to"),
    ("meanwhile", "in the meantime, or while"),
    ("be it", "whether"),
    ("with what the form showed", "with the values of the form"),
];

/// Directories and files that are checked, relative to the root of the repository.
const CHECKED: &[&str] = &[
    "crates",
    "tests",
    "docs",
    "migrations",
    "packaging",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "Makefile",
];

/// Files that contain the words as data.
const EXCEPTIONS: &[&str] =
    &["tests/words.rs", "common_passwords.txt", "package-lock.json", "assets/reference", "icons/LICENSE"];

const EXTENSIONS: &[&str] =
    &["rs", "md", "html", "css", "sql", "toml", "sh", "json", "yaml", "mjs", "ts", "py", "txt", ""];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.is_dir() {
        if !matches!(&*name, "target" | "node_modules") {
            let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
            entries.for_each(|entry| files(&entry, found));
        }
        return;
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let is_exception = EXCEPTIONS.iter().any(|exception| path.to_string_lossy().contains(exception));
    if EXTENSIONS.contains(&&*extension) && !is_exception {
        found.push(path.to_owned());
    }
}

/// Splits a line into words, and identifiers into their parts: `send_letterNow` gives `send`, `letter` and `Now`.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lowercase = false;
    for c in line.chars() {
        if !c.is_alphanumeric() || after_lowercase && c.is_uppercase() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().unwrap().push(c);
        }
        after_lowercase = c.is_lowercase();
    }
    words
}

/// The replaced words and phrases in a line.
fn findings(line: &str) -> Vec<String> {
    let found = words(line);
    let text = format!(" {} ", words_of(line).join(" ").to_lowercase());
    let words = REPLACED.iter().filter(|(word, _)| {
        let parts = words_of(word);
        found.windows(parts.len()).any(|window| window == parts)
    });
    let phrases = PHRASES.iter().filter(|(phrase, _)| text.contains(&format!(" {phrase} ")));
    words.chain(phrases).map(|(old, new)| format!("`{old}` (write {new})")).collect()
}

fn words_of(identifier: &str) -> Vec<String> {
    words(identifier).into_iter().filter(|word| !word.is_empty()).collect()
}

#[test]
fn replaced_words_do_not_come_back() {
    let (root, mut all) = (root(), Vec::new());
    CHECKED.iter().for_each(|path| files(&root.join(path), &mut all));
    assert!(all.len() > 300, "Only {} files were found.", all.len());
    let mut problems = Vec::new();
    for path in all {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        for (number, line) in text.lines().enumerate() {
            for finding in findings(line) {
                let path = path.strip_prefix(&root).unwrap().display();
                problems.push(format!("{path}:{}: {finding}", number + 1));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn lines_of_documents_are_readable() {
    let (root, mut all) = (root(), Vec::new());
    CHECKED
        .iter()
        .filter(|path| path.starts_with("docs") || path.ends_with(".md"))
        .for_each(|path| files(&root.join(path), &mut all));
    for path in all.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        let text = fs::read_to_string(path).unwrap();
        // A row of a table cannot continue on another line.
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('|')) {
            assert!(line.chars().count() <= 220, "{}:{} is longer than 220 characters.", path.display(), number + 1);
        }
    }
}

/// What a person reads: pages, emails, and errors that pages show.
const SHOWN: &[&str] = &["crates/pages/templates", "crates/pages/src", "crates/domain/src", "crates/delivery/src"];

/// Texts for programs and operators, in which it is the field's term.
const FOR_PROGRAMS: &[&str] = &[
    "Credential::Token",
    "No credential was sent.",
    "invalid_credentials",
    "getOwnCredential",
    // The grant type (RFC 6749 §4.4).
    "client_credentials",
    "must be an absolute http(s) URL without query, fragment or credentials",
];

/// The text literals of a source.
fn literals(source: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), source);
    while let Some(start) = rest.find(['"', '/', '\'']) {
        let after = &rest[start + 1..];
        rest = match rest.as_bytes()[start] {
            b'"' => {
                let escaped: Vec<usize> = after.match_indices('\\').map(|(index, _)| index + 1).collect();
                let is_escaped = |end: usize| escaped.contains(&end) && !escaped.contains(&(end - 1));
                let end = after.match_indices('"').map(|(end, _)| end).find(|end| !is_escaped(*end));
                let end = end.unwrap_or(after.len());
                found.push(after[..end].to_owned());
                after.get(end + 1..).unwrap_or_default()
            }
            b'/' if after.starts_with('/') => after.split_once('\n').map_or("", |(_, lines)| lines),
            b'\'' if after.starts_with("\"'") => &after[2..],
            _ => after,
        };
    }
    found
}

/// Returns whether a text contains the word.
fn says_credential(text: &str) -> bool {
    text.to_lowercase().contains("credential") && !FOR_PROGRAMS.iter().any(|exception| text.contains(exception))
}

#[test]
fn no_message_for_a_person_says_credential() {
    let (root, mut all) = (root(), Vec::new());
    SHOWN.iter().for_each(|path| files(&root.join(path), &mut all));
    for path in all {
        let source = fs::read_to_string(&path).unwrap_or_default();
        let texts = match path.extension().is_some_and(|extension| extension == "html") {
            true => vec![source],
            false => literals(source.split("#[cfg(test)]").next().unwrap()),
        };
        for text in texts {
            assert!(!says_credential(&text), "{}: {text}", path.display());
        }
    }
    let source = "#[error(\"Use \\\"a\\\" \\\n credential.\")] // \"credential\"\nlet c = '\"'; // Credential\n";
    let found = literals(source);
    assert!(found.len() == 1 && says_credential(&found[0]), "{found:?}");
}

#[test]
fn words_are_found_in_identifiers_and_sentences() {
    for line in ["struct SignUpFaults;", "const SESSION_LASTS: i64 = 1;", "It is mended.", "A key is good FOR EVER."] {
        assert_eq!(findings(line).len(), 1, "{line}");
    }
    for line in ["lower-case letters", "a default", "It lasts an hour.", "the latest version", "forever"] {
        assert!(findings(line).is_empty(), "{line}");
    }
}

/// A reference to a file, and to a section of it.
#[derive(Debug, PartialEq, Eq)]
struct Reference {
    /// Relative to the root of the repository or, in a link of a document, to its directory; empty for the same
    /// document.
    path: String,
    section: Option<String>,
    is_link: bool,
}

impl Reference {
    fn parse(text: &str, is_link: bool) -> Self {
        let (path, section) = text.split_once('#').map_or((text, None), |(path, section)| (path, Some(section)));
        Self { path: path.to_owned(), section: section.map(str::to_owned), is_link }
    }
}

/// The references in a line: paths of documents in `docs` and, in a document, the targets of its links.
fn references(line: &str, is_document: bool) -> Vec<Reference> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-#".contains(c);
    let is_document_path =
        |text: &&str| text.starts_with("docs/decisions/") || text.starts_with("docs/") && text.contains(".md");
    let texts = line.split(|c: char| !is_part(c)).filter(is_document_path);
    let texts = texts.map(|text| text.trim_end_matches(['.', '-', '/', '#']));
    let links = line.split("](").skip(1).filter(|_| is_document).filter_map(|rest| Some(rest.split_once(')')?.0));
    let links = links.filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
    let texts = texts.map(|text| Reference::parse(text, false));
    texts.chain(links.map(|target| Reference::parse(target, true))).collect()
}

/// The anchors of the headings of a document, as GitHub makes them.
fn sections(document: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let headings = document.lines().filter_map(|line| {
        is_code ^= line.starts_with("```");
        let heading = line.strip_prefix('#').filter(|_| !is_code)?.trim_start_matches('#').trim();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        Some(kept.collect::<String>().to_lowercase().replace(' ', "-"))
    });
    headings.collect()
}

/// What is wrong with a reference in the file.
fn problem(root: &Path, file: &Path, reference: &Reference) -> Option<String> {
    let directory = if reference.is_link { file.parent().unwrap() } else { root };
    let target = if reference.path.is_empty() { file.to_owned() } else { directory.join(&reference.path) };
    if !target.exists() {
        return Some(format!("`{}` does not exist.", reference.path));
    }
    let section = reference.section.as_ref()?;
    let is_known = sections(&fs::read_to_string(&target).unwrap()).contains(section);
    (!is_known).then(|| format!("`{}` has no section `#{section}`.", target.display()))
}

#[test]
fn every_reference_to_a_document_names_an_existing_section() {
    let (root, mut all) = (root(), Vec::new());
    CHECKED.iter().for_each(|path| files(&root.join(path), &mut all));
    let (mut problems, mut found) = (Vec::new(), 0);
    for path in all {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let is_document = path.extension().is_some_and(|extension| extension == "md");
        for (number, line) in text.lines().enumerate() {
            for reference in references(line, is_document) {
                found += usize::from(reference.path == "docs/contract.md");
                let problem = problem(&root, &path, &reference);
                problems.extend(problem.map(|problem| format!("{}:{}: {problem}", path.display(), number + 1)));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(found > 100, "Only {found} references to the contract were found.");
}

/// Texts that are referred to by number, which only their authors can look up: sections have names.
fn numbered_references(text: &str) -> Vec<String> {
    let is_prose = |word: &&str| !matches!(*word, "//" | "///" | "//!" | "--" | "#" | "*");
    let words: Vec<&str> = text.split_whitespace().filter(is_prose).collect();
    let numbered = words.windows(2).filter(|words| {
        let [name, number] = words else { return false };
        let name = name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let name = name.rsplit(['-', '(']).next().unwrap_or_default();
        matches!(name, "contract" | "rules" | "decision") && number.starts_with(|c: char| c.is_ascii_digit())
    });
    numbered.map(|words| words.join(" ")).collect()
}

#[test]
fn no_source_refers_to_a_section_by_its_number() {
    let (root, mut all) = (root(), Vec::new());
    ["crates", "tests", "migrations"].iter().for_each(|path| files(&root.join(path), &mut all));
    for path in all {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let found = numbered_references(&text);
        assert!(found.is_empty(), "{}: {found:?}. Write `docs/contract.md#<section>`.", path.display());
    }
}

#[test]
fn references_are_found_in_comments_and_links() {
    let parsed = |line, is_document| {
        let parts = |found: Reference| format!("{} {}", found.path, found.section.unwrap_or_default());
        references(line, is_document).into_iter().map(parts).collect::<Vec<_>>()
    };
    let comment = "/// A status (docs/contract.md#errors, docs/schema.md). See [x](docs/other.md) and /docs/json.";
    assert_eq!(parsed(comment, false), ["docs/contract.md errors", "docs/schema.md ", "docs/other.md "]);
    let document = "[a](../schema.md#items), [b](#ids), [c](https://example.com/d.md#e)";
    assert_eq!(parsed(document, true), ["../schema.md items", " ids"]);

    let anchors = sections("# A (b) `c`!\n```sh\n# Not one\n```\n### Cross-origin requests\n");
    assert_eq!(anchors.into_iter().collect::<Vec<_>>(), ["a-b-c", "cross-origin-requests"]);

    for text in ["(contract 1.13, RFC 9110)", "/// a (contract\n/// 1.6)", "schema-rules 4", "Decision 16 says"] {
        assert_eq!(numbered_references(text).len(), 1, "{text}");
    }
    for text in ["the contract of 3 stores", "the contract (docs/contract.md)", "rules for 3 items"] {
        assert!(numbered_references(text).is_empty(), "{text}");
    }
}
