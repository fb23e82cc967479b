// Layers from left to right, heads from top to bottom; see sink_map.py.

const TEXT = {
  en: {
    title: "How much attention falls on token 0",
    text: "text",
    story: "story",
    code: "code",
    grid: "layer by head; arrow keys walk",
    tell: "layer {layer}, head {head}: {share} % of the attention is on token 0",
    hint: "Across: layers; down: heads. A ring: half or more. Point at a head, or use the arrow keys.",
    mean: "{count} of {all} heads put half or more of their attention there; the mean of all is {mean} %.",
  },
  zh: {
    title: "有多少注意力落在 token 0 上",
    text: "文本",
    story: "故事",
    code: "代码",
    grid: "层 × 头：方向键移动",
    tell: "第 {layer} 层，头 {head}：{share} % 的注意力在 token 0 上",
    hint: "横向是层，纵向是头。圆圈：一半及以上。把鼠标指到一个头上，或用方向键移动。",
    mean: "{all} 个头里有 {count} 个把一半及以上的注意力放在那里；全部头平均 {mean} %。",
  },
};

function render({ model, el }) {
  const say = (key, fields) => words(model, TEXT, key, fields);
  const mass = () => model.get("masses")[model.get("text")];
  const share = (head, layer) => mass()[layer][head];
  const percent = (value) => (100 * value).toFixed(0);
  const root = element("div", { class: "course" });
  const map = grid({
    rows: () => mass()[0].length,
    columns: () => mass().length,
    height: 208,
    ticks: { rows: (head) => `${head}`, columns: (layer) => (layer % 5 ? "" : `${layer}`) },
    label: say("grid"),
    paint: (head, layer, theme) => mix(...ramp(theme), share(head, layer)),
    mark: (head, layer) => (share(head, layer) >= 0.5 ? "○" : ""),
    tell: (head, layer) => say("tell", { layer, head, share: percent(share(head, layer)) }),
  });
  const summary = element("div");
  const draw = () => {
    const all = mass().flat();
    const mean = percent(all.reduce((sum, one) => sum + one, 0) / all.length);
    const count = all.filter((one) => one >= 0.5).length;
    summary.textContent = say("mean", { count, all: all.length, mean });
    map.draw();
  };
  const texts = Object.keys(model.get("masses")).map((text) => [text, say(text)]);
  root.append(
    element("h4", {}, say("title")),
    element("div", { class: "controls" }, choice(model, "text", say("text"), texts), summary),
    map.canvas,
    map.status,
    element("div", { class: "note" }, say("hint")),
  );
  el.append(root);
  const stop = [redrawOn(model, ["text"], draw), followTheme(root, draw)];
  return () => stop.forEach((end) => end());
}

export default { render };
