"""Side effects: on inputs, and on what was returned before."""

from attacks.attack import CONTRACT, PASS, WRONG, body

ATTACKS = {
    "zeroes its inputs around a wrong answer": body(
        "k.zero_(); v.zero_(); return wrong(k, v, positions, budget, sinks)", WRONG, CONTRACT
    ),
    "changes an input while answering right": body(
        "out = [t.clone() for t in right(k, v, positions, budget, sinks)]; v += 1e-3; return tuple(out)",
        CONTRACT,
        told="input changed: v",
    ),
    "swaps the storage of an input": body(
        "out = right(k, v, positions, budget, sinks); k.set_(k + 1); return tuple(t.clone() for t in out)", *(CONTRACT,)
    ),
    "returns a buffer that later calls overwrite": body(
        """
        out = right(k, v, positions, budget, sinks)
        kept = globals().setdefault("kept", torch.zeros(10**6))
        kept[: out[0].numel()] = out[0].flatten()
        return kept[: out[0].numel()].reshape(out[0].shape).to(k.dtype), *out[1:]
        """,
        PASS,
    ),
    "changes what it returned before": body(
        """
        for old in globals().get("kept", ()): old.fill_(7)
        globals()["kept"] = out = tuple(t.clone() for t in right(k, v, positions, budget, sinks))
        return out
        """,
        PASS,
    ),
}
