//! The API from outside: the real binary, on both databases.

mod accounts;
mod api_keys;
mod audit;
mod authorize;
mod commands;
mod general;
mod invites;
mod items;
mod letters;
mod members;
mod own_items;
mod pages;
mod personal_tokens;
mod project_users;
mod projects;
mod readme;
mod repeats;
mod schema_changes;
mod schemas;
mod service;
mod settings;
mod strangers;
mod teams;
mod throttle;
mod tokens;
