//! Checks that a folder of sources can be read at a glance: more entries are divided by what they are about.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::root;

const MOST_ENTRIES: usize = 20;

/// The number of files and folders in each folder, itself included.
fn entries(folder: &Path) -> BTreeMap<PathBuf, usize> {
    let all: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut numbers: BTreeMap<_, _> = all.iter().filter(|path| path.is_dir()).flat_map(|path| entries(path)).collect();
    numbers.insert(folder.to_owned(), all.len());
    numbers
}

#[test]
fn no_folder_of_a_crate_has_more_entries_than_fit_on_a_screen() {
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    let numbers = crates.flat_map(|entry| entries(&entry.unwrap().path().join("src")));
    let large: Vec<_> = numbers.filter(|(_, number)| *number > MOST_ENTRIES).collect();
    assert!(large.is_empty(), "Divide these folders, so that none has more than {MOST_ENTRIES} entries: {large:#?}");
}
