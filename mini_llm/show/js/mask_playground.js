// A table of buttons: a row a query, a column a key, and behind them what the model says; see mask_playground.py.

const SIGNS = { sees: "●", blank: "", future: "!", lacks: "×" };
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const PATIENCE = 2000; // milliseconds after which a kernel that answers would have

/** The mask as rows of buttons of which one is in the tab order; onfocus(row, column), ontoggle(row, column). */
function cells(rows, columns, onfocus, ontoggle) {
  const of = (row, column) => all[row * columns + column];
  const enter = (row, column) => {
    all.forEach((one) => (one.tabIndex = -1));
    of(row, column).tabIndex = 0;
    onfocus(row, column);
  };
  const walk = (row, column) => (event) => {
    if (!MOVES[event.key]) return;
    const [down, right] = MOVES[event.key];
    of(Math.min(rows - 1, Math.max(0, row + down)), Math.min(columns - 1, Math.max(0, column + right))).focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const all = Array.from({ length: rows * columns }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    return element("button", {
      type: "button",
      tabindex: at ? -1 : 0,
      onclick: () => ontoggle(row, column),
      onfocus: () => enter(row, column),
      onkeydown: walk(row, column),
      onpointerenter: () => onfocus(row, column),
    });
  });
  return { all, row: (row) => all.slice(row * columns, (row + 1) * columns) };
}

/** Right of a row: what the model says there. */
function verdict(truth) {
  const [says, nll, moved] = [element("td"), element("td"), element("td")];
  const follow = (answer) => {
    says.textContent = answer ? labelOf(answer.says) + (answer.hit ? " ✓" : "") : "…";
    nll.textContent = answer ? answer.nll.toFixed(2) : "…";
    moved.textContent = !answer ? "…" : answer.kl ? `≠ ${answer.kl < 0.01 ? "< 0.01" : answer.kl.toFixed(2)}` : "=";
    moved.classList.toggle("moved", Boolean(answer?.kl));
  };
  return { cells: [says, element("td", {}, labelOf(truth)), nll, moved], follow };
}

function table(model, say, buttons, verdicts) {
  const [tokens, cached] = [model.get("tokens"), model.get("cached")];
  const keys = tokens.slice(0, -1);
  const head = keys.map((key, at) => element("th", { class: at === cached ? "key first-new" : "key" }, element("span", {}, labelOf(key))));
  const names = ["says", "true", "nll", "moved"].map((name) => element("th", {}, say(name)));
  const rows = verdicts.map((one, row) =>
    element(
      "tr",
      {},
      element("th", {}, labelOf(tokens[cached + row])),
      ...buttons.row(row).map((node, at) => element("td", { class: at === cached ? "cell first-new" : "cell" }, node)),
      ...one.cells,
    ),
  );
  const whole = element(
    "table",
    { class: "mask-table", "aria-label": say("grid") },
    element("thead", {}, element("tr", {}, element("th", {}, say("query")), ...head, ...names)),
    element("tbody", {}, ...rows),
  );
  return element("div", { class: "mask-scroll" }, whole);
}

/** What stands at each cell against the causal mask, and the words for it. */
function reader(model, say) {
  const [tokens, cached, right] = ["tokens", "cached", "right"].map((key) => model.get(key));
  const columns = tokens.length - 1;
  const stateOf = (row, column) => {
    const [may, should] = [model.get("bits"), right].map((bits) => bits[row * columns + column] === "1");
    return may ? (should ? "sees" : "future") : should ? "lacks" : "blank";
  };
  const describe = (row, column) => {
    const fields = { query: labelOf(tokens[cached + row]), at: cached + row, key: labelOf(tokens[column]), place: column };
    return say("cell", { ...fields, state: say(stateOf(row, column)) });
  };
  return { stateOf, describe, columns, rows: columns - cached, query: (row) => labelOf(tokens[cached + row]) };
}

/** The line that counts what is wrong with the mask; without an answer, that the model is being asked. */
function summary(model, say) {
  const node = element("div", { class: "told", role: "status" });
  let waiting = null;
  const stop = () => clearTimeout(waiting);
  const mean = (answer) => (answer.reduce((sum, one) => sum + one.nll, 0) / answer.length).toFixed(2);
  const follow = (states, answer) => {
    stop();
    if (!answer) {
      node.textContent = say("asking");
      waiting = setTimeout(() => (node.textContent = say("silent")), PATIENCE);
      return;
    }
    const [future, lacks] = ["future", "lacks"].map((state) => states.filter((one) => one === state).length);
    const differs = { future, lacks, moved: answer.filter((one) => one.kl).length, all: answer.length };
    const means = { nll: mean(answer), right: mean(model.get("answers")[model.get("right")]) };
    const parts = [future || lacks ? say("differs", differs) : say("isRight"), say("mean", means)];
    if (future && Number(means.nll) < Number(means.right)) parts.push(say("cheats"));
    node.textContent = parts.join(model.get("lang") === "zh" ? "" : " ");
  };
  return { node, follow, stop };
}

/** The buttons of the masks that have a name. */
function presets(model) {
  const all = Object.entries(model.get("presets")).map(([name, bits]) => {
    const text = TEXT[model.get("lang")][name] ?? name;
    return [bits, button(text, text, () => remember(model, "bits", bits))];
  });
  const follow = () => all.forEach(([bits, node]) => node.setAttribute("aria-pressed", bits === model.get("bits")));
  return { nodes: all.map(([, node]) => node), follow };
}

/** The buttons of the cells, and the line that tells the one pointed at; refuses to blind a query. */
function board(model, say, { stateOf, describe, rows, columns, query }) {
  const told = element("div", { class: "told", role: "status" });
  const toggle = (row, column) => {
    const bits = [...model.get("bits")];
    const at = row * columns + column;
    bits[at] = bits[at] === "1" ? "0" : "1";
    const sees = bits.slice(row * columns, (row + 1) * columns).includes("1");
    if (sees) remember(model, "bits", bits.join(""));
    told.textContent = sees ? describe(row, column) : say("blind", { query: query(row) });
  };
  const buttons = cells(rows, columns, (row, column) => (told.textContent = describe(row, column)), toggle);
  const follow = () =>
    buttons.all.map((node, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns];
      const state = stateOf(row, column);
      node.textContent = SIGNS[state];
      node.className = state;
      node.setAttribute("aria-pressed", state === "sees" || state === "future");
      node.setAttribute("aria-label", describe(row, column));
      return state;
    });
  return { told, buttons, follow };
}

function render({ model, el }) {
  const say = (key, fields) => words(model, TEXT, key, fields);
  const reading = reader(model, say);
  const [drawn, named, summing] = [board(model, say, reading), presets(model), summary(model, say)];
  const truths = model.get("tokens").slice(model.get("cached") + 1);
  const verdicts = truths.map((truth) => verdict(truth));
  const draw = () => {
    const answer = model.get("answers")[model.get("bits")];
    verdicts.forEach((one, row) => one.follow(answer?.[row]));
    named.follow();
    summing.follow(drawn.follow(), answer);
  };
  const root = element(
    "div",
    { class: "course" },
    element("h4", {}, say("title")),
    element("div", { class: "controls" }, element("span", { class: "note" }, say("masks")), ...named.nodes),
    table(model, say, drawn.buttons, verdicts),
    drawn.told,
    summing.node,
    element("div", { class: "note" }, say("hint")),
  );
  el.append(root);
  const stop = [redrawOn(model, ["bits", "answers"], draw), followTheme(root, draw), summing.stop];
  return () => stop.forEach((end) => end());
}

export default { render };
