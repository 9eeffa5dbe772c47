//! Cache of published schema documents. A version never changes, so it is read once.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use lru::LruCache;

use crate::data::SchemaReader;
use crate::data::schema::Document;
use crate::kernel::error::Error;
use crate::kernel::{ProjectId, lock};

/// Maximum number of cached documents.
const MAX_DOCUMENTS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1_023);
/// Approximate maximum memory of all cached documents, in bytes.
const MAX_MEMORY: usize = 32 * 1024 * 1024;

/// The most recently used documents, within the memory limit.
struct Documents {
    by_version: LruCache<(ProjectId, u32), Arc<Document>>,
    memory: usize,
}

impl Documents {
    fn put(&mut self, project: ProjectId, number: u32, document: Arc<Document>) {
        self.memory = self.memory.saturating_add(document.memory());
        if let Some((_, replaced)) = self.by_version.push((project, number), document) {
            self.memory = self.memory.saturating_sub(replaced.memory());
        }
        while self.memory > MAX_MEMORY {
            let Some((_, evicted)) = self.by_version.pop_lru() else { break };
            self.memory = self.memory.saturating_sub(evicted.memory());
        }
    }
}

/// Reads published documents, with a cache.
#[derive(Clone)]
pub struct SchemaCatalog {
    reader: Arc<dyn SchemaReader>,
    documents: Arc<Mutex<Documents>>,
}

impl SchemaCatalog {
    /// Creates an empty cache over this reader.
    pub fn new(reader: Arc<dyn SchemaReader>) -> Self {
        let documents = Documents { by_version: LruCache::new(MAX_DOCUMENTS), memory: 0 };
        Self { reader, documents: Arc::new(Mutex::new(documents)) }
    }

    /// Returns the document of a version. Version 0 means that nothing is published and returns `None`.
    pub async fn document(&self, project: ProjectId, number: u32) -> Result<Option<Arc<Document>>, Error> {
        if number == 0 {
            return Ok(None);
        }
        let cached = lock(&self.documents).by_version.get(&(project, number)).cloned();
        if cached.is_some() {
            return Ok(cached);
        }
        let Some(version) = self.reader.schema(project, number).await? else {
            return Ok(None);
        };
        let document = Arc::new(version.document);
        lock(&self.documents).put(project, number, document.clone());
        Ok(Some(document))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::mocks::id_of;

    #[test]
    fn cached_documents_use_limited_memory() {
        let notes: Map<String, Value> = (0..10_000).map(|n| (format!("n{n}"), json!(0))).collect();
        let large = json!({"project_id": "p", "version": 1, "tables": {}, "notes": notes});
        let large = Arc::new(Document::parse(&large).unwrap());
        let mut documents = Documents { by_version: LruCache::new(MAX_DOCUMENTS), memory: 0 };
        let project = id_of("project").into();
        for number in 1..=200 {
            documents.put(project, number, large.clone());
            documents.put(project, number, large.clone());
        }
        let cached = documents.by_version.len();
        assert_eq!(documents.memory, cached * large.memory());
        assert!((10..100).contains(&cached), "{cached}");
        assert!(documents.by_version.contains(&(project, 200)) && !documents.by_version.contains(&(project, 1)));
    }
}
