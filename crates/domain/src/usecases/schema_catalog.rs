//! Published schema documents, remembered: a version never changes, so it is read once.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;

use crate::error::Error;
use crate::model::ProjectId;
use crate::model::schema::Document;
use crate::ports::SchemaReader;

/// How many documents are remembered. Each is at most 256 KiB.
const CAPACITY: NonZeroUsize = NonZeroUsize::MIN.saturating_add(127);

type Documents = LruCache<(ProjectId, u32), Arc<Document>>;

/// Finds published documents.
#[derive(Clone)]
pub struct SchemaCatalog {
    reader: Arc<dyn SchemaReader>,
    documents: Arc<Mutex<Documents>>,
}

impl SchemaCatalog {
    /// Remembers what the reader found.
    pub fn new(reader: Arc<dyn SchemaReader>) -> Self {
        Self { reader, documents: Arc::new(Mutex::new(LruCache::new(CAPACITY))) }
    }

    /// The document of one version. Version 0 stands for nothing published.
    pub async fn document(&self, project: ProjectId, number: u32) -> Result<Option<Arc<Document>>, Error> {
        if number == 0 {
            return Ok(None);
        }
        if let Some(known) = self.known(project, number) {
            return Ok(Some(known));
        }
        let Some(version) = self.reader.schema(project, number).await? else {
            return Ok(None);
        };
        let document = Arc::new(version.document);
        self.documents.lock().unwrap_or_else(PoisonError::into_inner).put((project, number), document.clone());
        Ok(Some(document))
    }

    fn known(&self, project: ProjectId, number: u32) -> Option<Arc<Document>> {
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        documents.get(&(project, number)).cloned()
    }
}
