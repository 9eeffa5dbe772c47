//! `steward health`: asks the service on this host whether it is ready.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::redirect::Policy;
use serde::Deserialize;

/// Readiness is reported within a second.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum length of a response that is read, in bytes.
const MAX_LENGTH: u64 = 4096;

/// The members of the response that say what fails and why.
#[derive(Deserialize)]
struct NotReady {
    failing: String,
    message: String,
}

/// Fails unless the service that listens on this address is ready.
pub async fn check(bind: SocketAddr) -> anyhow::Result<()> {
    let address = local(bind);
    // The service is on this host, so a proxy in the environment is not asked.
    let client = reqwest::Client::builder().no_proxy().redirect(Policy::none()).timeout(TIMEOUT).build()?;
    let response = client.get(format!("http://{address}/health/ready")).send().await;
    let response = response.with_context(|| format!("No service responds at {address} (STEWARD_BIND)"))?;
    if response.status().is_success() {
        return Ok(());
    }
    let status = response.status();
    let is_short = response.content_length().is_some_and(|length| length <= MAX_LENGTH);
    match if is_short { response.json().await.ok() } else { None } {
        Some(NotReady { failing, message }) => bail!("The service at {address} is not ready ({failing}). {message}"),
        None => bail!("The program at {address} responded with {status}. Is it Steward?"),
    }
}

/// The address at which this host reaches a service that listens on `bind`.
fn local(bind: SocketAddr) -> SocketAddr {
    let ip = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, bind.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_listens_on_all_addresses_is_asked_at_loopback() {
        let cases = [("0.0.0.0:3003", "127.0.0.1:3003"), ("[::]:3003", "[::1]:3003"), ("10.0.0.7:80", "10.0.0.7:80")];
        for (bind, asked) in cases {
            assert_eq!(local(bind.parse().unwrap()), asked.parse().unwrap());
        }
    }
}
