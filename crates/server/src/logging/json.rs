//! The log as JSON lines.

use std::cell::RefCell;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::ser::{SerializeMap as _, Serializer as _};
use tracing::{Event, Subscriber};
use tracing_log::NormalizeEvent as _;
use tracing_serde::{AsSerde as _, SerdeMapVisitor};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use super::lines::Lines;

/// Capacity that a thread keeps after a long line.
const KEPT_BYTES: usize = 4 * 1024;

thread_local! {
    /// The line that the thread formats.
    static LINE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The last second that the thread formatted, and its text.
    static SECOND: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
}

/// Writes each event as an object: `timestamp`, `level`, the event's fields, and `target`.
pub(super) struct JsonLines(pub Arc<Lines>);

impl<S: Subscriber> Layer<S> for JsonLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        LINE.with(|line| {
            // A value that logs while it is formatted gets a line of its own.
            let mut own = Vec::new();
            let mut of_thread = line.try_borrow_mut();
            let line = of_thread.as_deref_mut().unwrap_or(&mut own);
            // A value that panicked while it was formatted left a part of a line.
            line.clear();
            line.shrink_to(KEPT_BYTES);
            if write(event, line).is_ok() {
                line.push(b'\n');
                self.0.add(line);
            }
        });
    }
}

fn write(event: &Event<'_>, line: &mut Vec<u8>) -> serde_json::Result<()> {
    // An event of the `log` crate has the metadata of its own as fields.
    let normalized = event.normalized_metadata();
    let metadata = normalized.as_ref().unwrap_or_else(|| event.metadata());
    let mut serializer = serde_json::Serializer::new(line);
    let mut members = serializer.serialize_map(None)?;
    SECOND.with_borrow_mut(|(second, text)| {
        let now = now();
        if *second != now.timestamp() {
            (*second, *text) = (now.timestamp(), now.format("%Y-%m-%dT%H:%M:%S").to_string());
        }
        let micros = now.timestamp_subsec_micros();
        members.serialize_entry("timestamp", &format_args!("{text}.{micros:06}Z"))
    })?;
    members.serialize_entry("level", &metadata.level().as_serde())?;
    let mut fields = SerdeMapVisitor::new(members);
    event.record(&mut fields);
    let mut members = fields.take_serializer()?;
    members.serialize_entry("target", metadata.target())?;
    members.end()
}

#[expect(clippy::disallowed_methods, reason = "a line has the time of the system clock")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::io::{self, Write};
    use std::panic::catch_unwind;
    use std::sync::{Arc, Mutex};

    use serde_json::Value;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Panics;

    impl fmt::Debug for Panics {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            panic!("a value cannot be formatted")
        }
    }

    #[test]
    fn each_line_is_an_object_also_after_a_value_that_panics() {
        let output = Output::default();
        let (lines, last) = Lines::written_to(output.clone(), 10_000).unwrap();
        let subscriber = tracing_subscriber::registry().with(JsonLines(lines));
        tracing::subscriber::with_default(subscriber, || {
            assert!(catch_unwind(|| tracing::info!(value = ?Panics, "lost")).is_err());
            tracing::info!(status = 200, text = "a\n\"b\"", "request");
        });
        drop(last);
        let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
        let line: Value = serde_json::from_str(&written).unwrap();
        let names: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, ["timestamp", "level", "message", "status", "text", "target"]);
        assert!(line["timestamp"].as_str().unwrap().parse::<DateTime<Utc>>().is_ok() && line["text"] == "a\n\"b\"");
    }
}
