import hashlib
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amqplite.broker.passwords import ITERATIONS_MAX, NOBODY, check_hash, hash_password, verify
from amqplite.errors import PreconditionFailed

SALT = bytes(range(16))


def base64(octets: bytes) -> str:
    return b64encode(octets).decode()


def test_a_hash_names_its_algorithm_iterations_and_salt() -> None:
    assert hash_password("secret", SALT) == (
        "pbkdf2_sha256$10000$AAECAwQFBgcICQoLDA0ODw==$OImOyGKQvA8WMIN8WwuclUZFDykpCY/RxWOLBTOe8fg="
    )


@settings(max_examples=10, deadline=None)
@given(st.text(), st.text(), st.binary(min_size=16, max_size=16))
def test_a_hash_fits_its_password_alone(password: str, other: str, salt: bytes) -> None:
    stored = hash_password(password, salt)
    check_hash(stored)
    assert verify(password.encode(), stored)
    assert verify(other.encode(), stored) is (other == password)


def test_a_password_need_not_be_unicode() -> None:
    assert verify(b"\xff\xfe", hash_password("\udcff\udcfe", SALT))


@pytest.mark.parametrize("size", [256, 512])
def test_hashes_of_rabbitmq_are_verified(size: int) -> None:
    digest = hashlib.new(f"sha{size}", b"saltsecret").digest()
    stored = f"rabbit_password_hashing_sha{size}${base64(b'salt' + digest)}"
    check_hash(stored)
    assert verify(b"secret", stored)
    assert not verify(b"Secret", stored)


def test_a_hash_made_by_rabbitmq_itself_is_verified() -> None:
    # of "test12", in RabbitMQ's documentation of passwords
    stored = "rabbit_password_hashing_sha256$kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR"
    assert verify(b"test12", stored)


def test_nobody_has_a_password() -> None:
    check_hash(NOBODY)
    assert not verify(b"", NOBODY)


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "secret",
        "md5$AAAA",
        "pbkdf2_sha256",
        "pbkdf2_sha256$10000",
        "pbkdf2_sha256$10000$AAAA",
        "pbkdf2_sha256$10000$AAAA$AAAA$AAAA",
        "pbkdf2_sha256$many$AAAA$AAAA",
        "pbkdf2_sha256$0$AAAA$AAAA",
        f"pbkdf2_sha256${ITERATIONS_MAX + 1}$AAAA$AAAA",
        "pbkdf2_sha256$10000$AAAA$A-A_",
        "pbkdf2_sha256$10000$AAAA$Ä",
        "rabbit_password_hashing_sha256",
        "rabbit_password_hashing_sha256$AAAA",
        "rabbit_password_hashing_sha256$AAAA$AAAA",
        "rabbit_password_hashing_sha512$" + base64(bytes(36)),
    ],
)
def test_what_is_no_hash_is_refused(stored: str) -> None:
    with pytest.raises(PreconditionFailed, match="password hash is malformed"):
        check_hash(stored)
