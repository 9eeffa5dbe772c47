//! Every operation of the API has a command, or a reason why only `steward api` reaches it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::help::commands;

enum Reached {
    /// By this command.
    By(&'static str),
    /// Only with `steward api`, for this reason.
    ApiOnly(&'static str),
}
use Reached::{ApiOnly, By};

const PROTOCOL: &str = "It belongs to the sign-in with a browser or to another protocol.";
const PUBLIC: &str = "It is a public page or document that other programs read.";
const OPERATIONS: &str = "Monitoring requests it; `steward doctor` checks a service.";

const ROWS: &[(&str, Reached)] = &[
    ("getOpenIdMetadata", By("login")),
    ("authorize", By("login")),
    ("exchangeToken", By("login")),
    ("revokeToken", By("logout")),
    ("getOwnCredential", By("whoami")),
    ("getUserInfo", By("whoami")),
    ("listTeams", By("team list")),
    ("createTeam", By("team create")),
    ("getTeam", By("team get")),
    ("updateTeam", By("team update")),
    ("deleteTeam", By("team delete")),
    ("checkTeamSlug", By("team check-slug")),
    ("listMembers", By("member list")),
    ("updateMember", By("member update")),
    ("removeMember", By("member delete")),
    ("listInvites", By("invite list")),
    ("createInvite", By("invite create")),
    ("deleteInvite", By("invite delete")),
    ("listOwnInvites", By("invite list")),
    ("acceptInvite", By("invite accept")),
    ("declineInvite", By("invite decline")),
    ("listProjects", By("project list")),
    ("createProject", By("project create")),
    ("getProject", By("project get")),
    ("getRequestStats", By("project requests")),
    ("updateProject", By("project update")),
    ("deleteProject", By("project delete")),
    ("checkProjectSlug", By("project check-slug")),
    ("getProjectProfile", By("project public")),
    ("getSettings", By("project settings get")),
    ("updateSettings", By("project settings set")),
    ("resetSettings", By("project settings reset")),
    ("listImages", By("project image list")),
    ("uploadIcon", By("project image upload")),
    ("deleteIcon", By("project image delete")),
    ("uploadBackground", By("project image upload")),
    ("deleteBackground", By("project image delete")),
    ("listKeys", By("key list")),
    ("createKey", By("key create")),
    ("getKey", By("key get")),
    ("updateKey", By("key update")),
    ("deleteKey", By("key delete")),
    ("regenerateKey", By("key rotate")),
    ("verifyKey", By("key verify")),
    ("getSchema", By("schema get")),
    ("publishSchema", By("schema push")),
    ("patchSchema", By("schema patch")),
    ("rollbackSchema", By("schema rollback")),
    ("compareSchema", ApiOnly("`steward schema diff` also reports the affected items.")),
    ("verifyUpdateSchema", By("schema check")),
    ("getJsonSchema", By("schema json-schema")),
    ("listUsers", By("user list")),
    ("getUser", By("user get")),
    ("updateUser", By("user update")),
    ("deleteUser", By("user delete")),
    ("listUserSessions", By("user sessions")),
    ("signOutUser", By("user sign-out")),
    ("exportUser", By("user export")),
    ("getUserStats", By("user stats")),
    ("connectUser", By("user join")),
    ("listItems", By("item list")),
    ("createItem", By("item create")),
    ("getItem", By("item get")),
    ("putItem", By("item put")),
    ("patchItem", By("item patch")),
    ("deleteItem", By("item delete")),
    ("batchItems", By("item batch")),
    ("listSyncRejections", By("item rejections")),
    ("listOwnItems", By("item list")),
    ("createOwnItem", By("item create")),
    ("getOwnItem", By("item get")),
    ("putOwnItem", By("item put")),
    ("patchOwnItem", By("item patch")),
    ("deleteOwnItem", By("item delete")),
    ("batchOwnItems", By("item batch")),
    ("listTeamWebhooks", By("webhook list")),
    ("createTeamWebhook", By("webhook create")),
    ("getTeamWebhook", By("webhook get")),
    ("updateTeamWebhook", By("webhook update")),
    ("deleteTeamWebhook", By("webhook delete")),
    ("listTeamWebhookDeliveries", By("webhook deliveries")),
    ("redeliverTeamWebhook", By("webhook redeliver")),
    ("testTeamWebhook", By("webhook test")),
    ("rotateTeamWebhookSecret", By("webhook rotate-secret")),
    ("listProjectWebhooks", By("webhook list")),
    ("createProjectWebhook", By("webhook create")),
    ("getProjectWebhook", By("webhook get")),
    ("updateProjectWebhook", By("webhook update")),
    ("deleteProjectWebhook", By("webhook delete")),
    ("listProjectWebhookDeliveries", By("webhook deliveries")),
    ("redeliverProjectWebhook", By("webhook redeliver")),
    ("testProjectWebhook", By("webhook test")),
    ("rotateProjectWebhookSecret", By("webhook rotate-secret")),
    ("listTeamAudit", By("audit list")),
    ("listProjectAudit", By("audit list")),
    ("listTeamEvents", By("audit events")),
    ("listProjectEvents", By("audit events")),
    ("listPersonalTokens", By("token list")),
    ("createPersonalToken", By("token create")),
    ("revokePersonalToken", By("token revoke")),
    ("introspectToken", By("token introspect")),
    ("getSession", By("session get")),
    ("getOwnApp", By("app get")),
    ("leaveOwnApp", By("app leave")),
    ("exportOwnData", By("app export")),
    ("authorizeByForm", ApiOnly(PROTOCOL)),
    ("getOAuthMetadata", ApiOnly(PROTOCOL)),
    ("getAuthMetadata", ApiOnly(PROTOCOL)),
    ("getAuthStatus", ApiOnly(PROTOCOL)),
    ("getKeySet", ApiOnly(PROTOCOL)),
    ("getUserInfoMoved", ApiOnly(PROTOCOL)),
    ("postUserInfo", ApiOnly(PROTOCOL)),
    ("getProjectDid", ApiOnly(PROTOCOL)),
    ("getAccountDid", ApiOnly(PROTOCOL)),
    ("getClientMetadata", ApiOnly(PROTOCOL)),
    ("logIn", ApiOnly("It sends a password, which `steward login` leaves to the browser.")),
    ("signUp", ApiOnly("It sends a password, which `steward login` leaves to the browser.")),
    ("getRoot", ApiOnly(PUBLIC)),
    ("getDocs", ApiOnly(PUBLIC)),
    ("getOpenApi", ApiOnly("`steward openapi` prints the document of the binary.")),
    ("getImage", ApiOnly(PUBLIC)),
    ("getLiveness", ApiOnly(OPERATIONS)),
    ("getReadiness", ApiOnly(OPERATIONS)),
    ("getUtilsStatus", ApiOnly(OPERATIONS)),
    ("slugify", ApiOnly("It is a function for forms.")),
];

/// The IDs of all operations of the API.
fn operation_ids() -> BTreeSet<String> {
    let document: Value = serde_json::from_str(include_str!("../../../docs/openapi.json")).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|path| path.as_object().unwrap().values());
    operations.filter_map(|operation| operation["operationId"].as_str()).map(str::to_owned).collect()
}

#[test]
fn every_operation_has_a_command_or_a_reason_to_have_none() {
    let known = operation_ids();
    let listed: BTreeSet<String> = ROWS.iter().map(|(operation, _)| (*operation).to_owned()).collect();
    assert_eq!(listed.len(), ROWS.len(), "An operation has two rows.");
    let missing: Vec<_> = known.difference(&listed).collect();
    assert!(missing.is_empty(), "Add a command, and a row, for each of {missing:?}.");
    let unknown: Vec<_> = listed.difference(&known).collect();
    assert!(unknown.is_empty(), "These are not operations of the API: {unknown:?}.");
}

#[test]
fn every_named_command_exists_and_every_reason_is_a_sentence() {
    let commands = commands();
    for (operation, reached) in ROWS {
        match reached {
            By(command) => assert!(commands.contains(command), "{operation}: there is no `steward {command}`."),
            ApiOnly(reason) => assert!(reason.ends_with('.'), "{operation}: {reason}"),
        }
    }
}
