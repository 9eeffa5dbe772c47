//! What the search compares with a query.

use bm25::{Embedder, EmbedderBuilder};

use crate::markdown::Rendered;
use crate::page::Section;
use crate::tokens::Words;

/// How often the words of a heading count in its section, and those of the title in each section of the page.
const HEADING_WEIGHT: usize = 6;
const TITLE_WEIGHT: usize = 3;
/// The length of the shown beginning of a section, in characters.
const EXCERPT: usize = 200;

/// Returns the sections of all pages, and their average number of words.
pub(crate) fn of(pages: &[Rendered]) -> (Vec<Section>, f32) {
    let parts =
        pages.iter().enumerate().flat_map(|(number, page)| page.parts.iter().map(move |part| (number, page, part)));
    // Decisions explain what the guides and the reference describe, and indexes only repeat titles.
    let is_index = |path: &str| matches!(path, "reference" | "guides" | "operations" | "api");
    let parts = parts.filter(|(_, page, _)| !page.path.starts_with("decisions/") && !is_index(&page.path));
    // Samples repeat, once per language, what the rest of a page says.
    let are_samples = |page: &Rendered, anchor: &str| page.path.starts_with("reference/") && anchor == "samples";
    let found: Vec<_> = parts.filter(|(_, page, (anchor, ..))| !are_samples(page, anchor)).collect();
    let texts: Vec<String> = found.iter().map(|(_, page, part)| weighted(page, part)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let builder = EmbedderBuilder::<u32, Words>::with_tokenizer_and_fit_to_corpus(Words::default(), &texts);
    let embedder: Embedder<u32, Words> = builder.build();
    let sections = found.iter().zip(&texts).map(|((number, page, (anchor, heading, text)), weighted)| Section {
        page: *number,
        anchor: anchor.clone(),
        title: if heading.is_empty() { page.title.clone() } else { heading.clone() },
        excerpt: excerpt(text),
        words: embedder.embed(weighted).iter().map(|word| (word.index, word.value)).collect(),
    });
    (sections.collect(), embedder.avgdl())
}

fn weighted(page: &Rendered, (_, heading, text): &(String, String, String)) -> String {
    let heading = if heading.is_empty() { &page.title } else { heading };
    let name = page.path.rsplit('/').next().unwrap_or_default();
    let headings = format!("{heading} ").repeat(HEADING_WEIGHT);
    format!("{headings}{}{name} {text}", format!("{} ", page.title).repeat(TITLE_WEIGHT))
}

/// Returns the beginning of a text, up to the end of a word.
fn excerpt(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => {
            let start = text.get(..end).unwrap_or_default();
            format!("{}…", start.rsplit_once(' ').map_or(start, |(whole, _)| whole))
        }
        None => text,
    }
}
