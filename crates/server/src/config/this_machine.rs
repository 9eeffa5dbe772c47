//! Which hosts are this machine, so that connections to them cross no network.

use std::net::IpAddr;

/// Returns whether a host is this machine: loopback, or the directory of a Unix socket.
pub(super) fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    host.is_empty()
        || ["/", "%2f", "@", "%40"].iter().any(|start| host.starts_with(start))
        || host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}
