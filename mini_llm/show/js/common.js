// What every view of the course uses: elements, controls, colours, a grid on a canvas, and a player.

const SVG = "http://www.w3.org/2000/svg";

const TAKES_KEYS = new Set(["button", "input", "select", "textarea"]);

/** An HTML element, or one of SVG where the name is written "svg:name"; attributes `onX` are listeners. */
function element(name, attributes = {}, ...children) {
  const node = name.startsWith("svg:")
    ? document.createElementNS(SVG, name.slice(4))
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2).toLowerCase(), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  if (TAKES_KEYS.has(name) || "tabindex" in attributes) {
    node.setAttribute("data-lm-suppress-shortcuts", "true"); // or JupyterLab takes its keys: "b" adds a cell
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

/** The text of `key` in the reader's language, with {fields} filled in. */
function words(model, table, key, fields = {}) {
  const text = table[model.get("lang")][key];
  return text.replace(/\{(\w+)\}/g, (_, name) => fields[name]);
}

/** A token with its spaces and new lines made visible. */
const visible = (token) => token.replaceAll("\n", "↵").replaceAll(" ", "␣");

/** A token as a label: without the space before a word, and what is only white space made visible. */
const labelOf = (token) => token.trim() || visible(token);

/** A part of the state that the view changes: saved with the notebook, and sent to the kernel where there is one. */
function remember(model, key, value) {
  model.set(key, value);
  model.save_changes();
}

/** Calls `draw` now and whenever one of the named parts of the state changes, at most once a frame. */
function redrawOn(model, keys, draw) {
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
  for (const key of keys) model.on(`change:${key}`, later);
  draw();
  return () => keys.forEach((key) => model.off(`change:${key}`, later));
}

/** A labelled slider over `values`, bound to one part of the state; `show` writes a value for the reader. */
function slider(model, key, label, values, show = String) {
  const input = element("input", { type: "range", min: 0, max: values.length - 1, step: 1, "aria-label": label });
  const told = element("output");
  const follow = () => {
    const value = model.get(key);
    const at = values.indexOf(value);
    input.value = at < 0 ? values.findLastIndex((one) => one <= value) : at; // a player may stop between two values
    told.textContent = show(value);
    input.setAttribute("aria-valuetext", show(value));
  };
  input.addEventListener("input", () => remember(model, key, values[Number(input.value)]));
  model.on(`change:${key}`, follow);
  follow();
  return element("label", { class: "control", "data-key": key }, element("span", {}, label), input, told);
}

/** A labelled list of choices ([value, text] each), bound to one part of the state. */
function choice(model, key, label, options) {
  const select = element("select", { "aria-label": label });
  for (const [value, text] of options) select.append(element("option", { value }, text));
  const follow = () => (select.value = model.get(key));
  select.addEventListener("change", () => remember(model, key, select.value));
  model.on(`change:${key}`, follow);
  follow();
  return element("label", { class: "control", "data-key": key }, element("span", {}, label), select);
}

/** A button; its name is what a screen reader says. */
function button(text, name, onclick) {
  return element("button", { type: "button", "aria-label": name, title: name, onclick }, text);
}

const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Buttons back, play or pause, and forward over 0..last of one part of the state; `names` are back, play, pause, next. A
 * step is `stride()` long. */
function player(model, key, last, names, interval = 220, stride = () => 1) {
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    toggle.textContent = "▶";
    toggle.setAttribute("aria-label", names.play);
    toggle.title = names.play;
  };
  const move = (by) => remember(model, key, Math.min(last, Math.max(0, model.get(key) + by * stride())));
  const start = () => {
    if (model.get(key) >= last) remember(model, key, 0);
    toggle.textContent = "❚❚";
    toggle.setAttribute("aria-label", names.pause);
    toggle.title = names.pause;
    timer = setInterval(() => {
      move(1);
      if (model.get(key) >= last) stop();
    }, reducedMotion() ? 4 * interval : interval);
  };
  const toggle = button("▶", names.play, () => (timer ? stop() : start()));
  const step = (by) => () => {
    stop();
    move(by);
  };
  const bar = element("div", { class: "player", role: "group" });
  bar.append(button("|◀", names.back, step(-1)), toggle, button("▶|", names.next, step(1)));
  return { bar, stop };
}

/** The colours of the theme that the view stands in: light or dark, as JupyterLab or the page says. */
function colours(node) {
  const style = getComputedStyle(node);
  const of = (name) => style.getPropertyValue(name).trim();
  return { ink: of("--ink"), faint: of("--faint"), paper: of("--paper"), blue: of("--blue"), orange: of("--orange") };
}

/** `share` in 0..1 of the way from one #rrggbb to another. */
function mix(from, to, share) {
  const part = (text, at) => parseInt(text.slice(at, at + 2), 16);
  const one = (at) => Math.round(part(from, at) + share * (part(to, at) - part(from, at)));
  return `rgb(${one(1)} ${one(3)} ${one(5)})`;
}

/** The two ends of the scale for "none" to "all": paper to ink-blue, so that more is always further from the ground. */
function ramp(theme) {
  return [theme.paper, theme.blue];
}

