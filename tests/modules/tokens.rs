//! Splits Rust source into tokens, without comments and without what is compiled only for tests.

use std::ops::RangeInclusive;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// An identifier, a keyword or a number.
    Word(String),
    /// The content of a string literal.
    Text(String),
    PathSeparator,
    Sign(char),
}

impl Token {
    pub fn is(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }

    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The change of the nesting depth.
    pub fn depth(&self) -> isize {
        match self {
            Self::Sign('(' | '[' | '{') => 1,
            Self::Sign(')' | ']' | '}') => -1,
            _ => 0,
        }
    }
}

/// The tokens of a file without comments, and the lines in which each stands, from 0.
#[derive(Default)]
pub struct Code {
    pub tokens: Vec<Token>,
    pub lines: Vec<RangeInclusive<usize>>,
}

impl Code {
    /// Separates production code from items that have an attribute `#[cfg(test)]`.
    pub fn of(source: &str) -> [Self; 2] {
        let all = Self::all(source);
        let [mut production, mut tests] = [Self::default(), Self::default()];
        let mut tests_end = 0;
        for (at, (token, lines)) in all.tokens.iter().zip(&all.lines).enumerate() {
            if at >= tests_end
                && let Some(end) = attribute_end(&all.tokens, at)
                && is_for_tests(&all.tokens[at..end])
            {
                tests_end = item_end(&all.tokens, end);
            }
            let part = if at < tests_end { &mut tests } else { &mut production };
            part.tokens.push(token.clone());
            part.lines.push(lines.clone());
        }
        [production, tests]
    }

    fn all(source: &str) -> Self {
        let mut code = Self::default();
        let [mut at, mut line] = [0, 0];
        while at < source.len() {
            let (token, length) = next_token(&source[at..]);
            let last = line + source[at..at + length].matches('\n').count();
            if let Some(token) = token {
                code.tokens.push(token);
                code.lines.push(line..=last);
            }
            (at, line) = (at + length, last);
        }
        code
    }
}

/// The tokens of a file, without comments and without items that have an attribute `#[cfg(test)]`.
pub fn production_tokens(source: &str) -> Vec<Token> {
    let [production, _] = Code::of(source);
    production.tokens
}

/// The index after the attribute that starts at an index.
pub fn attribute_end(tokens: &[Token], at: usize) -> Option<usize> {
    let bracket = match tokens.get(at..)? {
        [Token::Sign('#'), Token::Sign('['), ..] => at + 1,
        [Token::Sign('#'), Token::Sign('!'), Token::Sign('['), ..] => at + 2,
        _ => return None,
    };
    Some(group_end(tokens, bracket))
}

/// The index after the closing bracket of the group that starts at an index.
pub fn group_end(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        depth += token.depth();
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

fn is_for_tests(attribute: &[Token]) -> bool {
    let has = |word: &str| attribute.iter().any(|token| token.word() == Some(word));
    has("cfg") && has("test") && !has("not")
}

/// The index after the item, field or statement that starts at an index, maybe with further attributes.
pub fn item_end(tokens: &[Token], mut at: usize) -> usize {
    while let Some(end) = attribute_end(tokens, at) {
        at = end;
    }
    if tokens.get(at).and_then(Token::word) == Some("pub") {
        at += 1;
        if tokens.get(at).is_some_and(|token| token.is('(')) {
            at = group_end(tokens, at);
        }
    }
    let keyword = tokens.get(at).and_then(Token::word).unwrap_or_default();
    let is_constant = keyword == "const" && tokens.get(at + 1).and_then(Token::word) != Some("fn");
    let ends_with_semicolon = is_constant || ["use", "static", "type", "let"].contains(&keyword);
    let is_field = tokens.get(at + 1).is_some_and(|token| token.is(':') || token.is(','));
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Sign(';') => return at + 1,
            Token::Sign(',') if is_field => return at + 1,
            Token::Sign('{') if !ends_with_semicolon && !is_field => return group_end(tokens, at),
            Token::Sign('(' | '[' | '{') => at = group_end(tokens, at),
            Token::Sign(')' | ']' | '}') => return at,
            _ => at += 1,
        }
    }
    at
}

/// The token at the start, and its length. White space, comments and characters are none.
fn next_token(source: &str) -> (Option<Token>, usize) {
    let first = source.chars().next().unwrap();
    if first.is_whitespace() {
        (None, first.len_utf8())
    } else if source.starts_with("//") {
        (None, source.find('\n').unwrap_or(source.len()))
    } else if source.starts_with("/*") {
        (None, source.find("*/").unwrap() + 2)
    } else if let Some((text, length)) = string(source) {
        (Some(Token::Text(text)), length)
    } else if first == '\'' {
        (None, character_or_lifetime(source))
    } else if is_part_of_word(first) {
        let length = source.find(|character| !is_part_of_word(character)).unwrap_or(source.len());
        (Some(Token::Word(source[..length].to_owned())), length)
    } else if source.starts_with("::") {
        (Some(Token::PathSeparator), 2)
    } else {
        (Some(Token::Sign(first)), first.len_utf8())
    }
}

fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The content and length of a string literal at the start.
fn string(source: &str) -> Option<(String, usize)> {
    let prefix = ["br", "b", "cr", "c", "r", ""].into_iter().find(|prefix| {
        let rest = source.strip_prefix(prefix);
        rest.is_some_and(|rest| {
            rest.trim_start_matches('#').starts_with('"') && (prefix.contains('r') || !rest.starts_with('#'))
        })
    })?;
    let hashes = source[prefix.len()..].chars().take_while(|character| *character == '#').count();
    let start = prefix.len() + hashes + 1;
    if prefix.contains('r') {
        let end = start + source[start..].find(&format!("\"{}", "#".repeat(hashes)))?;
        return Some((source[start..end].to_owned(), end + 1 + hashes));
    }
    let mut is_escaped = false;
    for (at, character) in source[start..].char_indices() {
        match character {
            '"' if !is_escaped => return Some((source[start..start + at].to_owned(), start + at + 1)),
            _ => is_escaped = character == '\\' && !is_escaped,
        }
    }
    None
}

/// The length of a character literal or lifetime at the start.
fn character_or_lifetime(source: &str) -> usize {
    let inner = &source[1..];
    if let Some(escaped) = inner.strip_prefix('\\') {
        let first = escaped.chars().next().map_or(0, char::len_utf8);
        return 2 + first + escaped[first..].find('\'').unwrap() + 1;
    }
    let first = inner.chars().next().map_or(0, char::len_utf8);
    if inner[first..].starts_with('\'') {
        return 1 + first + 1;
    }
    1 + inner.find(|character| !is_part_of_word(character)).unwrap_or(inner.len())
}
