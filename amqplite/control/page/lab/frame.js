// @ts-check
/**
 * From lanes and time to pixels. `along` runs with time, `across` over the lanes; time goes to the
 * right or down, and nothing else knows which.
 */

/** @typedef {import("./layout.js").LaneBox} LaneBox */
/** @typedef {"right" | "down"} Axes */

/**
 * @typedef {object} Sizes  pixels
 * @property {number} font   of a bar's label
 * @property {number} small  of other words
 * @property {number[]} bar  breadth of a consumer's bar, of one row, of two or three, of more
 * @property {number} wait   breadth of a waiting bar
 * @property {number} disc   radius of a published message
 * @property {number} lead   room for the lanes' names
 * @property {number} head   room for the times
 * @property {number} unit   least of a unit of time, along
 */

/** @type {Record<"large" | "medium" | "small", Sizes>} */
export const SIZES = {
  large: { font: 17, small: 14, bar: [40, 30, 22], wait: 30, disc: 15, lead: 118, head: 40, unit: 64 },
  medium: { font: 15, small: 13, bar: [34, 26, 20], wait: 26, disc: 13, lead: 92, head: 36, unit: 56 },
  small: { font: 14, small: 12, bar: [46, 34, 24], wait: 34, disc: 13, lead: 52, head: 30, unit: 62 },
};

/** Before the first and after the last instant. */
export const BEFORE = 30;
export const AFTER = 44;
/** Arrows lean by this much: a hand-out takes no time at our clock. */
export const SLANT = 5;

/**
 * @typedef {object} Strip  a lane in pixels, across
 * @property {LaneBox} lane
 * @property {number} from
 * @property {number} to
 * @property {number} mid   middle of its rows
 * @property {number} first middle of its first row
 * @property {number} pitch from row to row
 * @property {number} size  breadth of a bar
 * @property {boolean} more whether it has a strip for what is hidden
 */

export class Frame {
  /**
   * @param {Axes} axes
   * @param {Sizes} sizes
   * @param {LaneBox[]} lanes
   * @param {Set<string>} mores lanes with more than they have rows for
   * @param {number} room  across; 0: as much as the lanes need
   */
  constructor(axes, sizes, lanes, mores, room) {
    this.axes = axes;
    this.down = axes === "down";
    this.sizes = sizes;
    /** @type {Map<string, Strip>} */
    this.strips = new Map();
    const breadths = fitting(lanes, sizes, this.down, mores, room - sizes.head);
    const needed = breadths.reduce((sum, { whole }) => sum + whole, 0);
    const spare = Math.max(0, room - sizes.head - needed) / Math.max(1, lanes.length);
    let across = sizes.head;
    lanes.forEach((lane, k) => {
      const { whole, before, size, pitch } = breadths[k];
      const first = across + before + size / 2 + spare / 2;
      const mid = first + ((lane.rows - 1) * pitch) / 2;
      const to = across + whole + spare;
      this.strips.set(lane.id, {
        lane,
        from: across,
        to,
        mid,
        first,
        pitch,
        size,
        more: mores.has(lane.id),
      });
      across = to;
    });
    /** Where the lanes end, across. */
    this.breadth = across;
  }

  /** @param {string} id @returns {Strip | undefined} */
  strip(id) {
    return this.strips.get(id);
  }

  /** Middle of a row. @param {Strip} strip @param {number} row */
  row(strip, row) {
    return row < 0 ? strip.mid : strip.first + row * strip.pitch;
  }

  /** @param {number} along @param {number} across @returns {[number, number]} x, y */
  at(along, across) {
    return this.down ? [across, along] : [along, across];
  }

  /** @param {number} along @param {number} across @param {number} length @param {number} breadth */
  rect(along, across, length, breadth) {
    const [x, y] = this.at(along, across);
    const [width, height] = this.at(length, breadth);
    return { x: round(x), y: round(y), width: round(width), height: round(height) };
  }

  /** A line through points of [along, across]. @param {...[number, number]} points */
  line(...points) {
    return `M${points
      .map((point) =>
        this.at(...point)
          .map(round)
          .join(" "),
      )
      .join("L")}`;
  }
}

/** @param {number} value */
export const round = (value) => Math.round(value * 10) / 10;

const SHRINK = [1, 0.86, 0.74, 0.64, 0.55];

/**
 * Breadths of lanes, as broad as they like or as there is room for.
 * @param {LaneBox[]} lanes
 * @param {Sizes} sizes
 * @param {boolean} down
 * @param {Set<string>} mores
 * @param {number} room
 */
function fitting(lanes, sizes, down, mores, room) {
  const dense = lanes.length > 8;
  for (const share of down ? SHRINK : [1]) {
    const found = lanes.map((lane) => breadthOf(lane, sizes, down, dense, mores.has(lane.id), share));
    const whole = found.reduce((sum, one) => sum + one.whole, 0);
    if (!down || whole <= room || share === SHRINK.at(-1)) return found;
  }
  return [];
}

/**
 * @param {LaneBox} lane
 * @param {Sizes} sizes
 * @param {boolean} down
 * @param {boolean} dense
 * @param {boolean} more
 * @param {number} share
 */
function breadthOf({ rows, kind }, sizes, down, dense, more, share) {
  const strip = more ? 18 : 0;
  if (kind === "producer" || kind === "exchange") {
    const whole = down ? Math.max(44, 62 * share) : sizes.disc * 2 + (dense ? 18 : 30);
    return { whole, before: whole / 2, size: 0, pitch: 0 };
  }
  const least = rows > 3 ? 12 : 20;
  const wanted =
    kind === "queue" || kind === "after"
      ? sizes.wait
      : sizes.bar[rows === 1 ? (dense ? 1 : 0) : rows < 4 ? 1 : 2];
  const size = Math.max(
    least,
    Math.round((kind === "queue" && rows > 3 ? Math.min(wanted, 22) : wanted) * share),
  );
  const airy = kind === "queue" && rows < 4; // arrows' heads show between the bars
  const pitch = size + (down ? 3 : airy ? 13 : 5);
  const before =
    kind === "queue" ? (down ? 10 * share : 16) : down ? 16 * share : dense || kind === "after" ? 26 : 40;
  const after = kind === "queue" ? before : down ? 10 * share : dense ? 12 : 28;
  return { whole: before + rows * pitch - (pitch - size) + after + strip, before, size, pitch };
}

/**
 * Sizes and axes for a container.
 * @param {number} width
 * @param {Axes | "auto"} wanted
 * @returns {{axes: Axes, sizes: Sizes}}
 */
export function fitTo(width, wanted) {
  const axes = wanted === "auto" ? (width < 600 ? "down" : "right") : wanted;
  const size = width < 600 ? "small" : width < 960 ? "medium" : "large";
  if (axes === "right" && size === "small") {
    return { axes, sizes: { ...SIZES.small, bar: SIZES.medium.bar, wait: SIZES.medium.wait, lead: 68 } };
  }
  if (axes === "down" && size !== "small") return { axes, sizes: { ...SIZES.small, font: SIZES[size].font } };
  return { axes, sizes: SIZES[size] };
}
