//! The tasks of each section of the console, from its first page to the result.

use serde_json::json;
use steward_tests::{Actor, App, Backend, World, eventually, on_both};
use thirtyfour::Key;

use super::{Console, is_complete};

/// A script that returns the times on a page as they are shown, and the local time of day of each.
const TIMES: &str = r#"
    return [...document.querySelectorAll('main time')].map((time) => {
        const zone = new Date(time.dateTime).toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit'});
        return {text: time.textContent, title: time.title, zone};
    });
"#;

/// A script that returns where the row of a new field is, and whether its inputs are in one line.
const ROW: &str = r#"
    const names = [...document.querySelectorAll("[id^='t0-f'][id$='-name']")].map((input) => input.id);
    const top = (part) => document.getElementById(`t0-f4-${part}`).getBoundingClientRect().top;
    return {isLast: names.pop() === 't0-f4-name', isAligned: Math.abs(top('name') - top('type')) < 2};
"#;

/// Performs all tasks as the owner of a new team, who is also an operator.
async fn perform_all(app: &App, scripts: bool, name: &str) {
    let world = World::make(app, name).await;
    let member = world.member(app, &format!("{name}-member"), "viewer").await;
    let owner = format!("{name}-owner");
    app.make_operator(&owner).await;
    let console = Console::sign_in(app, scripts, &owner).await;
    find_the_project(&console, &world, name).await;
    manage_the_team(&console, &world, &member).await;
    manage_the_project(&console, &world).await;
    manage_keys(&console, &world).await;
    read_the_requests(&console, &world).await;
    manage_webhooks(&console, &world).await;
    change_the_schema(&console, &world, scripts).await;
    change_items(&console, &world, name).await;
    import_and_delete_items(&console, &world).await;
    manage_users(&console, &world, name).await;
    manage_the_account(&console).await;
    operate(&console, &owner).await;
    delete_the_project(&console, &world, name).await;
    console.quit().await;
}

async fn find_the_project(console: &Console, world: &World, name: &str) {
    for (text, found) in [("notes", "notes"), ("visitor", "Users"), ("server", "stw_sk_"), ("sign-in", "Sign-in")] {
        console.open(&format!("/console/search?q={text}")).await;
        console.shows(found).await;
    }
    console.open(&format!("/console/search?q={name}")).await;
    console.press(name, "Your role").await;
    console.press(name, "About this project").await;
    console.press("7 days", "Usage").await;
    assert!(console.chrome.driver.current_url().await.unwrap().path().ends_with(&world.project));
}

async fn manage_the_team(console: &Console, world: &World, member: &Actor) {
    let team = format!("/console/teams/{}", world.team);
    console.open(&format!("{team}/invites")).await;
    console.press("Invite someone", "Email address or username").await;
    console.enter("recipient", "new@example.com").await;
    console.select("[id=roles-viewer]").await;
    console.press("Send the invite", "new@example.com was invited.").await;
    console.press("Renew", "is valid for 7 days from now").await;
    console.press("Renew the invite", "was renewed.").await;
    console.press("Revoke", "can no longer accept the invite").await;
    console.press("Revoke the invite", "No pending invites").await;

    console.open(&format!("{team}/members/{}", member.id)).await;
    console.select("[id=roles-developer]").await;
    console.press("Save", "were changed.").await;
    console.open(&format!("{team}/members/{}", member.id)).await;
    console.press("Remove the member", "loses access to the team").await;
    console.press("Remove the member", "was removed from the team.").await;

    console.open(&format!("{team}/settings")).await;
    console.enter("name", "Renamed team").await;
    console.press("Save", "The team was changed.").await;
    console.open(&format!("{team}/audit")).await;
    console.enter("action", "team.updated").await;
    console.press("Filter", "Matching events").await;
    console.press("Verify the log", "Back to the audit log").await;
}

