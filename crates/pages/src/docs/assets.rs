//! The files that the pages of the documentation use.

/// The files that the pages use: names, media types and contents.
pub(super) const FILES: [(&str, &str, &str); 5] = [
    ("style.css", "text/css; charset=utf-8", include_str!("../../assets/steward.css")),
    ("console.css", "text/css; charset=utf-8", crate::console::STYLE),
    ("docs.css", "text/css; charset=utf-8", include_str!("../../assets/docs.css")),
    ("docs.js", "text/javascript; charset=utf-8", include_str!("../../assets/docs.js")),
    ("icon.svg", "image/svg+xml", include_str!("../../assets/steward.svg")),
];
