// A row of dials, angle 0 to the right and growing anticlockwise, as in the plane of a pair; see rope_clock.py.

const TEXT = {
  en: {
    title: "RoPE clock: every pair of dimensions is a hand",
    position: "query at",
    distance: "key behind it by",
    stride: "a step is",
    tokens: "{count} tokens",
    token: "1 token",
    back: "back one step",
    play: "turn",
    pause: "pause",
    next: "on one step",
    pair: "pair {pair}",
    wave: "{wave} tokens",
    turns: "{turns} turns",
    cos: "cos = {cos}",
    dial: "pair {pair}: query at {query}°{unseenQuery}, key at {key}°{unseenKey}",
    unseen: ", an angle never seen in training",
    where: "Query at {query}, {times} × the trained length; key at {key}. Angles that training never had: the query's own in {hands} of {all} pairs (◆), the one between the two hands in {apart}.",
    slow: "{slow} of {all} pairs never completed a turn in the {trained} positions of training.",
    hint: "Solid hand with ●: the query. Dashed hand with ○: the key. Thick ring: the angles that training saw; ◆ and ◇ are outside it. Below a dial: the cos of the angle between the hands, the tokens in a whole turn, the turns made in training. Were q and k equal before they were turned, the score would be the sum of these cos, each times the squared length of that pair.",
  },
  zh: {
    title: "RoPE 时钟：每一对维度是一根指针",
    position: "query 的位置",
    distance: "key 在它前面",
    stride: "每步",
    tokens: "{count} 个 token",
    token: "1 个 token",
    back: "后退一步",
    play: "转动",
    pause: "暂停",
    next: "前进一步",
    pair: "第 {pair} 对",
    wave: "{wave} token",
    turns: "{turns} 圈",
    cos: "cos = {cos}",
    dial: "第 {pair} 对：query 在 {query}°{unseenQuery}，key 在 {key}°{unseenKey}",
    unseen: "（训练中没出现过的角度）",
    where: "query 在 {query}，是训练长度的 {times} 倍；key 在 {key}。训练中没出现过的角度：query 自己的，{all} 对里有 {hands} 对（◆）；两针之间的夹角，有 {apart} 对。",
    slow: "{all} 对里有 {slow} 对，在训练用到的 {trained} 个位置里一圈也没转完。",
    hint: "实线和 ●：query。虚线和 ○：key。粗弧：训练中见过的角度；◆ 和 ◇ 在粗弧之外。表盘下面依次是：两针夹角的 cos，转一圈要多少 token，训练中转了几圈。如果 q 和 k 在旋转之前相等，分数就是把每一对的 cos 乘上这一对长度的平方，再加起来。",
  },
};

const TURN = 2 * Math.PI;
const STRIDES = [1, 16, 256, 4096];

/** 0 and about `count` whole numbers to `last`, evenly spaced on a log scale. */
function logSteps(last, count) {
  const steps = Array.from({ length: count }, (_, i) => Math.round(last ** (i / (count - 1))));
  return [...new Set([0, ...steps])];
}

const onCircle = (angle, radius) => [50 + radius * Math.cos(angle), 50 - radius * Math.sin(angle)];

const signed = (value) => value.toFixed(2).replace("-", "−");

/** The path of an arc from angle 0; of a whole circle where `angle` is a turn. */
function arc(angle, radius) {
  const to = Math.min(angle, TURN - 1e-3);
  return `M ${onCircle(0, radius)} A ${radius} ${radius} 0 ${to > Math.PI ? 1 : 0} 0 ${onCircle(to, radius)}`;
}

/** A hand of a dial, and the sign at its tip: a disc where training saw the angle, a diamond where it did not. */
function hand(kind, radius) {
  const line = element("svg:line", { x1: 50, y1: 50 });
  const sign = element("svg:path", {});
  const node = element("svg:g", { class: `hand ${kind}` }, line, sign);
  const point = (angle, seen) => {
    const [x, y] = onCircle(angle, radius);
    line.setAttribute("x2", x);
    line.setAttribute("y2", y);
    const disc = `M ${x - 4} ${y} a 4 4 0 1 0 8 0 a 4 4 0 1 0 -8 0`;
    sign.setAttribute("d", seen ? disc : `M ${x} ${y - 6} l 6 6 l -6 6 l -6 -6 z`);
    node.classList.toggle("unseen", !seen);
    node.dataset.angle = angle;
  };
  return { node, point };
}

