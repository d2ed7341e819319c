"""The headers within a content header, for the broker, to which they are octets."""

from dataclasses import replace

from amqplite.errors import InvalidSyntax
from amqplite.protocol import properties
from amqplite.protocol.fields import Table, decode_table


class ContentHeaders:
    """Reads and writes headers; see `broker.dead_letters.HeaderCodec`."""

    def read(self, header: bytes) -> Table:
        """Return the headers of a content header's payload; empty if it has none that is one."""
        try:
            return decode_table(properties.headers(header) or b"")
        except InvalidSyntax:  # nobody had to understand them so far
            return {}

    def write(self, header: bytes, table: Table) -> bytes:
        """Return a content header's payload with other headers, and without an expiration."""
        decoded = properties.decode_properties(properties.with_headers(header, None))
        changed = replace(decoded, headers=table, expiration=None)
        size = int.from_bytes(header[4:12], "big")
        return properties.encode_header(size, properties.encode_properties(changed))

    def expiration(self, header: bytes) -> bytes | None:
        """Return the expiration that `write` takes away."""
        return properties.expiration(header)

    def message_id(self, header: bytes) -> str:
        """Return the message-id; empty if it has none."""
        found = properties.message_id(header)
        return "" if found is None else found.decode(errors="replace")

    def persistent(self, header: bytes) -> bool:
        """Return whether it was published to survive a restart."""
        return properties.delivery_mode(header) == 2
