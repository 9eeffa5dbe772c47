//! The words of a text, as the search compares them.

use bm25::Tokenizer;
use rust_stemmers::{Algorithm, Stemmer};

/// Words that say nothing about a text.
const IGNORED: [&str; 31] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "i", "if", "in", "is",
    "it", "my", "of", "on", "or", "that", "the", "this", "to", "what", "when", "with", "you",
];

/// Stems of words, and those of the words that the documentation uses instead.
const SYNONYMS: [(&str, &str); 5] =
    [("ban", "block"), ("column", "field"), ("postgr", "postgresql"), ("realtim", "live"), ("row", "item")];

/// Splits text into the stems of its words.
pub(crate) struct Words(Stemmer);

impl Default for Words {
    fn default() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }
}

impl Words {
    fn stem(&self, word: &str) -> String {
        let stem = self.0.stem(word);
        SYNONYMS.iter().find(|(from, _)| *from == stem).map_or(&*stem, |(_, to)| to).to_owned()
    }
}

impl Tokenizer for Words {
    fn tokenize(&self, text: &str) -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let words = words.flat_map(parts).map(|word| word.to_lowercase());
        words.filter(|word| !IGNORED.contains(&word.as_str())).map(|word| self.stem(&word)).collect()
    }
}

/// Returns a word, and the parts of one such as `createTeam`.
fn parts(word: &str) -> Vec<&str> {
    let mut found = vec![word];
    let starts = word.char_indices().zip(word.chars().skip(1));
    let bounds: Vec<usize> = starts
        .filter(|((_, before), after)| before.is_lowercase() && after.is_uppercase())
        .map(|((at, before), _)| at + before.len_utf8())
        .collect();
    let mut start = 0;
    for &end in &bounds {
        found.extend(word.get(start..end));
        start = end;
    }
    if start > 0 {
        found.extend(word.get(start..));
    }
    found
}
