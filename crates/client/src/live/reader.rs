//! Streams of changes, each with a bounded queue.

use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use super::change::{Fields, LiveReason};
use super::error::LiveError;

/// Maximum number of changes that wait for a reader.
pub(super) const MAX_UNREAD: usize = 10_000;

/// An item has changed, here or elsewhere.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LiveChange<T = Fields> {
    /// The table.
    pub table: String,
    /// ID of the item.
    pub id: String,
    /// The item now, or `None` if it does not exist.
    pub item: Option<T>,
    /// Whether the service did not store a local change as it was made, because it does not match the schema, or another
    /// device changed the item at the same time.
    pub is_correction: bool,
    /// Why the service did not store it, if it is known. With the code `quota_exceeded` and without a correction, the
    /// change is kept, and sent again when there may be room.
    pub reason: Option<LiveReason>,
}

/// A stream of changes, from the time when it was requested. It ends when the last [`LiveItems`](crate::LiveItems) and
/// [`LiveTable`](crate::LiveTable) are dropped.
///
/// It fails with [`LiveError::TooManyUnread`] if 10,000 changes were not read, and with [`LiveError::Ended`] if the connection
/// ended for good; it ends then. [`LiveError::Decode`] concerns one item, and others follow.
#[derive(Debug)]
pub struct LiveChanges<T = Fields> {
    queue: mpsc::Receiver<Result<Unread, LiveError>>,
    types: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Stream for LiveChanges<T> {
    type Item = Result<LiveChange<T>, LiveError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let unread = ready!(self.queue.poll_recv(context));
        Poll::Ready(unread.map(|unread| unread.and_then(Unread::decode)))
    }
}

/// A change as it waits for a reader.
pub(super) type Unread = LiveChange<Arc<Fields>>;

impl Unread {
    fn decode<T: DeserializeOwned>(self) -> Result<LiveChange<T>, LiveError> {
        let Self { table, id, item, is_correction, reason } = self;
        let item = item.map(|item| decode(&table, &id, &item)).transpose()?;
        Ok(LiveChange { table, id, item, is_correction, reason })
    }
}

/// Returns an item with the type that the program has for its table.
pub(super) fn decode<T: DeserializeOwned>(table: &str, id: &str, item: &Fields) -> Result<T, LiveError> {
    T::deserialize(item).map_err(|source| LiveError::Decode {
        table: table.to_owned(),
        id: id.to_owned(),
        source: Arc::new(source),
    })
}

/// The readers of changes.
#[derive(Debug, Default)]
pub(super) struct Readers(Vec<Reader>);

#[derive(Debug)]
struct Reader {
    /// `None` for all tables.
    table: Option<String>,
    queue: mpsc::Sender<Result<Unread, LiveError>>,
}

impl Readers {
    /// Returns the changes of a table, or of all, from now on.
    pub(super) fn add<T>(&mut self, table: Option<&str>) -> LiveChanges<T> {
        // The last place is for the error after which the stream ends.
        let (sender, receiver) = mpsc::channel(MAX_UNREAD.saturating_add(1));
        self.0.push(Reader { table: table.map(str::to_owned), queue: sender });
        LiveChanges { queue: receiver, types: PhantomData }
    }

    /// Passes a change to its readers. One that is too slow gets an error, and nothing more.
    pub(super) fn send(&mut self, change: &Unread) {
        self.0.retain(|reader| {
            if reader.table.as_ref().is_some_and(|table| *table != change.table) {
                return !reader.queue.is_closed();
            }
            let is_slow = reader.queue.capacity() <= 1;
            let sent = if is_slow { Err(LiveError::TooManyUnread) } else { Ok(change.clone()) };
            reader.queue.try_send(sent).is_ok() && !is_slow
        });
    }

    /// Ends all streams with an error.
    pub(super) fn end(&mut self, error: &LiveError) {
        for reader in self.0.drain(..) {
            // A reader that is gone needs no error.
            drop(reader.queue.try_send(Err(error.clone())));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;
    use serde_json::json;

    use super::*;

    fn change(id: usize) -> Unread {
        let item = json!({"id": id.to_string(), "rank": id}).as_object().cloned().map(Arc::new);
        Unread { table: "notes".into(), id: id.to_string(), item, is_correction: false, reason: None }
    }

    #[tokio::test]
    async fn a_reader_that_is_too_slow_gets_what_it_can_hold_and_an_error() {
        let mut readers = Readers::default();
        let (mut slow, mut other) = (readers.add::<Fields>(None), readers.add::<Fields>(Some("lists")));
        for id in 0..MAX_UNREAD + 10 {
            readers.send(&change(id));
        }
        for id in 0..MAX_UNREAD {
            assert_eq!(slow.next().await.unwrap().unwrap().id, id.to_string());
        }
        assert!(matches!(slow.next().await, Some(Err(LiveError::TooManyUnread))));
        assert!(slow.next().await.is_none());
        assert_eq!(readers.0.len(), 1, "The other reader has no changes of its table.");
        readers.end(&LiveError::TooManyPending);
        assert!(matches!(other.next().await, Some(Err(LiveError::TooManyPending))) && other.next().await.is_none());
    }

    #[tokio::test]
    async fn an_item_that_does_not_have_the_type_does_not_end_the_stream() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Note {
            rank: u8,
        }
        let mut readers = Readers::default();
        let mut notes = readers.add::<Note>(Some("notes"));
        readers.send(&change(300));
        readers.send(&change(1));
        let error = notes.next().await.unwrap().unwrap_err().to_string();
        assert!(error.contains(r#""300" of the table "notes""#), "{error}");
        assert_eq!(notes.next().await.unwrap().unwrap().item, Some(Note { rank: 1 }));
        drop(notes);
        readers.send(&change(2));
        assert!(readers.0.is_empty());
    }
}
