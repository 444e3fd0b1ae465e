"""Reads and writes frames of the Language Server Base Protocol. Reading is strict; a frame is written in one piece."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Dict, Optional

MAX_HEADER_BYTES = 4096
MAX_BODY_BYTES = 64 * 1024 * 1024


class BadFrame(Exception):
    """The bytes are not a frame. The bytes after them cannot be read either."""


class CutFrame(BadFrame):
    """The output ended within a frame, because the daemon died while it wrote the frame."""


def encode(message: Dict[str, Any]) -> bytes:
    """Returns the bytes of one frame. Raises ValueError for NaN, and for a lone surrogate (use pathBytes)."""
    body = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _length_of(header: bytes) -> int:
    length: Optional[int] = None
    for line in header[:-4].split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon:
            raise BadFrame(f"not a header line: {line[:80]!r}")
        if name.strip().lower() != b"content-length":
            continue
        digits = value.strip()
        if length is not None or not digits.isdigit() or len(digits) > 10:
            raise BadFrame(f"not a length: {line[:80]!r}")
        length = int(digits)
    if length is None:
        raise BadFrame("a header without Content-Length")
    if length > MAX_BODY_BYTES:
        raise BadFrame(f"a body of {length} bytes")
    return length


async def read(stream: asyncio.StreamReader) -> Optional[Dict[str, Any]]:
    """Returns the next message, or None at the end of input. Raises BadFrame; CutFrame if the end cuts off a frame."""
    try:
        header = await stream.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial == b"":
            return None
        raise CutFrame("within a header") from None
    except asyncio.LimitOverrunError:
        raise BadFrame(f"a header of more than {MAX_HEADER_BYTES} bytes") from None
    try:
        body = await stream.readexactly(_length_of(header))
    except asyncio.IncompleteReadError:
        raise CutFrame("within a frame") from None
    try:
        message = json.loads(body.decode("utf-8"))
    except ValueError as error:
        raise BadFrame(f"a body that is not JSON in UTF-8: {error}") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise BadFrame("a body that is no JSON-RPC 2.0 message")
    return message
