// Draws what calculator.py counted: figures, a table, and two plots. It computes no cost of its own; its words are in
// calculator_words.js.

const GIB = 2 ** 30;
const grouped = (value, digits = 0) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const three = (value) => grouped(value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
const decimals = (value) => grouped(value, value < 10 ? 3 : 2);

/** 1.2e13 as "12.0 T": three digits and the prefix of a power of 1,000. */
function prefixed(value, unit) {
  const power = Math.min(6, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  return `${three(value / 1000 ** power)} ${["", "K", "M", "G", "T", "P", "E"][power]}${unit}`;
}

const seconds = (value) => (value < 1 ? `${three(1000 * value)} ms` : `${three(value)} s`);
const length = (tokens) => (tokens < 2 ** 20 ? `${tokens / 1024}K` : `${tokens / 2 ** 20}M`);

/** An empty plot with axes; `x` and `y` have range, ticks [value, text] and log. Returns it with what draws on it. */
function plot(x, y, told) {
  const [left, right, top, bottom, wide, high] = [52, 12, 12, 26, 430, 230];
  const place = (axis, from, to) => (value) => {
    const scale = axis.log ? Math.log : (number) => number;
    const [low, top_] = axis.range.map(scale);
    return from + ((scale(value) - low) / (top_ - low)) * (to - from);
  };
  const [px, py] = [place(x, left, wide - right), place(y, high - bottom, top)];
  const svg = element("svg:svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": told });
  const draw = (name, attributes, text) => svg.append(element(`svg:${name}`, attributes, text));
  const line = (points, style) =>
    draw("polyline", { points: points.map(([a, b]) => `${px(a)},${py(b)}`).join(" "), class: `line ${style}` });
  const write = (at, text, style = "", anchor = "start", dx = 0, dy = 0) =>
    draw("text", { x: px(at[0]) + dx, y: py(at[1]) + dy, "text-anchor": anchor, class: style }, text);
  const dot = (at, style, shape) =>
    draw("path", { class: style, d: shape === "ring" ? "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0" : "M0-6 6 0 0 6-6 0Z", transform: `translate(${px(at[0])} ${py(at[1])})` });
  line([[x.range[0], y.range[1]], [x.range[0], y.range[0]], [x.range[1], y.range[0]]], "axis");
  for (const [value, text] of x.ticks) write([value, y.range[0]], text, "tick", "middle", 0, 17);
  for (const [value, text] of y.ticks) write([x.range[0], value], text, "tick", "end", -6, 4);
  return { svg, line, write, dot };
}

function flopsPlot(say, model, found) {
  const curve = model.get("offers").curve;
  const low = 10 ** Math.floor(Math.log10(Math.min(found.attention[0], found.linear)));
  const high = 10 ** Math.ceil(Math.log10(1.01 * Math.max(found.attention.at(-1), found.linear)));
  const ticks = [];
  for (let value = low; value <= 1.001 * high; value *= 100) ticks.push([value, prefixed(value, "").replace(/\.0+ /, " ")]);
  const x = { log: true, range: [curve[0], curve.at(-1)], ticks: [2 ** 8, 2 ** 10, 2 ** 12, 2 ** 14, 2 ** 16, 2 ** 18, 2 ** 20].map((n) => [n, n < 1024 ? String(n) : length(n)]) };
  const meet = found.decode_crossover ?? Infinity;
  const crossover = grouped(meet);
  const tokens = model.get("tokens");
  const told = say(meet === Infinity ? "flops_apart" : "flops_told", { length: length(tokens), attention: prefixed(found.attention_now, "FLOPs"), linear: prefixed(found.linear, "FLOPs"), crossover });
  const { svg, line, write, dot } = plot(x, { log: true, range: [low, high], ticks }, told);
  line([[curve[0], found.linear], [curve.at(-1), found.linear]], "orange dashed");
  line(curve.map((n, at) => [n, found.attention[at]]), "blue");
  write([curve[0], found.linear], say("linear"), "orange", "start", 6, -6);
  if (meet > 2 ** 14) write([curve[12], found.attention[12]], say("attention"), "blue", "start", 8, 14);
  else write([curve[36], found.attention[36]], say("attention"), "blue", "end", -8, -4);
  if (meet < curve.at(-1)) {
    dot([meet, found.linear], "ring", "ring");
    const late = meet > 2 ** 17; // no room on the right
    write([meet, found.linear], say("equal", { crossover }), "", late ? "end" : "start", late ? -8 : 6, late ? -12 : 20);
  }
  dot([tokens, found.attention_now], "here");
  return element("figure", {}, element("figcaption", {}, say("flops_title")), svg, element("div", { class: "note" }, told));
}

function stepsPlot(say, model, found) {
  const batches = model.get("offers").batches;
  const batch = model.get("batch");
  const high = 1000 * Math.max(...found.steps);
  const top = 1.05 * high;
  const unit = 10 ** Math.floor(Math.log10(high / 2));
  const gap = [1, 2, 5, 10].map((times) => times * unit).find((step) => high / step < 5);
  const ticks = [];
  for (let value = 0; value <= high; value += gap) ticks.push([value, grouped(value, gap < 1 ? 1 : 0)]);
  const x = { range: [0, batches.at(-1)], ticks: [1, 16, 32, 48, 64].map((n) => [n, String(n)]) };
  const told = say("steps_told", { batch, tpot: seconds(found.tpot), weights: seconds(found.tpot_weights) });
  const { svg, line, write, dot } = plot(x, { range: [0, top], ticks }, told);
  const points = (steps) => batches.map((n, at) => [n, 1000 * steps[at]]);
  const all = points(found.steps);
  const fit = Math.min(found.fit, batches.length);
  line(points(found.steps_weights), "orange dashed");
  line(all.slice(0, fit), "blue");
  line(all.slice(Math.max(0, fit - 1)), "blue dotted");
  const low = 1000 * found.steps_weights.at(-1) < 0.15 * top; // no room below the line
  if (found.fit > 0 && found.fit < batches.length) {
    line([[fit, 0], [fit, top]], "axis");
    const left = fit > 48;
    write([fit, low ? top : 0], say("fits", { fit: found.fit }), "", left ? "end" : "start", left ? -4 : 4, low ? 12 : -6);
  }
  write([batches.at(-1), 1000 * found.steps_weights.at(-1)], say("weights_alone"), "orange", "end", 0, low ? -6 : 15);
  write(all[40], say("with_kv"), "blue", "end", -6, -6);
  dot([batch, 1000 * found.tpot], "here");
  return element("figure", {}, element("figcaption", {}, say("steps_title")), svg, element("div", { class: "note" }, told));
}

function headline(say, model, found) {
  const batch = model.get("batch");
  const over = batch > found.fit ? element("div", {}, `⚠ ${say("over", { batch, fit: grouped(found.fit) })}`) : null;
  const big = (value, text) => element("div", {}, element("b", {}, value), " ", text);
  return element(
    "div",
    { class: "calculator-headline", role: "status" },
    big(grouped(found.fit), say(found.fit === 1 ? "fit_one" : "fit", { length: length(model.get("tokens")) })),
    big(three(found.kv_request / GIB), say("request")),
    big(seconds(found.tpot), say("tpot")),
    big(seconds(found.ttft), say("ttft")),
    over,
  );
}

function table(say, model, found) {
  const bytes = (value) => say("bytes", { gb: decimals(value / 1e9), gib: decimals(value / GIB) });
  const billions = (value) => `${decimals(value / 1e9)} × 10⁹`;
  const at = (value) => (value === null ? say("never") : say("at", { tokens: grouped(value) }));
  const flops = { all: found.prefill, linear: found.prefill_linear, attention: found.prefill_attention };
  const split = Object.fromEntries(Object.entries(flops).map(([key, value]) => [key, prefixed(value, "FLOPs")]));
  const mixture = found.active < 0.7 * found.params;
  const windows = found.kv_next !== found.kv_token;
  const rows = [
    ["params", mixture ? say("params_moe", { all: billions(found.params), active: billions(found.active) }) : billions(found.params)],
    ["weight_bytes", bytes(found.weight_bytes)],
    ["kv_token", say(windows ? "kv_token_windows" : "kv_token_now", { now: grouped(found.kv_next), first: grouped(found.kv_token) })],
    ["kv_request", bytes(found.kv_request)],
    ["room", found.room > 0 ? bytes(found.room) : say("none")],
    ["cards", say("cards_value", { cards: found.cards, used: grouped(100 * found.used) })],
    ["prefill", say("split", { ...split, share: grouped((100 * found.prefill_attention) / found.prefill) })],
    ["crossover", say("crossover_value", { decode: at(found.decode_crossover), prefill: at(found.prefill_crossover) })],
    ["even", found.break_even === null ? say("even_never") : say("even_value", { tokens: grouped(found.break_even) })],
  ];
  const line = ([key, value]) =>
    element("tr", {}, element("th", { scope: "row" }, say(key, { batch: model.get("batch") })), element("td", {}, value));
  return element("table", {}, ...rows.map(line));
}

/** A number field for the GiB of KV; left empty, what the weights leave of the card. */
function memoryField(say, model) {
  const input = element("input", { type: "number", min: 0, max: 1e6, step: "any", placeholder: say("own"), "aria-label": say("kv_gib") });
  const follow = () => (input.value = model.get("kv_gib") ?? "");
  input.addEventListener("change", () => {
    if (!input.validity.valid) return follow(); // as it was: what is counted with always stands in the field
    remember(model, "kv_gib", input.value === "" ? null : Number(input.value));
  });
  model.on("change:kv_gib", follow);
  follow();
  return element("label", { class: "control", "data-key": "kv_gib" }, element("span", {}, say("kv_gib")), input);
}

function pasteBox(say, model) {
  const area = element("textarea", { rows: 6, spellcheck: "false", placeholder: say("paste_hint"), "aria-label": say("paste_hint") });
  area.value = model.get("config");
  const status = element("div", { class: "told", role: "status", "aria-live": "polite" });
  const follow = () => {
    const { kind, ...fields } = model.get("problem");
    if (kind) status.textContent = `✗ ${say(kind, fields)}`;
    else status.textContent = model.get("config") && `✓ ${say("added")}`;
  };
  const add = button(say("add"), say("add"), () => remember(model, "config", area.value));
  add.disabled = !area.value.trim();
  area.addEventListener("input", () => {
    add.disabled = !area.value.trim();
    status.textContent = "";
  });
  const stop = redrawOn(model, ["problem", "config"], follow);
  const box = element("details", { class: "calculator-paste" }, element("summary", {}, say("paste")), area, add, status);
  box.open = Boolean(model.get("problem").kind);
  return { box, stop };
}

/** The list of models grows by the pasted one. */
function shapeChoice(say, model) {
  const label = choice(model, "shape", say("shape"), []);
  const select = label.querySelector("select");
  const fill = () => {
    const names = model.get("offers").shapes;
    const option = (name) => element("option", { value: name }, name === "pasted" ? say("pasted") : name);
    select.replaceChildren(...names.map(option));
    select.value = model.get("shape");
  };
  return { label, stop: redrawOn(model, ["offers"], fill) };
}

/** Asks whether a kernel is there, and again after each change; the controls rest until it answers. */
function watchKernel(model, controls, told, say) {
  let timer = null;
  const set = (live) => {
    clearTimeout(timer);
    controls.disabled = !live;
    told.textContent = say(live ? "live" : "still");
  };
  const answer = () => set(true);
  const ask = () => {
    clearTimeout(timer);
    timer = setTimeout(() => set(false), 4000);
    model.send({ ask: "kernel" });
  };
  set(false);
  model.on("change:answered", answer);
  const keys = ["shape", "device", "tokens", "batch", "weights", "kv", "kv_gib", "config"];
  keys.forEach((key) => model.on(`change:${key}`, ask));
  ask();
  return () => {
    clearTimeout(timer);
    model.off("change:answered", answer);
    keys.forEach((key) => model.off(`change:${key}`, ask));
  };
}

function render({ model, el }) {
  const say = (key, fields) => words(model, TEXT, key, fields);
  const { devices, widths, tokens, batches } = model.get("offers");
  const named = (names) => names.map((name) => [name, name in TEXT.en ? say(name) : name]);
  const shapes = shapeChoice(say, model);
  const paste = pasteBox(say, model);
  const controls = element(
    "fieldset",
    { class: "controls" },
    shapes.label,
    choice(model, "device", say("device"), named(devices)),
    slider(model, "tokens", say("tokens"), tokens, length),
    slider(model, "batch", say("batch"), batches),
    choice(model, "weights", say("weights"), named(widths)),
    choice(model, "kv", say("kv"), named(widths)),
    memoryField(say, model),
    paste.box,
  );
  const kernel = element("div", { class: "note", role: "status" });
  const answer = element("div", { class: "calculator-answer" });
  const draw = () => {
    const found = model.get("result");
    const plots = element("div", { class: "calculator-plots" }, flopsPlot(say, model, found), stepsPlot(say, model, found));
    const note = element("div", { class: "note" }, say("note", { used: grouped(100 * found.used) }));
    answer.replaceChildren(headline(say, model, found), plots, table(say, model, found), note);
  };
  const root = element("div", { class: "course" }, element("h4", {}, say("title")), controls, kernel, answer);
  el.append(root);
  const stop = [
    redrawOn(model, ["result"], draw),
    followTheme(root),
    watchKernel(model, controls, kernel, say),
    shapes.stop,
    paste.stop,
  ];
  return () => stop.forEach((end) => end());
}

export default { render };
