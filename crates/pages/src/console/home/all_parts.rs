//! All parts that pages are made of, for the people who write pages (docs/design.md). Only in debug builds.

use askama::Template;

use crate::console::administration::project::bar_chart::BarChart;
use crate::console::administration::project::number::count;
use crate::console::frame::form::state::field_error;
use crate::console::frame::{Crumb, FormState, Shell, Signed};
use crate::error::PageResult;

/// Shows the parts.
pub(crate) async fn page(signed: &Signed, form: FormState) -> PageResult {
    let mut form = form.starting_with(&[("roles", "read"), ("label", "Deploy")]);
    form.errors.push(field_error("slug", "must have at most 40 characters"));
    let day = signed.steward().clock.now().date_naive();
    let days: Vec<_> = day.iter_days().take(30).zip((0..30_u64).map(|index| index.pow(2).wrapping_rem(37))).collect();
    let chart = BarChart::of("example", "Requests", &days);
    let shell = signed.shell(vec![Crumb::here("Parts")], signed.tabs().below("/console/account", "")).await?;
    signed.page(&AllParts { shell, form, chart })
}

#[derive(Template)]
#[template(path = "console/home/all_parts.html")]
struct AllParts {
    shell: Shell,
    form: FormState,
    chart: BarChart,
}