/** The drawing of one dial; `follow(query, key)` takes an angle and whether training saw it, for each hand. */
function face(seenAngle) {
  const [query, key] = [hand("query", 34), hand("key", 24)];
  const node = element(
    "svg:svg",
    { viewBox: "0 0 100 100", role: "img" },
    element("svg:circle", { cx: 50, cy: 50, r: 45 }),
    element("svg:path", { class: "seen", d: arc(seenAngle, 45) }),
    key.node,
    query.node,
  );
  const follow = (ofQuery, ofKey) => {
    query.point(...ofQuery);
    key.point(...ofKey);
  };
  return { node, follow };
}

/** One dial with its texts: `follow` turns it to a query at m and a key at n. */
function dial(say, pair, frequency, trained) {
  const drawing = face((trained - 1) * frequency);
  const cos = element("div");
  const wave = Math.round(TURN / frequency).toLocaleString("en");
  const turned = (trained * frequency) / TURN;
  const turns = turned < 10 ? turned.toFixed(2) : Math.round(turned).toLocaleString("en");
  const node = element(
    "div",
    { class: "rope-dial" },
    element("div", {}, say("pair", { pair })),
    drawing.node,
    cos,
    element("div", { class: "note" }, say("wave", { wave })),
    element("div", { class: "note" }, say("turns", { turns })),
  );
  const follow = (angleOf, seen, m, n) => {
    drawing.follow(...[m, n].map((place) => [angleOf(pair, place), seen(pair, place)]));
    const known = seen(pair, m - n);
    cos.textContent = say("cos", { cos: signed(Math.cos((m - n) * frequency)) }) + (known ? "" : " ◆");
    cos.classList.toggle("unseen", !known);
    const degrees = (place) => Math.round((360 * angleOf(pair, place)) / TURN);
    const told = (place) => (seen(pair, place) ? "" : say("unseen"));
    const fields = { query: degrees(m), key: degrees(n), unseenQuery: told(m), unseenKey: told(n) };
    drawing.node.setAttribute("aria-label", say("dial", { pair, ...fields }));
  };
  return { node, follow };
}

/** Sliders, player and the length of its step. */
function controls(model, say, number) {
  const reach = model.get("reach");
  const steps = logSteps(reach, 240);
  const strides = STRIDES.map((count) => [String(count), say(count > 1 ? "tokens" : "token", { count: number(count) })]);
  const names = Object.fromEntries(["back", "play", "pause", "next"].map((key) => [key, say(key)]));
  const turning = player(model, "position", reach, names, 150, () => Number(model.get("stride")));
  const bar = element(
    "div",
    { class: "controls" },
    slider(model, "position", say("position"), steps, number),
    slider(model, "distance", say("distance"), steps, number),
    turning.bar,
    choice(model, "stride", say("stride"), strides),
  );
  return { bar, stop: turning.stop };
}

function render({ model, el }) {
  const say = (key, fields) => words(model, TEXT, key, fields);
  const [frequencies, trained] = [model.get("frequencies"), model.get("trained")];
  const number = (value) => value.toLocaleString("en");
  const angleOf = (pair, place) => (place * frequencies[pair]) % TURN;
  const seen = (pair, place) => angleOf(pair, place) <= (trained - 1) * frequencies[pair];
  const dials = model.get("dials").map((pair) => dial(say, pair, frequencies[pair], trained));
  const where = element("div", { class: "told", role: "status" });
  const draw = () => {
    const m = model.get("position");
    const n = Math.max(0, m - model.get("distance"));
    dials.forEach((one) => one.follow(angleOf, seen, m, n));
    const unseen = (place) => frequencies.filter((_, pair) => !seen(pair, place)).length;
    const places = { query: number(m), times: (m / trained).toFixed(2), key: number(n) };
    where.textContent = say("where", { ...places, hands: unseen(m), apart: unseen(m - n), all: frequencies.length });
  };
  const turned = controls(model, say, number);
  const slow = frequencies.filter((frequency) => TURN / frequency > trained).length;
  const root = element(
    "div",
    { class: "course rope-clock" },
    element("h4", {}, say("title")),
    turned.bar,
    element("div", { class: "rope-dials" }, ...dials.map((one) => one.node)),
    where,
    element("div", {}, say("slow", { slow, all: frequencies.length, trained: number(trained) })),
    element("div", { class: "note" }, say("hint")),
  );
  el.append(root);
  const stop = [redrawOn(model, ["position", "distance"], draw), followTheme(root, draw), turned.stop];
  return () => stop.forEach((end) => end());
}

export default { render };
