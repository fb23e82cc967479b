// Query by page, the pages of one query, the error against the budget; see quest_map.py.

const METHODS = { quest: ["", "--blue"], sinks: ["6 4", "--faint"], oracle: ["2 3", "--orange"] };
const HEIGHT = 330; // of the grid, in pixels

const stroke = (dashes, colour) => ({ class: "quest-line", "stroke-dasharray": dashes, style: `stroke: var(${colour})` });

/** The error of each method against the budget, which is on a logarithmic axis; the present budget is marked. */
function errorChart(svg, { head, shape, budget }) {
  const [left, wide, top, floor] = [34, 300, 10, 150];
  const most = Math.max(...Object.values(head.error).flat()) || 1;
  const span = Math.log(shape.budgets.at(-1) / shape.budgets[0]) || 1;
  const x = (tokens) => left + (wide * Math.log(tokens / shape.budgets[0])) / span;
  const y = (error) => floor - (floor - top) * (error / most);
  const text = (at, down, content, anchor) => element("svg:text", { x: at, y: down, "text-anchor": anchor }, content);
  const line = (x1, y1, x2, y2, look) => element("svg:line", { x1, y1, x2, y2, class: look });
  const now = x(shape.budgets[budget]);
  const drawn = [line(left, floor, left + wide, floor, "quest-axis"), line(now, top, now, floor, "quest-axis")];
  for (const share of [0, 0.5, 1]) drawn.push(text(left - 6, y(share * most) + 4, (share * most).toPrecision(2), "end"));
  const powers = shape.budgets.filter((tokens) => Number.isInteger(Math.log2(tokens)));
  for (const tokens of powers) drawn.push(text(x(tokens), floor + 16, tokens, "middle"));
  for (const [name, [dashes, colour]] of Object.entries(METHODS)) {
    const points = head.error[name].map((error, at) => `${x(shape.budgets[at])},${y(error)}`).join(" ");
    drawn.push(element("svg:polyline", { points, ...stroke(dashes, colour) }));
    drawn.push(element("svg:circle", { cx: now, cy: y(head.error[name][budget]), r: 4, style: `fill:var(${colour})` }));
  }
  svg.replaceChildren(...drawn);
}

/** The same three at the present budget, in numbers; each row shows its line. */
function errorTable(table, say, { head, shape, budget }) {
  const cells = (name, ...values) => element("tr", {}, ...values.map((value) => element(name, {}, value)));
  const rows = Object.entries(METHODS).map(([name, [dashes, colour]]) => {
    const sample = element("svg:svg", { width: 34, height: 12, "aria-hidden": "true" });
    sample.append(element("svg:line", { x1: 0, x2: 34, y1: 6, y2: 6, ...stroke(dashes, colour) }));
    const percent = (100 * head.kept[name][budget]).toFixed(1);
    return cells("td", sample, say(name, { sinks: shape.sinks }), head.error[name][budget].toFixed(3), `${percent} %`);
  });
  table.replaceChildren(cells("th", "", say("method"), say("error"), say("kept")), ...rows);
}

/** The saved heads as a list; another head shows as such. */
function savedHeads(model, say) {
  const select = element("select", { "aria-label": say("saved") });
  const named = model.get("numbers").map(({ layer, head }) => [`${layer}/${head}`, say("pair", { layer, head })]);
  for (const [value, text] of [...named, ["", say("other")]]) select.append(element("option", { value }, text));
  select.lastChild.hidden = true;
  const follow = () => {
    const value = `${model.get("layer")}/${model.get("head")}`;
    select.value = named.some(([known]) => known === value) ? value : "";
  };
  select.addEventListener("change", () => {
    const [layer, head] = select.value.split("/").map(Number);
    model.set("layer", layer);
    remember(model, "head", head);
  });
  for (const key of ["layer", "head"]) model.on(`change:${key}`, follow);
  follow();
  return element("label", { class: "control" }, element("span", {}, say("saved")), select);
}

function controls(model, say, shape) {
  const upTo = (count) => [...Array(count).keys()];
  return element(
    "div",
    { class: "controls" },
    slider(model, "budget", say("budget"), shape.budgets, (budget) => say("tokens", { budget })),
    savedHeads(model, say),
    slider(model, "layer", say("layer"), upTo(shape.layers)),
    slider(model, "head", say("head"), upTo(shape.heads)),
  );
}

