//! How pages look for a project: its name, icon, colors and links (docs/decisions/0061-languages-and-branding.md).

use std::fmt::Write as _;

use steward_domain::administration::Project;
use steward_domain::identity::{Client, SignInSettings};
use steward_domain::kernel::{Color, DocumentUrl};
use url::form_urlencoded;

/// The address of the stylesheet with the colors, and its parameters. It depends on nothing else, so that it can be
/// cached, and parsed colors are all that it contains.
const COLORS: &str = "/auth/colors.css";
pub(crate) const ACCENT: &str = "accent";
pub(crate) const BACKGROUND: &str = "background";

/// The colors around text in `steward.css`: of the page and of its card, in each color scheme.
const LIGHT: [Color; 2] = [Color::new(0xf3, 0xf5, 0xf3), Color::WHITE];
const DARK: [Color; 2] = [Color::new(0x10, 0x15, 0x14), Color::new(0x19, 0x20, 0x1e)];
/// The contrast that the edge of a button needs (WCAG 2.2 §1.4.11).
const VISIBLE: f64 = 3.0;
/// The contrast of white text with the background of the dark color scheme.
const DARK_ENOUGH: f64 = 7.0;

/// What a page shows of a project. The page also shows the service and its host, so that no project looks like the
/// service.
#[derive(Debug)]
pub(crate) struct Brand {
    pub(crate) name: String,
    /// Path of the logo of the client, or of the icon of the project.
    pub(crate) icon: Option<String>,
    /// Address of the stylesheet with the colors.
    pub(crate) colors: Option<String>,
    /// URL of the terms of service.
    pub(crate) terms: Option<String>,
    /// URL of the privacy policy.
    pub(crate) privacy_policy: Option<String>,
}

impl Brand {
    /// Returns the brand of the client's project. A client that registered itself has none: it would look trusted.
    pub(crate) fn of(client: &Client) -> Option<Self> {
        let project = client.project.as_ref().filter(|_| !client.registered_itself())?;
        Some(Self::of_project(project, client.icon_path()))
    }

    fn of_project(project: &Project, icon: Option<String>) -> Self {
        let SignInSettings { accent_color, background_color, tos_uri, policy_uri, .. } = &project.sign_in;
        let text = |url: &Option<DocumentUrl>| url.as_ref().map(|url| url.as_str().to_owned());
        Self {
            name: project.name.to_string(),
            icon,
            colors: stylesheet_address(*accent_color, *background_color),
            terms: text(tos_uri),
            privacy_policy: text(policy_uri),
        }
    }

    /// Returns whether there are links to documents.
    pub(crate) fn has_links(&self) -> bool {
        self.terms.is_some() || self.privacy_policy.is_some()
    }
}

fn stylesheet_address(accent: Option<Color>, background: Option<Color>) -> Option<String> {
    let parameters = [(ACCENT, accent), (BACKGROUND, background)];
    let parameters = parameters.into_iter().filter_map(|(name, color)| Some((name, color?.to_string())));
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    (!query.is_empty()).then(|| format!("{COLORS}?{query}"))
}

/// Returns the stylesheet with these colors, and with those of text that is readable with them.
pub(crate) fn stylesheet(accent: Option<Color>, background: Option<Color>) -> String {
    let dark_background = background.map(|color| color.with_contrast(DARK_ENOUGH, &[Color::WHITE], Color::BLACK));
    let (mut light, mut dark) = (String::new(), String::new());
    if let Some(accent) = accent {
        add_accent(&mut light, accent, LIGHT, Color::BLACK);
        add_accent(&mut dark, accent, DARK, Color::WHITE);
    }
    for (rules, background) in [(&mut light, background), (&mut dark, dark_background)] {
        if let Some(color) = background {
            let text = color.text();
            add(rules, &[("ground", color), ("on-ground", text), ("mark", text)]);
        }
    }
    format!(":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}")
}

/// Adds the rules for an accent color in a color scheme. `towards`: black or white, which is readable in this scheme.
fn add_accent(rules: &mut String, accent: Color, [ground, surface]: [Color; 2], towards: Color) {
    let soft = surface.mixed(accent, 10);
    let text = accent.readable_on(&[ground, surface, soft], towards);
    let (strong, on_button) = (text.mixed(towards, 25), accent.text());
    // Away from the text, so that the contrast grows.
    let away = if on_button == Color::WHITE { Color::BLACK } else { Color::WHITE };
    add(rules, &[("accent", text), ("accent-strong", strong), ("on-accent", text.text()), ("accent-soft", soft)]);
    add(rules, &[("button", accent), ("button-strong", accent.mixed(away, 15)), ("on-button", on_button)]);
    if accent.contrast(surface) < VISIBLE {
        add(rules, &[("button-edge", surface.with_contrast(VISIBLE, &[surface], towards))]);
    }
}

fn add(rules: &mut String, colors: &[(&str, Color)]) {
    for (name, color) in colors {
        // Writing to a text does not fail.
        write!(rules, "--{name}:{color};").unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(text: &str) -> Color {
        Color::parse(text).unwrap()
    }

    /// The colors of a scheme by name.
    fn colors(rules: &str) -> Vec<(&str, Color)> {
        let rules = rules.split_once("{").unwrap().1.split(';').filter(|rule| rule.starts_with("--"));
        rules.map(|rule| rule[2..].split_once(':').unwrap()).map(|(name, value)| (name, color(value))).collect()
    }

    #[test]
    fn all_text_is_readable_with_every_color_in_both_schemes() {
        let shares = [0, 60, 119, 128, 200, 255];
        let all = shares.iter().flat_map(|red| shares.iter().map(move |green| (*red, *green)));
        for (red, green) in all.clone() {
            let (accent, background) = (Color::new(red, green, 90), Color::new(green, red, 200));
            let sheet = stylesheet(Some(accent), Some(background));
            let (light, dark) = sheet.split_once("@media(prefers-color-scheme:dark){").unwrap();
            for (rules, [ground, surface]) in [(light, LIGHT), (dark, DARK)] {
                let colors = colors(rules);
                let named = |name: &str| colors.iter().find(|(other, _)| *other == name).unwrap().1;
                for background in [ground, surface, named("accent-soft")] {
                    assert!(named("accent").contrast(background) >= 4.5, "{accent}: {rules}");
                    assert!(named("accent-strong").contrast(background) >= 4.5, "{accent}: {rules}");
                }
                for (text, background) in [
                    ("on-button", "button"),
                    ("on-button", "button-strong"),
                    ("on-accent", "accent"),
                    ("on-ground", "ground"),
                ] {
                    assert!(named(text).contrast(named(background)) >= 4.5, "{text}, {accent}: {rules}");
                }
                assert_eq!(named("button"), accent);
            }
        }
    }

    #[test]
    fn the_address_of_the_stylesheet_has_the_colors_that_are_set() {
        let (accent, background) = (Some(color("#17614f")), Some(color("#ffffff")));
        assert_eq!(stylesheet_address(None, None), None);
        let both = "/auth/colors.css?accent=%2317614f&background=%23ffffff";
        assert_eq!(stylesheet_address(accent, background).as_deref(), Some(both));
        assert_eq!(stylesheet(None, None), ":root{}@media(prefers-color-scheme:dark){:root{}}");
        assert!(!stylesheet(None, background).contains("accent") && !stylesheet(accent, None).contains("ground"));
    }
}
