// The picture of the eviction visualiser: a row is a step, a column a token, and beside it the loss of that step.

const LEVELS = [0.3, 1, 3, 10, 30]; // per cent, as longctx/replay.py has them
const WIDE = 4; // tokens drawn wide
const [HEAD, ROW] = [34, 15]; // pixels

/** How far a level of attention is from the paper's colour: what is held stands out, however little it draws. */
const shadeOf = (level) => 0.22 + (0.78 * level) / LEVELS.length;

/** Where things stand on a canvas so wide: x of the columns, of the loss, and back from x to a token. */
function places(wide, count) {
  const [left, lens] = [26, wide < 700 ? 22 : 30];
  const bars = wide < 700 ? 130 : 220;
  const strip = left + WIDE * lens + 8;
  const step = (wide - strip - 16 - bars) / (count - WIDE);
  return {
    left, strip, bars: wide - bars, barsWide: bars - 40, narrow: wide < 700,
    column: (token) => (token < WIDE ? [left + token * lens, lens - 2] : [strip + (token - WIDE) * step, step + 0.4]),
    token: (x) => Math.min(count - 1, x < strip ? Math.max(0, Math.min(WIDE - 1, Math.floor((x - left) / lens))) : WIDE + Math.floor((x - strip) / step)),
  };
}

/** The canvas, walked over by pointer and arrow keys; `tell` is called with the step and token pointed at. */
function strip(model, run, say, tell) {
  let at = null;
  const { canvas, draw: repaint } = picture(say("grid"), HEAD + run.steps * ROW + 4, (pen, wide, theme) => {
    pen.font = "11px system-ui, sans-serif";
    const place = places(wide, run.count);
    drawHeader(pen, place, run, say, theme);
    theme.line = mix(theme.paper, theme.faint, 0.45);
    const shades = LEVELS.concat(Infinity).map((_, level) => mix(...ramp(theme), shadeOf(level)));
    for (let step = 0; step <= model.get("step"); step++) drawStep(pen, place, run, step, theme, shades);
    const y = HEAD + model.get("step") * ROW;
    pen.strokeStyle = theme.faint;
    pen.strokeRect(0.5, y - 0.5, wide - 1, ROW + 1);
    if (at) drawPointer(pen, place, at, theme);
  });
  const draw = () => {
    tell(at);
    repaint();
  };
  const goTo = (step, token) => {
    at = { step: Math.min(run.steps - 1, Math.max(0, step)), token: Math.min(run.count - 1, Math.max(0, token)) };
    draw();
  };
  const inside = (event) => {
    const box = canvas.getBoundingClientRect();
    return [Math.floor((event.clientY - box.top - HEAD) / ROW), places(box.width, run.count).token(event.clientX - box.left)];
  };
  canvas.addEventListener("pointermove", (event) => goTo(...inside(event)));
  canvas.addEventListener("click", () => at && remember(model, "step", at.step));
  canvas.addEventListener("keydown", (event) => {
    const { step, token } = at ?? { step: model.get("step"), token: -1 };
    const to = {
      ArrowUp: [step - 1, token], ArrowDown: [step + 1, token], ArrowLeft: [step, token - 1], ArrowRight: [step, token + 1],
      Home: [step, 0], End: [step, (step + 1) * run.chunk - 1],
    }[event.key];
    if (to) goTo(...to);
    else if ((event.key === "Enter" || event.key === " ") && at) remember(model, "step", at.step);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { canvas, draw };
}

function drawHeader(pen, place, run, say, theme) {
  pen.fillStyle = theme.faint;
  pen.textAlign = "left";
  pen.fillText(say("tokens"), place.left, 9);
  pen.fillText(say(place.narrow ? "lossShort" : "loss"), place.bars, 9);
  pen.textAlign = "center";
  const ticks = [...Array(WIDE).keys()];
  for (let token = 64; token < run.count; token += 64) ticks.push(token);
  for (const token of ticks) {
    const [x, wide] = place.column(token);
    pen.fillText(token, x + wide / 2, 25);
  }
}

/** One row: its number, a line for what was read, over it the held ones as blocks, and the loss. */
function drawStep(pen, place, run, step, theme, shades) {
  const [y, high, read] = [HEAD + step * ROW, ROW - 2, (step + 1) * run.chunk];
  pen.fillStyle = theme.faint;
  pen.textAlign = "right";
  pen.fillText(step + 1, place.left - 6, y + ROW / 2);
  pen.textAlign = "center";
  const [end, wide] = place.column(read - 1);
  pen.fillStyle = theme.line;
  pen.fillRect(place.strip, y + high / 2, end + wide - place.strip, 1);
  for (let token = 0; token < read; token++) {
    const cell = run.cell(step, token);
    if (cell || token < WIDE) drawToken(pen, place.column(token), y, cell, run, shades, theme);
    if (token === 0 && cell) {
      pen.fillStyle = inkOn(pen.fillStyle, theme);
      pen.fillText(run.first(step), place.left + place.column(0)[1] / 2, y + ROW / 2);
    }
  }
  drawLoss(pen, place, run, step, theme);
}

/** A block as high as the share of KV heads that hold the token; a cross for an evicted one of the wide. */
function drawToken(pen, [x, wide], y, cell, run, shades, theme) {
  if (cell) {
    const part = ((ROW - 2) * (cell >> 4)) / run.kvHeads;
    pen.fillStyle = shades[cell & 15];
    pen.fillRect(x, y + ROW - 2 - part, wide, part);
  } else {
    pen.fillStyle = theme.faint;
    pen.fillText("×", x + wide / 2, y + ROW / 2);
  }
}

function drawLoss(pen, place, run, step, theme) {
  const [y, high] = [HEAD + step * ROW, ROW - 2];
  const x = (loss) => place.bars + (loss / run.most) * place.barsWide;
  const [loss, full] = [run.loss(step), run.loss(step, run.full)];
  pen.fillStyle = theme.line;
  pen.fillRect(place.bars, y + 2, x(Math.min(loss, full)) - place.bars, high - 4);
  pen.fillStyle = theme.orange;
  if (loss > full) pen.fillRect(x(full), y + 2, x(loss) - x(full), high - 4);
  pen.fillStyle = theme.ink;
  pen.fillRect(x(full) - 1, y - 1, 2, ROW);
  pen.textAlign = "left";
  const more = loss - full;
  if (Math.abs(more) >= 0.05) pen.fillText((more > 0 ? "+" : "−") + Math.abs(more).toFixed(1), Math.max(x(loss), x(full)) + 5, y + ROW / 2);
}

function drawPointer(pen, place, { step, token }, theme) {
  const [x, wide] = place.column(token);
  pen.strokeStyle = theme.orange;
  pen.lineWidth = 2;
  pen.strokeRect(x - 1, HEAD + step * ROW - 1, Math.max(wide, 4) + 2, ROW);
  pen.lineWidth = 1;
}
