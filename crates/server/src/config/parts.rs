//! The parts that a build may leave out. Their settings are refused: one that is ignored would look as if it had an effect.

/// A part, whether this build has it, and the settings that only it reads.
type Part = (&'static str, bool, &'static [&'static str]);

const PARTS: [Part; 2] = [
    (
        "S3",
        cfg!(feature = "s3"),
        &["STEWARD_S3_ENDPOINT", "STEWARD_S3_REGION", "STEWARD_S3_ACCESS_KEY_ID", "STEWARD_S3_SECRET_ACCESS_KEY"],
    ),
    ("traces", cfg!(feature = "traces"), &["OTEL_EXPORTER_OTLP_ENDPOINT"]),
];

/// Returns an error for each setting of a part that this build lacks.
pub(super) fn refused(is_set: impl Fn(&str) -> bool) -> Vec<String> {
    refused_of(&PARTS, is_set)
}

fn refused_of(parts: &[Part], is_set: impl Fn(&str) -> bool) -> Vec<String> {
    let missing_parts = parts.iter().filter(|(_, is_built, _)| !is_built);
    let settings = missing_parts.flat_map(|(part, _, names)| names.iter().map(move |name| (part, *name)));
    settings.filter(|(_, name)| is_set(name)).map(|(part, name)| format!("{name} {}.", missing(part))).collect()
}

/// Describes what to do without a part.
pub(super) fn missing(part: &str) -> String {
    format!("requires {part}, which this program is built without. Build it with `cargo build --release -p steward`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_of_a_part_that_is_missing_is_refused_with_the_build_that_has_it() {
        let parts: [Part; 2] = [("S3", false, &["A", "C"]), ("traces", true, &["B"])];
        let errors = refused_of(&parts, |name| ["A", "B"].contains(&name));
        let expected =
            "A requires S3, which this program is built without. Build it with `cargo build --release -p steward`.";
        assert_eq!(errors, [expected]);
    }
}
