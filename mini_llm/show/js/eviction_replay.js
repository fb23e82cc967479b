// The eviction visualiser; its words and its picture stand in files of their own. See eviction_replay.py.

/** What the state says of the choice that is shown, as functions of step and token. */
function recordingOf(model, cells) {
  const [choices, layers, losses] = [model.get("choices"), model.get("layers"), model.get("losses")];
  const full = choices.find((one) => one.startsWith("full/"));
  const [steps, count] = [losses[full].length, model.get("tokens").length];
  const shown = () => {
    const policy = model.get("policy");
    if (policy === "full") return full;
    return `${policy === "sinks" ? `sinks.${model.get("sinks")}` : policy}/${model.get("budget")}`;
  };
  const layer = () => layers.indexOf(model.get("layer"));
  const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
  const cell = (step, token) =>
    cells[((layer() * choices.length + choices.indexOf(shown())) * steps + step) * count + token];
  const kvHeads = cells.reduce((most, one) => Math.max(most, one >> 4), 0);
  const chunk = count / steps;
  const heldOf = (step) => mean([...Array(chunk).keys()].map((at) => (cell(step, step * chunk + at) >> 4) / kvHeads));
  return {
    choices, full, steps, count, shown, mean, cell,
    chunk, kvHeads,
    newestHeld: (from) => Math.round(100 * mean([...Array(steps - from).keys()].map((step) => heldOf(from + step)))),
    most: Math.max(...Object.values(losses).flat()),
    loss: (step, choice = shown()) => losses[choice][step],
    first: (step) => model.get("first")[shown()][layer()][step],
    perplexity: (choice, from = 0) => Math.exp(mean(losses[choice].slice(from))),
    budgets: [...new Set(choices.filter((one) => one !== full).map((one) => Number(one.split("/")[1])))],
    sinks: [...new Set(choices.filter((one) => one.startsWith("sinks.")).map((one) => Number(one.slice(6).split("/")[0])))],
    policies: [...new Set(choices.map((one) => one.split(/[./]/)[0]))],
  };
}

/** What the choice costs, and what became of token 0; of policies that choose, also how many of the newest they hold. */
function headline(model, run, say, nameOf) {
  const [shown, budget, from] = [run.shown(), model.get("budget"), model.get("budget") / run.chunk];
  if (shown === run.full) {
    const cost = say("costFull", { full: run.perplexity(run.full).toFixed(0), count: run.count });
    return [cost, fateOfFirst(model, run, say, 0)].join(say("gap"));
  }
  const [ppl, full] = [shown, run.full].map((one) => run.perplexity(one, from).toFixed(0));
  const said = [say("cost", { name: nameOf(shown), budget, ppl, full }), fateOfFirst(model, run, say, from)];
  if (model.get("policy") !== "sinks") said.push(say("newest", { chunk: run.chunk, held: run.newestHeld(from) }));
  return said.join(say("gap"));
}

function fateOfFirst(model, run, say, from) {
  const [steps, layer] = [[...Array(run.steps).keys()], model.get("layer")];
  const gone = steps.findIndex((step) => !run.cell(step, 0));
  if (gone < 0) {
    const heads = run.cell(run.steps - 1, 0) >> 4;
    const share = Math.round(run.mean(steps.slice(from).map(run.first)));
    const stays = say(heads < run.kvHeads ? "staysIn" : "stays", { heads, all: run.kvHeads, share, layer });
    return run.shown() === run.full ? stays : [stays, say("near", { more: excess(run, steps.slice(from)) })].join(say("gap"));
  }
  const fields = { step: gone + 1, before: gone, share: run.first(gone - 1), layer };
  if (model.get("policy") !== "sinks") return say("goneHere", fields);
  return say("gone", { ...fields, more: excess(run, steps.slice(gone)) });
}

/** By how many nats a token the loss of these steps is above the full cache's. */
function excess(run, steps) {
  return run.mean(steps.map((step) => run.loss(step) - run.loss(step, run.full))).toFixed(1);
}

/** Buttons with a bar each: the perplexity of every choice at the present budget. */
function comparison(model, run, say, nameOf) {
  const box = element("div", { class: "replay-choices" });
  const caption = element("div", { class: "note" });
  const draw = () => {
    const budget = model.get("budget");
    const from = budget / run.chunk;
    const here = run.choices.filter((one) => one === run.full || one.endsWith(`/${budget}`));
    const most = Math.max(...here.map((one) => run.perplexity(one, from)));
    caption.textContent = say("compare", { budget });
    if (box.children.length !== here.length) {
      box.replaceChildren(...here.map(() => element("button", { type: "button" }, element("span"), element("div", {}, element("i")), element("b"))));
    }
    here.forEach((one, index) => {
      const [row, ppl] = [box.children[index], run.perplexity(one, from)];
      const [name, room, number] = row.children;
      row.onclick = () => pick(model, one);
      row.setAttribute("aria-pressed", one === run.shown());
      name.textContent = (one === run.shown() ? "▸ " : "") + nameOf(one);
      room.firstChild.style.width = `${(100 * ppl) / most}%`;
      number.textContent = ppl.toFixed(0);
    });
  };
  return { box, caption, draw };
}