async fn manage_the_project(console: &Console, world: &World) {
    console.open(&format!("/console/teams/{}", world.team)).await;
    console.press("New project", "will own the project").await;
    console.enter("name", "Second project").await;
    console.press("Create the project", "The project Second project was created.").await;

    let project = format!("/console/projects/{}", world.project);
    console.open(&format!("{project}/settings")).await;
    console.enter("name", "Renamed project").await;
    console.press("Save", "The project was changed.").await;
    console.open(&format!("{project}/sign-in")).await;
    console.enter("redirect_uris", "https://app.example/callback").await;
    console.press("Save", "The sign-in settings were changed.").await;
}

async fn manage_keys(console: &Console, world: &World) {
    console.open(&format!("/console/projects/{}/keys", world.project)).await;
    console.press("New key", "Individual permissions").await;
    console.enter("label", "Example key").await;
    console.select("[id=roles-read]").await;
    console.press("Create the key", "The key was created").await;
    let value = console.find("[id=key]").await.text().await.unwrap();
    console.press("Go to the key", "Only the current value works.").await;
    console.press("Edit", "Label").await;
    console.enter("label", "Renamed key").await;
    console.press("Save", "The key was changed.").await;
    console.press("Rotate", "The key gets a new value").await;
    console.press("Rotate the key", "The key was rotated").await;
    console.press("Go to the key", "Previous value works until").await;

    console.open(&format!("/console/projects/{}/keys/verify", world.project)).await;
    console.enter("value", &value).await;
    console.press("Verify", "The value is valid").await;
    console.press("Renamed key", "Delete this key").await;
    console.press("Delete the key", "Renamed key").await;
    console.press("Delete the key", "The key was deleted.").await;
}

async fn read_the_requests(console: &Console, world: &World) {
    console.open(&format!("/console/projects/{}/requests", world.project)).await;
    console.enter("route", "/db/").await;
    console.press("Filter", "Remove the filters").await;
    console.press("Follow", "Stop following").await;
    console.shows("/project/{id}/user/{user_id}/db/{table_id}").await;
    console.press("Stop following", "Follow").await;
    let requests = format!("/console/projects/{}/requests?route=/db/", world.project);
    console.open(&format!("{requests}&follow=200")).await;
    console.click("#live tbody a").await;
    console.shows("Request ID").await;
    // The control says that it ended by itself.
    console.open(&format!("{requests}&follow=1")).await;
    console.shows("Follow").await;
}

async fn manage_webhooks(console: &Console, world: &World) {
    for scope in [format!("/console/teams/{}", world.team), format!("/console/projects/{}", world.project)] {
        console.open(&format!("{scope}/webhooks")).await;
        console.press("New webhook", "Events").await;
        console.enter("url", "https://example.com/hook").await;
        // All events are selected. One that does not happen keeps the service from sending anything.
        console.click("[name=events][value='*']").await;
        console.click("main details summary").await;
        console.select("[name=events][value='schema.created']").await;
        console.press("Create the webhook", "The webhook was created").await;
        console.press("Go to the webhook", "About this webhook").await;
        console.press("Edit", "Events").await;
        console.enter("url", "https://example.com/other").await;
        console.press("Save", "The webhook was changed.").await;
        console.press("Rotate the secret", "Rotate the secret of the webhook").await;
        console.press("Rotate the secret", "The secret was rotated").await;
        console.press("Go to the webhook", "About this webhook").await;
        console.press("Show the deliveries", "Deliveries").await;
        console.press("Failed", "No failed deliveries").await;
        console.press("Go to the webhook", "About this webhook").await;
        console.press("Delete the webhook", "https://example.com/other").await;
        console.press("Delete the webhook", "The webhook was deleted.").await;
    }
}

