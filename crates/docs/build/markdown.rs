//! Renders Markdown.

use std::collections::BTreeMap;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::highlight::Highlighter;
use crate::links::Links;
use crate::page::Heading;
use crate::sources::Source;

/// A rendered page.
#[derive(Default)]
pub(crate) struct Rendered {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) summary: String,
    pub(crate) html: String,
    pub(crate) headings: Vec<Heading>,
    /// The text from each heading to the next one: the ID and text of the heading, which are empty for the beginning, and the text.
    pub(crate) parts: Vec<(String, String, String)>,
}

/// What is being read.
#[derive(PartialEq)]
enum Place {
    Text,
    /// The first heading.
    Title,
    Heading(u8),
    /// The first paragraph.
    Summary,
    Code(String),
}

pub(crate) fn render(source: &Source, links: &Links, highlighter: &Highlighter) -> Rendered {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut page = Rendered { path: source.path.clone(), ..Rendered::default() };
    page.parts.push(Default::default());
    let (mut place, mut text, mut inner) = (Place::Text, String::new(), Vec::new());
    let (mut ids, mut dropped): (BTreeMap<String, usize>, Vec<bool>) = Default::default();
    let mut events = Vec::new();
    for event in Parser::new_ext(&source.markdown, options) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) if page.title.is_empty() => place = Place::Title,
            Event::End(TagEnd::Heading(HeadingLevel::H1)) if place == Place::Title => {
                page.title = std::mem::take(&mut text);
                place = Place::Text;
            }
            _ if place == Place::Title => push_text(&event, &mut text),
            Event::Start(Tag::Heading { level, .. }) => {
                place = Place::Heading(number(level));
                inner.clear();
            }
            Event::End(TagEnd::Heading(_)) => {
                let Place::Heading(level) = place else { continue };
                let (id, title) = (unique(&mut ids, &slug(&text)), std::mem::take(&mut text));
                events.push(Event::Html(heading_html(level, &id, &title, &mut inner).into()));
                if level <= 3 {
                    page.headings.push(Heading { level, id: id.clone(), text: title.clone() });
                    page.parts.push((id, title, String::new()));
                }
                place = Place::Text;
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                place = Place::Code(info);
            }
            Event::End(TagEnd::CodeBlock) => {
                let Place::Code(info) = std::mem::replace(&mut place, Place::Text) else { continue };
                let code = std::mem::take(&mut text);
                events.push(Event::Html(code_html(&info, &code, highlighter).into()));
                push_part(&mut page, &code);
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let address = links.address(source, &dest_url);
                dropped.push(address.is_none());
                let target = if matches!(place, Place::Heading(_)) { &mut inner } else { &mut events };
                if let Some(address) = address {
                    target.push(Event::Html(format!("<a href=\"{}\">", escaped(&address)).into()));
                }
            }
            Event::End(TagEnd::Link) => {
                let target = if matches!(place, Place::Heading(_)) { &mut inner } else { &mut events };
                if dropped.pop() == Some(false) {
                    target.push(Event::Html("</a>".into()));
                }
            }
            Event::Start(Tag::Table(alignments)) => {
                events.push(Event::Html(
                    "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">".into(),
                ));
                events.push(Event::Start(Tag::Table(alignments)));
            }
            Event::End(TagEnd::Table) => {
                events.push(Event::End(TagEnd::Table));
                events.push(Event::Html("</div>".into()));
            }
            Event::Start(Tag::Paragraph) if page.summary.is_empty() && place == Place::Text => {
                place = Place::Summary;
                events.push(Event::Start(Tag::Paragraph));
            }
            Event::End(TagEnd::Paragraph) if place == Place::Summary => {
                page.summary = std::mem::take(&mut text);
                let summary = page.summary.clone();
                push_part(&mut page, &summary);
                place = Place::Text;
                events.push(Event::End(TagEnd::Paragraph));
            }
            event => match &place {
                Place::Heading(_) => {
                    push_text(&event, &mut text);
                    inner.push(event);
                }
                Place::Summary => {
                    push_text(&event, &mut text);
                    events.push(event);
                }
                Place::Code(_) => push_text(&event, &mut text),
                Place::Text | Place::Title => {
                    let mut words = String::new();
                    push_text(&event, &mut words);
                    push_part(&mut page, &words);
                    events.push(event);
                }
            },
        }
    }
    html::push_html(&mut page.html, events.into_iter());
    page
}

fn push_part(page: &mut Rendered, words: &str) {
    if let Some((_, _, text)) = page.parts.last_mut() {
        text.push_str(words);
    }
}

/// Adds the text of an event.
fn push_text(event: &Event<'_>, text: &mut String) {
    match event {
        Event::Text(part) | Event::Code(part) => text.push_str(part),
        Event::SoftBreak | Event::HardBreak => text.push(' '),
        Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell | TagEnd::TableRow) => text.push(' '),
        _ => {}
    }
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 | HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// Returns a heading with a link to itself.
fn heading_html(level: u8, id: &str, title: &str, inner: &mut Vec<Event<'_>>) -> String {
    let mut content = String::new();
    html::push_html(&mut content, inner.drain(..));
    let label = escaped(&format!("Link to “{title}”"));
    format!(
        "<h{level} id=\"{id}\">{content} <a class=\"anchor\" href=\"#{id}\" aria-label=\"{label}\">#</a></h{level}>\n"
    )
}

/// Returns a block of code, with the file that it shows.
fn code_html(info: &str, code: &str, highlighter: &Highlighter) -> String {
    let mut words = info.split_whitespace();
    let (language, file) = (words.next().unwrap_or_default(), words.next());
    let caption = file.map(|file| format!("<figcaption>{}</figcaption>", escaped(file))).unwrap_or_default();
    let html = highlighter.html(language, code);
    format!("<figure class=\"code\">{caption}<pre tabindex=\"0\"><code>{html}</code></pre></figure>\n")
}

/// Returns the ID of a heading, as GitHub derives it.
pub(crate) fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    let kept = lower.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

fn unique(ids: &mut BTreeMap<String, usize>, id: &str) -> String {
    let count = ids.entry(id.to_owned()).or_default();
    *count += 1;
    if *count == 1 { id.to_owned() } else { format!("{id}-{}", *count - 1) }
}

/// Returns text as HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
