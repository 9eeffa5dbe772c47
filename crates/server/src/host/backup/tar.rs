//! The part of the tar format (POSIX ustar) that backups use: regular files with short names. Any tar program can read a
//! backup.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};

use anyhow::{Context as _, bail};

/// Size of a header, and what the data of a file is padded to.
pub const BLOCK: usize = 512;

/// Positions and lengths of the fields of a header.
const NAME: (usize, usize) = (0, 100);
const MODE: (usize, usize) = (100, 8);
const OWNER: (usize, usize) = (108, 8);
const GROUP: (usize, usize) = (116, 8);
const SIZE: (usize, usize) = (124, 12);
const MODIFIED: (usize, usize) = (136, 12);
const CHECKSUM: (usize, usize) = (148, 8);
const KIND: (usize, usize) = (156, 1);
const MAGIC: (usize, usize) = (257, 8);

/// The first size that does not fit into 11 octal digits.
const LARGE: u64 = 1 << 33;

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    /// Position of the data in the archive.
    pub start: u64,
    pub size: u64,
}

/// Returns the number of bytes after data of this size, up to the next block.
pub fn padding(size: u64) -> usize {
    let block = u64::try_from(BLOCK).unwrap_or(u64::MAX);
    usize::try_from(size.next_multiple_of(block).saturating_sub(size)).unwrap_or_default()
}

/// Returns the header of a regular file that only its owner can read.
pub fn header(name: &str, size: u64, modified: u64) -> anyhow::Result<[u8; BLOCK]> {
    let mut header = [0; BLOCK];
    if name.len() > NAME.1 {
        bail!("The name {name:?} is too long for an archive.");
    }
    put(&mut header, NAME, name.as_bytes());
    put(&mut header, MODE, b"0000600\0");
    put(&mut header, OWNER, b"0000000\0");
    put(&mut header, GROUP, b"0000000\0");
    if size < LARGE {
        put(&mut header, SIZE, format!("{size:011o}\0").as_bytes());
    } else {
        // A binary number with the highest bit set: an extension of GNU tar that other programs understand too.
        let mut field = [0; 12];
        put(&mut field, (4, 8), &size.to_be_bytes());
        put(&mut field, (0, 1), &[0x80]);
        put(&mut header, SIZE, &field);
    }
    put(&mut header, MODIFIED, format!("{:011o}\0", modified.min(LARGE.saturating_sub(1))).as_bytes());
    put(&mut header, KIND, b"0");
    put(&mut header, MAGIC, b"ustar\x0000");
    let sum = checksum(&header);
    put(&mut header, CHECKSUM, format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

/// Lists the files of an archive, in order.
pub fn members(file: &mut File) -> anyhow::Result<Vec<Member>> {
    let (mut members, mut position) = (Vec::new(), file.seek(SeekFrom::Start(0))?);
    loop {
        let mut header = [0; BLOCK];
        match file.read_exact(&mut header) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => bail!("The archive is truncated."),
            read => read?,
        }
        if header.iter().all(|byte| *byte == 0) {
            return Ok(members);
        }
        let member = parse(&header, position.saturating_add(BLOCK.try_into()?)).context("The archive is damaged")?;
        let padding = u64::try_from(padding(member.size))?;
        let end = member.start.checked_add(member.size).and_then(|end| end.checked_add(padding));
        position = file.seek(SeekFrom::Start(end.context("The archive is damaged")?))?;
        members.push(member);
    }
}

fn parse(header: &[u8; BLOCK], start: u64) -> anyhow::Result<Member> {
    let number = |at| {
        let text = std::str::from_utf8(field(header, at)).ok()?;
        u64::from_str_radix(text.trim_matches(['\0', ' ']), 8).ok()
    };
    let is_file = field(header, MAGIC).starts_with(b"ustar") && matches!(field(header, KIND), b"0" | b"\0");
    if number(CHECKSUM) != Some(checksum(header)) || !is_file {
        bail!("a header is not valid");
    }
    let name = field(header, NAME).split(|byte| *byte == 0).next().unwrap_or_default();
    let name = String::from_utf8(name.to_vec())?;
    let size = match field(header, SIZE) {
        [0x80, _, _, _, size @ ..] => Some(u64::from_be_bytes(size.try_into()?)),
        _ => number(SIZE),
    };
    Ok(Member { name, start, size: size.context("a size is not valid")? })
}

/// Returns the sum of all bytes, with spaces in place of the checksum.
fn checksum(header: &[u8; BLOCK]) -> u64 {
    let (start, length) = CHECKSUM;
    let of_field = start..start.saturating_add(length);
    let byte = |(index, byte): (usize, &u8)| if of_field.contains(&index) { u64::from(b' ') } else { u64::from(*byte) };
    header.iter().enumerate().map(byte).sum()
}

fn field(header: &[u8], (start, length): (usize, usize)) -> &[u8] {
    header.get(start..start.saturating_add(length)).unwrap_or_default()
}

fn put(header: &mut [u8], (start, length): (usize, usize), value: &[u8]) {
    for (slot, byte) in header.iter_mut().skip(start).take(length).zip(value) {
        *slot = *byte;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn the_files_of_an_archive_are_listed() {
        let mut file = tempfile::tempfile().unwrap();
        for (name, data) in [("manifest.json", "{}"), ("blobs/a.png", "")] {
            let size = u64::try_from(data.len()).unwrap();
            file.write_all(&header(name, size, 1).unwrap()).unwrap();
            file.write_all(data.as_bytes()).unwrap();
            file.write_all(&vec![0; padding(size)]).unwrap();
        }
        file.write_all(&[0; BLOCK]).unwrap();
        let listed = members(&mut file).unwrap();
        let of = |name: &str, start, size| Member { name: name.to_owned(), start, size };
        assert_eq!(listed, [of("manifest.json", 512, 2), of("blobs/a.png", 1536, 0)]);
        file.set_len(1024).unwrap();
        assert!(members(&mut file).unwrap_err().to_string().contains("truncated"));
    }

    #[test]
    fn sizes_of_any_length_round_trip() {
        for size in [0, 7, LARGE - 1, LARGE, u64::MAX / 4] {
            assert_eq!(parse(&header("a", size, 0).unwrap(), 0).unwrap().size, size);
        }
        let mut damaged = header("a", 7, 0).unwrap();
        damaged[130] ^= 1;
        assert!(parse(&damaged, 0).is_err());
        assert!(header(&"a".repeat(101), 0, 0).is_err());
    }
}
