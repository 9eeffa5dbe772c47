//! Reads the frames of a WebSocket connection (RFC 6455 section 5) as they arrive, so that a frame of any size takes only
//! the memory of what arrived of it lately.

use std::pin::Pin;

use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::Stream;

/// Maximum size of the content of a control frame, in bytes.
const MAX_CONTROL_BYTES: u64 = 125;
/// Size of the mask of a frame, in bytes.
const MASK_BYTES: usize = 4;

const FINAL: u8 = 0x80;
const RESERVED: u8 = 0x70;
const OPCODE: u8 = 0x0f;
const MASKED: u8 = 0x80;
const LENGTH: u8 = 0x7f;
const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// The bytes of a connection.
pub(super) type Payload = Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>>;

/// What arrived.
#[derive(Debug, PartialEq)]
pub(super) enum Part {
    /// The next bytes of a text message.
    Text {
        bytes: Vec<u8>,
        /// Number of bytes of the frame that have not arrived.
        announced: u64,
        /// Whether the message ends here.
        is_last: bool,
    },
    /// The start of a binary message.
    Binary,
    Ping(Bytes),
    Pong,
    /// A close frame, or the end of the connection.
    Close,
}

/// Why nothing more can be received.
#[derive(Debug, PartialEq)]
pub(super) enum ReceiveError {
    /// The first message is too large.
    TooLarge,
    /// The first message has too many frames.
    TooManyFrames,
    /// The messages of the tenant take too much memory.
    Exhausted,
    /// The connection was lost, or its payload refused to read more.
    Lost,
    /// A frame violates the protocol.
    Protocol,
}

/// A frame that is being read.
#[derive(Debug)]
struct Frame {
    opcode: u8,
    is_final: bool,
    mask: [u8; MASK_BYTES],
    /// Number of bytes that were read.
    position: usize,
    remaining: u64,
    /// Content of a control frame.
    control: Vec<u8>,
}

/// The frames of one connection.
pub(super) struct Frames {
    payload: Payload,
    /// Bytes that arrived and were not read.
    arrived: Bytes,
    /// The start of a frame, until its length and mask are known.
    head: Vec<u8>,
    frame: Option<Frame>,
    /// Number of frames that have begun.
    pub(super) begun: usize,
    /// Whether the last text message is not complete.
    is_text_open: bool,
}

impl Frames {
    pub(super) fn new(payload: Payload) -> Self {
        Self { payload, arrived: Bytes::new(), head: Vec::new(), frame: None, begun: 0, is_text_open: false }
    }

    /// Returns what arrives next. Nothing is lost if the returned future is dropped.
    pub(super) async fn next(&mut self) -> Result<Part, ReceiveError> {
        loop {
            if let Some(part) = self.read()? {
                return Ok(part);
            }
            match self.payload.next().await {
                Some(Ok(bytes)) => self.arrived = bytes,
                Some(Err(_)) => return Err(ReceiveError::Lost),
                None => return Ok(Part::Close),
            }
        }
    }

    /// Reads from the bytes that arrived. Returns `None` if more are needed.
    fn read(&mut self) -> Result<Option<Part>, ReceiveError> {
        let mut frame = match self.frame.take() {
            Some(frame) => frame,
            None => match self.read_head()? {
                Some(frame) if frame.opcode == BINARY => return Ok(Some(Part::Binary)),
                Some(frame) => frame,
                None => return Ok(None),
            },
        };
        let most = usize::try_from(frame.remaining).unwrap_or(usize::MAX);
        let bytes = self.arrived.split_to(most.min(self.arrived.len()));
        if bytes.is_empty() && frame.remaining > 0 {
            self.frame = Some(frame);
            return Ok(None);
        }
        let mut bytes = Vec::from(bytes);
        frame.unmask(&mut bytes);
        if frame.opcode >= CLOSE {
            return Ok(self.read_control(frame, &bytes));
        }
        let (announced, is_last) = (frame.remaining, frame.remaining == 0 && frame.is_final);
        self.is_text_open = !is_last;
        if announced > 0 {
            self.frame = Some(frame);
        }
        Ok(Some(Part::Text { bytes, announced, is_last }))
    }

    fn read_control(&mut self, mut frame: Frame, bytes: &[u8]) -> Option<Part> {
        frame.control.extend_from_slice(bytes);
        match frame.opcode {
            _ if frame.remaining > 0 => {
                self.frame = Some(frame);
                None
            }
            PING => Some(Part::Ping(frame.control.into())),
            PONG => Some(Part::Pong),
            _ => Some(Part::Close),
        }
    }

    /// Reads the start of a frame. Returns `None` if more bytes are needed.
    fn read_head(&mut self) -> Result<Option<Frame>, ReceiveError> {
        loop {
            // A client that sends no mask would wait for the rest.
            if self.head.get(1).is_some_and(|second| second & MASKED == 0) {
                return Err(ReceiveError::Protocol);
            }
            let missing = head_bytes(&self.head).saturating_sub(self.head.len());
            if missing == 0 {
                let frame = self.parse_head()?;
                self.head.clear();
                self.begun += 1;
                return Ok(Some(frame));
            }
            let part = self.arrived.split_to(missing.min(self.arrived.len()));
            if part.is_empty() {
                return Ok(None);
            }
            self.head.extend_from_slice(&part);
        }
    }

