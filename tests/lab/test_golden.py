"""Figure 11-2 comes out the same to the octet, in every form."""

import pytest

from tests.lab.golden import FOLDER, golden


def test_all_golden_files_are_there_and_no_others() -> None:
    files = {path.name for path in FOLDER.iterdir() if path.suffix not in (".py", "")}
    assert files == set(golden())


@pytest.mark.parametrize("name", sorted(golden()))
def test_it_is_as_it_was(name: str) -> None:
    expected = (FOLDER / name).read_bytes().decode()
    assert golden()[name] == expected, "if that is meant: python -m tests.lab.golden"
