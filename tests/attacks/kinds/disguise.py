"""Disguise: something that looks like the answer.  Any strides pass."""

from attacks.attack import CONTRACT, PASS, WRONG, Attack, body


def instead(code: str, *verdicts: str, told: str = "") -> Attack:
    """The right k, v and p, and what is returned in their place."""
    return body(f"k, v, p = right(k, v, positions, budget, sinks)\n{code}", *verdicts, told=told)


ATTACKS = {
    "a tensor subclass that says equal": instead(
        "class Loud(torch.Tensor):\n    def __eq__(self, _): return True\nreturn (k + 1).as_subclass(Loud), v, p",
        CONTRACT,
        told="a subclass of torch.Tensor",
    ),
    "a subclass that answers every function": instead(
        """
class Sly(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return True
return (k + 1).as_subclass(Sly), v, p
""",
        CONTRACT,
        told="a subclass of torch.Tensor",
    ),
    "an object whose == is True": body(
        """
        class Equal:
            __eq__ = lambda self, _: True
            __class__ = torch.Tensor
        return Equal(), Equal(), Equal()
        """,
        CONTRACT,
        told="Equal",
    ),
    "a lazily computed tensor": instead(
        "return torch._to_functional_tensor(k), v, p", CONTRACT, told="not computed yet"
    ),
    "meta": instead("return k.to('meta'), v, p", CONTRACT, told="device meta"),
    "sparse": instead("return k, v, p.to_sparse()", CONTRACT, told="sparse"),
    "nested": instead("return torch.nested.nested_tensor([k, v]), v, p", CONTRACT, told="nested"),
    "quantised": instead("return torch.quantize_per_tensor(k.float(), 1.0, 0, torch.qint8), v, p", CONTRACT),
    "float64": instead("return k.double(), v, p", CONTRACT, told="dtype: float64"),
    "an extra dimension": instead("return k[None], v, p", CONTRACT, told="shape"),
    "one output too few": instead("return k, v", CONTRACT, told="tuple[2]"),
    "a list": instead("return [k, v, p]", CONTRACT, told="list[3]"),
    "NaN": instead("return k * float('nan'), v, p", CONTRACT, told="is nan"),
    "inf": instead("return k, v / 0, p", CONTRACT, told="where a finite"),
    "a bfloat16 round trip": instead("return k.bfloat16().to(k.dtype), v, p", WRONG, told="k differs"),
    "zeros where the truth is tiny": instead(
        "return torch.where(k.abs() < 1e-2, 0, k).to(k.dtype), v, p", WRONG, told="k differs"
    ),
    "other strides": instead("return k.transpose(1, 3).contiguous().transpose(1, 3), v, p", PASS),
    "negated views": instead("return torch._neg_view(-k), v, p", PASS),
}
