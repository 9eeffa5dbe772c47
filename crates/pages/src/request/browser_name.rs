//! The common names of browsers.

/// Returns the common name of a browser, or `None` if it is not known. The order matters, because most user agents also
/// contain the names of others.
pub(crate) fn browser_name(user_agent: &str) -> Option<String> {
    let find = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    let browser = find(&[
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("Chrom", "Chrome"),
        ("Safari/", "Safari"),
    ]);
    let system = find(&[
        ("Windows", "Windows"),
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => Some(format!("{browser} on {system}")),
        (name, None) | (None, name) => name.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_have_their_common_names() {
        let chrome =
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0 Safari/537.36";
        assert_eq!(browser_name(chrome).as_deref(), Some("Chrome on Linux"));
        assert_eq!(browser_name(&format!("{chrome} Edg/156.0")).as_deref(), Some("Edge on Linux"));
        assert_eq!(browser_name("curl/8.0"), None);
    }
}