async fn change_the_schema(console: &Console, world: &World, scripts: bool) {
    console.open(&format!("/console/projects/{}/schema", world.project)).await;
    console.press("Edit", "Your changes are kept as a draft").await;
    if scripts {
        console.click("[value=add-t0]:not([hidden])").await;
    } else {
        console.press("Add a field", "These are your unpublished changes").await;
    }
    console.enter("t0-f4-name", "a color").await;
    console.press("Review the changes", "Your input has errors.").await;
    let row = console.chrome.asked(ROW).await;
    assert_eq!(row, json!({"isLast": true, "isAligned": true}), "An error must not move its row.");
    console.enter("t0-f4-name", "color").await;
    if scripts {
        // Leaving the page keeps what was typed.
        console.press("Back to the schema", "History").await;
        eventually(async || {
            console.open(&format!("/console/projects/{}/schema/edit", world.project)).await;
            let name = console.find("[id=t0-f4-name]").await.value().await.unwrap();
            (name.as_deref() == Some("color")).then_some(())
        })
        .await;
    } else {
        console.press("Save as a draft", "You have unpublished changes").await;
        console.press("Continue editing", "Edit the schema").await;
    }
    console.press("Review the changes", "Add the field notes.color").await;
    console.press("Publish", "Version 2 of the schema was published.").await;
    console.click("[id=history] > summary").await;
    console.press("Compare versions", "Add the field notes.color").await;
    console.enter("from", "2").await;
    console.enter("to", "1").await;
    console.press("Compare", "Remove the field notes.color").await;
    console.press("Back to the schema", "History").await;
    console.click("[id=history] > summary").await;
    console.press("Version 1", "All versions").await;
    console.press("Roll back to this version", "Remove the field notes.color").await;
    console.press("Roll back", "was published again as version 3.").await;

    let title = json!({"type": "string", "requierd": true});
    let document = json!({"tables": {"notes": {"fields": {"title": title}}}});
    console.open(&format!("/console/projects/{}/schema/json", world.project)).await;
    console.enter("document", &document.to_string()).await;
    console.press("Review the changes", "Did you mean `required`?").await;
}

async fn change_items(console: &Console, world: &World, name: &str) {
    console.open(&format!("/console/projects/{}/users", world.project)).await;
    if console.chrome.asked("return document.documentElement.classList.contains('scripted')").await == json!(true) {
        let times = console.chrome.asked(TIMES).await;
        assert!(times.as_array().is_some_and(|times| !times.is_empty()), "{times}");
        for time in times.as_array().unwrap() {
            let (text, title) = (time["text"].as_str().unwrap(), time["title"].as_str().unwrap());
            assert!(text.ends_with("just now") || text.ends_with("ago"), "{text}");
            assert!(title.contains(time["zone"].as_str().unwrap()) && title.ends_with(" UTC)"), "{title}");
        }
    } else {
        console.shows(" UTC").await;
    }
    console.press(&format!("{name}-visitor"), "About this user").await;
    console.press("notes", "Select all on this page").await;
    console.press("New item", "An empty field has no value.").await;
    console.enter("id", "second").await;
    console.enter("field.title", "Second title").await;
    console.press("Add the item", "The item second was added.").await;
    console.enter("field.rank", "7").await;
    console.press("Save", "The item was changed.").await;
    console.press("Cancel", "Second title").await;
    console.press("Add a condition", "Operator").await;
    console.select("[id=f-0] option[value=title]").await;
    console.enter("v-0", &format!("Missing{}", char::from(Key::Enter))).await;
    console.shows("No items were found").await;
    console.press("Reset", "Second title").await;
    console.press("rank", "Second title").await;
    // With scripts, beside the grid.
    console.click("tbody .id a[href*='/items/second']").await;
    console.shows("About this item").await;
    console.press("Delete the item", "for ten minutes").await;
    console.press("Delete the item", "The item was deleted.").await;
}

