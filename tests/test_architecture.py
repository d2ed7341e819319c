"""Who may import whom. The table is the architecture; the code has to follow it."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "amqplite"

LEAVES = {"errors", "imports", "log", "config"}
MAY_IMPORT = {
    "errors": set[str](),
    "imports": set[str](),
    "log": set[str](),
    "config": {"msgspec", "platformdirs"},
    # octets ⇄ methods, and what a broker is: they know nothing of each other
    "protocol": {"errors"},
    "broker": {"errors"},
    # AMQP without a socket
    "connection": {"errors", "protocol", "broker"},
    # the rim: sockets, disk and HTTP, which know nothing of each other
    "server": {"errors", "protocol", "broker", "connection", "trio"},
    "store": {"errors", "imports", "broker", "sqlalchemy", "alembic"},
    "control": {"errors", "imports", "broker", "lab", "log", "trio", "h11", "msgspec"},
    # a client of our own, and what became of the order, told from the broker's trace; a scenario
    # that is played exactly runs the broker's own code on a virtual clock
    "client": {"errors", "protocol", "trio"},
    "lab": {
        *("errors", "broker", "protocol", "connection", "server", "client"),
        *("msgspec", "trio"),
    },
    # the whole, and how it is started
    "app": LEAVES | {"protocol", "broker", "connection", "server", "store", "control", "trio"},
    "cli": {"imports", "log", "config", "app", "lab", "click"},
}
LAB = (
    # what it reads, and what it can say
    *("trace", "texts"),
    # what became of the order, why, and what that came to
    *("analysis", "order", "explaining", "why", "verdict"),
    # what is played, and how it is drawn and handed out
    *("actors", "scripts", "scenario", "diagram", "export"),
    # runs as they are kept, a running broker, plays on it, and traces played once more
    *("keeping", "live", "playing", "rerun", "whatif"),
)
"""The rooms of the lab: each imports from those before it alone."""

GUARDED = {name for names in MAY_IMPORT.values() for name in names} | set(MAY_IMPORT)
MODULES = sorted(PACKAGE.rglob("*.py"))
CORE = ("protocol", "broker", "connection")

UNSTEADY = {"asyncio", "datetime", "os", "random", "secrets", "socket", "threading", "time", "uuid"}
"""What would make the core do other things on another day, or wait: it is given in from outside."""

TESTED_BY_THEIR_USERS = {
    "app.py",  # by whatever starts a broker
    "broker/records.py",
    "broker/recorder.py",  # by the connections that it tells of
    "broker/redelivery.py",
    "broker/tape.py",
    "connection/channel.py",  # by the methods of each class
    "connection/connection_methods.py",  # by the connection
    "connection/state.py",
    "connection/transaction.py",  # by the tx class
    "lab/diagram/boxes.py",  # by what makes them, and lays them out
    "lab/export/glyphs.py",  # by the pictures they are in
    "lab/export/lettering.py",
    "lab/rerun/inputs.py",  # by what reads them from a trace
    "store/tables.py",
    "store/writing.py",  # by the database
}


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> set[str]:
    """Return the layers and libraries that a module imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=aliases) | ast.ImportFrom(module="amqplite", names=aliases):
                names |= {alias.name for alias in aliases}
            case ast.ImportFrom(module=str(module)):
                names.add(module)
    return {name.removeprefix("amqplite.").split(".")[0] for name in names}


def imported_within(path: Path, layer: str) -> set[str]:
    """Return the rooms of a layer that a module imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.ImportFrom(module=str(module)) if module == f"amqplite.{layer}":
                names |= {alias.name for alias in node.names}
            case ast.ImportFrom(module=str(module)) if module.startswith(f"amqplite.{layer}."):
                names.add(module.split(".")[2])
    return names


def named(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    own = layer(path)
    if not own.startswith("__"):
        assert imported(path) & GUARDED <= MAY_IMPORT[own] | {own}


@pytest.mark.parametrize("path", [p for p in MODULES if layer(p) == "lab"], ids=named)
def test_a_room_of_the_lab_imports_only_those_before_it(path: Path) -> None:
    room = path.relative_to(PACKAGE / "lab").with_suffix("").parts[0]
    before = LAB[: LAB.index(room) + 1] if room[0] != "_" else ()
    assert imported_within(path, "lab") <= set(before)


@pytest.mark.parametrize("path", [p for p in MODULES if layer(p) in CORE], ids=named)
def test_the_core_is_the_same_on_every_day_and_waits_for_nobody(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert not imported(path) & UNSTEADY
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]


def test_every_other_module_has_its_test_module() -> None:
    modules = {path.relative_to(PACKAGE) for path in MODULES if path.name[0] != "_"}
    without = {m for m in modules if not (TESTS / m).with_name(f"test_{m.name}").exists()}
    assert {str(module) for module in without} == TESTED_BY_THEIR_USERS
