//! A network link to a port on this machine, which a test can cut as a partition does: nothing arrives any more, and
//! connections stay open until what was sent is not acknowledged for a while.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// For how long sent data may stay unacknowledged, as with `tcp_user_timeout`.
const USER_TIMEOUT: Duration = Duration::from_secs(5);

/// A link. It ends when this value is dropped.
pub struct Link {
    pub port: u16,
    is_cut: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Link {
    /// Starts a link to a port. Nothing needs to listen there yet.
    pub async fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (is_cut, state) = watch::channel(false);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, target, state.clone()));
            }
        });
        Self { port, is_cut, task }
    }

    /// Cuts the link. What is sent from now on arrives if the link is restored in time. Otherwise its connection ends.
    pub fn cut(&self) {
        self.is_cut.send_replace(true);
    }

    pub fn mend(&self) {
        self.is_cut.send_replace(false);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Carries a connection until one side closes it.
async fn carry(client: TcpStream, target: u16, mut state: watch::Receiver<bool>) -> io::Result<()> {
    until_open(&mut state).await?;
    let server = TcpStream::connect(("127.0.0.1", target)).await?;
    for stream in [&client, &server] {
        stream.set_nodelay(true)?;
    }
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let other = state.clone();
    tokio::try_join!(copy(from_client, to_server, state), copy(from_server, to_client, other))?;
    Ok(())
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut state: watch::Receiver<bool>) -> io::Result<()> {
    let mut part = vec![0; 16 * 1024];
    loop {
        let length = from.read(&mut part).await;
        until_open(&mut state).await?;
        match length {
            Ok(0) | Err(_) => return to.shutdown().await,
            Ok(length) => to.write_all(&part[..length]).await?,
        }
    }
}

/// Waits until the link is open. Fails after [`USER_TIMEOUT`].
async fn until_open(state: &mut watch::Receiver<bool>) -> io::Result<()> {
    // The test has ended if there is no sender any more.
    let opened = timeout(USER_TIMEOUT, state.wait_for(|is_cut| !is_cut)).await;
    opened.map(drop).map_err(|_| io::ErrorKind::TimedOut.into())
}
