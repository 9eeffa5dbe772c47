//! All parts that pages are made of, for the people who write pages (docs/design.md). Only in debug builds.

use askama::Template;
use steward_domain::identity::ProviderKind;

use crate::console::administration::project::bar_chart::BarChart;
use crate::console::administration::project::number::count;
use crate::console::data::schema::rows::Rows;
use crate::console::frame::form::state::field_error;
use crate::console::frame::{Crumb, FormState, Shell, Signed};
use crate::error::PageResult;
use crate::request::form::Form;

/// A table with two fields, as the editor of a schema sends it.
const TABLE: &str = "t0-name=notes&t0-f0-name=title&t0-f0-type=string&t0-f0-required=true&t0-f0-description=What+it+is+about\
                     &t0-f1-name=rank&t0-f1-type=number&t0-f1-indexed=true";

/// Shows the parts.
pub(crate) async fn page(signed: &Signed, form: FormState) -> PageResult {
    let mut form = form.starting_with(&[("roles", "read"), ("label", "Deploy"), ("accent_color", "#7c3aed")]);
    form.errors.push(field_error("slug", "must have at most 40 characters"));
    let day = signed.steward().clock.now().date_naive();
    let days: Vec<_> = day.iter_days().take(30).zip((0..30_u64).map(|index| index.pow(2).wrapping_rem(37))).collect();
    let chart = BarChart::of("example", "Requests", &days);
    let shell = signed.shell(vec![Crumb::here("Parts")], signed.tabs().below("/console/account", "")).await?;
    let rows = Rows::of_form(&Form::of_text(TABLE)).allowing_for(None);
    signed.page(&AllParts { shell, form, chart, rows, focus: String::new() })
}

#[derive(Template)]
#[template(path = "console/home/all_parts.html")]
struct AllParts {
    shell: Shell,
    form: FormState,
    chart: BarChart,
    rows: Rows,
    /// No input of the schema has the focus.
    focus: String,
}
