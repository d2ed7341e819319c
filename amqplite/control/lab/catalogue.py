"""The scenarios: their texts in both languages, what may be set, and what has to come of them."""

from functools import cache

from amqplite.control.call import Call
from amqplite.control.lab.desk import busy, desk_of
from amqplite.control.response import NO_STORE, Response, encode
from amqplite.lab.keeping.work import Busy
from amqplite.lab.scenario import catalogue


async def scenarios(call: Call) -> Response:
    """List all scenarios, in the order a class meets them.

    Raises:
        HttpError: 503.
    """
    try:
        octets = await desk_of(call).work.do(_encoded)
    except Busy as error:
        raise busy(error) from None
    return Response(200, octets, "application/json", NO_STORE)


@cache
def _encoded() -> bytes:
    return encode(catalogue())
