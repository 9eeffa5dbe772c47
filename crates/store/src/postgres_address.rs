//! The address of PostgreSQL, completed so that no connection is waited for without end.

/// Parameters that libpq is given unless the address has them: a host that does not answer is given up on after 2 s, and a
/// connection that lost its peer is noticed within some 10 s (PostgreSQL documentation, libpq, "Parameter Key Words").
const DEFAULTS: [(&str, &str); 6] = [
    ("connect_timeout", "2"),
    ("keepalives", "1"),
    ("keepalives_idle", "4"),
    ("keepalives_interval", "2"),
    ("keepalives_count", "3"),
    ("tcp_user_timeout", "5000"),
];

/// The address with what it leaves open. Of several hosts it means the one that takes writes.
pub(crate) fn completed(url: &str) -> String {
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let given = |name: &str| query.split('&').any(|pair| pair.split_once('=').is_some_and(|(key, _)| key == name));
    let is_primary_wanted = has_several_hosts(place, query) && !given("target_session_attrs");
    let primary = is_primary_wanted.then_some(("target_session_attrs", "read-write"));
    let missing = DEFAULTS.into_iter().filter(|(name, _)| !given(name)).chain(primary);
    let given = query.split('&').filter(|pair| !pair.is_empty()).map(str::to_owned);
    let pairs: Vec<String> = given.chain(missing.map(|(name, value)| format!("{name}={value}"))).collect();
    format!("{place}?{}", pairs.join("&"))
}

fn has_several_hosts(place: &str, query: &str) -> bool {
    let authority = place.split_once("://").map_or(place, |(_, rest)| rest);
    let authority = authority.split_once('/').map_or(authority, |(authority, _)| authority);
    let hosts = authority.rsplit_once('@').map_or(authority, |(_, hosts)| hosts);
    let named =
        query.split('&').filter_map(|pair| pair.strip_prefix("host=").or_else(|| pair.strip_prefix("hostaddr=")));
    hosts.contains(',') || named.into_iter().any(|hosts| hosts.contains(',') || hosts.contains("%2C"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_address_says_stays_and_the_rest_is_added() {
        let url = completed("postgres://u:p@db/steward?sslmode=require&connect_timeout=9");
        assert!(url.starts_with("postgres://u:p@db/steward?sslmode=require&connect_timeout=9&keepalives=1"), "{url}");
        assert!(url.contains("tcp_user_timeout=5000") && !url.contains("connect_timeout=2"));
        assert!(!url.contains("target_session_attrs"), "{url}");
        assert!(completed("postgres://db").starts_with("postgres://db?connect_timeout=2&"));
    }

    #[test]
    fn of_several_hosts_the_one_that_takes_writes_is_meant() {
        for url in ["postgres://a,b/x", "postgres://u:p@a:1,b:2/x?sslmode=disable", "postgres:///x?host=a,b"] {
            assert!(completed(url).ends_with("&target_session_attrs=read-write"), "{url}");
        }
        let chosen = completed("postgres://a,b/x?target_session_attrs=any");
        assert!(!chosen.contains("read-write"), "{chosen}");
        assert!(!completed("postgres://u,v:p,q@a/x").contains("target_session"), "commas of names are no hosts");
    }
}
