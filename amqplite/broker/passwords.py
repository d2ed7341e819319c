"""Passwords as they are stored: hashed with a salt, so that who reads the store can't log in.

A hash says how it was made: `algorithm$…$…`. Ours is PBKDF2; RabbitMQ's are accepted, so that users
can be taken over without knowing their passwords.
"""

from base64 import b64decode, b64encode
from hashlib import new, pbkdf2_hmac
from hmac import compare_digest

from amqplite.errors import PreconditionFailed

ITERATIONS = 10_000
"""Of PBKDF2: some 5 ms, for which the broker stands still at every failed login."""

ITERATIONS_MAX = 1_000_000
"""Accepted in a hash that was made elsewhere."""

PBKDF2 = "pbkdf2_sha256"

RABBITMQ = {
    "rabbit_password_hashing_sha256": "sha256",
    "rabbit_password_hashing_sha512": "sha512",
}
"""RabbitMQ's algorithms: one digest of salt and password."""

_RABBITMQ_SALT_BYTES = 4


def hash_password(password: str, salt: bytes) -> str:
    """Return `pbkdf2_sha256$iterations$salt$digest`, the two last in base64."""
    octets = password.encode(errors="surrogateescape")
    return _pbkdf2_hash(salt, pbkdf2_hmac("sha256", octets, salt, ITERATIONS))


def verify(password: bytes, stored: str) -> bool:
    """Return whether `stored`, which was checked, is a hash of `password`.

    It takes the same time for all of `ITERATIONS`, and for all of RabbitMQ's: how long a login
    takes must not tell whether there is such a user.
    """
    algorithm, salt, expected, iterations = _parse(stored)
    made = pbkdf2_hmac("sha256", password, salt, iterations)
    if algorithm in RABBITMQ:
        made = new(RABBITMQ[algorithm], salt + password).digest()
    return compare_digest(made, expected)


def check_hash(stored: str) -> None:
    """Check that `verify` can do something with `stored`.

    Raises:
        PreconditionFailed: it is malformed, or made by an algorithm we don't know.
    """
    try:
        _parse(stored)
    except ValueError:
        raise PreconditionFailed(
            "the password hash is malformed, or of an algorithm that is not known"
        ) from None


def _parse(stored: str) -> tuple[str, bytes, bytes, int]:
    """Return `(algorithm, salt, digest, iterations)`; raise `ValueError` if there are none."""
    algorithm, *parts = stored.split("$")
    if algorithm in RABBITMQ:
        (octets,) = (b64decode(part, validate=True) for part in parts)
        salt, made = octets[:_RABBITMQ_SALT_BYTES], octets[_RABBITMQ_SALT_BYTES:]
        if len(made) != new(RABBITMQ[algorithm]).digest_size:
            raise ValueError("digest of wrong size")
        return algorithm, salt, made, ITERATIONS
    if algorithm != PBKDF2:
        raise ValueError("unknown algorithm")
    iterations = int(parts.pop(0)) if parts else 0
    if not 0 < iterations <= ITERATIONS_MAX:
        raise ValueError("too many iterations")
    salt, made = (b64decode(part, validate=True) for part in parts)
    return algorithm, salt, made, iterations


def _pbkdf2_hash(salt: bytes, made: bytes) -> str:
    return f"{PBKDF2}${ITERATIONS}${b64encode(salt).decode()}${b64encode(made).decode()}"


NOBODY = _pbkdf2_hash(bytes(16), bytes(32))
"""A hash of no password: to verify one against it takes the usual time."""
