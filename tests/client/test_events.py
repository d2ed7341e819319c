"""Messages that came."""

from amqplite.client.events import Delivery, Returned
from amqplite.protocol.properties import Properties, encode_header, encode_properties

PROPERTIES = Properties(message_id="m1", priority=5)
HEADER = encode_header(2, encode_properties(PROPERTIES))


def test_properties_are_decoded_from_the_header_that_came() -> None:
    delivery = Delivery(
        body=b"hi",
        header=HEADER,
        exchange="",
        routing_key="q",
        delivery_tag=1,
        redelivered=False,
    )
    returned = Returned(
        body=b"hi", header=HEADER, exchange="", routing_key="q", reply_code=312, reply_text="NO"
    )
    assert delivery.properties == returned.properties == PROPERTIES
    assert (delivery.consumer_tag, delivery.message_count) == ("", 0)
