//! Schemas of projects (docs/contract.md#schemas).

mod body;

use steward_api::{self as wire, Operation};
use steward_domain::data::schema::SchemaVersion;
use steward_domain::data::{Publication, PublishOptions, SchemaSelection};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Cursor, Page, PageRequest, PageSize, Revision};

use self::body::{
    document_members, document_object, schema_check, schema_comparison, schema_version, shown_publication,
};
use crate::error::ApiError;
use crate::extract::body::unchecked;
use crate::extract::path::Ids;
use crate::extract::{Query, page};
use crate::route::serve;
use crate::serve::{Call, Open, Outcome, Tag};
use crate::streamed::{self, Chunk};

serve! {
    GetSchema => get;
    PublishSchema => publish;
    PatchSchema => patch;
    RollbackSchema => roll_back;
    CompareSchema => compare;
    VerifyUpdateSchema => verify;
}

/// Schemas are larger than other listed resources, and a parsed document needs more memory than its text.
const SCHEMA_PAGE: PageSize = PageSize { rows: 8, ..PageSize::CHUNK };

fn selection(query: &Query<(wire::VersionParameter, wire::PageParameters)>) -> Result<SchemaSelection, ApiError> {
    let mut page = query.page()?;
    if page.limit.is_none() {
        page.size = SCHEMA_PAGE;
    }
    match query.get("version")? {
        None => Ok(SchemaSelection::Newest),
        Some("all") => Ok(SchemaSelection::All(page)),
        Some(text) => {
            let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            if !digits {
                return Err(Error::invalid("version", "must be a version number or `all`").into());
            }
            // A number that does not fit is higher than every version.
            Ok(SchemaSelection::Number(text.parse().unwrap_or(u32::MAX)))
        }
    }
}

/// Reads the options of a publication. Rejects unknown parameters, because a misspelled `dry_run` must not publish.
fn publish_options(query: &Query<wire::PublishParameters>) -> Result<PublishOptions, ApiError> {
    query.reject_unknown(&["dry_run", "allow_destructive"])?;
    let (dry_run, allow_destructive) = (query.flag("dry_run")?, query.flag("allow_destructive")?);
    Ok(PublishOptions { dry_run, allow_destructive, discards_draft: false })
}

/// Appends a page of versions, and the total number of versions after the last one.
fn append(mut text: Vec<u8>, page: Page<SchemaVersion>, count: u32) -> Result<Chunk<Cursor>, Error> {
    streamed::push_members(&mut text, page.items.iter().map(schema_version))?;
    if page.next.is_none() {
        text.extend_from_slice(format!("],\"count\":{count}}}").as_bytes());
    }
    Ok((text, page.next))
}

async fn get(call: Call<wire::GetSchema, Open>) -> Outcome<wire::GetSchema> {
    let (project, selection) = (call.path, selection(&call.query())?);
    let count = match selection {
        SchemaSelection::All(_) => Some(call.api.steward.schemas.count(project).await?),
        SchemaSelection::Newest | SchemaSelection::Number(_) => None,
    };
    let is_complete = matches!(&selection, SchemaSelection::All(page) if page.limit.is_none());
    let page = call.api.steward.schemas.get(project, selection).await?;
    if let (true, true, Some(count)) = (is_complete, page.next.is_some(), count) {
        let first = append(b"{\"data\":[".to_vec(), page, count)?;
        return call.stream(first, async move |after, steward, _| {
            let request = PageRequest { limit: None, after: Some(after), size: SCHEMA_PAGE };
            append(Vec::new(), steward.schemas.get(project, SchemaSelection::All(request)).await?, count)
        });
    }
    let next_cursor = page.next.as_ref().map(page::encode);
    let data = page.items.iter().map(schema_version).collect();
    let body = wire::SchemaListing { data, count, next_cursor: next_cursor.clone() };
    match page.items.first() {
        Some(version) if count.is_none() => call.about(tag(version), body),
        _ => call.linked_page(body, next_cursor.as_deref()),
    }
}

/// Returns the entity tag of a version. Its revision is its number, and it never changes.
fn tag(version: &SchemaVersion) -> Tag<wire::SchemaVersion> {
    Tag::of_version(Revision(version.number.into()), &version.id.to_string())
}

/// Returns a publication. The version of a dry run is not stored, so it has no entity tag.
fn published<O>(call: &Call<O>, publication: Publication, options: PublishOptions) -> Outcome<O>
where
    O: Operation<Path: Ids, Response = wire::Publication, Resource = wire::SchemaVersion>,
{
    let (tag, body) = (tag(&publication.version), shown_publication(publication));
    if options.dry_run { call.untagged(body) } else { call.about(tag, body) }
}

async fn publish(call: Call<wire::PublishSchema>) -> Outcome<wire::PublishSchema> {
    let (options, document) = (publish_options(&call.query())?, call.body()?.read(document_object)?);
    published(&call, call.api.steward.schemas.publish(&call.caller, call.path, document, options).await?, options)
}

async fn patch(call: Call<wire::PatchSchema>) -> Outcome<wire::PatchSchema> {
    let options = publish_options(&call.query())?;
    // Its `id` is that of the version that is replaced.
    let changes = call.body()?.with_id("project_id", call.path.uuid()).read(document_members)?;
    let schemas = &call.api.steward.schemas;
    published(&call, schemas.patch(&call.caller, call.path, &changes, options, call.when()).await?, options)
}

async fn roll_back(call: Call<wire::RollbackSchema>) -> Outcome<wire::RollbackSchema> {
    let (options, rollback) = (publish_options(&call.query())?, call.body()?.read(unchecked)?);
    let schemas = &call.api.steward.schemas;
    published(&call, schemas.roll_back(&call.caller, call.path, rollback.version, options).await?, options)
}

async fn compare(call: Call<wire::CompareSchema, Open>) -> Outcome<wire::CompareSchema> {
    let document = call.body()?.read(document_object)?;
    call.reply(schema_comparison(call.api.steward.schemas.compare(document).await?))
}

async fn verify(call: Call<wire::VerifyUpdateSchema, Open>) -> Outcome<wire::VerifyUpdateSchema> {
    let document = call.body()?.read(document_object)?;
    call.reply(schema_check(call.api.steward.schemas.verify(document).await?))
}
