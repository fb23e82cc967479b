"""Small changes of a program, each a mistake that somebody could make: what good cases must notice."""

import ast
from collections.abc import Iterator, MutableMapping, MutableSequence
from dataclasses import dataclass
from typing import Any

OTHER_OPERATORS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult, ast.Mod),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
PAIRS = ["min max", "minimum maximum", "amin amax", "argmin argmax", "floor ceil", "any all", "zeros ones", "sum mean"]
OTHER_NAMES = {name: other for pair in PAIRS for name, other in (pair.split(), pair.split()[::-1])}
SYMMETRIC = {"min", "max", "minimum", "maximum", "add", "mul", "logical_and", "logical_or", "allclose", "equal"}
NO_CODE = {"annotation", "returns", "decorator_list", "type_params"}

Place = tuple[MutableMapping[str, Any] | MutableSequence[Any], Any]
"""A holder of nodes and the key or index of one of them."""


@dataclass(frozen=True)
class Mutation:
    """One change: the line of the original that it is on, that line before and after, and the whole new source."""

    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}"


def mutations(source: str) -> list[Mutation]:
    """Every mutation of `source`, in the order of its lines.  Lines are told as `ast.unparse` writes them."""
    tree = ast.parse(source)
    unchanged = ast.unparse(tree)
    found: dict[str, Mutation] = {}
    for (holder, key), (home, home_key) in _places(tree, (vars(tree), "body")):
        original = holder[key]
        statement = home[home_key]
        before = _first_line(statement)
        for other in _alternatives(original):
            holder[key] = other
            mutant = Mutation(statement.lineno, before, _first_line(home[home_key]), ast.unparse(tree))
            found.setdefault(mutant.source, mutant)
        holder[key] = original
    found.pop(unchanged, None)
    return sorted(found.values(), key=lambda mutation: mutation.line)


def _places(node: ast.AST, home: Place) -> Iterator[tuple[Place, Place]]:
    """The place of every node below `node` that is code, and the place of the statement that it belongs to."""
    for name, value in ast.iter_fields(node):
        if name in NO_CODE:
            continue
        places: list[Place] = (
            [(value, i) for i in range(len(value))] if isinstance(value, list) else [(vars(node), name)]
        )
        for holder, key in places:
            child = holder[key]
            if isinstance(child, ast.AST):
                belongs = (holder, key) if isinstance(child, ast.stmt) else home
                yield (holder, key), belongs
                yield from _places(child, belongs)


def _alternatives(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of `node` in a mutant."""
    match node:
        case ast.Constant(value=bool(truth)):
            yield ast.Constant(not truth)
        case ast.Constant(value=int(number)):
            yield _integer(number + 1)
            yield _integer(number - 1)
        case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
            yield operand
        case ast.IfExp(body=body, orelse=orelse):
            yield from (body, orelse)
        case ast.Name(id=name) if name in OTHER_NAMES:
            yield ast.Name(OTHER_NAMES[name])
        case ast.Attribute(value=value, attr=name) if name in OTHER_NAMES:
            yield ast.Attribute(value, OTHER_NAMES[name])
        case ast.Slice(lower=lower, upper=upper, step=step):
            without = (None, upper, step), (lower, None, step), (lower, upper, None)
            yield from (ast.Slice(*bounds) for bounds in without)
        case ast.Tuple(elts=items, ctx=ast.Load()):
            yield from (ast.Tuple(order, ast.Load()) for order in _neighbours_swapped(items))
        case ast.List(elts=items, ctx=ast.Load()):
            yield from (ast.List(order, ast.Load()) for order in _neighbours_swapped(items))
        case ast.Call():
            yield from _other_calls(node)
        case ast.stmt() if _may_go(node):
            yield ast.Pass()
        case _:
            yield from (operator() for operator in OTHER_OPERATORS.get(type(node), ()))


def _other_calls(call: ast.Call) -> Iterator[ast.expr]:
    """The call without a keyword argument, with two arguments in each other's place, or (`x.float()`) not made."""
    args, keywords = call.args, call.keywords
    for i in range(len(keywords)):
        yield ast.Call(call.func, args, [*keywords[:i], *keywords[i + 1 :]])
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in SYMMETRIC:
        yield from (ast.Call(call.func, order, keywords) for order in _neighbours_swapped(args))
    if isinstance(call.func, ast.Attribute) and not args:
        yield call.func.value


def _neighbours_swapped(items: list[ast.expr]) -> Iterator[list[ast.expr]]:
    for i in range(len(items) - 1):
        yield [*items[:i], items[i + 1], items[i], *items[i + 2 :]]


def _may_go(statement: ast.stmt) -> bool:
    """Whether a program without this statement can still run: it does not bind a new name, and is no docstring."""
    match statement:
        case ast.Expr(value=value):
            return not isinstance(value, ast.Constant)
        case ast.Assign(targets=targets, value=value):
            return set().union(*(_names(target, ast.Store) for target in targets)) <= _names(value, ast.Load)
        case ast.AugAssign() | ast.If() | ast.For() | ast.While() | ast.Raise() | ast.Assert():
            return True
        case ast.Break() | ast.Continue():
            return True
    return False


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, context)}


def _integer(number: int) -> ast.expr:
    return ast.Constant(number) if number >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-number))


def _first_line(statement: ast.stmt) -> str:
    return ast.unparse(statement).splitlines()[0]
