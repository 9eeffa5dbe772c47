//! The API from outside: the real binary, on both databases.

mod accounts;
mod api_keys;
mod authorize;
mod commands;
mod general;
mod invites;
mod item_batches;
mod item_queries;
mod items;
mod letters;
mod members;
mod own_items;
mod pages;
mod project_users;
mod projects;
mod readme;
mod schemas;
mod service;
mod settings;
mod strangers;
mod teams;
mod throttle;
mod tokens;
