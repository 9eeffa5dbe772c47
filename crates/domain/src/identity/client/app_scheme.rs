//! Schemes without a dot that an app registers with the system of a person's device, such as `cursor:`. Anyone can
//! choose one, so those with a meaning of their own are excluded.

/// Schemes that browsers, operating systems and their programs handle (docs/contract.md#clients). `*` at the start or
/// the end stands for any text. `http` and `https` have rules of their own.
const HANDLED: [&str; 103] = [
    "*-extension",
    "about",
    "acct",
    "afp",
    "android-*",
    "app-prefs",
    "app-settings",
    "applescript",
    "blob",
    "bluetooth",
    "brave",
    "callto",
    "calshow",
    "cast",
    "chrome*",
    "cid",
    "content",
    "data",
    "dav",
    "davs",
    "devtools",
    "dict",
    "dns",
    "edge",
    "facetime*",
    "feed",
    "file",
    "filesystem",
    "firefox*",
    "ftp",
    "ftps",
    "geo",
    "git",
    "googlechrome*",
    "gopher",
    "hcp",
    "help",
    "ibooks",
    "imap",
    "intent",
    "ipp",
    "ipps",
    "irc",
    "ircs",
    "isolated-app",
    "itms*",
    "itunes*",
    "jar",
    "javascript",
    "ldap",
    "ldaps",
    "livescript",
    "mailto",
    "maps",
    "market",
    "message",
    "mhtml",
    "microsoft*",
    "mid",
    "mms",
    "mmsto",
    "moz-*",
    "ms-*",
    "news",
    "nfs",
    "nntp",
    "opera",
    "pop",
    "prefs",
    "rdp",
    "res",
    "resource",
    "rlogin",
    "rtsp",
    "safari",
    "safari-*",
    "search",
    "search-ms",
    "sftp",
    "shell",
    "shortcuts",
    "sip",
    "sips",
    "smb",
    "sms",
    "smsto",
    "ssh",
    "tel",
    "telnet",
    "tftp",
    "urn",
    "vbscript",
    "view-source",
    "vivaldi",
    "vnc",
    "web+*",
    "webcal*",
    "ws",
    "wss",
    "x-apple*",
    "x-help*",
    "x-man-page",
    "x-web-search",
];
/// Shorter schemes could be drives of Windows.
const MIN_LETTERS: usize = 3;

/// Returns whether a browser or an operating system gives the scheme a meaning. It is in lower case, as parsers of URLs
/// return it. One with a dot is a reversed domain name, whatever it begins with.
pub(crate) fn is_handled(scheme: &str) -> bool {
    let fits = |pattern: &str| match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
        (Some(start), _) => scheme.starts_with(start),
        (None, Some(end)) => scheme.ends_with(end),
        (None, None) => scheme == pattern,
    };
    !scheme.contains('.') && HANDLED.iter().any(|pattern| fits(pattern))
}

/// Returns whether an app can have the scheme for itself: letters, digits and hyphens, at least three letters.
pub(crate) fn is_of_app(scheme: &str) -> bool {
    let letters = scheme.bytes().filter(u8::is_ascii_lowercase).count();
    let is_name = scheme.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    letters >= MIN_LETTERS && is_name && !is_handled(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_cannot_have_a_scheme_with_another_meaning() {
        for scheme in ["cursor", "vscode", "vscode-insiders", "zed", "claude", "app2", "notes-x"] {
            assert!(is_of_app(scheme), "{scheme}");
        }
        for scheme in [
            "javascript",
            "data",
            "intent",
            "android-app",
            "chrome",
            "chrome-untrusted",
            "googlechromes",
            "ms-word",
            "moz-extension",
            "safari-web-extension",
            "my-extension",
            "view-source",
            "web+notes",
            "x-apple-health",
            "mailto",
        ] {
            assert!(is_handled(scheme) && !is_of_app(scheme), "{scheme}");
        }
        for scheme in ["", "c", "ab", "a1b2", "com.example", "note+s", "not es", "Cursor", "nöte"] {
            assert!(!is_of_app(scheme), "{scheme}");
        }
        assert!(!is_handled("chrome.example") && !is_handled("com.example-extension") && !is_handled("https"));
    }

    #[test]
    fn the_list_is_sorted_and_has_no_pattern_twice() {
        assert!(HANDLED.is_sorted_by(|one, next| one < next), "{HANDLED:?}");
    }
}