function legend(say) {
  const item = (look, key) => element("span", {}, element("i", { class: look, "aria-hidden": "true" }), say(key));
  const items = [["bound", "bound"], ["cut", "cut"], ["read", "isRead"], ["unread", "notRead"]];
  return element("div", { class: "quest-legend" }, `● ○ ${say("best")}`, ...items.map(([look, key]) => item(`quest-key-${look}`, key)));
}

function render({ model, el }) {
  const say = (key, fields) => words(model, TEXT, key, fields);
  const shape = model.get("shape");
  const svg = (attributes) => element("svg:svg", { role: "img", ...attributes });
  const [summary, unsaved, table] = [element("div", { class: "quest-dims" }), element("div", { role: "status" }), element("table")];
  const pages = svg({ class: "quest-pages", "aria-label": say("pages") });
  const errors = svg({ class: "quest-errors", "aria-label": say("curve"), viewBox: "0 0 350 176" });
  const marks = { wasted: "·", missed: "×" };
  const now = { shape, page: 0 };
  let waiting = null;
  const map = grid({
    rows: () => shape.positions.length,
    columns: () => shape.pages,
    height: HEIGHT,
    label: say("grid"),
    paint: (row, page, theme) => pageColour(now, theme, row, page),
    mark: (row, page) => marks[fate(now.head, shape, now.budget, row, page)] ?? "",
    tell: (row, page) => tellPage(say, now, row, page),
    onmove: (row, page) => {
      now.page = page;
      if (row !== model.get("row")) remember(model, "row", row);
      drawRow();
    },
  });
  const pointer = element("div", { class: "quest-pointer", "aria-hidden": "true" });
  const drawRow = () => {
    const row = model.get("row");
    pointer.textContent = `${shape.positions[row]} ▸`;
    pointer.style.top = `${((row + 0.5) * HEIGHT) / shape.positions.length}px`;
    pageChart(pages, say, { ...now, row });
  };
  const draw = () => {
    const asked = { layer: model.get("layer"), head: model.get("head") };
    const found = findHead(model, asked);
    clearTimeout(waiting);
    now.head = found ?? now.head ?? findHead(model, model.get("numbers")[0]);
    const shown = { shownLayer: now.head.layer, shownHead: now.head.head };
    const tell = () => {
      unsaved.textContent = found ? "" : say("unsaved", { ...asked, ...shown });
      root.classList.toggle("quest-waits", !found);
    };
    if (found) tell();
    else waiting = setTimeout(tell, 400); // a kernel has answered by then
    now.budget = shape.budgets.indexOf(model.get("budget"));
    const counts = Object.entries(now.head.counts).map(([name, each]) => [name, Number(each[now.budget].toFixed(1))]);
    summary.textContent = say("summary", { ...Object.fromEntries(counts), queries: shape.queries, page: shape.page });
    map.goTo(model.get("row"), now.page);
    errorChart(errors, now);
    errorTable(table, say, now);
  };
  const percent = (share) => Number((100 * share).toFixed(3));
  const limits = { rows: shape.positions.length, queries: shape.queries, wasted: percent(shape.wasted), missed: percent(shape.missed) };
  const root = element(
    "div",
    { class: "course quest" },
    element("h4", {}, say("title")),
    element(
      "div",
      { class: "quest-top" },
      element("div", {}, controls(model, say, shape), unsaved, element("div", { class: "quest-dims" }, table)),
      element("div", { class: "quest-dims" }, element("div", { class: "note" }, say("curve")), errors),
    ),
    summary,
    element("div", { class: "note" }, say("hint", limits)),
    element("div", { class: "quest-body quest-dims" }, pointer, map.canvas, map.status, legend(say), pages),
  );
  el.append(root);
  const stop = [redrawOn(model, ["layer", "head", "budget", "live_cells"], draw), followTheme(root, draw)];
  new ResizeObserver(drawRow).observe(pages);
  return () => [...stop, () => clearTimeout(waiting)].forEach((end) => end());
}

export default { render };
