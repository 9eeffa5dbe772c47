//! Who reads a page: the language, and the project for which the person signs in. They belong to the task of the
//! request and are not arguments of each page, so that error pages and pages of the API have them too. No handler
//! decides by them.

use std::cell::RefCell;
use std::future::Future;
use std::sync::Arc;

use actix_web::http::header::{ACCEPT_LANGUAGE, HeaderMap};

use crate::brand::Brand;
use crate::wording::language::Language;

tokio::task_local! {
    static CURRENT: RefCell<Reader>;
}

/// What the pages of a request look like.
#[derive(Clone)]
pub(crate) struct Reader {
    pub(crate) language: &'static Language,
    /// The host of the service, which every page shows; empty outside of a request.
    pub(crate) host: Arc<str>,
    /// The project whose authorization request the person answers.
    pub(crate) brand: Option<Arc<Brand>>,
}

impl Reader {
    /// Returns the reader of a request with these headers. `host`: that of the service.
    pub(crate) fn new(headers: &HeaderMap, host: &Arc<str>) -> Self {
        let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let language = accepted.and_then(Language::accepted).unwrap_or_else(Language::english);
        Self { language, host: host.clone(), brand: None }
    }

    /// Returns the reader of the current request. Outside of one, the language is English.
    pub(crate) fn current() -> Self {
        let unknown = |_| Self { language: Language::english(), host: "".into(), brand: None };
        CURRENT.try_with(|current| current.borrow().clone()).unwrap_or_else(unknown)
    }

    /// Returns the language of the current reader.
    pub(crate) fn language() -> &'static Language {
        CURRENT.try_with(|current| current.borrow().language).unwrap_or_else(|_| Language::english())
    }

    /// Shows the rest of the request's pages in the first of these languages that there is.
    pub(crate) fn prefer(tags: &str) {
        if let Some(language) = Language::preferred(tags) {
            change(|reader| reader.language = language);
        }
    }

    /// Shows the rest of the request's pages as those of a project.
    pub(crate) fn show(brand: Brand) {
        change(|reader| reader.brand = Some(Arc::new(brand)));
    }

    /// Runs a future for this reader.
    pub(crate) async fn scope<F: Future>(self, future: F) -> F::Output {
        CURRENT.scope(RefCell::new(self), future).await
    }

    /// Runs a closure for this reader.
    pub(crate) fn enter<T>(self, action: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(RefCell::new(self), action)
    }
}

/// Changes the current reader. Has no effect outside of a request.
fn change(action: impl FnOnce(&mut Reader)) {
    CURRENT.try_with(|current| action(&mut current.borrow_mut())).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use askama::Template as _;

    use super::*;
    use crate::views;
    use crate::wording::language::ARABIC;

    const STYLE: &str = include_str!("../../assets/steward.css");

    #[test]
    fn a_page_has_the_language_and_the_direction_of_its_reader() {
        let reader = Reader { language: &ARABIC, host: "id.example".into(), brand: None };
        let page = reader.enter(|| views::SignedOut {}.render().unwrap());
        assert!(page.starts_with("<!DOCTYPE html>\n<html lang=\"ar\" dir=\"rtl\">"), "{page}");
        assert!(
            page.contains("<h1>تم تسجيل الخروج</h1>") && page.contains("<bdi class=\"host\">id.example</bdi>"),
            "{page}"
        );
        assert!(
            page.contains("Your session in this browser has ended."),
            "A missing message must be shown in English."
        );
        let outside = views::SignedOut {}.render().unwrap();
        assert!(outside.contains("<html lang=\"en\" dir=\"ltr\">") && !outside.contains("host"), "{outside}");
    }

    #[test]
    fn the_styles_have_no_left_and_no_right() {
        let properties = STYLE.lines().filter_map(|line| line.trim().split_once(": "));
        for (name, value) in properties {
            let is_physical = |text: &str| text.split(['-', ' ', ';']).any(|word| word == "left" || word == "right");
            assert!(!is_physical(name) && !is_physical(value), "{name}: {value}");
        }
    }
}
