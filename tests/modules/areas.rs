//! Checks that the areas of the domain can be used without each other: each names only itself and the kernel, and the
//! kernel only itself.

use std::collections::BTreeSet;

use super::references::references;
use super::sources_of;
use super::tree::Tree;

const AREAS: [&str; 4] = ["kernel", "administration", "data", "identity"];

/// The files that name another area, each with that area. A line may be removed, never added.
const EXCEPTIONS: &str = include_str!("areas.txt");

/// The folder or file below `src` in which a file is.
fn area(file: &str) -> &str {
    file.trim_start_matches("src/").split('/').next().unwrap()
}

#[test]
fn an_area_names_only_itself_and_the_kernel() {
    let references = references(&Tree::of_crate(&sources_of(&crate::root().join("crates/domain"))));
    let areas = references.iter().filter(|(file, _)| AREAS.contains(&area(file)));
    let named = areas.flat_map(|(file, others)| others.iter().map(move |other| (file, area(other))));
    let other = named.filter(|(file, other)| *other != "kernel" && *other != area(file));
    let found: BTreeSet<String> =
        other.map(|(file, other)| format!("{} -> {other}", file.trim_start_matches("src/"))).collect();
    let exceptions: BTreeSet<String> = EXCEPTIONS.lines().map(str::to_owned).collect();
    let [new, gone] = [&found - &exceptions, &exceptions - &found];
    assert!(new.is_empty(), "Pass these values through a port, or through a type of the kernel: {new:#?}");
    assert!(gone.is_empty(), "Remove these lines from tests/modules/areas.txt: {gone:#?}");
}
