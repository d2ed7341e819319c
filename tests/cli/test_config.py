"""`amqplite config` prints the file that a config file starts from."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from amqplite.cli import config, main
from amqplite.config import Settings, load_settings


def test_what_it_prints_is_a_config_file_that_changes_nothing(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["config"])
    assert result.exit_code == 0
    file = tmp_path / "amqplite.toml"
    file.write_text(result.output)
    assert load_settings(file, {}, {}) == Settings()
    assert "#amqp_port = 5672\n" in result.output


def test_an_installed_package_has_the_file_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "amqplite.toml").write_text("# installed\n")
    monkeypatch.setattr(config, "PLACES", (tmp_path / "amqplite.toml", *config.PLACES))
    assert CliRunner().invoke(main, ["config"]).output == "# installed\n"
