// A row a query, a column a key, their names around the canvas; see attention_map.py.

const TEXT = {
  en: {
    title: "Attention map",
    text: "sentence",
    layer: "layer",
    head: "head",
    grid: "query by key; arrow keys walk",
    axes: "query ↓ key →",
    first: "Layer {layer}, head {head}: {share} on the first token (mean of all queries but the first).",
    tell: "Query {query} “{from}” gives {share} to key {key} “{to}”.",
    itself: "Query {query} “{from}” gives {share} to itself.",
    future: "Key {key} “{to}” comes after query {query} “{from}”, which cannot see it.",
    scale: "Share of the query's attention:",
    hint: "Numbers: per cent, from 10 on, where there is room. Grey: later than the query. Point at a cell, or use the arrow keys.",
  },
  zh: {
    title: "注意力图",
    text: "句子",
    layer: "层",
    head: "头",
    grid: "query × key：方向键移动",
    axes: "query ↓ key →",
    first: "第 {layer} 层，头 {head}：平均 {share} 落在第一个 token 上（第一个 query 不计）。",
    tell: "query {query}“{from}”把 {share} 给了 key {key}“{to}”。",
    itself: "query {query}“{from}”把 {share} 给了自己。",
    future: "key {key}“{to}”在 query {query}“{from}”之后，这个 query 看不到它。",
    scale: "占这个 query 的注意力：",
    hint: "数字是百分数，从 10 起标出（放得下的话）。灰色：在 query 之后。把鼠标指到一格上，或用方向键移动。",
  },
};

const HEIGHT = 440;
const WRITTEN = 10; // per cent from which a cell's share is written in it

const percent = (share) => (share < 1 ? "< 1 %" : `${share} %`);

/** The saved shares, in whole per cents, of the text, layer and head in view. */
function sharesOf(model, packed) {
  const all = model.get("layers") * model.get("heads");
  const triangle = (count) => (count * (count + 1)) / 2;
  const starts = [0];
  for (const tokens of model.get("tokens")) starts.push(starts.at(-1) + all * triangle(tokens.length));
  const text = () => model.get("texts").indexOf(model.get("text"));
  const tokens = () => model.get("tokens")[text()];
  const head = () => model.get("layer") * model.get("heads") + model.get("head");
  const share = (query, key) => {
    const queries = tokens().length - key; // that see this key
    const before = triangle(tokens().length) - triangle(queries);
    return packed[starts[text()] + all * before + head() * queries + query - key];
  };
  const first = () => model.get("first").getUint8(text() * all + head());
  return { tokens, share, first };
}

/** The names of keys or queries along the canvas; follow(tokens) writes them, at(index) marks one. */
function names(kind) {
  const box = element("div", { class: `attention-${kind}`, "aria-hidden": "true" });
  const follow = (tokens) => box.replaceChildren(...tokens.map((token) => element("span", {}, labelOf(token))));
  const at = (index) => [...box.children].forEach((one, place) => one.classList.toggle("here", place === index));
  return { box, follow, at };
}

async function render({ model, el }) {
  const say = (key, fields) => words(model, TEXT, key, fields);
  const { tokens, share, first } = sharesOf(model, await inflated(model.get("shares")));
  const [keys, queries, summary] = [names("keys"), names("queries"), element("div", { class: "told" })];
  let [text, at] = [null, null];
  const map = grid({
    rows: () => tokens().length,
    columns: () => tokens().length,
    height: HEIGHT,
    label: say("grid"),
    paint: (query, key, theme) =>
      key > query ? mix(theme.paper, theme.faint, 0.18) : mix(...ramp(theme), share(query, key) / 100),
    mark: (query, key) => (key <= query && share(query, key) >= WRITTEN ? `${share(query, key)}` : ""),
    tell: (query, key) => {
      const [from, to] = [query, key].map((token) => labelOf(tokens()[token]));
      if (key > query) return say("future", { query, key, from, to });
      return say(key === query ? "itself" : "tell", { query, key, from, to, share: percent(share(query, key)) });
    },
    onmove: (query, key) => {
      at = [query, key];
      queries.at(query);
      keys.at(key);
    },
  });
  /** Where a text is entered: at its last query, and the key that this one looks at most. */
  const entrance = () => {
    const query = tokens().length - 1;
    const row = tokens().map((_, key) => share(query, key));
    return [query, row.indexOf(Math.max(...row))];
  };
  const draw = () => {
    if (text !== model.get("text")) {
      text = model.get("text");
      [keys, queries].forEach((one) => one.follow(tokens()));
      at = entrance();
    }
    summary.textContent = say("first", { layer: model.get("layer"), head: model.get("head"), share: percent(first()) });
    map.goTo(...at);
  };
  const upTo = (count) => [...Array(count).keys()];
  const ends = element("span", {}, "0 %", element("i", { class: "attention-scale" }), "100 %");
  const scale = element("div", { class: "note" }, say("scale"), " ", ends);
  const beside = element("div", { class: "attention-beside" }, summary, map.status, scale, element("div", { class: "note" }, say("hint")));
  const corner = element("div", { class: "note attention-corner" }, say("axes"));
  const root = element("div", { class: "course attention" });
  root.append(
    element("h4", {}, say("title")),
    element("div", { class: "controls" },
      choice(model, "text", say("text"), model.get("texts").map((one) => [one, one.replace(/\s*\n\s*/g, " ↵ ")])),
      slider(model, "layer", say("layer"), upTo(model.get("layers"))),
      slider(model, "head", say("head"), upTo(model.get("heads")))),
    element("div", { class: "attention-body" },
      element("div", { class: "attention-map" }, corner, keys.box, queries.box, map.canvas), beside),
  );
  el.append(root);
  const stop = [redrawOn(model, ["text", "layer", "head"], draw), followTheme(root, draw)];
  return () => stop.forEach((end) => end());
}

export default { render };
