//! The values of the symbols of a case on one service. A symbol is bound when the service first returns its value.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

#[derive(Debug, Default)]
pub struct Names {
    by_symbol: BTreeMap<String, String>,
    by_value: BTreeMap<String, String>,
}

impl Names {
    /// Binds a symbol to a value. Two symbols never have the same value, which proves that IDs, key values and tags are
    /// not reused.
    pub fn bind(&mut self, symbol: &str, value: &str) -> Result<(), String> {
        if let Some(known) = self.by_symbol.get(symbol) {
            return if known == value { Ok(()) } else { Err(format!("{symbol} is {known}, not {value}.")) };
        }
        if let Some(other) = self.by_value.insert(value.to_owned(), symbol.to_owned()) {
            return Err(format!("{value} cannot be {symbol} because it is already {other}."));
        }
        self.by_symbol.insert(symbol.to_owned(), value.to_owned());
        Ok(())
    }

    /// Replaces the symbols in a text with their values.
    pub fn filled(&self, text: &str) -> String {
        if !text.contains('<') {
            return text.to_owned();
        }
        self.by_symbol.iter().fold(text.to_owned(), |text, (symbol, value)| text.replace(symbol.as_str(), value))
    }

    /// Compares a response with the expected facts. Null in the facts also matches an absent member, members that are
    /// not in the facts are ignored, and everything below a member `=` is compared completely.
    pub fn compare(&mut self, facts: &Value, answer: &Value, at: &str) -> Result<(), String> {
        match (facts, answer) {
            (Value::Object(members), _) if members.contains_key("=") => self.compare_whole(&members["="], answer, at),
            (Value::Object(members), Value::Object(answered)) => members.iter().try_for_each(|(name, fact)| {
                self.compare(fact, answered.get(name).unwrap_or(&Value::Null), &format!("{at}/{name}"))
            }),
            (Value::Array(facts), Value::Array(answers)) => {
                if facts.len() != answers.len() {
                    return Err(format!("{at} has {} entries, not {}.", answers.len(), facts.len()));
                }
                let pairs = facts.iter().zip(answers).enumerate();
                pairs
                    .into_iter()
                    .try_for_each(|(nth, (fact, answer))| self.compare(fact, answer, &format!("{at}/{nth}")))
            }
            (Value::String(symbol), Value::String(value)) if symbol.starts_with('<') => {
                self.bind(symbol, value).map_err(|reason| format!("{at}: {reason}"))
            }
            (Value::Number(fact), Value::Number(answer)) if fact.as_f64() == answer.as_f64() => Ok(()),
            (fact, answer) if fact == answer => Ok(()),
            (fact, answer) => Err(format!("{at} is {answer}, not {fact}.")),
        }
    }

    fn compare_whole(&mut self, facts: &Value, answer: &Value, at: &str) -> Result<(), String> {
        let filled: Value = serde_json::from_str(&self.filled(&facts.to_string())).unwrap();
        if filled == *answer { Ok(()) } else { Err(format!("{at} is {answer}, not {filled}.")) }
    }

    /// Returns the response without values that differ between services.
    pub fn normalised(&self, answer: &Value, base: &str) -> Value {
        match answer {
            Value::String(text) => self.normalised_text(text, base).into(),
            Value::Array(entries) => entries.iter().map(|entry| self.normalised(entry, base)).collect(),
            Value::Object(members) => {
                let normal = members.iter().map(|(name, value)| match name.as_str() {
                    // Usage is recorded in batches.
                    "hint" | "last_used" | "current_last_used" | "last_seen_at" => {
                        (name.clone(), json!("<not compared>"))
                    }
                    _ => (name.clone(), self.normalised(value, base)),
                });
                Value::Object(normal.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    fn normalised_text(&self, text: &str, base: &str) -> String {
        if let Some(symbol) = self.by_value.get(text) {
            return symbol.clone();
        }
        let host = base.trim_start_matches("http://").replace(':', "%3A");
        let words = text.replace(base, "<base>").replace(&host, "<host>");
        let shape: String = words.chars().map(|sign| if sign.is_ascii_hexdigit() { 'h' } else { sign }).collect();
        let id = format!("{}-{}-{}-{}-{}", "h".repeat(8), "hhhh", "hhhh", "hhhh", "h".repeat(12));
        if shape == id {
            return "<id>".to_owned();
        }
        if shape.starts_with("hhhh-hh-hhThh:hh:hh") && shape.ends_with('Z') {
            return "<time>".to_owned();
        }
        let ids = self.by_value.iter().filter(|(value, _)| value.len() == 36);
        let words = ids.fold(words, |words, (value, symbol)| {
            words.replace(value, symbol).replace(&value.replace('-', ""), symbol)
        });
        match words.rsplit_once('.') {
            // The secret of the link of an invite is random.
            Some((link, secret)) if link.contains("/auth/invite?") && secret.len() > 100 => format!("{link}.<secret>"),
            _ => words,
        }
    }
}
