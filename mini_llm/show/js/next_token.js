// The text as a strip of tokens, and below it what the model expected in place of the chosen one; see next_token.py.

const TEXT = {
  en: {
    title: "What the model expected in the box",
    token: "token",
    of: "{token} of {last}",
    strip: "the text; click a token to see what was expected in its place",
    among: "✓ In the box really stands {name}: {share}, rank {rank}.",
    beyond: "In the box really stands {name}, none of the five: {share}, rank {rank}.",
    hint: "The bars: the five best guesses after reading what stands before the boxed token. Click a token, or move the slider with the arrow keys. ␣ is a space, ↵ a new line. Nothing stands before the first token, so nobody guesses it.",
  },
  zh: {
    title: "模型猜框里是什么",
    token: "token",
    of: "第 {token} 个，共 {last} 个",
    strip: "原文；点一个 token，看这个位置上模型的候选",
    among: "✓ 框里真正的是{name}：概率 {share}，排第 {rank}。",
    beyond: "框里真正的是{name}，不在这五个里：概率 {share}，排第 {rank}。",
    hint: "条形是模型读完框内 token 之前的文字后，排在最前的五个候选。点一个 token，或用方向键移动滑块。␣ 是空格，↵ 是换行。第一个 token 之前什么也没有，所以没有候选。",
  },
};

const percent = (share) => (share < 0.1 ? "< 0.1 %" : `${share.toFixed(1)} %`);

/** The whole text; token 0, before which nothing is read, cannot be chosen. */
function strip(model, label, choose) {
  const parts = model.get("tokens").map((token, at) =>
    element("span", at ? { class: "next-part", onclick: () => choose(at) } : {}, token.trim() ? token : visible(token)),
  );
  const draw = () =>
    parts.forEach((part, at) => {
      part.classList.toggle("later", at > model.get("token"));
      if (at === model.get("token")) part.setAttribute("aria-current", "true");
      else part.removeAttribute("aria-current");
    });
  return { box: element("div", { class: "next-strip", role: "group", "aria-label": label }, ...parts), draw };
}

/** A row a guess: a sign if it came, its text, a bar, its probability. */
function bars(model) {
  const rows = model.get("best")[0].map(() => ["sign", "name", "bar", "share"].map((kind) => element("span", { class: `next-${kind}` })));
  rows.forEach(([, , bar]) => bar.append(element("i")));
  const draw = () => {
    const best = model.get("best")[model.get("token") - 1];
    rows.forEach(([sign, name, bar, share], place) => {
      const [guess, value, came] = best[place];
      sign.textContent = came ? "✓" : "";
      name.textContent = visible(guess);
      bar.firstChild.style.width = `${value}%`;
      bar.firstChild.classList.toggle("came", came);
      share.textContent = percent(value);
    });
  };
  return { box: element("div", { class: "next-bars" }, ...rows.flat()), draw };
}

function render({ model, el }) {
  const say = (key, fields) => words(model, TEXT, key, fields);
  const last = model.get("tokens").length - 1;
  const positions = Array.from({ length: last }, (_, at) => at + 1);
  const place = slider(model, "token", say("token"), positions, (token) => say("of", { token, last }));
  const text = strip(model, say("strip"), (token) => {
    remember(model, "token", token);
    place.querySelector("input").focus(); // the arrow keys go on from there
  });
  const [guesses, told] = [bars(model), element("div", { class: "told", role: "status", "aria-live": "polite" })];
  const draw = () => {
    const token = model.get("token");
    const [share, rank] = model.get("came")[token - 1];
    text.draw();
    guesses.draw();
    told.textContent = say(rank > model.get("best")[token - 1].length ? "beyond" : "among", { name: `“${visible(model.get("tokens")[token])}”`, share: percent(share), rank: rank.toLocaleString("en") });
  };
  const root = element("div", { class: "course next" });
  root.append(
    element("h4", {}, say("title")),
    element("div", { class: "controls" }, place),
    text.box,
    guesses.box,
    told,
    element("div", { class: "note" }, say("hint")),
  );
  el.append(root);
  const stop = [redrawOn(model, ["token"], draw), followTheme(root)];
  return () => stop.forEach((end) => end());
}

export default { render };
