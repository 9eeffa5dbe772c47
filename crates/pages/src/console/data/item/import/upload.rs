//! The lines of an import while they are received. A few of them stay in memory, and are imported together. More of
//! them are stored as they arrive, and imported in the background.

use std::time::{Duration, Instant};

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use steward_domain::data::tabular::{Delimiter, LineFormat, NOT_TEXT, RecordReader, TextDecoder, TextEncoding};
use steward_domain::data::{ImportRecord, ImportUpload, Items};
use steward_domain::kernel::ItemImportId;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::{Lane, Operation};
use steward_domain::kernel::work::Work;

use crate::console::data::user::scope::TableScope;
use crate::console::frame::Signed;
use crate::error::PageError;
use crate::request::form::Form;
use crate::request::upload::{Fields, FileSink};

/// Maximum size of an import that stays in memory, in bytes: that of a request to the API.
const MAX_KEPT_BYTES: usize = 1024 * 1024;
/// Maximum size of the fields, in bytes: text of the maximum size, of which browsers send each line break as two bytes,
/// and some fields. Text that is only somewhat too long is received, too, to show it again.
const MAX_FIELD_BYTES: usize = 2 * MAX_KEPT_BYTES + 64 * 1024;
/// Number of bytes and of records that are stored together.
const STORED_BYTES: usize = 256 * 1024;
const STORED_RECORDS: usize = 1_000;
/// How long records wait to be stored if they arrive slowly.
const MAX_PAUSE: Duration = Duration::from_secs(20);
/// Maximum number of bytes of a refused file that are discarded, so that the browser shows the response.
const MAX_DISCARDED_BYTES: usize = 256 * 1024 * 1024;

/// Receives lines.
struct ImportReceiver<'a> {
    signed: &'a Signed,
    scope: &'a TableScope,
    /// What reads the lines, after their encoding; `None` before the first one, and the latter after the last one.
    reader: Option<RecordReader>,
    decoder: Option<TextDecoder>,
    /// The text of an import that stays in memory, in UTF-8.
    text: Vec<u8>,
    /// Records and a number of empty rows that are not stored, and the number of bytes that have arrived since then.
    records: Vec<ImportRecord>,
    empty_rows: u64,
    arrived: usize,
    background: Option<Background>,
    refusal: Option<PageError>,
    discarded: usize,
}

/// An import in the background.
struct Background {
    id: ItemImportId,
    /// `None` while records are being stored, and after that failed.
    upload: Option<ImportUpload>,
    stored_at: Instant,
}

/// What was received.
pub(crate) enum Received {
    /// Lines that are imported together.
    Text(String),
    /// Lines that are stored, to be imported in the background.
    Stored(Box<ImportUpload>),
}

/// Receives the form of an import. Also returns its lines, or why they are refused, to be shown with the form.
pub(crate) async fn receive(
    signed: &Signed,
    scope: &TableScope,
    request: &HttpRequest,
    payload: Payload,
) -> Result<(Form, Result<Received, Error>), PageError> {
    let mut receiver = ImportReceiver::new(signed, scope);
    let form = receiver.read(request, payload).await;
    let received = receiver.finish(form.is_ok()).await;
    match (form?, received) {
        (form, Ok(received)) => Ok((form, Ok(received))),
        (form, Err(PageError::Failed(error))) => Ok((form, Err(error))),
        (_, Err(other)) => Err(other),
    }
}

impl FileSink for ImportReceiver<'_> {
    async fn write(&mut self, before: &Form, bytes: &[u8]) -> Result<(), PageError> {
        let encoding = TextEncoding::parse(before.text("encoding")).unwrap_or_default();
        self.receive(before, bytes, encoding).await
    }
}

/// Returns the format that a form names; CSV if it names none.
pub(super) fn format_of(form: &Form) -> LineFormat {
    if form.text("format") == "ndjson" {
        LineFormat::NdJson
    } else {
        LineFormat::Csv(Delimiter::parse(form.text("delimiter")))
    }
}

impl<'a> ImportReceiver<'a> {
    fn new(signed: &'a Signed, scope: &'a TableScope) -> Self {
        Self {
            signed,
            scope,
            reader: None,
            decoder: None,
            text: Vec::new(),
            records: Vec::new(),
            empty_rows: 0,
            arrived: 0,
            background: None,
            refusal: None,
            discarded: 0,
        }
    }

    /// Reads the form. Its file, or else its text, is received as its lines.
    async fn read(&mut self, request: &HttpRequest, payload: Payload) -> Result<Form, PageError> {
        let Fields { form, is_too_large } = Fields::receive(request.headers(), payload, MAX_FIELD_BYTES, self).await?;
        self.signed.browser.check(&form)?;
        if self.reader.is_none() && self.refusal.is_none() {
            // Browsers send the lines of a text area with CRLF.
            let text = form.text("lines").replace("\r\n", "\n");
            if is_too_large || text.len() > MAX_KEPT_BYTES {
                self.refusal =
                    Some(Error::invalid("lines", "The text is larger than 1 MiB. Choose it as a file.").into());
            } else {
                // Whatever the encoding of a file is, forms are in UTF-8.
                self.receive(&form, text.as_bytes(), TextEncoding::default()).await?;
            }
        }
        Ok(form)
    }

