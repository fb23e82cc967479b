"""Products of several layers at once: the numbers of the plain layers, whatever becomes of weights and hooks."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from conftest import TINY, make_tiny
from torch import Tensor, nn

from mini_llm import Transformer, fused
from mini_llm.fused import Fused

IDS = torch.randint(97, (2, 9), generator=torch.Generator().manual_seed(9))
X = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(9))


@pytest.fixture(params=[True, False], ids=["packed", "not packed"], autouse=True)
def packing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if not request.param:
        monkeypatch.setattr(fused, "_packs", lambda weight: False)
    return bool(request.param)


def in_memory(name: str, folder: Path) -> Transformer:
    """A tiny model whose weights are no longer mapped from its file."""
    model = make_tiny(name, folder)[1]
    model.load_state_dict({key: value.clone() for key, value in model.state_dict().items()}, assign=True)
    return model


@pytest.fixture
def tiny(tmp_path: Path) -> Transformer:
    return in_memory("llama, group 3", tmp_path)


@pytest.fixture
def biased(tmp_path: Path) -> Transformer:
    return in_memory("qwen2, group 3", tmp_path)


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)


def alone(model: Transformer, ids: Tensor = IDS) -> Tensor:
    """Logits of a pass in which a hook that does nothing makes every layer run by itself."""
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    hooks = [layer.register_forward_hook(lambda *_: None) for layer in linear]
    logits = model(ids)
    for hook in hooks:
        hook.remove()
    return logits


def linears(*sizes: int, bias: bool) -> list[nn.Linear]:
    torch.manual_seed(1)
    return [nn.Linear(12, size, bias=bias).requires_grad_(False) for size in sizes]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("sizes", [(7,), (6, 2, 4)], ids=str)
def test_equals_the_plain_layers(sizes: tuple[int, ...], bias: bool, dtype: torch.dtype) -> None:
    layers = [layer.to(dtype) for layer in linears(*sizes, bias=bias)]
    x = X.to(dtype)
    plain = torch.cat([layer(x) for layer in layers], dim=-1).float()
    times = torch.randn(2, 5, sum(sizes), generator=torch.Generator().manual_seed(2)).to(dtype)
    product = Fused(nn.ModuleList(layers), *map(str, range(len(layers))))
    tolerance = {"atol": 2e-2, "rtol": 2e-2} if dtype is torch.bfloat16 else {"atol": 1e-5, "rtol": 1e-5}
    for _ in range(2):
        torch.testing.assert_close(product(x).float(), plain, **tolerance)
        torch.testing.assert_close(product(x, silu=True).float(), F.silu(plain), **tolerance)
        torch.testing.assert_close(product(x, times=times).float(), plain * times.float(), **tolerance)
    assert product(x).dtype is dtype
    assert product(x[0, 0]).shape == (sum(sizes),)


@pytest.mark.parametrize("name", TINY)
def test_a_model_equals_itself_layer_by_layer(name: str, tmp_path: Path) -> None:
    model = make_tiny(name, tmp_path)[1]
    close(model(IDS), alone(model))


def in_place(model: Transformer, layer: nn.Linear) -> None:
    layer.weight.mul_(-1.5)


def a_slice(model: Transformer, layer: nn.Linear) -> None:
    layer.weight[:3].zero_()


def assigned(model: Transformer, layer: nn.Linear) -> None:
    layer.weight = nn.Parameter(layer.weight * -1.5, requires_grad=False)


def data_assigned(model: Transformer, layer: nn.Linear) -> None:
    layer.weight.data = layer.weight.data * -1.5


def loaded(model: Transformer, layer: nn.Linear) -> None:
    model.load_state_dict({name: value.flip(0) for name, value in model.state_dict().items()})


def loaded_by_assignment(model: Transformer, layer: nn.Linear) -> None:
    model.load_state_dict({name: value.flip(0) for name, value in model.state_dict().items()}, assign=True)


def to_bfloat16(model: Transformer, layer: nn.Linear) -> None:
    model.to(torch.bfloat16)


def to_bfloat16_and_back(model: Transformer, layer: nn.Linear) -> None:
    model.to(torch.bfloat16)
    model(IDS)
    model.float()


CHANGES = [in_place, a_slice, assigned, data_assigned, loaded, loaded_by_assignment, to_bfloat16, to_bfloat16_and_back]


@torch.no_grad()
@pytest.mark.parametrize("part", ["self_attn.k_proj", "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_weight_counts(tiny: Transformer, change: Callable[..., None], part: str) -> None:
    before = tiny(IDS)
    change(tiny, tiny.layers[1].get_submodule(part))
    after, by_itself = tiny(IDS), alone(tiny)
    rough = after.dtype is torch.bfloat16
    torch.testing.assert_close(after, by_itself, atol=0.5 if rough else 1e-4, rtol=1e-4)
    assert after.dtype is tiny.dtype
    assert (after.float() - before).abs().max() > 1e-2


@torch.no_grad()
@pytest.mark.parametrize("change", [in_place, a_slice, loaded], ids=lambda change: change.__name__)
def test_a_change_of_weights_just_read_from_a_file_lasts(tmp_path: Path, change: Callable[..., None]) -> None:
    model = make_tiny("llama, group 3", tmp_path)[1]
    model(IDS)
    layer = model.layers[1].mlp.up_proj
    change(model, layer)
    changed = layer.weight.clone()
    model(IDS)
    assert torch.equal(layer.weight, changed)
    close(model(IDS), alone(model))


@torch.no_grad()
def test_a_changed_head_counts(tiny: Transformer) -> None:
    before = tiny(IDS)
    tiny.lm_head.weight.mul_(2)
    close(tiny(IDS), before * 2)


@torch.no_grad()
def test_a_changed_bias_counts(biased: Transformer) -> None:
    before = biased(IDS)
    attention = biased.layers[1].self_attn
    attention.k_proj.bias.add_(torch.linspace(-2, 2, 32))
    first = biased(IDS)
    close(first, alone(biased))
    assert not torch.allclose(first, before, atol=1e-2)
    attention.v_proj.bias = nn.Parameter(torch.ones(32), requires_grad=False)
    second = biased(IDS)
    close(second, alone(biased))
    assert not torch.allclose(second, first, atol=1e-2)


@torch.no_grad()
@pytest.mark.parametrize("part", ["self_attn.q_proj", "self_attn.o_proj", "mlp.gate_proj", "mlp.down_proj"])
def test_hooks_fire_and_what_they_change_counts(tiny: Transformer, part: str) -> None:
    layer = tiny.layers[1].get_submodule(part)
    before, shapes = tiny(IDS), []

    def watch(_: nn.Module, args: tuple[Tensor, ...], out: Tensor) -> None:
        shapes.append((tuple(args[0].shape), tuple(out.shape)))

    hook = layer.register_forward_hook(watch)
    close(tiny(IDS), before)
    hook.remove()
    assert shapes == [((2, 9, layer.in_features), (2, 9, layer.out_features))]
    for changing in (
        layer.register_forward_hook(lambda _, args, out: out * 1.5),
        layer.register_forward_pre_hook(lambda _, args: (args[0] * 1.5,)),
    ):
        hooked = tiny(IDS)
        changing.remove()
        assert not torch.allclose(hooked, before, atol=1e-2)
        layer.weight.mul_(1.5)
        close(hooked, tiny(IDS))
        layer.weight.div_(1.5)
    close(tiny(IDS), before)


def gradients(model: Any, logits: Tensor, names: list[str]) -> list[Tensor]:
    F.cross_entropy(logits.flatten(0, 1), IDS.flatten()).backward()
    parameters = dict(model.named_parameters())
    return [parameters[name].grad for name in names]


INSIDE = ["layers.0.self_attn.q_proj.weight", "layers.1.mlp.up_proj.weight", "layers.2.post_attention_layernorm.weight"]


@pytest.mark.parametrize("names", [["embed_tokens.weight"], *([name] for name in INSIDE), INSIDE], ids=str)
def test_gradients_equal_transformers(names: list[str], tmp_path: Path) -> None:
    theirs, ours = make_tiny("llama, group 3", tmp_path)
    ours(IDS)
    for name, parameter in ours.named_parameters():
        parameter.requires_grad_(name in names)
    expected = gradients(theirs.model, theirs(IDS).logits, names)
    for got, wanted in zip(gradients(ours, ours(IDS), names), expected, strict=True):
        assert wanted.abs().max() > 1e-3
        close(got, wanted)


COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "torch.save": lambda model: saved_and_loaded(model),
}


def saved_and_loaded(model: Transformer) -> Any:
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


@torch.no_grad()
@pytest.mark.parametrize("used", [False, True], ids=["never run", "run before"])
@pytest.mark.parametrize("how", COPIES)
def test_copies_answer_alike_and_share_nothing(tiny: Transformer, how: str, used: bool) -> None:
    before = tiny(IDS) if used else alone(tiny)
    twin = COPIES[how](tiny)
    close(twin(IDS), before)
    for parameter in twin.parameters():
        parameter.mul_(-1.5)
    close(tiny(IDS), before)
    close(twin(IDS), alone(twin))
    assert not torch.allclose(twin(IDS), before, atol=1e-2)


@torch.no_grad()
def test_without_packing_weights_are_views_of_one_storage(biased: Transformer, packing: bool) -> None:
    named = {name: value.clone() for name, value in biased.state_dict().items()}
    biased(IDS)
    for layer in biased.layers:
        attention = layer.self_attn
        projections = [attention.q_proj, attention.k_proj, attention.v_proj]
        assert all(isinstance(projection, nn.Linear) for projection in projections)
        addresses = {projection.weight.untyped_storage().data_ptr() for projection in projections}
        assert len(addresses) == (3 if packing else 1)
    for name, value in biased.state_dict().items():
        assert torch.equal(value, named[name])


def test_a_bias_alone_gets_its_gradient(biased: Transformer) -> None:
    biased(IDS)
    bias = biased.layers[2].self_attn.v_proj.bias.requires_grad_(True)
    F.cross_entropy(biased(IDS).flatten(0, 1), IDS.flatten()).backward()
    assert bias.grad is not None


@torch.no_grad()
def test_a_replaced_layer_counts(tiny: Transformer) -> None:
    before = tiny(IDS)
    attention = tiny.layers[1].self_attn
    attention.q_proj = nn.Linear(60, 96, bias=False).requires_grad_(False)
    assert not torch.allclose(tiny(IDS), before, atol=1e-2)


@torch.no_grad()
def test_an_added_bias_counts(tiny: Transformer) -> None:
    before = tiny(IDS)
    attention = tiny.layers[1].self_attn
    for projection in (attention.q_proj, attention.k_proj, attention.v_proj):
        projection.bias = nn.Parameter(torch.ones(projection.out_features), requires_grad=False)
    close(tiny(IDS), alone(tiny))
    assert not torch.allclose(tiny(IDS), before, atol=1e-2)


@torch.no_grad()
def test_a_parametrized_weight_counts(tiny: Transformer) -> None:
    class Minus(nn.Module):
        def forward(self, weight: Tensor) -> Tensor:
            return -weight

    before = tiny(IDS)
    nn.utils.parametrize.register_parametrization(tiny.layers[1].self_attn.q_proj, "weight", Minus())
    after = tiny(IDS)
    close(after, alone(tiny))
    assert not torch.allclose(after, before, atol=1e-2)


def test_a_model_loaded_in_inference_mode_runs(tiny: Transformer, tmp_path: Path) -> None:
    with torch.inference_mode():
        close(Transformer.from_pretrained(tmp_path)(IDS), tiny(IDS))


def test_a_model_run_in_inference_mode_goes_on_outside_it(tiny: Transformer) -> None:
    with torch.inference_mode():
        before = tiny(IDS).clone()
    weight = tiny.layers[1].self_attn.q_proj.weight
    with torch.no_grad():
        close(tiny(IDS), before)
        weight.mul_(-1.5)
        close(tiny(IDS), alone(tiny))
    tiny.requires_grad_(True)
    tiny(IDS).sum().backward()
    assert weight.grad is not None