    fn parse_head(&self) -> Result<Frame, ReceiveError> {
        let [first, second, rest @ ..] = self.head.as_slice() else { return Err(ReceiveError::Protocol) };
        let (length, mask) = rest.split_last_chunk::<MASK_BYTES>().ok_or(ReceiveError::Protocol)?;
        let remaining = match length {
            [] => u64::from(second & LENGTH),
            bytes => bytes.iter().fold(0, |length: u64, byte| length << 8 | u64::from(*byte)),
        };
        let (opcode, is_final) = (first & OPCODE, first & FINAL != 0);
        let is_expected = match opcode {
            CONTINUATION => self.is_text_open,
            TEXT | BINARY => !self.is_text_open,
            CLOSE | PING | PONG => is_final && remaining <= MAX_CONTROL_BYTES,
            _ => false,
        };
        if !is_expected || first & RESERVED != 0 || remaining > u64::MAX >> 1 {
            return Err(ReceiveError::Protocol);
        }
        Ok(Frame { opcode, is_final, mask: *mask, position: 0, remaining, control: Vec::new() })
    }
}

impl Frame {
    /// Unmasks the next bytes of the frame.
    fn unmask(&mut self, bytes: &mut [u8]) {
        let mask = self.mask.iter().cycle().skip(self.position % MASK_BYTES);
        bytes.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        self.position = self.position.wrapping_add(bytes.len());
        self.remaining = self.remaining.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }
}

/// Returns the size of the start of a frame that its first bytes determine.
fn head_bytes(head: &[u8]) -> usize {
    let length = match head.get(1).map(|second| second & LENGTH) {
        None => return 2,
        Some(126) => 2,
        Some(127) => 8,
        Some(_) => 0,
    };
    2 + length + MASK_BYTES
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use futures_util::stream;

    use super::*;

    fn frame(first: u8, content: &[u8]) -> Vec<u8> {
        let mask = [1, 2, 3, 4];
        let mut bytes = vec![first];
        match content.len() {
            length if length < 126 => bytes.push(MASKED | u8::try_from(length).unwrap()),
            length if length <= 0xffff => {
                bytes.push(MASKED | 126);
                bytes.extend(u16::try_from(length).unwrap().to_be_bytes());
            }
            length => {
                bytes.push(MASKED | 127);
                bytes.extend(u64::try_from(length).unwrap().to_be_bytes());
            }
        }
        bytes.extend(mask);
        bytes.extend(content.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        bytes
    }

    /// Reads everything that arrives in parts of this size.
    fn read(bytes: &[u8], size: usize) -> Result<Vec<Part>, ReceiveError> {
        let chunks: Vec<_> = bytes.chunks(size).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
        let mut frames = Frames::new(Box::pin(stream::iter(chunks)));
        let mut parts = Vec::new();
        loop {
            match frames.next().now_or_never().unwrap()? {
                Part::Close => return Ok(parts),
                part => parts.push(part),
            }
        }
    }

    /// Joins the parts of each message.
    fn texts(parts: Vec<Part>) -> Vec<String> {
        let (mut texts, mut text) = (Vec::new(), Vec::new());
        for part in parts {
            if let Part::Text { bytes, is_last, .. } = part {
                text.extend(bytes);
                if is_last {
                    texts.push(String::from_utf8(std::mem::take(&mut text)).unwrap());
                }
            }
        }
        texts
    }

    #[test]
    fn messages_of_any_size_are_read_however_their_bytes_arrive() {
        let large = "x".repeat(70_000);
        let messages = [
            frame(FINAL | TEXT, b"one"),
            frame(TEXT, b"t"),
            frame(FINAL | PING, b"are you there"),
            frame(CONTINUATION, b""),
            frame(FINAL | CONTINUATION, b"wo"),
            frame(FINAL | TEXT, &large.as_bytes()[..300]),
            frame(FINAL | TEXT, large.as_bytes()),
        ]
        .concat();
        for size in [1, 3, 1_000, 1_000_000] {
            let parts = read(&messages, size).unwrap();
            assert!(parts.contains(&Part::Ping(Bytes::from_static(b"are you there"))), "{size}");
            assert_eq!(texts(parts), ["one", "two", &large[..300], &large], "{size}");
        }
    }

    #[test]
    fn a_part_tells_how_much_of_its_frame_is_missing() {
        let message = frame(FINAL | TEXT, b"12345");
        let parts = read(&message[..message.len() - 2], 100).unwrap();
        assert_eq!(parts, [Part::Text { bytes: b"123".to_vec(), announced: 2, is_last: false }]);
    }

    #[test]
    fn frames_that_violate_the_protocol_are_refused() {
        let unmasked = vec![FINAL | TEXT, 1, b'x'];
        let long_ping = frame(FINAL | PING, &[0; 126]);
        for invalid in [
            unmasked,
            long_ping,
            frame(PING, b"x"),
            frame(FINAL | CONTINUATION, b"x"),
            frame(FINAL | TEXT | 0x40, b"x"),
            frame(FINAL | 3, b"x"),
            [frame(TEXT, b"x"), frame(FINAL | TEXT, b"y")].concat(),
            [vec![FINAL | TEXT, MASKED | 127], vec![0xff; 8], vec![0; 4]].concat(),
        ] {
            assert_eq!(read(&invalid, 100), Err(ReceiveError::Protocol), "{invalid:?}");
        }
        assert_eq!(read(&frame(FINAL | BINARY, b"x"), 1), Ok(vec![Part::Binary]));
    }
}