function pick(model, choice) {
  const [name, sinks] = choice.split("/")[0].split(".");
  remember(model, "policy", name);
  if (sinks !== undefined) remember(model, "sinks", Number(sinks));
}

/** The scale of the colours, with the per cents that each stands for. */
function legend(say) {
  const box = element("div", { class: "replay-scale note" }, say("scale"));
  for (let level = 0; level <= LEVELS.length; level++) {
    const share = Math.round(100 * (shadeOf(level)));
    const swatch = element("i", { style: `background: color-mix(in srgb, var(--blue) ${share}%, var(--paper))` });
    const text = level === 0 ? `< ${LEVELS[0]} %` : level === LEVELS.length ? `≥ ${LEVELS.at(-1)} %` : `${LEVELS[level - 1]}–${LEVELS[level]}`;
    box.append(element("span", {}, swatch, text));
  }
  return box;
}

async function render({ model, el }) {
  const say = (key, fields) => words(model, TEXT, key, fields);
  const run = recordingOf(model, await inflated(model.get("cells")));
  const nameOf = (choice) => {
    const [name, sinks] = choice.split("/")[0].split(".");
    if (name !== "sinks") return say(`policy.${name}`);
    return sinks === "0" ? say("window") : say(sinks === "1" ? "oneSink" : "someSinks", { sinks });
  };
  const share = (level) => {
    const fields = { from: LEVELS[level - 1], to: LEVELS[level] };
    return say(level === 0 ? "below" : level === LEVELS.length ? "above" : "between", fields);
  };
  const text = (token) => `“${model.get("tokens")[token].replaceAll("\n", "↵").trim()}”`;
  const tellOf = ({ step, token }) => {
    if (token >= (step + 1) * run.chunk) return say("future", { step: step + 1, token });
    const cell = run.cell(step, token);
    const fields = { step: step + 1, token, text: text(token), heads: cell >> 4, all: run.kvHeads, share: share(cell & 15) };
    const loss = { loss: run.loss(step).toFixed(2), full: run.loss(step, run.full).toFixed(2) };
    return say(cell ? "held" : "evicted", fields) + say("gap") + say("lossTold", loss);
  };
  const root = element("div", { class: "course replay" });
  const [said, rule, told, oldest] = [element("p", { class: "replay-said" }), element("div", { class: "note" }), element("div", { class: "told", role: "status", "aria-live": "polite" }), element("div", { class: "note" })];
  const map = strip(model, run, say, (at) => (told.textContent = at ? tellOf(at) : say("point")));
  const others = comparison(model, run, say, nameOf);
  const sinks = slider(model, "sinks", say("sinks"), run.sinks);
  const budget = slider(model, "budget", say("budget"), run.budgets);
  const names = Object.fromEntries(["back", "play", "pause", "next"].map((name) => [name, say(name)]));
  const playing = player(model, "step", run.steps - 1, names);
  const draw = () => {
    const [policy, held] = [model.get("policy"), []];
    sinks.querySelector("input").disabled = policy !== "sinks";
    budget.querySelector("input").disabled = policy === "full";
    said.textContent = headline(model, run, say, nameOf);
    const plain = policy === "sinks" && model.get("sinks") === 0 ? "window" : policy;
    const fields = { budget: model.get("budget"), sinks: model.get("sinks"), rest: model.get("budget") - model.get("sinks"), half: model.get("budget") / 2 };
    const total = { count: run.count, ppl: run.perplexity(run.shown()).toFixed(0), full: run.perplexity(run.full).toFixed(0) };
    rule.textContent = say(`rule.${plain}`, fields) + (policy === "full" ? "" : say("gap") + say("total", total));
    for (let token = 0; token < run.count && held.length < 16; token++) if (run.cell(model.get("step"), token)) held.push(text(token));
    oldest.textContent = say("oldest", { step: model.get("step") + 1 }) + held.join(" ");
    map.draw();
    others.draw();
  };
  root.append(
    element("h4", {}, say("title")),
    element("div", { class: "controls" },
      choice(model, "policy", say("policy"), run.policies.map((one) => [one, say(`policy.${one}`)])),
      sinks, budget,
      slider(model, "layer", say("layer"), model.get("layers")),
      slider(model, "step", say("step"), [...Array(run.steps).keys()], (step) => say("stepOf", { step: step + 1, steps: run.steps })),
      playing.bar),
    said, rule, map.canvas, told, oldest, legend(say), element("div", { class: "note" }, say("signs")), others.caption, others.box,
  );
  el.append(root);
  const stop = [redrawOn(model, ["policy", "sinks", "budget", "layer", "step"], draw), followTheme(root, draw), playing.stop];
  return () => stop.forEach((end) => end());
}

export default { render };
