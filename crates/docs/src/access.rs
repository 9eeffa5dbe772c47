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
        let (mut files, mut open): (Vec<(&str, String)>, bool) = Default::default();
        for line in self.markdown.lines() {
            match line.strip_prefix("```") {
                Some(_) if open => open = false,
                Some(info) => {
                    let path = info.split_whitespace().nth(1);
                    files.extend(path.map(|path| (path, String::new())));
                    open = path.is_some();
                }
                None if open => {
                    if let Some((_, text)) = files.last_mut() {
                        text.push_str(line);
                        text.push('\n');
                    }
                }
                None => {}
            }
        }
        files
    }
}

impl Group {
    /// Returns the pages of the group.
    pub fn pages<'a>(&self, site: &'a Site) -> &'a [Page] {
        site.pages.get(self.start..self.start + self.count).unwrap_or_default()
    }
}
