//! A client that sends a request and does not read the response.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// The connection stays open until this value is dropped.
pub struct SlowReader(TcpStream);

impl SlowReader {
    /// Sends a GET request, with or without a credential.
    pub async fn send(base: &str, path: &str, credential: Option<&str>) -> io::Result<Self> {
        let address = base.trim_start_matches("http://").replace("localhost", "127.0.0.1");
        let socket = TcpSocket::new_v4()?;
        // Otherwise the kernel would buffer much of the response.
        socket.set_recv_buffer_size(4096)?;
        let mut stream = socket.connect(address.parse().unwrap()).await?;
        let credential = credential.map(|value| format!("Authorization: Bearer {value}\r\n")).unwrap_or_default();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{credential}\r\n");
        stream.write_all(request.as_bytes()).await?;
        Ok(Self(stream))
    }

    /// Reads the status of the response and nothing else.
    pub async fn status(&mut self) -> io::Result<String> {
        let mut line = [0; 12];
        self.0.read_exact(&mut line).await?;
        Ok(String::from_utf8_lossy(&line).into_owned().split_off(9))
    }
}
