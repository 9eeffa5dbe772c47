//! A connection that sends prepared requests and reads responses with minimal CPU use, because client and service share
//! the machine.

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
        let head = loop {
            if let Some(end) = find(&self.bytes, b"\r\n\r\n") {
                break end + 4;
            }
            self.fill().await;
        };
        let text = std::str::from_utf8(&self.bytes[..head]).unwrap();
        let status = text[9..12].parse().unwrap();
        let length = text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
        });
        match length {
            Some(length) => {
                while self.bytes.len() < head + length {
                    self.fill().await;
                }
                self.bytes.drain(..head + length);
            }
            // Chunked encoding: the last chunk is empty.
            None if status != 204 => {
                let end = loop {
                    if let Some(end) = find(&self.bytes[head - 2..], b"\r\n0\r\n\r\n") {
                        break head - 2 + end + 7;
                    }
                    self.fill().await;
                };
                self.bytes.drain(..end);
            }
            None => drop(self.bytes.drain(..head)),
        }
        status
    }

    async fn fill(&mut self) {
        assert!(self.stream.read_buf(&mut self.bytes).await.unwrap() > 0, "The service closed a connection.");
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
