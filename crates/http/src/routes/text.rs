//! Text utilities (docs/contract.md#slugs).

use steward_api as wire;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::slugify;

use crate::route::serve;
use crate::serve::{Call, Open, Outcome};

serve! {
    Slugify => to_slug;
}

async fn to_slug(call: Call<wire::Slugify, Open>) -> Outcome<wire::Slugify> {
    let query = call.query();
    let text = match query.get("slug")? {
        Some(text) => Some(text),
        None => query.get("text")?,
    };
    let text = text.ok_or_else(|| Error::invalid("slug", "is required. Send the text to convert."))?;
    let slug = slugify(text).ok_or_else(|| Error::invalid("slug", "must contain at least one letter or digit"))?;
    call.reply(wire::SlugText { slug })
}
