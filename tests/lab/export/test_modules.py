"""Modules in a page without a server."""

from base64 import b64decode

import pytest

from amqplite.lab.export.html import FOLDER
from amqplite.lab.export.modules import ModuleError, import_map, reachable

FILES = {
    "app.js": """// @ts-check
/** What `import { no } from "./comment.js"` says in a comment is none. */
import { a } from "./a.js";
import {
  b,
  c as d,
} from "./b.js";
export { e } from "./c.js";
export * from "./c.js";
/** @type {import("./types.js").Thing} */
export const f = (
  /** @type {string} */ g,
  /** @type {string} */ h,
) => g + h;
/* the end */
export const text = 'import { f } from "./text.js"'; // "./tail.js"
""",
    "a.js": 'import "./c.js";\nimport { text } from "./app.js";\nexport const a = () => text;\n',
    "b.js": "export const [b, c] = [1, 2];\n",
    "c.js": "export const e = 3;\n",
}


def test_all_that_is_imported_comes_along_and_nothing_else() -> None:
    found = reachable("app.js", FILES.__getitem__)
    assert list(found) == ["a.js", "app.js", "b.js", "c.js"]


def test_comments_of_whole_lines_are_left_out() -> None:
    found = reachable("app.js", FILES.__getitem__)
    assert "comment.js" not in found["app.js"]
    assert found["app.js"].startswith("import { a }")
    assert '// "./tail.js"' in found["app.js"]
    assert "  /** @type {string} */ h,\n) => g + h;\nexport" in found["app.js"]


def test_imports_are_by_bare_names_that_the_map_leads_to_text() -> None:
    urls = import_map(reachable("app.js", FILES.__getitem__))
    assert set(urls) == {"lab/a.js", "lab/app.js", "lab/b.js", "lab/c.js"}
    prefix = "data:text/javascript;base64,"
    assert all(url.startswith(prefix) for url in urls.values())
    told = b64decode(urls["lab/app.js"].removeprefix(prefix)).decode()
    assert 'import { a } from "lab/a.js";' in told
    assert '} from "lab/b.js";' in told
    assert 'export { e } from "lab/c.js";\nexport * from "lab/c.js";' in told
    assert "text = 'import { f } from \"./text.js\"';" in told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('const x = await import("./a.js");\n', "x.js imports while it runs"),
        ('import { y } from "y";\n', "x.js imports 'y', which is not beside it"),
        ('import "https://cdn/z.js";\n', "x.js imports 'https://cdn/z.js', which"),
        ('import { y } from "../y.js";\n', "x.js imports '../y.js', which is not beside it"),
    ],
)
def test_what_cannot_be_put_into_a_page_is_refused(text: str, expected: str) -> None:
    with pytest.raises(ModuleError, match=f"^{expected}"):
        reachable("x.js", {"x.js": text}.__getitem__)


def test_the_pages_own_modules_can_be_put_into_one() -> None:
    found = reachable("offline.js", lambda name: FOLDER.joinpath(name).read_text(encoding="utf-8"))
    assert {"offline.js", "viewer.js", "stage.js", "trace.js", "layout.js"} <= set(found)
    assert "api.js" not in found
    assert not [name for name, text in found.items() if "fetch(" in text]
