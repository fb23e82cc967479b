// Shuffling, reading and grading answers; what a question holds is told in quiz.py.

/** Indices 0..count-1 in an order that depends on nothing but `seed`. */
function shuffled(count, seed) {
  let state = [...seed].reduce((hash, sign) => Math.imul(hash ^ sign.codePointAt(0), 16777619), 2166136261);
  const rank = () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return (mixed ^ (mixed >>> 7)) >>> 0;
  };
  return Array.from({ length: count }, (_, index) => [rank(), index])
    .sort((a, b) => a[0] - b[0])
    .map(([, index]) => index);
}

/** The items as they stand at first: shuffled, and not in the right order by chance. */
function firstOrder(question, seed) {
  const order = shuffled(question.item.length, seed);
  return inOrder(question, order) ? order.reverse() : order;
}

const inOrder = (question, order) => order.every((item, at) => question.item[item].place === at + 1);

/**
 * What was typed, as {value}, {unit} where another unit than those asked for is written, or {} where it is no number.
 * A comma before three digits separates thousands, any other one stands for the decimal point.
 */
function readNumber(text, units) {
  const plain = text.normalize("NFKC").replaceAll("−", "-").trim().replace(/^[≈~=约]+\s*/, "");
  const found = plain.replace(/(\d) (?=\d{3})/g, "$1").match(/^([+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*(\D.*)?$/i);
  if (!found) return {};
  const unit = (found[2] || "").trim();
  if (unit && !units.some((known) => known.toLowerCase() === unit.toLowerCase())) return { unit };
  const thousands = /^[+-]?\d{1,3}(,\d{3})+(?!\d)/.test(found[1]);
  return { value: Number(found[1].replaceAll(",", thousands ? "" : ".")) };
}

const near = (value, target, tolerance) => Math.abs(value - target) <= tolerance * Math.abs(target);

/** Whether an answer is right, and why: {right, why}. `pick(part, field)` gives a text in the reader's language. */
function grade(question, answer, pick, say) {
  const why = (part) => pick(part, "why");
  if (question.kind === "choice") return { right: Boolean(question.option[answer].right), why: why(question.option[answer]) };
  if (question.kind === "number") {
    const read = say("read", { value: answer.toLocaleString("en", { maximumFractionDigits: 6 }), unit: pick(question, "unit") });
    if (near(answer, question.right, question.tolerance)) return { right: true, why: read + why(question) };
    const known = (question.mistake || []).find((mistake) => near(answer, mistake.value, question.tolerance));
    const size = say(answer > question.right ? "large" : "small");
    return { right: false, why: read + (known ? why(known) : size + pick(question, "hint")) };
  }
  if (inOrder(question, answer)) return { right: true, why: why(question) };
  const byPlace = question.item.toSorted((a, b) => a.place - b.place);
  const stands = (item) => answer.indexOf(question.item.indexOf(item));
  const late = byPlace.findIndex((item, at) => at > 0 && stands(item) < stands(byPlace[at - 1]));
  return { right: false, why: why(byPlace[late]) };
}