/** Ink or paper, whichever is easier to read on a ground #rrggbb. */
function inkOn(ground, theme) {
  const light = (text) => [0.3, 0.6, 0.1].reduce((sum, part, at) => sum + part * parseInt(text.slice(1 + 2 * at, 3 + 2 * at), 16), 0);
  const far = (colour) => Math.abs(light(colour) - light(ground));
  return far(theme.ink) > far(theme.paper) ? theme.ink : theme.paper;
}

/** Marks the view as standing on a dark page, so that the style sheet's dark colours hold; returns what ends it. */
function followTheme(root, onchange = () => {}) {
  const look = () => {
    const ground = getComputedStyle(document.body).getPropertyValue("--jp-layout-color0").trim();
    const probe = element("span", { style: `color:${ground || "white"}` });
    document.body.append(probe); // the view itself may not stand on the page yet
    const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
    probe.remove();
    const dark = 0.3 * red + 0.6 * green + 0.1 * blue < 128;
    if (root.classList.contains("dark") !== dark) {
      root.classList.toggle("dark", dark);
      requestAnimationFrame(onchange); // at once, between two themes' sheets, nothing has its width
    }
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"] });
  requestAnimationFrame(look);
  return () => watch.disconnect();
}

/**
 * A canvas that takes keys, as wide as its place and `high` pixels high. paint(pen, wide, theme) draws it, in pixels of
 * the page: on draw(), and whenever its place gets another width.
 */
function picture(label, high, paint) {
  const canvas = element("canvas", { tabindex: 0, role: "application", "aria-label": label, class: "grid" });
  canvas.style.height = `${high}px`;
  const draw = () => {
    const [scale, wide] = [window.devicePixelRatio || 1, canvas.clientWidth];
    if (!wide) return; // not on the page yet
    [canvas.width, canvas.height] = [wide * scale, high * scale];
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.textBaseline = "middle";
    paint(pen, wide, colours(canvas));
  };
  new ResizeObserver(draw).observe(canvas);
  return { canvas, draw };
}

/**
 * A grid of rows x columns on a canvas that the arrow keys and the pointer walk over.
 * paint(row, column) gives a cell's colour, mark(row, column) a sign drawn on it or "", tell(row, column) the line
 * below that says what stands there; onmove and onpick hear where the reader goes and what is chosen.
 */
function grid({ rows, columns, height, label, paint, mark = () => "", tell, onmove = () => {}, onpick = () => {}, ticks = null }) {
  const [left, below] = ticks ? [34, 18] : [0, 0];
  const status = element("div", { class: "told", role: "status", "aria-live": "polite" });
  let at = null;
  const { canvas, draw: repaint } = picture(label, height, (pen, wide, theme) => {
    const [w, h] = [(wide - left) / columns(), (height - below) / rows()];
    if (ticks) drawTicks(pen, ticks, { rows: rows(), columns: columns(), left, w, h, theme });
    pen.translate(left, 0);
    pen.textAlign = "center";
    pen.font = `${Math.min(12, 0.8 * h)}px sans-serif`;
    for (let row = 0; row < rows(); row++) {
      for (let column = 0; column < columns(); column++) {
        pen.fillStyle = paint(row, column, theme);
        pen.fillRect(column * w, row * h, w + 0.5, h + 0.5);
        const sign = mark(row, column);
        const fits = sign.length < 2 || pen.measureText(sign).width < w; // two numbers that touch would read as one
        if (sign && fits) {
          pen.fillStyle = inkOn(pen.fillStyle, theme);
          pen.fillText(sign, (column + 0.5) * w, (row + 0.5) * h);
        }
      }
    }
    if (at) {
      pen.strokeStyle = theme.orange;
      pen.lineWidth = 2;
      pen.strokeRect(at[1] * w, at[0] * h, Math.max(w, 3), Math.max(h, 3));
    }
  });
  const draw = () => {
    if (at) status.textContent = tell(...at);
    repaint();
  };
  const goTo = (row, column) => {
    at = [Math.min(rows() - 1, Math.max(0, row)), Math.min(columns() - 1, Math.max(0, column))];
    draw();
    onmove(...at);
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const share = [(event.clientY - box.top) / (box.height - below), (event.clientX - box.left - left) / (box.width - left)];
    goTo(Math.floor(share[0] * rows()), Math.floor(share[1] * columns()));
  });
  canvas.addEventListener("click", () => at && onpick(...at));
  canvas.addEventListener("keydown", (event) => {
    const [row, column] = at ?? [0, 0];
    const to = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      Home: [row, 0], End: [row, columns() - 1], PageUp: [0, column], PageDown: [rows() - 1, column],
    }[event.key];
    if (to) goTo(...(at ? to : [0, 0]));
    else if (event.key === "Enter" || event.key === " ") {
      if (at) onpick(...at);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { canvas, status, draw, goTo };
}

/** The names of a grid's rows (left of it) and columns (below it), where `ticks.rows` and `ticks.columns` give one. */
function drawTicks(pen, ticks, { rows, columns, left, w, h, theme }) {
  pen.fillStyle = theme.faint;
  pen.font = "11px sans-serif";
  pen.textAlign = "right";
  for (let row = 0; row < rows; row++) pen.fillText(ticks.rows(row), left - 5, (row + 0.5) * h);
  pen.textAlign = "center";
  for (let column = 0; column < columns; column++) {
    pen.fillText(ticks.columns(column), left + (column + 0.5) * w, rows * h + 10);
  }
}
