// @ts-check
/** Handing a run out: links, files, and texts to paste. */

import { ApiError, exported, exportUrl } from "./api.js";
import { button, el, put } from "./dom.js";
import { language, LANGUAGES, text } from "./i18n.js";
import { copy } from "./own.js";
import { LONGEST, pack } from "./packed.js";
import { pngOf, save, svgText } from "./picture.js";
import { format, parse } from "./route.js";

/** Formats the broker makes: `[format, suffix]`. */
const FILES = [
  ["html", "html"],
  ["jsonl", "jsonl"],
  ["csv", "csv"],
  ["mermaid", "mmd"],
  ["markdown", "md"],
  ["perfetto", "json"],
];

/**
 * A button that opens the ways to share a run.
 *
 * @param {{run: () => any, viewer: any, link: () => string}} options
 */
export function shareMenu({ run, viewer, link }) {
  const told = el("p", { class: "quiet", role: "status" });
  const menu = el("div", { class: "menu", hidden: true });
  const opener = button(text("exp.share"), toggle, {
    "aria-expanded": "false",
    "aria-keyshortcuts": "y",
  });
  const root = el(
    "div",
    { class: "dropdown", on: { keydown: leave, focusout: blurred } },
    opener,
    menu,
  );

  function toggle() {
    menu.hidden = !menu.hidden;
    opener.setAttribute("aria-expanded", String(!menu.hidden));
    if (!menu.hidden) {
      draw();
      menu.querySelector("button")?.focus();
    }
  }

  function close() {
    if (!menu.hidden) toggle();
  }

  function leave(event) {
    if (event.key !== "Escape" || menu.hidden) return;
    event.preventDefault();
    close();
    opener.focus();
  }

  function blurred(event) {
    if (event.relatedTarget && !root.contains(event.relatedTarget)) close();
  }

  function draw() {
    const item = (key, act) => button(text(key), () => void tell(act), { class: "plain" });
    put(
      menu,
      group(
        "exp.links",
        item("exp.link", async () => copied(await copy(link()))),
        item("exp.data", withData),
      ),
      group(
        "exp.files",
        item("exp.svg", picture),
        item("exp.png", png),
        FILES.map(([kind, suffix]) => item(`exp.${kind}`, () => file(kind, suffix))),
      ),
      group(
        "exp.texts",
        item("exp.issue", async () => copied(await copy(await report("markdown")))),
        item("exp.diagram", async () => copied(await copy(await report("mermaid")))),
      ),
      told,
    );
    told.textContent = "";
  }

  const group = (key, ...items) =>
    el("section", { role: "group", "aria-label": text(key) }, el("h3", {}, text(key)), items);

  async function tell(act) {
    told.textContent = text("exp.working");
    try {
      told.textContent = await act();
    } catch (error) {
      told.textContent =
        error instanceof ApiError && error.reason ? error.reason : text("exp.failed");
    }
  }

  const copied = (done) => text(done ? "exp.copied" : "exp.failed");
  const name = () => fileName(run());
  const inFormat = (kind) => exported(run().id, kind, LANGUAGES[language()].tag);
  const report = async (kind) => (await inFormat(kind)).text();

  async function withData() {
    const data = await pack(await report("jsonl"));
    if (data.length > LONGEST) return text("exp.long", { n: data.length, most: LONGEST });
    const { params } = parse(location.hash);
    const hash = format({
      page: "data",
      path: [data],
      params: { sel: params.sel, t: params.t, x: params.x, lang: language() },
    });
    return copied(await copy(`${location.origin}${location.pathname}${hash}`));
  }

  async function file(kind, suffix) {
    const blob = await (await inFormat(kind)).blob();
    save(blob, `${name()}.${suffix}`);
    return text("exp.saved", { name: `${name()}.${suffix}` });
  }

  async function picture() {
    save(new Blob([svgText(viewer.picture())], { type: "image/svg+xml" }), `${name()}.svg`);
    return text("exp.saved", { name: `${name()}.svg` });
  }

  async function png() {
    save(await pngOf(exportUrl(run().id, "svg", LANGUAGES[language()].tag)), `${name()}.png`);
    return text("exp.saved", { name: `${name()}.png` });
  }

  return root;
}

/** A file's name from a run's, which may hold anything. */
export function fileName(run) {
  const wanted = run.header.scenario || run.name || run.id;
  return (
    wanted
      .replace(/[^\p{L}\p{N}._-]+/gu, "-")
      .replace(/^[-.]+|-+$/g, "")
      .slice(0, 60) || "run"
  );
}
