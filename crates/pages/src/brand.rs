//! How pages look for a project: its name, icon, colors and links (docs/decisions/0061-languages-and-branding.md).

use askama::Template;
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
/// The accent color of the service.
pub(crate) const SERVICE: Color = Color::new(0x17, 0x61, 0x4f);
/// The contrast that the edge of a button needs (WCAG 2.2 §1.4.11).
const VISIBLE: f64 = 3.0;
/// The contrast of white text with the background of the dark color scheme, and the share of gray that this background
/// loses: of a pale color, darkening alone would leave only that.
const DARK_ENOUGH: f64 = 7.0;
const GRAY: u8 = 85;

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
    let rules = |is_dark| {
        let rule = |(name, color)| format!("--{name}:{color};");
        colors(accent, background, is_dark).into_iter().map(rule).collect::<String>()
    };
    format!(":root{{{}}}@media(prefers-color-scheme:dark){{:root{{{}}}}}", rules(false), rules(true))
}

/// Returns the colors of a color scheme that differ from those of the service, by name.
fn colors(accent: Option<Color>, background: Option<Color>, is_dark: bool) -> Vec<(&'static str, Color)> {
    // Text is mixed with black or white until it is readable in this scheme.
    let ([ground, surface], towards) = if is_dark { (DARK, Color::WHITE) } else { (LIGHT, Color::BLACK) };
    let mut colors = Vec::new();
    if let Some(accent) = accent {
        let soft = surface.mixed(accent, 10);
        let text = accent.readable_on(&[ground, surface, soft], towards);
        let (strong, on_button) = (text.mixed(towards, 25), accent.text());
        // Away from the text, so that the contrast grows.
        let away = if on_button == Color::WHITE { Color::BLACK } else { Color::WHITE };
        colors.extend([("accent", text), ("accent-strong", strong), ("on-accent", text.text()), ("accent-soft", soft)]);
        colors.extend([("button", accent), ("button-strong", accent.mixed(away, 15)), ("on-button", on_button)]);
        if accent.contrast(surface) < VISIBLE {
            colors.push(("button-edge", surface.with_contrast(VISIBLE, &[surface], towards)));
        }
    }
    if let Some(color) = background {
        let dark = || color.without_gray(GRAY).with_contrast(DARK_ENOUGH, &[Color::WHITE], Color::BLACK);
        let color = if is_dark { dark() } else { color };
        let text = color.text();
        colors.extend([("ground", color), ("on-ground", text), ("mark", text)]);
    }
    colors
}

/// Returns a picture of a page with these colors in both color schemes.
pub(crate) fn preview(accent: Option<Color>, background: Option<Color>) -> Result<String, askama::Error> {
    let looks = [("Light", false), ("Dark", true)].map(|(name, is_dark)| {
        // Those of the service, which the others precede.
        let [ground, surface] = if is_dark { DARK } else { LIGHT };
        let own = [("ground", ground), ("surface", surface)].into_iter().chain(colors(Some(SERVICE), None, is_dark));
        let text = [("text", surface.text()), ("on-ground", ground.text())];
        Look { name, colors: colors(accent, background, is_dark).into_iter().chain(own).chain(text).collect() }
    });
    Preview { looks }.render()
}

#[derive(Template)]
#[template(path = "console/administration/project/colors.svg", escape = "html")]
struct Preview {
    looks: [Look; 2],
}

/// A color scheme in a preview.
struct Look {
    name: &'static str,
    colors: Vec<(&'static str, Color)>,
}

impl Look {
    fn color(&self, name: &str) -> Color {
        self.colors.iter().find(|(other, _)| *other == name).map_or(Color::BLACK, |(_, color)| *color)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(text: &str) -> Color {
        Color::parse(text).unwrap()
    }

    /// The colors of a scheme by name.
    fn colors_of(rules: &str) -> Vec<(&str, Color)> {
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
                let colors = colors_of(rules);
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
    fn a_pale_background_keeps_its_hue_in_the_dark() {
        let (Some((_, ground)), text) = (colors(None, Some(color("#faf5ff")), true).first().copied(), Color::WHITE)
        else {
            panic!()
        };
        assert_eq!(ground.to_string(), "#2a252f");
        assert!(ground.contrast(text) > 12.0);
        let picture = preview(Some(color("#7c3aed")), Some(color("#faf5ff"))).unwrap();
        for color in ["#faf5ff", "#2a252f", "#7c3aed"] {
            assert!(picture.contains(&format!("fill=\"{color}\"")), "{color}: {picture}");
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
