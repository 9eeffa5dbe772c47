//! Checks that no file depends on itself through others of its crate.
//!
//! A file depends on another one of its crate if it names an item of that file: in a `use` item, or with a path in its
//! code, of the form `crate::…`, `super::…`, `self::…` or starting with a module or an import in scope. What counts is
//! the file that defines the item: re-exports and imports in between are followed. So a `mod.rs` that only declares and
//! re-exports its children depends on none of them, and a child may import through it what another child defines. But a
//! child that names an item of the parent's own file is in a circle with it, if the parent's code names an item of the
//! child.
//!
//! Declarations of modules, code for tests and calls of methods do not count. A file that is mounted in two places (the
//! queries of the store) has the dependencies of both.

mod areas;
mod folders;
mod references;
mod tokens;
mod tree;
mod weight;

use std::collections::BTreeSet;
use std::path::Path;

use self::references::{References, circles, references};
use self::tree::{Sources, Tree};

fn sources_of(directory: &Path) -> Sources {
    let files = super::sources(&directory.join("src")).into_iter().map(|path| {
        let name = path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    });
    files.collect()
}

fn described(directory: &str, circle: &BTreeSet<String>, references: &References) -> String {
    let within = |file: &String| references[file].intersection(circle).cloned().collect::<Vec<_>>().join(", ");
    let files = circle.iter().map(|file| format!("\n    {file} -> {}", within(file)));
    format!("{directory}, {} files:{}", circle.len(), files.collect::<String>())
}

#[test]
fn no_files_depend_on_each_other() {
    let crates = super::root().join("crates");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let directory = entry.unwrap().path();
        let references = references(&Tree::of_crate(&sources_of(&directory)));
        let name = directory.file_name().unwrap().to_str().unwrap();
        found.extend(circles(&references).iter().map(|circle| described(name, circle, &references)));
    }
    found.sort();
    assert!(
        found.is_empty(),
        "{} circles. Move what is shared to a file of its own.\n{}",
        found.len(),
        found.join("\n")
    );
}

/// The files in circles of a crate with these sources.
fn circles_of(sources: &[(&str, &str)]) -> Vec<Vec<String>> {
    let sources = sources.iter().map(|(file, source)| (format!("src/{file}"), (*source).to_owned())).collect();
    let circles = circles(&references(&Tree::of_crate(&sources)));
    circles.into_iter().map(|circle| circle.into_iter().collect()).collect()
}

#[test]
fn a_circle_is_found_in_imports_paths_and_through_reexports() {
    let expected = [["src/a.rs".to_owned(), "src/b.rs".to_owned()]];
    let examples = [
        ("use crate::b::B;\npub struct A;", "use crate::a::A;\npub struct B;"),
        ("pub fn a() { crate::b::b() }", "pub fn b() { super::a::a() }"),
        ("use crate::b;\npub struct A(b::B);", "use super::a::{self as other};\npub struct B(other::A);"),
        ("use crate::B as Other;\npub struct A;", "use crate::{A};\npub struct B;"),
        ("pub fn a() { use super::*;\nB::new() }\npub struct A;", "pub struct B;\nimpl From<super::A> for B {}"),
    ];
    for (a, b) in examples {
        let root = "mod a;\nmod b;\npub use a::A;\npub use b::B;";
        assert_eq!(circles_of(&[("lib.rs", root), ("a.rs", a), ("b.rs", b)]), expected, "{a}\n{b}");
    }
}

#[test]
fn a_parent_and_its_child_are_a_circle_only_if_each_names_an_item_of_the_other() {
    let child = "use super::Limit;\npub struct Child(Limit);";
    let circle = |parent: &str| {
        circles_of(&[
            ("lib.rs", "mod parent;"),
            ("parent/mod.rs", parent),
            ("parent/child.rs", child),
            ("parent/limit.rs", "pub struct Limit;"),
        ])
    };

    assert!(circle("mod child;\nmod limit;\npub use child::Child;\npub use limit::Limit;").is_empty());
    assert!(circle("mod child;\nmod limit;\nuse limit::Limit;\npub struct Parent(child::Child);").is_empty());
    assert!(circle("mod child;\npub use child::Child;\npub struct Limit;").is_empty());
    assert_eq!(circle("mod child;\npub use child::Child;\npub struct Limit;\npub struct Parent(Child);").len(), 1);
    assert_eq!(circle("mod child;\npub struct Limit;\nfn parent() { child::new() }").len(), 1);
}

#[test]
fn tests_comments_and_texts_are_no_circle() {
    let a = "use crate::b::B;\npub struct A;";
    let examples = [
        "pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}",
        "pub struct B;\n#[cfg(test)]\nuse crate::a::{A};\nimpl B {\n    #[cfg(test)]\n    fn new() { crate::a::A }\n}",
        "/// [`crate::a::A`]\npub struct B; // crate::a::A\nconst TEXT: &str = \"see crate::a::A\";",
    ];
    for b in examples {
        assert!(circles_of(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", a), ("b.rs", b)]).is_empty(), "{b}");
    }
}
