//! Adds timeouts to the PostgreSQL connection URL, so that no connection attempt waits forever.

/// Default libpq parameters, unless the URL sets them. A host that does not respond is abandoned after 2 s, and a lost
/// connection is detected within about 10 s (PostgreSQL documentation, libpq, "Parameter Key Words").
const DEFAULTS: [(&str, &str); 6] = [
    ("connect_timeout", "2"),
    ("keepalives", "1"),
    ("keepalives_idle", "4"),
    ("keepalives_interval", "2"),
    ("keepalives_count", "3"),
    ("tcp_user_timeout", "5000"),
];

/// Returns the URL with missing parameters added. With several hosts, it selects the one that accepts writes.
pub(crate) fn with_defaults(url: &str) -> String {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let is_set = |name: &str| query.split('&').any(|pair| pair.split_once('=').is_some_and(|(key, _)| key == name));
    let needs_primary = has_several_hosts(base, query) && !is_set("target_session_attrs");
    let primary = needs_primary.then_some(("target_session_attrs", "read-write"));
    let missing = DEFAULTS.into_iter().filter(|(name, _)| !is_set(name)).chain(primary);
    let given = query.split('&').filter(|pair| !pair.is_empty()).map(str::to_owned);
    let pairs: Vec<String> = given.chain(missing.map(|(name, value)| format!("{name}={value}"))).collect();
    format!("{base}?{}", pairs.join("&"))
}

/// Returns the URL of another node of the cluster, with the same database, user and parameters.
pub(in crate::postgres) fn of_node(url: &str, host: &str, port: i32) -> String {
    const OF_HOST: [&str; 4] = ["host", "hostaddr", "port", "target_session_attrs"];
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let (scheme, rest) = base.split_once("://").unwrap_or(("postgres", base));
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    let user = authority.rsplit_once('@').map(|(user, _)| format!("{user}@")).unwrap_or_default();
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
    let is_of_host = |pair: &&str| pair.split_once('=').is_some_and(|(name, _)| OF_HOST.contains(&name));
    let others: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty() && !is_of_host(pair)).collect();
    format!("{scheme}://{user}{host}:{port}/{database}?{}", others.join("&"))
}

fn has_several_hosts(base: &str, query: &str) -> bool {
    let authority = base.split_once("://").map_or(base, |(_, rest)| rest);
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
    fn given_parameters_are_preserved_and_missing_ones_are_added() {
        let url = with_defaults("postgres://u:p@db/steward?sslmode=require&connect_timeout=9");
        assert!(url.starts_with("postgres://u:p@db/steward?sslmode=require&connect_timeout=9&keepalives=1"), "{url}");
        assert!(url.contains("tcp_user_timeout=5000") && !url.contains("connect_timeout=2"));
        assert!(!url.contains("target_session_attrs"), "{url}");
        assert!(with_defaults("postgres://db").starts_with("postgres://db?connect_timeout=2&"));
    }

    #[test]
    fn another_node_has_the_same_database_and_parameters() {
        let url = of_node("postgres://u:p@a:1,b:2/x?target_session_attrs=any&sslmode=require", "node", 5433);
        assert_eq!(url, "postgres://u:p@node:5433/x?sslmode=require");
        assert_eq!(of_node("postgres:///x?host=a&user=u", "::1", 5432), "postgres://[::1]:5432/x?user=u");
        assert_eq!(of_node("postgres://db", "node", 5432), "postgres://node:5432/?");
    }

    #[test]
    fn with_several_hosts_the_primary_is_selected() {
        for url in ["postgres://a,b/x", "postgres://u:p@a:1,b:2/x?sslmode=disable", "postgres:///x?host=a,b"] {
            assert!(with_defaults(url).ends_with("&target_session_attrs=read-write"), "{url}");
        }
        let chosen = with_defaults("postgres://a,b/x?target_session_attrs=any");
        assert!(!chosen.contains("read-write"), "{chosen}");
        assert!(
            !with_defaults("postgres://u,v:p,q@a/x").contains("target_session"),
            "Commas in the user name or password do not separate hosts."
        );
    }
}
