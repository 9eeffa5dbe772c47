//! Points in time as pages show them, and as forms select them.

use std::time::Duration;

use steward_domain::model::Time;

use crate::form::Form;

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// Returns the date and the time of day.
pub(crate) fn date_time(time: Time) -> String {
    time.format("%-d %B %Y, %H:%M UTC").to_string()
}

/// Returns the time after as many days as the field `days` of a form selects. `options`: the values and labels of the
/// field. The error is a predicate.
pub(super) fn after_selected_days(form: &Form, options: &[(&str, &str)], now: Time) -> Result<Time, &'static str> {
    let selected = options.iter().map(|(value, _)| *value).find(|value| *value == form.text("days"));
    let days = selected.and_then(|value| value.parse::<u64>().ok()).ok_or("must be one of the options")?;
    Ok(now + Duration::from_secs(days.saturating_mul(SECONDS_PER_DAY)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
