//! Reads and writes frames of the Language Server Base Protocol. Reading is strict.

use serde_json::Value;
use std::io::{self, BufRead, ErrorKind};

const MAX_HEADER_BYTES: usize = 4096;
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// Returns the bytes of one frame.
pub fn encode(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn bad(what: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.into())
}

/// The error for an output that ends within a frame, because the daemon died while it wrote the frame.
fn cut(place: &str) -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, format!("within a {place}"))
}

/// Returns one line of a header without its line end, or `None` at the end of input.
fn line(source: &mut impl BufRead, left: &mut usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    loop {
        let chunk = source.fill_buf()?;
        if chunk.is_empty() {
            return if line.is_empty() {
                Ok(None)
            } else {
                Err(cut("header"))
            };
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(chunk.len(), |at| at + 1);
        if taken > *left {
            return Err(bad(format!(
                "a header of more than {MAX_HEADER_BYTES} bytes"
            )));
        }
        *left -= taken;
        line.extend_from_slice(&chunk[..taken]);
        source.consume(taken);
        if end.is_some() {
            break;
        }
    }
    match line.strip_suffix(b"\r\n") {
        Some(text) => Ok(Some(text.to_vec())),
        None => Err(not_a_line(&line)),
    }
}

fn not_a_line(line: &[u8]) -> io::Error {
    let start = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
    bad(format!("not a header line: {start:?}"))
}

fn length_of(value: &str) -> io::Result<usize> {
    let digits = value.trim();
    let decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse::<usize>() {
        Ok(length) if decimal && length <= MAX_BODY_BYTES => Ok(length),
        _ => Err(bad(format!("not a length: {digits:.80}"))),
    }
}

/// Returns the next message, or `None` at the end of input. Fails if the bytes are not a frame, and with
/// `UnexpectedEof` if the end cuts off a frame.
pub fn read(source: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut left = MAX_HEADER_BYTES;
    let mut length = None;
    let mut first = true;
    loop {
        let line = match line(source, &mut left)? {
            None if first => return Ok(None),
            None => return Err(cut("header")),
            Some(line) => line,
        };
        first = false;
        if line.is_empty() {
            break;
        }
        let text = std::str::from_utf8(&line).map_err(|_| not_a_line(&line))?;
        let (name, value) = text.split_once(':').ok_or_else(|| not_a_line(&line))?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            if length.is_some() {
                return Err(bad("two lengths in one header"));
            }
            length = Some(length_of(value)?);
        }
    }
    let length = length.ok_or_else(|| bad("a header without Content-Length"))?;
    let mut body = vec![0; length];
    source
        .read_exact(&mut body)
        .map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => cut("frame"),
            _ => error,
        })?;
    match serde_json::from_slice::<Value>(&body) {
        Ok(message) if message["jsonrpc"] == "2.0" => Ok(Some(message)),
        Ok(_) => Err(bad("a body that is no JSON-RPC 2.0 message")),
        Err(error) => Err(bad(format!("a body that is not JSON in UTF-8: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(bytes: &[u8]) -> Vec<Result<Value, String>> {
        // A buffer of one byte cuts every frame everywhere.
        let mut source = io::BufReader::with_capacity(1, bytes);
        let mut found = Vec::new();
        loop {
            match read(&mut source) {
                Ok(Some(message)) => found.push(Ok(message)),
                Ok(None) => return found,
                Err(error) => {
                    found.push(Err(error.to_string()));
                    return found;
                }
            }
        }
    }

    #[test]
    fn frames_cut_anywhere_are_read() {
        let message = json!({"jsonrpc": "2.0", "id": 1, "result": "grün"});
        let mut bytes = encode(&message);
        bytes.extend(b"content-length:2\r\nContent-Type: x; charset=utf-8\r\n\r\n{}");
        let found = all(&bytes);
        assert_eq!(found[0], Ok(message));
        assert_eq!(
            found[1],
            Err("a body that is no JSON-RPC 2.0 message".into())
        );
    }

    #[test]
    fn what_is_no_frame_is_an_error() {
        for (bytes, words) in [
            (&b"Debugger attached.\r\n\r\n"[..], "not a header line"),
            (b"Content-Length: 2\n\n{}", "not a header line"),
            (b"Content-Length: 99000000000\r\n\r\n", "not a length"),
            (b"Content-Length: +2\r\n\r\n{}", "not a length"),
            (b"Content-Length: \r\n\r\n{}", "not a length"),
            (
                b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
                "two lengths",
            ),
            (b"X: y\r\n\r\n", "without Content-Length"),
            (b"Content-Length: 2\r\n\r\n\xff\xff", "not JSON in UTF-8"),
            (b"Content-Length: 20\r\n\r\n{", "within a frame"),
            (b"Content-Length: 20\r\n", "within a header"),
            (b"Content-Len", "within a header"),
            (&[b'x'; 5000], "a header of more than 4096 bytes"),
        ] {
            match &all(bytes)[..] {
                [Err(found)] => assert!(found.contains(words), "{found:?} for {words:?}"),
                found => panic!("{found:?} for {words:?}"),
            }
        }
        assert!(all(b"").is_empty());
    }
}
