//! Checks that an operation costs no more code than before.
//!
//! What is counted: the lines of production code in `crates/*/src` and `crates/*/build`, divided by the rows of the
//! table of operations and their permissions (`kernel/policy/operation.rs` of the domain). Code that moves to a build
//! script is not saved.
//!
//! A line counts if a token stands in it, or a part of one. So these lines do not count: blank ones, and comments and
//! documentation. These do: a closing bracket that stands alone, an attribute, each line of a text that continues,
//! unless it is blank, and the rows of tables in macros with the texts in them, as in `operations!`.
//!
//! Tests do not count: items with `#[cfg(test)]` or with another `cfg` that names `test`, such as mocks, the files of
//! modules that have this attribute, and `crates/store-contract`, which is a suite of tests. Nor do examples, and what
//! is not written in Rust: templates, styles, scripts and migrations. No file in these folders is generated.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use steward_domain::kernel::policy::Operation;

use super::tokens::{Code, Token};
use crate::{root, sources};

/// Lines of production code for each operation. The number only goes down: a change that needs fewer lines lowers it.
const MOST_LINES_FOR_AN_OPERATION: usize = 507;

/// The numbers of lines of production code of files, by their paths.
fn production_lines(sources: &BTreeMap<PathBuf, String>) -> BTreeMap<&Path, usize> {
    let mut numbers = BTreeMap::new();
    let mut for_tests = Vec::new();
    for (file, source) in sources {
        let [production, tests] = Code::of(source);
        numbers.insert(file.as_path(), lines_of(source, &production));
        for_tests.extend(modules_in_files(&tests).map(|name| children(file).join(name)));
    }
    numbers.retain(|file, _| !for_tests.iter().any(|module| file.with_extension("").starts_with(module)));
    numbers
}

fn lines_of(source: &str, code: &Code) -> usize {
    let lines: Vec<&str> = source.lines().collect();
    let numbers = code.lines.iter().cloned().flatten();
    numbers.filter(|number| !lines[*number].trim().is_empty()).collect::<BTreeSet<_>>().len()
}

/// The names of the modules that have files of their own.
fn modules_in_files(code: &Code) -> impl Iterator<Item = &str> {
    code.tokens.windows(3).filter_map(|tokens| match tokens {
        [Token::Word(word), Token::Word(name), Token::Sign(';')] if word == "mod" => Some(name.as_str()),
        _ => None,
    })
}

/// The directory with the files of a file's modules.
fn children(file: &Path) -> PathBuf {
    let is_parent = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| file.ends_with(name));
    if is_parent { file.parent().unwrap().to_owned() } else { file.with_extension("") }
}

#[test]
fn an_operation_costs_no_more_code_than_before() {
    let mut of_crates = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let directory = entry.unwrap().path();
        let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
        let folders = ["src", "build"].map(|folder| directory.join(folder));
        let files = folders.iter().filter(|folder| folder.exists()).flat_map(|folder| sources(folder));
        let sources = files.map(|file| (file.clone(), std::fs::read_to_string(file).unwrap())).collect();
        of_crates.insert(name, production_lines(&sources).values().sum::<usize>());
    }
    of_crates.remove("store-contract").unwrap();
    let lines: usize = of_crates.values().sum();
    let operations = Operation::RULES.len();
    assert!(
        lines <= operations * MOST_LINES_FOR_AN_OPERATION,
        "{lines} lines of production code for {operations} operations are more than {MOST_LINES_FOR_AN_OPERATION} for \
         each. By crate: {of_crates:?}"
    );
}

#[test]
fn blank_lines_comments_and_tests_are_no_production_code() {
    let lib = "//! Text.\n\nmod a;\n#[cfg(any(test, feature = \"mocks\"))]\nmod mocks;\n";
    let a = [
        "/// Text.\n#[derive(Debug)]\npub struct A {\n    /* Text\n    that goes on. */\n    a: &'static str, // Why\n",
        "    #[cfg(test)]\n    b: u8,\n}\n\nconst TEXT: &str = \"first \\\"//\n\n  second\";\n\n",
        "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n",
    ];
    let a = &a.concat();
    let files = [("src/lib.rs", lib), ("src/a.rs", a), ("src/mocks/mod.rs", "mod b;"), ("src/mocks/b.rs", "struct B;")];
    let files = files.map(|(file, source)| (PathBuf::from(file), source.to_owned())).into();
    let expected = [("src/a.rs", 6), ("src/lib.rs", 1)].map(|(file, lines)| (Path::new(file), lines));
    assert_eq!(production_lines(&files), expected.into());
}
