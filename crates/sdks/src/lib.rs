//! The packages of the SDKs, as package managers install them. The build script packs them from `sdks/` and
//! `crates/client`, so that each service has those of its own version.

/// A package of an SDK.
#[derive(Debug)]
pub struct Package {
    /// The name of its file.
    pub name: &'static str,
    /// The compressed archive.
    pub content: &'static [u8],
}

/// Embeds a package: how its name begins and ends, around the version, and the file that the build script writes.
macro_rules! package {
    ($start:literal, $end:literal, $file:literal) => {
        Package {
            name: concat!($start, env!("CARGO_PKG_VERSION"), $end),
            content: include_bytes!(concat!(env!("OUT_DIR"), "/", $file)),
        }
    };
}

/// The package for npm.
pub static TYPESCRIPT: Package = package!("steward-sdk-", ".tgz", "typescript.tgz");
/// The source distribution for pip.
pub static PYTHON: Package = package!("steward_sdk-", ".tar.gz", "python.tar.gz");
/// The sources of the client and of the crates that it needs.
pub static RUST: Package = package!("steward-client-", ".tar.gz", "rust.tar.gz");

/// All packages.
pub static ALL: [&Package; 3] = [&TYPESCRIPT, &PYTHON, &RUST];

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximum size of a package.
    const MAX_BYTES: usize = 512 * 1024;

    #[test]
    fn packages_are_small_archives_without_a_time_of_their_own() {
        for package in ALL {
            let header = package.content.get(..8).unwrap();
            assert_eq!(header, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0], "{}", package.name);
            assert!(package.content.len() < MAX_BYTES, "{}: {}", package.name, package.content.len());
        }
    }
}
