//! Every operation of the API has a command, or a reason why only `steward api` reaches it.

use std::collections::BTreeSet;

use super::help::commands;

const PROTOCOL: &str = "It belongs to the sign-in with a browser or to another protocol.";
const LOGIN: &str = "`steward login` performs several operations.";
const PUBLIC: &str = "It is a public page or document that other programs read.";
const OPERATIONS: &str = "Monitoring requests it; `steward doctor` checks a service.";

/// The operations without a command, each with the reason.
const API_ONLY: &[(&str, &str)] = &[
    ("getOpenIdMetadata", LOGIN),
    ("authorize", LOGIN),
    ("authorizeDevice", LOGIN),
    ("exchangeToken", LOGIN),
    ("compareSchema", "`steward schema diff` also reports the affected items."),
    ("authorizeByForm", PROTOCOL),
    ("pushAuthorizationRequest", PROTOCOL),
    ("registerClient", PROTOCOL),
    ("getOAuthMetadata", PROTOCOL),
    ("getAuthMetadata", PROTOCOL),
    ("getAuthStatus", PROTOCOL),
    ("getKeySet", PROTOCOL),
    ("getUserInfoMoved", PROTOCOL),
    ("postUserInfo", PROTOCOL),
    ("getProjectDid", PROTOCOL),
    ("getAccountDid", PROTOCOL),
    ("getClientMetadata", PROTOCOL),
    ("logIn", "It sends a password, which `steward login` leaves to the browser."),
    ("signUp", "It sends a password, which `steward login` leaves to the browser."),
    ("getRoot", PUBLIC),
    ("getDocs", PUBLIC),
    ("getOpenApi", "`steward openapi` prints the document of the binary."),
    ("getImage", PUBLIC),
    ("getLiveness", OPERATIONS),
    ("getReadiness", OPERATIONS),
    ("getUtilsStatus", OPERATIONS),
    ("slugify", "It is a function for forms."),
];

#[test]
fn every_operation_has_a_command_or_a_reason_to_have_none() {
    let without = steward_api::rows().filter(|row| row.command.is_none()).map(|row| row.name);
    let listed: BTreeSet<&str> = API_ONLY.iter().map(|(operation, _)| *operation).collect();
    assert_eq!(without.collect::<BTreeSet<_>>(), listed);
}

#[test]
fn every_named_command_exists_and_every_reason_is_a_sentence() {
    let commands = commands();
    for row in steward_api::rows() {
        let exists = row.command.is_none_or(|command| commands.contains(command));
        assert!(exists, "{}: there is no `steward {}`.", row.name, row.command.unwrap_or_default());
    }
    for (operation, reason) in API_ONLY {
        assert!(reason.ends_with('.'), "{operation}: {reason}");
    }
}
