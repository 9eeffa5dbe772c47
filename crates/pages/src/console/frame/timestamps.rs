//! Points in time as pages show them, and as forms select them.

use std::fmt;
use std::time::Duration;

use askama::filters::HtmlSafe;
use steward_domain::kernel::Time;

use crate::request::form::Form;
use crate::wording::language::Language;
use crate::wording::message::Message;

/// The messages with the names of the months.
const MONTHS: [&str; 12] = [
    "month-1", "month-2", "month-3", "month-4", "month-5", "month-6", "month-7", "month-8", "month-9", "month-10",
    "month-11", "month-12",
];

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// A point in time as pages show it: in UTC. The script of the console shows it in the time zone of the reader, with
/// the time that has passed since or remains until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp(Time);

impl From<Time> for Timestamp {
    fn from(time: Time) -> Self {
        Self(time)
    }
}

impl Timestamp {
    /// Returns a point in time of a template, which has references.
    pub(crate) fn of(time: &Time) -> Self {
        Self(*time)
    }

    /// Returns the element with the texts in a language.
    pub(crate) fn in_language(&self, language: &'static Language) -> String {
        let machine = self.0.format("%Y-%m-%dT%H:%M:%SZ");
        let (exact, text) = (self.formatted(language, "%H:%M:%S"), self.text_in(language));
        format!("<time datetime=\"{machine}\" title=\"{exact}\">{text}</time>")
    }

    /// Returns the text in a language.
    pub(crate) fn text_in(&self, language: &'static Language) -> String {
        self.formatted(language, "%H:%M")
    }

    fn formatted(&self, language: &'static Language, time: &str) -> String {
        let (day, year) = (self.0.format("%-d").to_string(), self.0.format("%Y").to_string());
        let month = self.0.format("%-m").to_string().parse::<usize>().unwrap_or_default().saturating_sub(1);
        let month = Message::new(MONTHS.get(month).copied().unwrap_or_default()).text(language);
        let text = Message::new("date-time").with("day", day).with("month", month).with("year", year);
        text.with("time", self.0.format(time).to_string()).text(language).into_owned()
    }

    /// Returns the text, for attributes.
    pub(crate) fn text(&self) -> String {
        date_time(self.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (machine, exact) = (self.0.format("%Y-%m-%dT%H:%M:%SZ"), self.0.format("%-d %B %Y, %H:%M:%S UTC"));
        write!(f, "<time datetime=\"{machine}\" title=\"{exact}\">{}</time>", date_time(self.0))
    }
}

// It consists of digits, names of months and the element around them.
impl HtmlSafe for Timestamp {}

/// Returns the date and the time of day.
pub(crate) fn date_time(time: Time) -> String {
    time.format("%-d %B %Y, %H:%M UTC").to_string()
}

/// Returns the time after as many days as the field `days` of a form selects. `options`: the values and labels of the
/// field. The error is a predicate.
pub(crate) fn after_selected_days(form: &Form, options: &[(&str, &str)], now: Time) -> Result<Time, &'static str> {
    let selected = options.iter().map(|(value, _)| *value).find(|value| *value == form.text("days"));
    let days = selected.and_then(|value| value.parse::<u64>().ok()).ok_or("must be one of the options")?;
    Ok(now + Duration::from_secs(days.saturating_mul(SECONDS_PER_DAY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_in_utc_with_the_exact_one_as_its_title() {
        let shown = Timestamp::from("2030-01-02T03:04:05.678Z".parse::<Time>().unwrap());
        let expected = "<time datetime=\"2030-01-02T03:04:05Z\" title=\"2 January 2030, 03:04:05 UTC\">2 January 2030, \
                        03:04 UTC</time>";
        assert_eq!((shown.to_string().as_str(), shown.text().as_str()), (expected, "2 January 2030, 03:04 UTC"));
    }

    #[test]
    fn a_time_is_shown_in_the_language_of_the_reader() {
        let shown = Timestamp::from("2030-01-02T03:04:05.678Z".parse::<Time>().unwrap());
        assert_eq!(shown.in_language(Language::english()), shown.to_string());
        let german = shown.in_language(Language::preferred("de").unwrap());
        assert!(german.contains("title=\"2. Januar 2030, 03:04:05 UTC\">2. Januar 2030, 03:04 UTC<"), "{german}");
    }

    #[test]
    fn only_days_that_the_form_offers_are_accepted() {
        let (options, now) = ([("1", "1 day"), ("30", "30 days")], "2030-01-01T00:00:00Z".parse::<Time>().unwrap());
        let after = |days: &str| {
            let form = Form::of_fields(vec![("days".to_owned(), days.to_owned())]);
            after_selected_days(&form, &options, now)
        };
        assert_eq!(after("30"), Ok("2030-01-31T00:00:00Z".parse().unwrap()));
        for invalid in ["", "2", "-1", "1 day"] {
            assert_eq!(after(invalid), Err("must be one of the options"), "{invalid}");
        }
    }
}
