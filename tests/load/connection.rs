//! A connection that sends prepared requests and reads responses with minimal CPU use, because client and service share
//! the machine.

use memchr::memmem;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A keep-alive connection.
pub struct Connection {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Connection {
    pub async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, bytes: Vec::with_capacity(64 * 1024) }
    }

    /// Sends a request and returns the status of the response.
    pub async fn send(&mut self, request: &[u8]) -> u16 {
        self.stream.write_all(request).await.unwrap();
        let head = self.find(b"\r\n\r\n", 0).await + 4;
        let status = number(&self.bytes[9..12], 10);
        // The service writes the names of headers in lowercase.
        let end = match memmem::find(&self.bytes[..head], b"\r\ncontent-length: ") {
            Some(header) => {
                let start = header + b"\r\ncontent-length: ".len();
                let length = memchr::memchr(b'\r', &self.bytes[start..head]).unwrap();
                head + number(&self.bytes[start..start + length], 10)
            }
            None if status == 204 => head,
            None => self.end_of_chunks(head).await,
        };
        self.fill(end).await;
        self.bytes.drain(..end);
        status.try_into().unwrap()
    }

    /// Returns the position after a body in chunks, which may not have arrived completely.
    async fn end_of_chunks(&mut self, mut start: usize) -> usize {
        loop {
            let line = self.find(b"\r\n", start).await;
            let length = number(&self.bytes[start..line], 16);
            start = line + 2 + length + 2;
            if length == 0 {
                return start;
            }
        }
    }

    /// Reads until a text has arrived. Returns its position.
    async fn find(&mut self, text: &[u8], start: usize) -> usize {
        let mut arrived = start;
        loop {
            self.fill(arrived + 1).await;
            if let Some(position) = memmem::find(&self.bytes[start..], text) {
                return start + position;
            }
            arrived = self.bytes.len();
        }
    }

    /// Reads until this number of bytes has arrived.
    async fn fill(&mut self, length: usize) {
        while self.bytes.len() < length {
            assert!(self.stream.read_buf(&mut self.bytes).await.unwrap() > 0, "The service closed a connection.");
        }
    }
}

fn number(text: &[u8], radix: u32) -> usize {
    usize::from_str_radix(std::str::from_utf8(text).unwrap(), radix).unwrap()
}
