// One question at a time, graded in place, with a strip of all of them above and the score below.

const MARKS = { open: "", first: "✓", later: "◐", wrong: "✗" };

/** A text with its `code` set as such; never read as HTML. */
function rich(text) {
  return text.split("`").map((part, at) => (at % 2 ? element("code", {}, part) : part));
}

/** What the parts of the view share: the state, read and changed; `quiz.draw` is set by render. */
function quizOf(model) {
  const quiz = { model, questions: model.get("questions"), drafts: {}, remark: "" }; // drafts: not checked yet
  quiz.say = (key, fields) => words(model, TEXT, key, fields);
  quiz.in = (part, field = "") => part[field ? `${field}_${model.get("lang")}` : model.get("lang")];
  quiz.seed = (question) => `${question.id}/${model.get("round")}`;
  quiz.tries = (question) => model.get("answers")[question.id] || [];
  quiz.grade = (question, answer) => grade(question, answer, quiz.in, quiz.say);
  quiz.standing = (question) => {
    const right = quiz.tries(question).findIndex((answer) => quiz.grade(question, answer).right);
    if (right < 0) return quiz.tries(question).length ? "wrong" : "open";
    return right ? "later" : "first";
  };
  quiz.done = (question) => ["first", "later"].includes(quiz.standing(question));
  quiz.go = (number) => {
    quiz.remark = "";
    remember(model, "current", number);
  };
  quiz.submit = (question, answer) => {
    quiz.remark = "";
    const tries = quiz.tries(question);
    const known = tries.some((tried) => JSON.stringify(tried) === JSON.stringify(answer));
    if (!known) remember(model, "answers", { ...model.get("answers"), [question.id]: [...tries, answer] });
    quiz.draw();
  };
  quiz.refuse = (text) => {
    quiz.remark = text;
    quiz.draw();
  };
  quiz.restart = () => {
    quiz.drafts = {};
    remember(model, "answers", {});
    remember(model, "round", model.get("round") + 1);
    quiz.go(0);
  };
  return quiz;
}

const shelf = (model) => `long-context-course/quiz/${model.get("chapter")}`;

/** Takes up the answers that this browser has kept, where the state has none: a notebook is not always saved. */
function recall(model) {
  try {
    const kept = JSON.parse(localStorage.getItem(shelf(model)));
    if (!kept || Object.keys(model.get("answers")).length) return;
    remember(model, "round", kept.round);
    remember(model, "answers", kept.answers);
  } catch {
    // a page without storage begins with none
  }
}

function keep(model) {
  try {
    localStorage.setItem(shelf(model), JSON.stringify({ answers: model.get("answers"), round: model.get("round") }));
  } catch {
    // as above
  }
}

function strip(quiz) {
  const bar = element("div", { class: "player", role: "group", "aria-label": quiz.say("questions") });
  quiz.questions.forEach((question, at) => {
    const stand = quiz.standing(question);
    const there = button(`${at + 1} ${MARKS[stand]}`.trim(), `${at + 1}: ${quiz.say(stand)}`, () => quiz.go(at));
    if (at === quiz.model.get("current")) there.setAttribute("aria-current", "true");
    there.dataset.focus = `go${at}`;
    bar.append(there);
  });
  return bar;
}

function options(quiz, question) {
  const last = quiz.tries(question).at(-1); // its reason stands below, in the verdict
  return shuffled(question.option.length, quiz.seed(question)).map((index) => {
    const option = question.option[index];
    const tried = quiz.tries(question).includes(index);
    const radio = element("input", { type: "radio", name: question.id, "data-focus": `option${index}` });
    radio.disabled = quiz.done(question) || tried;
    radio.checked = tried ? Boolean(option.right) : quiz.drafts[question.id] === index;
    radio.addEventListener("change", () => (quiz.drafts[question.id] = index));
    const mark = element("span", { class: option.right ? "mark good" : "mark bad" }, tried ? MARKS[option.right ? "first" : "wrong"] : "");
    const label = element("label", {}, radio, mark, element("span", {}, ...rich(quiz.in(option))));
    const reason = tried && !option.right && index !== last ? element("div", { class: "why" }, ...rich(quiz.in(option, "why"))) : null;
    return element("div", { class: "option" }, label, reason);
  });
}

/** What stands in the form: the right answer once it is found, else what the reader has begun, else the last try. */
function started(quiz, question) {
  const last = quiz.tries(question).at(-1);
  return quiz.done(question) ? last : (quiz.drafts[question.id] ?? last);
}

function field(quiz, question) {
  const unit = quiz.in(question, "unit");
  const name = `${quiz.say("answer")} (${unit})`;
  const input = element("input", { type: "text", size: 14, autocomplete: "off", "aria-label": name, "data-focus": "field" });
  input.value = started(quiz, question) ?? "";
  input.disabled = quiz.done(question);
  input.addEventListener("input", () => (quiz.drafts[question.id] = input.value));
  return [element("div", {}, element("label", { class: "control" }, input, element("span", {}, unit)))];
}

