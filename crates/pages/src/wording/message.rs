//! Messages to the reader of a page.

use std::borrow::Cow;

use crate::wording::language::Language;

/// A message of `messages/*.ftl` with the values of its variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    id: &'static str,
    values: Vec<(&'static str, String)>,
}

impl Message {
    /// Returns a message without values.
    pub(crate) const fn new(id: &'static str) -> Self {
        Self { id, values: Vec::new() }
    }

    /// Adds the value of a variable.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.values.push((name, value.into()));
        self
    }

    /// Returns the message in a language, or else in English.
    pub(crate) fn text(&self, language: &'static Language) -> Cow<'static, str> {
        let found = language.message(self.id, &self.values);
        let found = found.or_else(|| Language::english().message(self.id, &self.values));
        found.unwrap_or(Cow::Borrowed(self.id))
    }

    /// Returns the English text of a message without variables.
    pub(crate) fn english(id: &'static str) -> &'static str {
        match Language::english().message(id, &[]) {
            Some(Cow::Borrowed(text)) => text,
            _ => id,
        }
    }
}

impl From<&'static str> for Message {
    fn from(id: &'static str) -> Self {
        Self::new(id)
    }
}

impl From<&&'static str> for Message {
    fn from(id: &&'static str) -> Self {
        Self::new(id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::{Path, PathBuf};

    use fluent_bundle::FluentResource;

    use super::*;
    use crate::wording::language::LANGUAGES;

    fn read(path: impl AsRef<Path>) -> String {
        fs::read_to_string(path).unwrap()
    }

    fn in_crate(path: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
    }

    /// Returns the text of each message of a language.
    fn messages(tag: &str) -> BTreeMap<String, String> {
        let source = read(in_crate(&format!("messages/{tag}.ftl")));
        assert!(FluentResource::try_new(source.clone()).is_ok(), "{tag}");
        let lines = source.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let all: Vec<_> = lines.map(|line| line.split_once(" = ").unwrap_or_else(|| panic!("{tag}: {line}"))).collect();
        let found: BTreeMap<_, _> = all.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
        assert_eq!(found.len(), all.len(), "A message of {tag} occurs twice.");
        found
    }

    /// Returns the variables of a text.
    fn variables(text: &str) -> BTreeSet<&str> {
        text.split("{ $").skip(1).map(|part| part.split(" }").next().unwrap()).collect()
    }

    /// The templates of the pages outside of the console.
    fn templates() -> Vec<(PathBuf, String)> {
        let files = fs::read_dir(in_crate("templates")).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file()).map(|path| (path.clone(), read(path))).collect()
    }

    fn sources(directory: &Path, found: &mut Vec<String>) {
        for path in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => sources(&path, found),
                // Without the tests of the file.
                false => found.push(read(path).split("#[cfg(test)]\nmod tests").next().unwrap().to_owned()),
            }
        }
    }

    #[test]
    fn every_language_has_the_same_messages_with_the_same_variables() {
        let english = messages("en");
        for language in &LANGUAGES {
            let translated = messages(language.tag);
            let ids = |all: &BTreeMap<String, String>| all.keys().cloned().collect::<Vec<_>>();
            assert_eq!(ids(&translated), ids(&english), "{}", language.tag);
            for (id, text) in translated {
                assert_eq!(variables(&text), variables(&english[&id]), "{}: {id}", language.tag);
                // A literal is a space or nothing.
                let text = text.replace("{ \" \" }", "").replace("{ \"\" }", "");
                assert!(!text.contains(['<', '>', '&', '"']), "{}: {id} = {text}", language.tag);
                assert!(language.message(&id, &[]).is_some(), "{}: {id}", language.tag);
            }
        }
    }

    /// What a button contains are the items of a flex container, between which spaces are lost.
    #[test]
    fn text_and_elements_of_a_button_are_one_item() {
        let mut all = Vec::new();
        sources(&in_crate("templates"), &mut all);
        let lines = all.iter().flat_map(|template| template.lines());
        let buttons: Vec<&str> = lines.flat_map(|line| line.split("class=\"button ").skip(1)).collect();
        assert!(buttons.len() > 100, "{}", buttons.len());
        for button in buttons {
            let content = button.split_once('>').map_or("", |(_, content)| content);
            let ends = ["</button>", "</a>", "</summary>"];
            let content = ends.iter().fold(content, |content, end| content.split(end).next().unwrap());
            // Only screen readers see the rest.
            let seen = content.split("<span class=\"unseen\">").next().unwrap();
            let has_elements =
                ["<", "|isolated", "|strong", "|emphasized"].iter().any(|element| seen.contains(element));
            let is_one_item = seen.starts_with("<span>") && seen.ends_with("</span>");
            assert!(!has_elements || is_one_item, "{button}");
        }
    }

    #[test]
    fn every_message_is_used_and_every_used_message_exists() {
        let mut all: Vec<String> = templates().into_iter().map(|(_, template)| template).collect();
        sources(&in_crate("src"), &mut all);
        let english = messages("en");
        for id in english.keys() {
            let literal = format!("\"{id}\"");
            assert!(all.iter().any(|text| text.contains(&literal)), "The message {id} is not used.");
        }
        let endings = ["\"|text", "\"|with(", "\"|with_link("];
        for text in &all {
            let shown = endings.iter().flat_map(|ending| text.match_indices(ending)).map(|(end, _)| &text[..end]);
            let made = text.match_indices("Message::new(\"").map(|(at, start)| &text[at + start.len()..]);
            let ids = shown.map(|before| before.rsplit('"').next().unwrap());
            for id in ids.chain(made.map(|after| after.split('"').next().unwrap())) {
                assert!(english.contains_key(id), "There is no message {id}.");
            }
        }
    }

    #[test]
    fn templates_contain_no_text_but_messages() {
        /// Attributes whose value a person reads or hears.
        const SPOKEN: [&str; 4] = [" alt=\"", " aria-label=\"", " placeholder=\"", " title=\""];
        for (path, template) in templates() {
            let mut text = template;
            for (open, close) in [("{#", "#}"), ("{%", "%}"), ("{{", "}}")] {
                while let Some((before, rest)) = text.split_once(open) {
                    text = format!("{before}{}", rest.split_once(close).unwrap().1);
                }
            }
            for attribute in SPOKEN {
                for value in text.split(attribute).skip(1) {
                    assert!(value.starts_with('"'), "{}: {attribute}{value}", path.display());
                }
            }
            while let Some((before, rest)) = text.split_once('<') {
                text = format!("{before}{}", rest.split_once('>').unwrap().1);
            }
            // The macro of a part of a tag.
            let text =
                text.replace("Steward", "").replace(" aria-invalid=\"true\" aria-describedby=\"form-error\"", "");
            assert!(!text.contains(char::is_alphabetic), "{}: {}", path.display(), text.trim());
        }
    }

    #[test]
    fn a_message_is_translated_with_its_values() {
        let message = Message::new("continue-with").with("provider", "Globex");
        let german = Language::accepted("de").unwrap();
        assert_eq!(
            (&*message.text(Language::english()), &*message.text(german)),
            ("Continue with Globex", "Weiter mit Globex")
        );
        assert_eq!(&*Message::new("no-such-message").text(german), "no-such-message");
    }
}
