"""Bindings."""

from base64 import urlsafe_b64encode
from hashlib import blake2b
from typing import Any

from amqplite.broker.statistics import BindingStatistics
from amqplite.broker.statistics import bindings as bindings_of
from amqplite.control.arguments import plain
from amqplite.control.call import Call
from amqplite.control.response import Response, json_response


def bindings(call: Call) -> Response:
    """List the bindings of a vhost, or of all that the user may see."""
    return json_response(
        [_shown(one) for vhost in call.chosen_vhosts() for one in bindings_of(vhost)]
    )


def _shown(binding: BindingStatistics) -> dict[str, Any]:
    return {
        "source": binding.source,
        "vhost": binding.vhost,
        "destination": binding.destination,
        "destination_type": "exchange" if binding.to_exchange else "queue",
        "routing_key": binding.routing_key,
        "arguments": plain(binding.arguments),
        "properties_key": properties_key(binding),
    }


def properties_key(binding: BindingStatistics) -> str:
    """Return what tells a binding from others between the same two: `~` for an empty key."""
    if not binding.octets:
        return binding.routing_key or "~"
    digest = blake2b(binding.octets, digest_size=9).digest()
    return f"{binding.routing_key}~{urlsafe_b64encode(digest).decode()}"