async fn import_and_delete_items(console: &Console, world: &World) {
    let table = format!("/console/projects/{}/users/{}/tables/notes", world.project, world.user);
    console.open(&table).await;
    console.press("Import", "What happens").await;
    console.select("[id=format-ndjson]").await;
    console.enter("lines", "{\"id\": \"wrong\", \"title\": 1}").await;
    console.press("Import", "Lines that do not fit").await;
    console.enter("lines", "{\"id\": \"third\", \"title\": \"Third title\"}").await;
    console.press("Only check", "1 item fits.").await;
    console.press("Import", "1 item was imported.").await;
    console.select("[name=item][value=third]").await;
    console.press("Delete the selected items", "This item is deleted:").await;
    console.shows("Third title").await;
    console.press("Delete 1 item", "1 item was deleted.").await;
    console.press("Undo", "1 item was restored.").await;
    console.shows("CSV for programs (raw)").await;
}

async fn manage_users(console: &Console, world: &World, name: &str) {
    let user = format!("/console/projects/{}/users/{}", world.project, world.user);
    console.open(&user).await;
    console.press("Edit the metadata", "A JSON object").await;
    console.enter("meta", "{\"plan\": \"free\"}").await;
    console.press("Save", "The metadata was changed.").await;
    console.press("Block the user", "A blocked user cannot sign in").await;
    console.press("Block the user", "Unblock the user").await;
    console.press("Erase the user", "cannot be undone.").await;
    console.enter("confirm", &format!("{name}-visitor")).await;
    console.press("Erase the user", "were erased.").await;
}

async fn manage_the_account(console: &Console) {
    console.open("/console/account").await;
    console.enter("name", "Another name").await;
    console.press("Save", "Your profile was saved.").await;
    console.open("/console/account/email").await;
    console.enter("email", "other@example.com").await;
    console.press("Request the link", "other@example.com").await;
    console.open("/console/account/tokens").await;
    console.press("New token", "Expires after").await;
    console.enter("label", "Example token").await;
    console.select("[id=roles-viewer]").await;
    console.press("Create the token", "Save the value of").await;
    console.press("Go to your tokens", "Example token").await;
    console.press("Revoke", "Example token").await;
    console.press("Revoke the token", "The token was revoked.").await;
    console.open("/console/account/export").await;
    console.shows("Download your data").await;
    console.open("/console/account/delete").await;
    console.shows("You are the last owner of these teams").await;
    console.open("/console/account/sessions").await;
    console.shows("Browsers").await;
}

async fn operate(console: &Console, owner: &str) {
    for (page, expected) in [("", "Parts of the service"), ("/sizes", "largest first"), ("/jobs", "Waiting work")] {
        console.open(&format!("/console/operator{page}")).await;
        console.shows(expected).await;
    }
    console.open("/console/operator/accounts").await;
    console.enter("q", &owner.replace("owner", "member")).await;
    console.press("Search", "Accounts found").await;
    console.press(&owner.replace("owner", "member"), "About this account").await;
    console.press("Disable", "Disable").await;
    console.press("Disable", "About this account").await;
    console.press("Enable", "Enable").await;
    console.press("Enable", "About this account").await;
    console.open("/console/operator/mail").await;
    console.press("Send a test email", "A test email to").await;
}

async fn delete_the_project(console: &Console, world: &World, name: &str) {
    console.open(&format!("/console/projects/{}/settings", world.project)).await;
    console.press("Delete the project", "This cannot be undone.").await;
    console.enter("confirm", name).await;
    console.press("Delete the project", "was deleted.").await;
    console.open(&format!("/console/teams/{}/delete", world.team)).await;
    console.shows("The team still owns projects").await;
}

on_both! {
    async fn the_tasks_of_each_section_work_with_and_without_scripts(app: &App) {
        // In a short run, with scripts on PostgreSQL, and without them on SQLite.
        match is_complete() {
            true => tokio::join!(perform_all(app, true, "acme"), perform_all(app, false, "plain")).0,
            false => perform_all(app, app.backend() == Backend::Postgres, "acme").await,
        }
    }
}
