//! What readers of the pages need. The build script, which shares their types, does not.

use crate::page::{Group, Page, Site};

impl Site {
    /// Returns the page at a path below `/docs/`.
    pub fn page(&self, path: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.path == path)
    }
}

impl Page {
    /// Returns the address of the page in the service.
    pub fn address(&self) -> String {
        format!("/docs/{}", self.path)
    }

    /// Returns the files that the page shows, in whole or in part: paths in the repository, and texts.
    pub fn files(&self) -> Vec<(&str, String)> {
        self.blocks(|info| info.split_whitespace().nth(1))
    }

    /// Returns the commands that the page shows, as one text.
    pub fn commands(&self) -> String {
        self.blocks(|info| (info == "sh").then_some(info)).into_iter().map(|(_, text)| text).collect()
    }

    /// Returns the blocks of code to which a function gives a name, by the language and path of each.
    fn blocks(&self, name: impl Fn(&str) -> Option<&str>) -> Vec<(&str, String)> {
        let (mut blocks, mut open, mut is_named): (Vec<(&str, String)>, bool, bool) = Default::default();
        for line in self.markdown.lines() {
            match line.strip_prefix("```") {
                Some(_) if open => open = false,
                Some(info) => {
                    blocks.extend(name(info).map(|name| (name, String::new())));
                    (open, is_named) = (true, name(info).is_some());
                }
                None if open && is_named => {
                    if let Some((_, text)) = blocks.last_mut() {
                        text.push_str(line);
                        text.push('\n');
                    }
                }
                None => {}
            }
        }
        blocks
    }
}

impl Group {
    /// Returns the pages of the group.
    pub fn pages<'a>(&self, site: &'a Site) -> &'a [Page] {
        site.pages.get(self.start..self.start + self.count).unwrap_or_default()
    }
}
