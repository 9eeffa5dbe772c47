//! The pages, as the build script stores them.

use serde::{Deserialize, Serialize};

/// The ID of the project in samples, which readers see replaced by that of their project.
pub const EXAMPLE_PROJECT: &str = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55";
/// The addresses of the service in samples, which readers see replaced by the real one.
pub(crate) const EXAMPLE_SERVICES: [&str; 2] = ["http://localhost:3003", "https://steward.example.com"];

/// All pages.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Site {
    /// The groups of the navigation, in their order.
    pub groups: Vec<Group>,
    /// The pages, in the order of the groups.
    pub pages: Vec<Page>,
    /// What the search finds.
    pub sections: Vec<Section>,
    /// Average number of words of a section.
    pub average_length: f32,
}

/// A group of pages in the navigation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Group {
    /// The heading of the group.
    pub title: String,
    /// Whether it is a part of the last group before it that is none.
    pub is_part: bool,
    /// The first page of the group in [`Site::pages`].
    pub start: usize,
    /// The number of its pages.
    pub count: usize,
}

/// A page.
#[derive(Debug, Serialize, Deserialize)]
pub struct Page {
    /// The path below `/docs/`, such as `guides/react`.
    pub path: String,
    /// The first heading, as text.
    pub title: String,
    /// The first paragraph, as text.
    pub summary: String,
    /// The page as Markdown. Its links are those of the repository, or of the service if the page is generated.
    pub markdown: String,
    /// The page as HTML, without the first heading. Links to other pages begin with `/docs/`.
    pub html: String,
    /// The headings of its parts.
    pub headings: Vec<Heading>,
    /// The operation of the API that the page describes, if a form can try it.
    pub operation: Option<Operation>,
}

/// An operation of the API whose request is JSON, or has no body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Operation {
    /// In upper case.
    pub method: String,
    /// With parameters like `{id}`.
    pub path: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// An example of the request body; `None` if it has none.
    pub body: Option<String>,
    /// Whether it changes nothing.
    pub is_safe: bool,
    /// Whether it accepts nothing but a token of a project's user.
    pub needs_user: bool,
    /// Whether a request can be repeated safely with an `Idempotency-Key`.
    pub is_keyed: bool,
}

/// A parameter of an operation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Parameter {
    /// Where it is.
    pub place: Place,
    /// Its name.
    pub name: String,
    /// Whether a request must have it.
    pub is_required: bool,
}

/// Where a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In the query, as parameters with names that the caller chooses: fields of a table.
    Fields,
    /// In a header.
    Header,
}

/// A heading of a page.
#[derive(Debug, Serialize, Deserialize)]
pub struct Heading {
    /// 2 or 3.
    pub level: u8,
    /// The ID of its element.
    pub id: String,
    /// Its text.
    pub text: String,
}

/// A part of a page, from a heading to the next one.
#[derive(Debug, Serialize, Deserialize)]
pub struct Section {
    /// The page in [`Site::pages`].
    pub page: usize,
    /// The ID of the heading; empty for the beginning of the page.
    pub anchor: String,
    /// The heading.
    pub title: String,
    /// The beginning of the text.
    pub excerpt: String,
    /// The hashes of its words, and their weights.
    pub words: Vec<(u32, f32)>,
}
