//! The output of the log: a bounded buffer that a separate thread writes. Logging never blocks on the output.

use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Pause before lines are written. Those that are logged in it are written together, and wake no thread. Without it, the
/// thread took a tenth of the CPU time of requests without database access.
const PAUSE: Duration = Duration::from_millis(2);
/// Capacity that is kept after many lines.
const KEPT_BYTES: usize = 64 * 1024;
/// How long the end of the process waits until the output has taken the last lines.
const MAX_WAIT_AT_END: Duration = Duration::from_secs(1);

/// The lines that wait for the output.
pub(super) struct Lines {
    max_bytes: usize,
    buffer: Mutex<Buffer>,
    /// Wakes the thread.
    filled: Condvar,
    /// Wakes what waits for the end of the thread.
    ended: Condvar,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    dropped: u64,
    state: State,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Writing,
    /// The thread waits for a line.
    Waiting,
    /// The thread ends after the lines that are in the buffer.
    Ending,
    Ended,
}

/// Dropping it writes the lines in the buffer.
pub(super) struct LastLines(Arc<Lines>);

impl Lines {
    /// Starts the thread. Of lines that do not fit into the buffer, only the number is kept.
    pub(super) fn written_to(
        output: impl Write + Send + 'static,
        max_bytes: usize,
    ) -> io::Result<(Arc<Self>, LastLines)> {
        let (buffer, filled, ended) = (Mutex::default(), Condvar::new(), Condvar::new());
        let lines = Arc::new(Self { max_bytes, buffer, filled, ended });
        let written = lines.clone();
        thread::Builder::new().name("log".to_owned()).spawn(move || written.write_all_to(output))?;
        Ok((lines.clone(), LastLines(lines)))
    }

    /// Adds a line, including its line feed.
    pub(super) fn add(&self, line: &[u8]) {
        let mut buffer = self.lock();
        if buffer.bytes.len().saturating_add(line.len()) > self.max_bytes {
            buffer.dropped = buffer.dropped.saturating_add(1);
            return;
        }
        buffer.bytes.extend_from_slice(line);
        if buffer.state == State::Waiting {
            buffer.state = State::Writing;
            drop(buffer);
            self.filled.notify_one();
        }
    }

    pub(super) fn dropped(&self) -> u64 {
        self.lock().dropped
    }

    fn write_all_to(&self, mut output: impl Write) {
        let mut taken = Vec::new();
        loop {
            let mut buffer = self.lock();
            while buffer.bytes.is_empty() {
                if buffer.state == State::Ending {
                    buffer.state = State::Ended;
                    self.ended.notify_all();
                    return;
                }
                buffer.state = State::Waiting;
                buffer = self.filled.wait(buffer).unwrap_or_else(PoisonError::into_inner);
            }
            let is_ending = buffer.state == State::Ending;
            drop(buffer);
            if !is_ending {
                thread::sleep(PAUSE);
            }
            std::mem::swap(&mut self.lock().bytes, &mut taken);
            self.write(&mut output, &taken);
            taken.clear();
            taken.shrink_to(KEPT_BYTES);
        }
    }

    /// Writes lines. Those that the output refuses count as dropped; if it only takes none now, this waits.
    fn write(&self, output: &mut impl Write, mut lines: &[u8]) {
        while !lines.is_empty() {
            match output.write(lines) {
                Ok(count @ 1..) => lines = lines.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
                Ok(0) | Err(_) => {
                    let refused = lines.iter().filter(|byte| **byte == b'\n').count();
                    let mut buffer = self.lock();
                    buffer.dropped = buffer.dropped.saturating_add(u64::try_from(refused).unwrap_or(u64::MAX));
                    return;
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LastLines {
    fn drop(&mut self) {
        let lines = &self.0;
        let mut buffer = lines.lock();
        buffer.state = State::Ending;
        lines.filled.notify_one();
        let ended = lines.ended.wait_timeout_while(buffer, MAX_WAIT_AT_END, |buffer| buffer.state != State::Ended);
        drop(ended);
    }
}

/// The formatter of text writes each line at once.
impl Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.add(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// An output that blocks until it is released.
    struct Blocked {
        release: Receiver<()>,
        written: Sender<Vec<u8>>,
    }

    impl Write for Blocked {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // No longer blocks once the sender is dropped.
            let _ = self.release.recv();
            self.written.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_beyond_the_limit_are_dropped_and_the_others_are_written_at_the_end() {
        let (release, released) = channel();
        let (written, output) = channel();
        let (lines, last) = Lines::written_to(Blocked { release: released, written }, 1_000).unwrap();
        for number in 0..1_000 {
            lines.add(format!("line {number}\n").as_bytes());
        }
        drop(release);
        drop(last);

        let written: Vec<u8> = output.try_iter().flatten().collect();
        let written = String::from_utf8(written).unwrap();
        assert!(written.starts_with("line 0\nline 1\n"), "{written}");
        assert_eq!(u64::try_from(written.lines().count()).unwrap() + lines.dropped(), 1_000);
        assert!(lines.dropped() > 0, "{written}");
    }

    #[test]
    fn lines_wait_for_an_output_that_takes_none_and_are_counted_if_it_fails() {
        /// An output that takes one byte at a time, if it takes any, and then fails.
        struct Slow(u32, Sender<u8>);

        impl Write for Slow {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 += 1;
                match self.0 {
                    0..10 if self.0 % 2 == 1 => Err(ErrorKind::WouldBlock.into()),
                    0..10 => self.1.send(bytes[0]).map(|()| 1).map_err(io::Error::other),
                    _ => Err(ErrorKind::BrokenPipe.into()),
                }
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        let (written, output) = channel();
        let (lines, last) = Lines::written_to(Slow(0, written), 1_000).unwrap();
        lines.add(b"one\n");
        lines.add(b"two\n");
        drop(last);
        assert_eq!(output.try_iter().collect::<Vec<_>>(), b"one\n");
        assert_eq!(lines.dropped(), 1);
    }

    #[test]
    fn the_end_does_not_wait_for_a_blocked_output_forever() {
        let (release, released) = channel();
        let (lines, last) = Lines::written_to(Blocked { release: released, written: channel().0 }, 1_000).unwrap();
        lines.add(b"line\n");
        drop(last);
        drop(release);
    }
}
