//! Which file of a crate refers to which, and the circles among them.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Meaning, Tree};

/// The files that each file refers to.
pub type References = BTreeMap<String, BTreeSet<String>>;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Module(usize),
    /// An item, as the file that defines it.
    Item(String),
    /// Something of another crate.
    External,
}

type Visited = BTreeSet<(usize, Vec<String>)>;

/// The references between the files of a crate.
pub fn references(tree: &Tree) -> References {
    let mut references = References::new();
    for (index, module) in tree.modules.iter().enumerate() {
        let used = |name: &str| module.paths.iter().any(|path| path[0] == name);
        let has_children = module.names.values().flatten().any(|meaning| matches!(meaning, Meaning::Module(_)));
        let imported = module.imports.iter().filter(|import| match &import.name {
            // Only other modules use it.
            Some(name) if import.is_reexport || has_children => used(name),
            _ => true,
        });
        let paths = imported.map(|import| &import.path).chain(&module.paths);
        let targets = paths.flat_map(|path| resolve(tree, index, path, &mut Visited::new()));
        let files = targets.filter_map(|target| match target {
            Target::Item(file) if file != module.file => Some(file),
            _ => None,
        });
        references.entry(module.file.clone()).or_default().extend(files);
    }
    references
}

/// What a path in a module leads to.
fn resolve(tree: &Tree, module: usize, path: &[String], visited: &mut Visited) -> BTreeSet<Target> {
    if !visited.insert((module, path.to_vec())) {
        return BTreeSet::new();
    }
    let mut start = module;
    let mut at = 0;
    while let Some(parent) = path.get(at).and_then(|segment| match segment.as_str() {
        "crate" => Some(0),
        "self" => Some(start),
        "super" => tree.modules[start].parent,
        _ => None,
    }) {
        start = parent;
        at += 1;
    }
    let mut targets = BTreeSet::from([Target::Module(start)]);
    let first = at;
    for (at, segment) in path.iter().enumerate().skip(first) {
        let next = targets.into_iter().flat_map(|target| match target {
            Target::Module(module) => {
                let mut found = lookup(tree, module, segment, visited);
                let is_module = |target: &Target| matches!(target, Target::Module(_));
                // A function can have the name of a module, but no other names below it.
                if at + 1 < path.len() && found.iter().any(is_module) {
                    found.retain(is_module);
                }
                match found.is_empty() {
                    // A macro defines it, or it belongs to another crate.
                    true if at == 0 => BTreeSet::from([Target::External]),
                    true => BTreeSet::from([Target::Item(tree.modules[module].file.clone())]),
                    false => found,
                }
            }
            target => BTreeSet::from([target]),
        });
        targets = next.collect();
    }
    targets
}

/// What a name stands for in a module.
fn lookup(tree: &Tree, module: usize, name: &str, visited: &mut Visited) -> BTreeSet<Target> {
    let meanings = tree.modules[module].names.get(name).into_iter().flatten();
    let mut targets = BTreeSet::new();
    for meaning in meanings {
        match meaning {
            Meaning::Item => drop(targets.insert(Target::Item(tree.modules[module].file.clone()))),
            Meaning::Module(child) => drop(targets.insert(Target::Module(*child))),
            Meaning::Import(path) => targets.extend(resolve(tree, module, path, visited)),
        }
    }
    if !targets.is_empty() {
        return targets;
    }
    let globs = tree.modules[module].imports.iter().filter(|import| import.is_glob);
    for glob in globs {
        for target in resolve(tree, module, &glob.path, visited) {
            if let Target::Module(origin) = target
                && origin != module
            {
                targets.extend(lookup(tree, origin, name, visited));
            }
        }
    }
    targets
}

/// The sets of files each of which leads to all others of its set.
pub fn circles(references: &References) -> Vec<BTreeSet<String>> {
    let reachable: BTreeMap<&String, BTreeSet<&String>> =
        references.keys().map(|file| (file, reachable(references, file))).collect();
    let circles = reachable.iter().map(|(file, others)| {
        let mutual = others.iter().filter(|other| reachable[**other].contains(file));
        mutual.map(|other| (*other).clone()).collect::<BTreeSet<String>>()
    });
    circles.filter(|circle| circle.len() > 1).collect::<BTreeSet<_>>().into_iter().collect()
}

fn reachable<'a>(references: &'a References, file: &'a String) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut next = vec![file];
    while let Some(file) = next.pop() {
        next.extend(references[file].iter().filter(|other| reached.insert(*other)));
    }
    reached
}
