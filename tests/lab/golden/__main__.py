"""Writes the golden files anew."""

from tests.lab.golden import FOLDER, golden

for name, content in golden().items():
    (FOLDER / name).write_bytes(content.encode())
