// @ts-check
/** Arrows from lane to lane, as marks. They pass behind bars, and lean by a fixed slant. */

import { dotAt } from "./bars.js";
import { round, SLANT } from "./frame.js";
import { arrowHead, circle, path } from "./glyphs.js";

/** @typedef {import("./types.js").Mark} Mark */
/** @typedef {import("./types.js").Shape} Shape */
/** @typedef {import("./types.js").Box} Box */
/** @typedef {import("./layout.js").Link} Link */
/** @typedef {import("./frame.js").Strip} Strip */
/** @typedef {import("./scene.js").Context} Context */

const HEAD = { release: 9, publish: 9, deliver: 10, redeliver: 14, requeue: 13, dead: 11, return: 11 };

/**
 * Arrows that would lie on each other are one: its head is at the first row, its shaft goes on to the last.
 * @param {Link[]} links @param {Context} cx @returns {Mark[]}
 */
export function linkMarks(links, cx) {
  /** @type {Map<string, {links: Link[], from: Strip, to: Strip}>} */
  const groups = new Map();
  for (const link of links) {
    const from = cx.frame.strip(link.from);
    const to = cx.frame.strip(link.to);
    if (!from || !to || (link.row < 0 && isHidden(link))) continue;
    const place = `${link.kind} ${link.from} ${link.to} ${Math.round(cx.px(link.t) / CROWD)}`;
    const group = groups.get(place);
    if (group) group.links.push(link);
    else groups.set(place, { links: [link], from, to });
  }
  return [...groups.values()].map((group) => groupMark(group.links, group.from, group.to, cx));
}

/** @param {Link[]} links @param {Strip} from @param {Strip} to @param {Context} cx @returns {Mark} */
function groupMark(links, from, to, cx) {
  const [first] = links;
  const along = cx.px(first.t) + (first.kind === "dead" ? -COPY : COPY * first.box.copy);
  const ends = links.map((link) => endsOf(link, from, to, cx));
  const far = (/** @type {number[]} */ list, /** @type {boolean} */ most) =>
    most ? Math.max(...list) : Math.min(...list);
  const forth = ends[0][1] > ends[0][0];
  const start = far(
    ends.map(([a]) => a),
    !forth,
  );
  const end = far(
    ends.map(([, b]) => b),
    !forth,
  );
  const last = far(
    ends.map(([, b]) => b),
    forth,
  );
  cx.ground.soft.push(cx.frame.rect(along - 2, Math.min(start, end), SLANT + 4, Math.abs(end - start)));
  return {
    key: `${first.kind}${first.n}`,
    layer: "link",
    cls: first.kind,
    name: "",
    lane: first.from,
    t: first.t,
    shapes: arrow(first, along, start, end, last, cx),
    ns: links.map((link) => link.n),
    ms: links.map((link) => link.box.message.m),
    c: [first.from, first.to].find((id) => id.startsWith("c:"))?.slice(2) ?? "",
  };
}

/** An attempt that lies in no row has no arrow; neither has a wait. @param {Link} link */
function isHidden({ box }) {
  return box.lane !== box.queue && !box.auto;
}

/** Passed through without waiting, or not drawn for want of room. @param {Box | null} wait */
const noBar = (wait) => !wait || wait.row < 0 || wait.to === wait.from;

/**
 * Where an arrow begins and ends, across.
 * @param {Link} link
 * @param {Strip} from
 * @param {Strip} to
 * @param {Context} cx
 * @returns {[number, number]}
 */
function endsOf(link, from, to, cx) {
  const { frame } = cx;
  const { box, row } = link;
  const disc = frame.sizes.disc;
  /** @param {Strip} strip @param {number} at */
  const top = (strip, at) => frame.row(strip, at) - strip.size / 2;
  /** @param {Strip} strip @param {number} at */
  const bottom = (strip, at) => frame.row(strip, at) + strip.size / 2;
  /** @param {Strip} queue @param {Box | null} wait */
  const into = (queue, wait) => (noBar(wait) ? queue.first - 5 : top(queue, /** @type {Box} */ (wait).row));
  /** @param {Strip} queue @param {Box | null} wait */
  const outOf = (queue, wait) =>
    noBar(wait) ? queue.first + 4 : bottom(queue, /** @type {Box} */ (wait).row);
  const reached = box.auto ? dotAt(to, cx) - 8 : top(to, row);
  switch (link.kind) {
    case "publish":
      return [from.mid + disc, into(to, box)];
    case "return":
      return [from.mid - disc, bottom(to, Math.max(0, row))];
    case "release":
      return [bottom(from, row), to.first - to.size / 2];
    case "requeue":
      return [
        top(from, row) - 1,
        noBar(box.next) ? to.first + 5 : bottom(to, /** @type {Box} */ (box.next).row) + 1,
      ];
    case "dead":
      return [box.lane === box.queue ? bottom(from, Math.max(0, row)) : top(from, row), to.mid];
    default:
      return [outOf(from, box.before), reached];
  }
}

/**
 * @param {Link} link
 * @param {number} at
 * @param {number} start
 * @param {number} end
 * @param {number} last
 * @param {Context} cx
 * @returns {Shape[]}
 */
function arrow(link, at, start, end, last, cx) {
  const { frame } = cx;
  const back = link.kind === "requeue" || link.kind === "return";
  const passes =
    link.kind === "publish" ? noBar(link.box) : !back && link.kind !== "release" && noBar(link.box.before);
  const lean = passes ? SLANT / 2 : back ? SLANT - 1 : SLANT;
  const again = passes && link.kind === "redeliver" && link.box.before?.kind === "requeued";
  const along = at + (again ? AGAIN : passes && link.kind !== "publish" ? SLANT / 2 : 0);
  const long = HEAD[link.kind];
  const stop = end - Math.sign(end - start) * long * 0.8;
  const share = (stop - start) / (end - start || 1);
  const [x1, y1] = frame.at(along, start);
  const [x2, y2] = frame.at(along + lean, end);
  const bend = again ? [/** @type {[number, number]} */ ([at + SLANT - 1, start])] : [];
  const d = frame.line(...bend, [along, start], [round(along + lean * share), stop]);
  const shapes = [path(d, "casing"), path(d, "shaft"), path(arrowHead(x1, y1, x2, y2, long), "head")];
  if (last !== end) shapes.unshift(path(frame.line([along + lean, end], [along + lean, last]), "shaft on"));
  if (passes && link.kind === "publish") {
    const [x, y] = frame.at(along + lean, end + 4);
    shapes.push(circle(x, y, 3.5, "through"));
  }
  return shapes;
}

/** Arrows closer than this, in pixels, are one. */
const CROWD = 5;
/** Copies in several queues come at once; a dead letter leaves as the next message comes. */
const COPY = 7;
/** What is handed out again as it comes back is beside what came back. */
const AGAIN = 13;
