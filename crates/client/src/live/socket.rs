//! The WebSocket connection to a service. The connection of an HTTP request becomes one (RFC 6455 §4), so that TLS, proxies
//! and the trusted certificates are those of all other requests.

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{StatusCode, Upgraded};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::Error;
use crate::transport::{Transport, upgrade};

/// Maximum size of a message. The service sends at most 1 MiB, or one item.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

pub(super) type Socket = WebSocketStream<Upgraded>;

/// Opens a connection.
pub(super) async fn open(transport: &Transport) -> Result<Socket, Error> {
    let key = generate_key();
    let mut headers = HeaderMap::new();
    for (name, value) in [("connection", "Upgrade"), ("upgrade", "websocket"), ("sec-websocket-version", "13")] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let value = HeaderValue::from_str(&key).map_err(|_| Error::InvalidRequest("The key is not valid.".to_owned()))?;
    headers.insert("sec-websocket-key", value);

    let response = upgrade(transport, "/ws", headers).await?;
    let accepted = response.headers().get("sec-websocket-accept");
    if response.status() != StatusCode::SWITCHING_PROTOCOLS
        || accepted.is_none_or(|accepted| accepted.as_bytes() != derive_accept_key(key.as_bytes()).as_bytes())
    {
        return Err(Error::Connection("The service, or a proxy, does not support WebSocket.".to_owned()));
    }
    let upgraded = response.upgrade().await.map_err(|source| Error::transport(transport.server.as_str(), source))?;
    let config = WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE_BYTES));
    Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await)
}
