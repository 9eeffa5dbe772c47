//! Full-text search: BM25 over the sections of all pages.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use bm25::{Embedder, EmbedderBuilder, Embedding, Scorer, TokenEmbedding};

use crate::page::{Page, Section, Site};
use crate::tokens::Words;

/// The longest part of a query that is used, in bytes.
const MAX_QUERY: usize = 200;

/// What a search found.
#[derive(Debug)]
pub struct Hit {
    /// The page.
    pub page: &'static Page,
    /// The most relevant part of it.
    pub section: &'static Section,
}

pub(crate) struct Index {
    scorer: Scorer<usize>,
    embedder: Embedder<u32, Words>,
}

impl Index {
    pub(crate) fn of(site: &Site) -> Self {
        let mut scorer = Scorer::new();
        for (number, section) in site.sections.iter().enumerate() {
            let words = section.words.iter().map(|&(index, value)| TokenEmbedding { index, value });
            scorer.upsert(&number, Embedding(words.collect()));
        }
        let words = EmbedderBuilder::<u32, Words>::with_avgdl(site.average_length);
        Self { scorer, embedder: words.build() }
    }

    pub(crate) fn search(&self, site: &'static Site, query: &str, limit: usize) -> Vec<Hit> {
        let end = (0..=MAX_QUERY.min(query.len())).rev().find(|&end| query.is_char_boundary(end)).unwrap_or_default();
        let query = self.embedder.embed(query.get(..end).unwrap_or_default());
        let mut found = self.scorer.matches(&query);
        let by_score = |a: f32, b: f32| b.partial_cmp(&a).unwrap_or(Ordering::Equal);
        found.sort_by(|a, b| by_score(a.score, b.score).then(a.id.cmp(&b.id)));
        let mut seen = BTreeSet::new();
        let sections = found.iter().filter_map(|found| site.sections.get(found.id));
        let first = sections.filter(|section| seen.insert(section.page));
        first.filter_map(|section| Some(Hit { page: site.pages.get(section.page)?, section })).take(limit).collect()
    }
}
