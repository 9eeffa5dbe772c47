//! First-party clients that the operator registers.

use steward_domain::identity::{FirstPartyClient, FirstPartyClients, RedirectUri};
use steward_domain::kernel::InvalidValue;

/// Parses clients that are separated by semicolons. Each is an ID followed by redirect URIs and, optionally,
/// `pkce=optional` or `pkce=required`, separated by spaces.
pub fn parse(text: &str) -> Result<FirstPartyClients, InvalidValue> {
    let clients = text.split(';').map(str::trim).filter(|client| !client.is_empty());
    FirstPartyClients::new(clients.map(client).collect::<Result<_, _>>()?)
}

fn client(text: &str) -> Result<FirstPartyClient, InvalidValue> {
    let mut words = text.split_whitespace();
    let id = words.next().unwrap_or_default();
    let (mut redirect_uris, mut require_pkce) = (Vec::new(), true);
    for word in words {
        match word {
            "pkce=optional" => require_pkce = false,
            "pkce=required" => require_pkce = true,
            uri => redirect_uris.push(RedirectUri::parse(uri).map_err(|_| {
                InvalidValue(
                    "must have redirect URIs such as https://example.com/callback or http://localhost:8080/callback",
                )
            })?),
        }
    }
    FirstPartyClient::new(id, redirect_uris, require_pkce)
}

#[cfg(test)]
mod tests {
    use steward_domain::identity::ClientId;
    use steward_domain::kernel::ServiceAddress;

    use super::*;

    #[test]
    fn clients_have_an_id_redirect_uris_and_a_pkce_rule() {
        let clients = parse("my-cli http://localhost:8080/callback pkce=optional; web https://a.example/cb ;").unwrap();
        let address = ServiceAddress::parse("http://localhost:3003").unwrap();
        let found = |id: &str| clients.find(&clients.parse_id(id, &address).unwrap()).unwrap();
        assert!(!found("my-cli").requires_pkce() && found("web").requires_pkce());
        assert!(found("my-cli").allows(&RedirectUri::parse("http://localhost:8080/callback").unwrap()));
        assert_eq!(clients.find(&ClientId::first_party()), None);
        assert_eq!(parse(""), Ok(FirstPartyClients::default()));
    }

    #[test]
    fn an_invalid_client_is_rejected() {
        for invalid in [
            "my-cli",
            "my-cli http://example.com/callback",
            "my-cli https://a.example/cb pkce=never",
            "steward-cli http://localhost:8080/callback",
            "a https://a.example/cb; a https://b.example/cb",
        ] {
            assert!(parse(invalid).is_err(), "{invalid}");
        }
    }
}
