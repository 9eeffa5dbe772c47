//! The sockets on which the service listens.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};

use anyhow::{Context as _, anyhow};
use socket2::{Domain, Socket, Type};

/// The setting of the address of metrics.
pub const METRICS_BIND: &str = "STEWARD_METRICS_BIND";
/// Number of connections that wait to be accepted.
const BACKLOG: i32 = 1024;

/// Reserves an address. Connections to it are refused until [`listen`].
pub fn reserve(address: SocketAddr, setting: &str) -> anyhow::Result<Socket> {
    let reserved = Socket::new(Domain::for_address(address), Type::STREAM, None).and_then(|socket| {
        // As the standard library does it: an address can be used again at once after a restart.
        socket.set_reuse_address(true)?;
        socket.bind(&address.into())?;
        Ok(socket)
    });
    reserved.map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            anyhow!("Port {} is already in use. Stop the other program or set {setting}.", address.port())
        }
        _ => anyhow::Error::new(error).context(format!("Cannot listen on {address} ({setting})")),
    })
}

/// Accepts connections from now on.
pub fn listen(socket: &Socket) -> anyhow::Result<TcpListener> {
    socket.listen(BACKLOG).context("Cannot listen")?;
    Ok(socket.try_clone().context("Cannot listen")?.into())
}
