//! Highlights code, with six classes of CSS in place of a theme, so that the colors follow the system setting.

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use crate::markdown::escaped;

/// The beginnings of the names of scopes, and their classes. The first that matches the innermost scope counts.
const CLASSES: [(&str, &str); 12] = [
    ("comment", "c"),
    ("string", "s"),
    ("constant.character.escape", "n"),
    ("constant", "n"),
    ("keyword.operator", ""),
    ("keyword", "k"),
    ("storage", "k"),
    ("entity.name.tag", "k"),
    ("entity.name", "f"),
    ("support.function", "f"),
    ("variable.function", "f"),
    ("entity.other.attribute-name", "a"),
];

pub(crate) struct Highlighter {
    syntaxes: SyntaxSet,
    classes: Vec<(Scope, &'static str)>,
}

impl Highlighter {
    pub(crate) fn new() -> Self {
        let classes = CLASSES.iter().filter_map(|(scope, class)| Some((Scope::new(scope).ok()?, *class)));
        Self { syntaxes: two_face::syntax::extra_newlines(), classes: classes.collect() }
    }

    /// Returns code as HTML. Code in an unknown language is only escaped.
    pub(crate) fn html(&self, language: &str, code: &str) -> String {
        let token = match language {
            "console" | "shell" => "sh",
            "" => "txt",
            language => language,
        };
        let Some(syntax) = self.syntaxes.find_syntax_by_token(token) else { return escaped(code) };
        let (mut state, mut stack, mut html) = (ParseState::new(syntax), ScopeStack::new(), Runs::default());
        for line in code.split_inclusive('\n') {
            let Ok(operations) = state.parse_line(line, &self.syntaxes) else { return escaped(code) };
            let mut start = 0;
            for (end, operation) in operations {
                html.push(self.class(&stack), line.get(start..end).unwrap_or_default());
                if stack.apply(&operation).is_err() {
                    return escaped(code);
                }
                start = end;
            }
            html.push(self.class(&stack), line.get(start..).unwrap_or_default());
        }
        html.finish()
    }

    fn class(&self, stack: &ScopeStack) -> &'static str {
        let of = |scope: &Scope| self.classes.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
        // An interpolation inside of a string is code.
        let scopes = stack.scopes.iter().rev();
        scopes.filter_map(of).map(|(_, class)| *class).next().unwrap_or_default()
    }
}

/// Text in runs of one class.
#[derive(Default)]
struct Runs {
    html: String,
    class: &'static str,
    text: String,
}

impl Runs {
    fn push(&mut self, class: &'static str, text: &str) {
        if class != self.class && !text.is_empty() {
            self.end();
            self.class = class;
        }
        self.text.push_str(text);
    }

    fn end(&mut self) {
        let text = escaped(&std::mem::take(&mut self.text));
        match self.class {
            _ if text.is_empty() => {}
            "" => self.html.push_str(&text),
            class => self.html.push_str(&format!("<span class=\"{class}\">{text}</span>")),
        }
    }

    fn finish(mut self) -> String {
        self.end();
        self.html
    }
}
