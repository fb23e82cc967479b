// One head's pages: unpacked, judged, coloured, and for one query charted; every choice was made in quest_head.py.

const LOG_FLOOR = 1e-4; // a share of attention below this is white, and no bar

/** The pages of one head, read from the packed bytes: see Head.packed in quest_head.py. */
function unpack(numbers, view, offset, shape) {
  const [rows, pages] = [shape.positions.length, shape.pages];
  const level = (part, row, page) => view.getUint16(offset + 2 * ((part * rows + row) * pages + page), true);
  return {
    ...numbers,
    own: (row) => Math.floor(shape.positions[row] / shape.page),
    bound: (row, page) => numbers.low + numbers.step * level(0, row, page),
    best: (row, page) => numbers.low + numbers.step * level(1, row, page),
    mass: (row, page) => level(2, row, page) / shape.shares,
    read: (row, page, budget) => ((view.getUint8(offset + 6 * rows * pages + row * pages + page) >> budget) & 1) === 1,
  };
}

/** A layer's head, among the saved ones or as the kernel's last answer; null if it is neither. */
function findHead(model, { layer, head }) {
  const shape = model.get("shape");
  const asked = (one) => one.layer === layer && one.head === head;
  const at = model.get("numbers").findIndex(asked);
  const size = 7 * shape.positions.length * shape.pages; // bytes of one head
  if (at >= 0) return unpack(model.get("numbers")[at], model.get("cells"), at * size, shape);
  const live = model.get("live_numbers");
  return asked(live) ? unpack(live, model.get("live_cells"), 0, shape) : null;
}

/** "read", "wasted", "missed", "unread" or "future": what became of a page. */
function fate(head, shape, budget, row, page) {
  if (page > head.own(row)) return "future";
  const mass = head.mass(row, page);
  if (head.read(row, page, budget)) return mass < shape.wasted ? "wasted" : "read";
  return mass >= shape.missed ? "missed" : "unread";
}

const number = (value, digits) => value.toFixed(digits).replace("-", "−");

/** 0..1: how dark a page with this share of the attention is drawn, and how high its bar. */
const depth = (mass) => Math.log10(Math.max(mass, LOG_FLOOR) / LOG_FLOOR) / -Math.log10(LOG_FLOOR);

/** Blue: read, and never white; orange: not read; the stronger the colour, the more attention. */
function pageColour({ head, shape, budget }, theme, row, page) {
  if (page > head.own(row)) return theme.paper;
  const read = head.read(row, page, budget);
  return mix(theme.paper, read ? theme.blue : theme.orange, Math.max(depth(head.mass(row, page)), read ? 0.15 : 0));
}

/** Bound, best key and attention of each page for one query; the columns stand below those of the grid. */
function pageChart(svg, say, { head, shape, budget, row, page: here }) {
  const [wide, top, height, floor, tall] = [svg.clientWidth || 720, 8, 120, 196, 44];
  const [own, column] = [head.own(row), wide / shape.pages];
  const visible = [...Array(own + 1).keys()];
  const low = Math.min(...visible.map((p) => head.best(row, p)));
  const high = Math.max(...visible.map((p) => head.bound(row, p)));
  const x = (page) => (page + 0.5) * column;
  const y = (score) => top + height * (1 - (score - low) / (high - low || 1));
  const line = (x1, y1, x2, y2, look) => element("svg:line", { x1, y1, x2, y2, ...look });
  const text = (at, down, content, anchor = "end") => element("svg:text", { x: at, y: down, "text-anchor": anchor }, content);
  const steps = visible.map((p) => `${p ? "L" : "M"}${p * column} ${y(head.bound(row, p))}H${(p + 1) * column}`);
  const drawn = [line(x(here), top, x(here), floor, { class: "quest-here" })];
  drawn.push(element("svg:path", { d: steps.join(""), class: "quest-bound" }));
  const cut = Math.min(...visible.filter((p) => p < own && head.read(row, p, budget)).map((p) => head.bound(row, p)));
  if (Number.isFinite(cut)) drawn.push(line(0, y(cut), wide, y(cut), { class: "quest-cut" }));
  for (const page of visible) {
    const read = head.read(row, page, budget) ? "quest-read" : "quest-unread";
    const bar = tall * depth(head.mass(row, page));
    drawn.push(element("svg:circle", { cx: x(page), cy: y(head.best(row, page)), r: 2.5, class: read }));
    const place = { x: page * column + 0.1 * column, width: 0.8 * column };
    if (bar > 0) drawn.push(element("svg:rect", { ...place, y: floor - bar, height: bar, class: read }));
  }
  for (const score of [low, high]) drawn.push(text(-6, y(score) + 4, number(score, 0)));
  drawn.push(text(-6, y((low + high) / 2) + 4, say("score")), text(-6, floor - tall / 2 + 4, say("mass")));
  drawn.push(text(-6, floor - tall + 4, "100 %"), text(-6, floor + 4, "0.01 %"));
  drawn.push(line(0, floor, wide, floor, { class: "quest-axis" }));
  for (let page = 0; page < shape.pages; page += 10) drawn.push(text(x(page), floor + 16, page, "middle"));
  svg.replaceChildren(...drawn);
}

/** Where a value stands among those of the visible pages: 1 is the greatest. */
function place(of, row, page, own) {
  return 1 + [...Array(own + 1).keys()].filter((other) => of(row, other) > of(row, page)).length;
}

/** What the status line says of one page. */
function tellPage(say, { head, shape, budget }, row, page) {
  const [query, own] = [shape.positions[row], head.own(row)];
  const found = fate(head, shape, budget, row, page);
  if (found === "future") return say("future", { query, page });
  const percent = 100 * head.mass(row, page);
  return say("tell", {
    query,
    page,
    of: own + 1,
    bound: number(head.bound(row, page), 1),
    best: number(head.best(row, page), 1),
    byBound: place(head.bound, row, page, own),
    byBest: place(head.best, row, page, own),
    mass: percent < 0.01 ? "< 0.01" : percent.toFixed(percent < 0.995 ? 2 : 1),
    read: say(page === own ? "own" : found),
  });
}
