//! The API from outside: the real binary, on both databases.

mod accounts;
mod api_keys;
mod commands;
mod general;
mod invites;
mod items;
mod members;
mod project_users;
mod projects;
mod readme;
mod schemas;
mod service;
mod strangers;
mod teams;
