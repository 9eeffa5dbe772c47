//! The modules of a crate, and the names that each defines and uses.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Token, attribute_end, group_end, item_end, production_tokens};

/// The sources of a crate by their paths, separated by `/`.
pub type Sources = BTreeMap<String, String>;

/// What a name stands for in a module.
#[derive(Debug)]
pub enum Meaning {
    /// An item that the module's own file defines.
    Item,
    /// A module, as an index in the tree.
    Module(usize),
    /// Another path, imported with `use`.
    Import(Vec<String>),
}

/// An imported path.
#[derive(Debug)]
pub struct Import {
    pub path: Vec<String>,
    /// The name in this module. `None` for `*` and `_`.
    pub name: Option<String>,
    pub is_glob: bool,
    /// Whether other modules see it, too.
    pub is_reexport: bool,
}

#[derive(Debug, Default)]
pub struct Module {
    pub file: String,
    pub parent: Option<usize>,
    pub names: BTreeMap<String, Vec<Meaning>>,
    pub imports: Vec<Import>,
    /// The paths outside of `use` items, each as written.
    pub paths: BTreeSet<Vec<String>>,
}

/// The modules of a crate. The first is its root.
pub struct Tree {
    pub modules: Vec<Module>,
}

impl Tree {
    pub fn of_crate(sources: &Sources) -> Self {
        let mut tree = Self { modules: Vec::new() };
        tree.add_file(sources, "src/lib.rs".to_owned(), None);
        tree
    }

    fn add_file(&mut self, sources: &Sources, file: String, parent: Option<usize>) -> usize {
        let tokens = production_tokens(&sources[&file]);
        let (directory, name) = file.rsplit_once('/').unwrap();
        let children = match name {
            "mod.rs" | "lib.rs" => directory.to_owned(),
            _ => file.trim_end_matches(".rs").to_owned(),
        };
        self.add_module(sources, &tokens, file, &children, parent)
    }

    /// Adds a module, whose child modules have their files in the directory `children`.
    fn add_module(
        &mut self,
        sources: &Sources,
        tokens: &[Token],
        file: String,
        children: &str,
        parent: Option<usize>,
    ) -> usize {
        let module = self.modules.len();
        self.modules.push(Module { file: file.clone(), parent, ..Module::default() });
        let mut at = 0;
        while at < tokens.len() {
            let start = at;
            let mut path = None;
            while let Some(end) = attribute_end(tokens, at) {
                path = path.or_else(|| path_attribute(&tokens[at..end]));
                at = end;
            }
            let end = item_end(tokens, start).max(at + 1).min(tokens.len());
            let item = &tokens[at..end];
            let is_visible = item.first().and_then(Token::word) == Some("pub");
            let item = if is_visible { after_visibility(item) } else { item };
            self.modules[module].add_paths(&tokens[start..at]);
            at = end;
            match item {
                [Token::Word(word), tree @ ..] if word == "use" => {
                    self.modules[module].add_imports(tree, &[], is_visible);
                }
                [Token::Word(word), Token::Word(name), content @ ..] if word == "mod" => {
                    let child = if content.first().is_some_and(|token| token.is(';')) {
                        let directory = file.rsplit_once('/').unwrap().0;
                        let candidates = match path {
                            Some(path) => vec![normalized(&format!("{directory}/{path}"))],
                            None => vec![format!("{children}/{name}.rs"), format!("{children}/{name}/mod.rs")],
                        };
                        let found = candidates.iter().find(|candidate| sources.contains_key(*candidate));
                        let found = found.unwrap_or_else(|| panic!("{file}: no file for `mod {name}`"));
                        self.add_file(sources, found.clone(), Some(module))
                    } else {
                        let content = &content[1..content.len() - 1];
                        self.add_module(sources, content, file.clone(), &format!("{children}/{name}"), Some(module))
                    };
                    self.modules[module].add_name(name, Meaning::Module(child));
                }
                _ => self.modules[module].add_item(item),
            }
        }
        module
    }
}

impl Module {
    fn add_name(&mut self, name: &str, meaning: Meaning) {
        self.names.entry(name.to_owned()).or_default().push(meaning);
    }