    /// Ends the lines. An import in the background that cannot be completed is ended.
    async fn finish(mut self, is_complete: bool) -> Result<Received, PageError> {
        if is_complete && self.refusal.is_none() {
            let rest = self.decoder.take().map(TextDecoder::finish).unwrap_or_default();
            self.add(&rest);
            self.records.extend(self.reader.as_mut().map(RecordReader::finish).unwrap_or_default());
            self.empty_rows =
                self.empty_rows.saturating_add(self.reader.as_mut().map_or(0, RecordReader::take_empty_rows));
            self.refusal = self.store(true).await.err();
        }
        match (self.background, self.refusal) {
            (None, None) => {
                let text = String::from_utf8(self.text);
                Ok(Received::Text(text.map_err(|_| Error::invalid("file", NOT_TEXT))?))
            }
            (Some(Background { upload: Some(upload), .. }), None) if is_complete => {
                Ok(Received::Stored(Box::new(upload)))
            }
            (background, refusal) => {
                if let Some(Background { id, .. }) = background {
                    let project = self.scope.of.user.project_id;
                    self.signed.steward().item_imports.abandon(id, project).await?;
                }
                Err(refusal.unwrap_or(PageError::InvalidForm(StatusCode::BAD_REQUEST)))
            }
        }
    }

    /// Receives the next bytes of the lines. After a refusal, they are discarded.
    async fn receive(&mut self, before: &Form, bytes: &[u8], encoding: TextEncoding) -> Result<(), PageError> {
        if self.refusal.is_some() {
            self.discarded = self.discarded.saturating_add(bytes.len());
            return if self.discarded <= MAX_DISCARDED_BYTES {
                Ok(())
            } else {
                self.refusal.take().map_or(Ok(()), Err)
            };
        }
        if let Err(refusal) = self.accept(before, bytes, encoding).await {
            (self.refusal, self.text, self.records) = (Some(refusal), Vec::new(), Vec::new());
        }
        Ok(())
    }

    /// `before`: the fields that precede the lines. They contain the format, and what protects the form from other
    /// sites.
    async fn accept(&mut self, before: &Form, bytes: &[u8], encoding: TextEncoding) -> Result<(), PageError> {
        self.reader.get_or_insert_with(|| RecordReader::new(format_of(before)));
        let text = self.decoder.get_or_insert_with(|| TextDecoder::new(encoding)).decode(bytes);
        self.add(&text);
        self.arrived = self.arrived.saturating_add(bytes.len());
        if self.background.is_none() {
            if self.is_small() {
                return Ok(());
            }
            self.signed.browser.check(before)?;
        }
        self.store(false).await
    }

    /// Reads the next part of the text.
    fn add(&mut self, text: &[u8]) {
        let Some(reader) = &mut self.reader else { return };
        self.records.extend(reader.read(text));
        self.empty_rows = self.empty_rows.saturating_add(reader.take_empty_rows());
        if self.background.is_none() {
            self.text.extend_from_slice(text);
        }
    }

    /// Whether the lines are few enough to stay in memory.
    fn is_small(&self) -> bool {
        self.text.len() <= MAX_KEPT_BYTES && self.records.len() <= Items::MAX_IMPORTED
    }

    /// Stores the records that wait for it, if they are enough or the last ones. Begins an import in the background if
    /// there is none and they are too many to stay in memory.
    async fn store(&mut self, is_last: bool) -> Result<(), PageError> {
        if self.background.is_none() && self.is_small() {
            return Ok(());
        }
        let imports = &self.signed.steward().item_imports;
        // Each step is limited on its own, because a large file arrives slowly.
        let work = Work { lane: Lane::Heavy, ..Work::current() };
        if self.background.is_none() {
            // First, so that the rest of a file that is refused below does not count as memory.
            self.signed.stream_body()?;
            self.signed.begin(Operation::ItemBatch, Items::MAX_IMPORTED)?;
            let user = &self.scope.of.user;
            let begin = imports.begin(&self.signed.caller, user.project_id, user.id, self.scope.table.clone());
            let upload = work.scope(begin).await?;
            self.background = Some(Background { id: upload.id(), upload: Some(upload), stored_at: Instant::now() });
            self.text = Vec::new();
        }
        let Some(background) = &mut self.background else { return Ok(()) };
        let is_enough = self.arrived >= STORED_BYTES
            || self.records.len() >= STORED_RECORDS
            || background.stored_at.elapsed() >= MAX_PAUSE;
        let Some(upload) = background.upload.take_if(|_| is_last || is_enough) else { return Ok(()) };
        let header = self.reader.as_ref().and_then(RecordReader::header).map(<[String]>::to_vec);
        let (records, empty_rows) = (std::mem::take(&mut self.records), std::mem::take(&mut self.empty_rows));
        let stored = work.scope(imports.append(upload, records, header, empty_rows)).await?;
        (background.upload, background.stored_at, self.arrived) = (Some(stored), Instant::now(), 0);
        Ok(())
    }
}
