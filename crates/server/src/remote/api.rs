//! `steward api`: a request to any operation.

use std::io::{IsTerminal as _, Read as _, Write as _};

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Map, Value, json};
use steward_client::{Method, Request};

use crate::terminal::{self, UsageError};

use super::output::pages::PAGE_SIZE;
use super::{Context, json_input};

pub const EXAMPLES: &str = "Examples:
  steward api GET /team
  steward api POST /team -f name=Acme -f slug=acme
  steward api GET /project --paginate --fields id,slug
  steward api PATCH /team/018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53 -H 'If-Match: \"3\"' -f name=Acme
  steward api POST /project/018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55/schema --input schema.json

A read is retried after a temporary error. A write is retried only with the header Idempotency-Key, because not every
operation supports it. `steward openapi` prints all operations.";

#[derive(Debug, Args)]
pub struct Api {
    /// Method, such as GET
    #[arg(value_parser = method)]
    method: Method,
    /// Path, such as /team; it may have a query
    path: String,
    /// String field of the JSON body, or parameter of the query with GET and DELETE; can be repeated
    #[arg(short = 'f', long = "field", value_name = "NAME=VALUE", value_parser = pair)]
    strings: Vec<(String, String)>,
    /// Like --field, with a value in JSON, such as true, 5 or {"a": 1}
    #[arg(short = 'F', long = "json-field", value_name = "NAME=JSON", value_parser = pair)]
    values: Vec<(String, String)>,
    /// Header; can be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// File with the JSON body, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strings", "values"])]
    input: Option<String>,
    /// Read all pages of a list and print them as one list
    #[arg(long)]
    paginate: bool,
}

fn method(text: &str) -> Result<Method, String> {
    Method::from_bytes(text.to_ascii_uppercase().as_bytes()).map_err(|_| "must be a method such as GET".to_owned())
}

pub fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be a name, =, and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub async fn run(context: &Context, arguments: Api) -> anyhow::Result<()> {
    if arguments.paginate {
        return paginate(context, &arguments).await;
    }
    let response = request(context, &arguments)?.send().await?;
    match response.json::<Value>() {
        Ok(value) => context.output.value(value),
        // Such as an image, or nothing.
        Err(_) if std::io::stdout().is_terminal() => {
            terminal::print_text(&terminal::printable(&String::from_utf8_lossy(response.bytes())))
        }
        Err(_) => Ok(std::io::stdout().lock().write_all(response.bytes())?),
    }
}

async fn paginate(context: &Context, arguments: &Api) -> anyhow::Result<()> {
    if arguments.method != Method::GET {
        bail!(UsageError("--paginate requires the method GET.".to_owned()));
    }
    let has_limit = arguments.strings.iter().chain(&arguments.values).any(|(name, _)| name == "limit");
    let (mut printer, mut cursor) = (context.output.array(), None::<String>);
    loop {
        let mut request = request(context, arguments)?;
        if !has_limit {
            request = request.query("limit", PAGE_SIZE);
        }
        if let Some(cursor) = &cursor {
            request = request.query("cursor", cursor);
        }
        let mut page = request.send().await?.json::<Map<String, Value>>()?;
        let Some(Value::Array(entries)) = page.remove("data") else {
            bail!(UsageError(format!("{} is not a list.", arguments.path)));
        };
        cursor = page.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
        printer.page(entries, cursor.is_none())?;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

fn request(context: &Context, arguments: &Api) -> anyhow::Result<Request> {
    let path = if arguments.path.starts_with('/') { arguments.path.clone() } else { format!("/{}", arguments.path) };
    let mut request = context.client.request(arguments.method.clone(), &path);
    for header in &arguments.headers {
        let parts = header.split_once(':');
        let (name, value) = parts.ok_or_else(|| UsageError(format!("{header:?} is not a header, such as A: b.")))?;
        request = request.header(name.trim(), value.trim());
    }
    if let Some(input) = &arguments.input {
        return Ok(request.body("application/json", read(input)?));
    }
    if matches!(arguments.method, Method::GET | Method::HEAD | Method::DELETE) {
        let fields = arguments.strings.iter().chain(&arguments.values);
        return Ok(fields.fold(request, |request, (name, value)| request.query(name, value)));
    }
    let strings = arguments.strings.iter().map(|(name, value)| (name.clone(), json!(value)));
    let mut body: Map<String, Value> = strings.collect();
    for (name, value) in &arguments.values {
        let value = json_input::parse::<Value>(value.as_bytes())
            .map_err(|error| UsageError(format!("The value of {name:?} is not valid JSON: {error}")))?;
        body.insert(name.clone(), value);
    }
    Ok(if body.is_empty() { request } else { request.json(&body) })
}

/// Reads a file, or standard input for `-`.
pub fn read(input: &str) -> anyhow::Result<Vec<u8>> {
    if input == "-" {
        let mut body = Vec::new();
        std::io::stdin().lock().read_to_end(&mut body)?;
        return Ok(body);
    }
    std::fs::read(input).with_context(|| format!("Cannot read {input}"))
}