    fn add_item(&mut self, item: &[Token]) {
        const KINDS: [&str; 8] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static"];
        let before_body = item.iter().take_while(|token| token.depth() == 0);
        let mut words = before_body.map_while(Token::word).skip_while(|word| {
            !KINDS.contains(word) || *word == "const" && item.get(1).and_then(Token::word) == Some("fn")
        });
        if let [Token::Word(word), Token::Sign('!'), Token::Word(name), ..] = item
            && word == "macro_rules"
        {
            self.add_name(name, Meaning::Item);
        } else if let (Some(_), Some(name)) = (words.next(), words.next()) {
            self.add_name(name, Meaning::Item);
        }
        self.add_paths(item);
    }

    /// Adds the paths in code, and what it imports itself.
    fn add_paths(&mut self, code: &[Token]) {
        let mut at = 0;
        while at < code.len() {
            let before = at.checked_sub(1).map(|before| &code[before]);
            match &code[at] {
                Token::Word(word) if word == "use" && before.is_none_or(|token| !token.is('+')) => {
                    let end = code[at..].iter().position(|token| token.is(';')).map_or(code.len(), |end| at + end + 1);
                    self.add_imports(&code[at + 1..end], &[], false);
                    at = end;
                }
                Token::Word(_) => {
                    let is_member = before.is_some_and(|token| token.is('.'))
                        && at.checked_sub(2).is_none_or(|before| !code[before].is('.'));
                    let continues = before == Some(&Token::PathSeparator);
                    let (path, end) = path_at(code, at);
                    // A name in lower case that stands alone may be a variable or field.
                    let is_name = path.len() > 1
                        || path[0].contains(char::is_uppercase)
                        || code.get(end).is_some_and(|token| token.is('(') || token.is('!'));
                    if !is_member && !continues && is_name {
                        self.paths.insert(path);
                    }
                    at = end;
                }
                Token::Text(text) if ["crate::", "self::", "super::"].iter().any(|start| text.starts_with(start)) => {
                    self.paths.insert(text.split("::").map(str::to_owned).collect());
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Adds the imports of a tree such as `a::{b, c as d};`.
    fn add_imports(&mut self, tree: &[Token], prefix: &[String], is_reexport: bool) {
        let mut path = prefix.to_vec();
        let mut at = 0;
        while let Some(token) = tree.get(at) {
            match token {
                Token::Word(word) if word == "as" => {
                    let name = tree.get(at + 1).and_then(Token::word).filter(|name| *name != "_").map(str::to_owned);
                    return self.add_import(path, name, false, is_reexport);
                }
                Token::Word(word) => path.push(word.clone()),
                Token::Sign('*') => return self.add_import(path, None, true, is_reexport),
                Token::Sign('{') => {
                    let group = &tree[at + 1..group_end(tree, at) - 1];
                    return branches(group).into_iter().for_each(|branch| self.add_imports(branch, &path, is_reexport));
                }
                _ => {}
            }
            at += 1;
        }
        if path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = path.last().cloned();
        self.add_import(path, name, false, is_reexport);
    }

    fn add_import(&mut self, path: Vec<String>, name: Option<String>, is_glob: bool, is_reexport: bool) {
        if let Some(name) = &name {
            self.add_name(name, Meaning::Import(path.clone()));
        }
        self.imports.push(Import { path, name, is_glob, is_reexport });
    }
}

/// The parts of a group in a `use` item.
fn branches(group: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0;
    let parts = group.split(|token| {
        depth += token.depth();
        depth == 0 && token.is(',')
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// The path that starts at an index, and the index after it.
fn path_at(code: &[Token], mut at: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    while let Some(word) = code.get(at).and_then(Token::word) {
        path.push(word.to_owned());
        at += 1;
        if code.get(at) != Some(&Token::PathSeparator) || code.get(at + 1).and_then(Token::word).is_none() {
            break;
        }
        at += 1;
    }
    (path, at)
}

fn after_visibility(item: &[Token]) -> &[Token] {
    match &item[1..] {
        [Token::Sign('('), ..] => &item[group_end(item, 1)..],
        item => item,
    }
}

/// The value of an attribute `#[path = "…"]`.
fn path_attribute(attribute: &[Token]) -> Option<String> {
    match attribute {
        [_, _, Token::Word(word), Token::Sign('='), Token::Text(path), ..] if word == "path" => Some(path.clone()),
        _ => None,
    }
}

/// The path without `..`.
fn normalized(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