function items(quiz, question) {
  const done = quiz.done(question);
  const order = started(quiz, question) ?? firstOrder(question, quiz.seed(question));
  quiz.drafts[question.id] = order;
  const move = (at, by, focus) => {
    if (done || at + by < 0 || at + by >= order.length) return;
    quiz.drafts[question.id] = order.with(at, order[at + by]).with(at + by, order[at]);
    quiz.draw(focus);
  };
  const mover = (sign, key, by, item, at) => {
    const name = quiz.say(key, { item: quiz.in(question.item[item]).replaceAll("`", "") });
    const arrow = button(sign, name, () => move(at, by, `${key}${item}`));
    arrow.dataset.focus = `${key}${item}`;
    arrow.disabled = done;
    arrow.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      move(at, step, `${key}${item}`);
    });
    return arrow;
  };
  const rows = order.map((item, at) =>
    element("li", {}, mover("▲", "up", -1, item, at), mover("▼", "down", 1, item, at), element("span", {}, ...rich(quiz.in(question.item[item])))),
  );
  return [element("div", { class: "note" }, quiz.say("put")), element("ol", {}, ...rows)];
}

/** Takes what stands in the form as the answer, or says why it cannot be one. */
function check(quiz, question) {
  const draft = quiz.drafts[question.id];
  if (question.kind !== "number") return draft === undefined ? quiz.refuse(quiz.say("choose")) : quiz.submit(question, draft);
  const read = readNumber(String(draft ?? ""), [question.unit_en, question.unit_zh]);
  if (read.unit) return quiz.refuse(quiz.say("unit", { asked: quiz.in(question, "unit"), written: read.unit }));
  return Number.isFinite(read.value) ? quiz.submit(question, read.value) : quiz.refuse(quiz.say("type"));
}

function verdict(quiz, question) {
  const box = element("div", { class: "told verdict", role: "status", "aria-live": "polite", tabindex: -1, "data-focus": "verdict" });
  const last = quiz.tries(question).at(-1);
  if (quiz.remark) box.append(quiz.remark);
  else if (last !== undefined) {
    const { right, why } = quiz.grade(question, last);
    const sign = right ? `${MARKS.first} ${quiz.say("right")}` : `${MARKS.wrong} ${quiz.say("no")}`;
    box.append(element("b", { class: right ? "good" : "bad" }, sign), ...rich(why));
  }
  return box;
}

function score(quiz) {
  const count = (...stands) => quiz.questions.filter((question) => stands.includes(quiz.standing(question))).length;
  const fields = { first: count("first"), later: count("later"), open: count("open", "wrong"), count: quiz.questions.length };
  const missed = quiz.questions.filter((question) => ["later", "wrong"].includes(quiz.standing(question)));
  const sections = [...new Set(missed.map((question) => question.section))].sort((a, b) => a - b);
  const line = element("div", { class: "score" }, element("span", {}, quiz.say("score", fields)));
  if (sections.length) line.append(element("span", {}, quiz.say("again", { sections: sections.join(quiz.say("comma")) })));
  if (!fields.open) line.append(button(quiz.say("restart"), quiz.say("restart"), quiz.restart));
  return line;
}

function form(quiz, question, at) {
  const body = { choice: options, number: field, order: items }[question.kind](quiz, question);
  const stem = element("p", { class: "stem", id: `${question.id}-stem` }, ...rich(quiz.in(question)));
  const submit = element("button", { type: "submit", "data-focus": "check" }, quiz.say("check"));
  submit.disabled = quiz.done(question);
  const next = button(quiz.say("next"), quiz.say("next"), () => quiz.go(at + 1));
  next.dataset.focus = "next";
  next.disabled = at + 1 >= quiz.questions.length;
  const buttons = element("div", { class: "player" }, submit, next);
  const whole = element("form", { "aria-labelledby": stem.id }, stem, ...body, buttons, verdict(quiz, question));
  whole.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!quiz.done(question)) check(quiz, question);
  });
  whole.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault(); // JupyterLab keeps the browser from submitting by itself
    whole.requestSubmit();
  });
  return whole;
}

function render({ model, el }) {
  const root = element("div", { class: "course quiz" });
  recall(model);
  const quiz = quizOf(model);
  const focused = () => (root.contains(document.activeElement) ? document.activeElement.dataset.focus : "");
  quiz.draw = (focus = focused()) => {
    const at = model.get("current");
    const title = element("h4", {}, quiz.say("title", { number: at + 1, count: quiz.questions.length }));
    root.replaceChildren(title, strip(quiz), form(quiz, quiz.questions[at], at), score(quiz));
    const target = focus && root.querySelector(`[data-focus="${focus}"]`);
    if (target) (target.disabled ? root.querySelector('[data-focus="verdict"]') : target).focus();
  };
  el.append(root);
  const draw = () => {
    keep(model);
    quiz.draw();
  };
  const stop = [redrawOn(model, ["answers", "current", "round", "lang"], draw), followTheme(root)];
  return () => stop.forEach((end) => end());
}

export default { render };
