"""Makes a generated kernel smaller while it keeps its problem."""

import copy
import re

from elements import I1
from generator import all_nodes, statements_of
from program import For, If, Node, While


def kind_of(problem):
    """What a smaller kernel must have in common: the kind, and for errors the words of the first line."""
    if problem is None or not problem.startswith("error"):
        return problem and problem.split(":")[0]
    return re.sub(r"\d+", "N", problem.split("\n")[0])


def references(node):
    """Pointers and the like, for which there is no constant."""
    return node.element.kind in ("pointer", "block", "descriptor")


def constant(node):
    """Something simple in place of an expression."""
    number = Node("literal", [], None, (), value=1.0 if node.element.is_float() else True if node.element is I1 else 1,
                  text=None)
    if not node.shape:
        return Node("cast", [number], node.element, (), free=True)
    return Node("full", [number], node.element, node.shape)


def _is_simple(node):
    return node.op in ("var", "literal", "program_id") or node.op in ("full", "cast") and node.args[0].is_literal()


def bodies(program):
    """All lists of statements."""
    lists = [program.body] + [function.body for function in program.functions]
    for body in lists:
        yield body
        for statement in statements_of(body):
            for field in ("then", "otherwise", "body"):
                if getattr(statement, field, None):
                    yield getattr(statement, field)


def used_names(program):
    return {node.attrs["name"] for node in all_nodes(program) if node.op == "var"}


def _statement_edits(program):
    """Functions that take away or unwrap one statement each."""
    for number, body in enumerate(bodies(program)):
        for place in reversed(range(len(body))):
            yield lambda copied, number=number, place=place: _remove(copied, number, place)
            if isinstance(body[place], (If, For, While)):
                yield lambda copied, number=number, place=place: _unwrap(copied, number, place)


def _remove(program, number, place):
    body = list(bodies(program))[number]
    del body[place]


def _unwrap(program, number, place):
    body = list(bodies(program))[number]
    statement = body[place]
    body[place:place + 1] = statement.then if isinstance(statement, If) else statement.body


def _roots(program):
    """Every place that holds an expression, as (holder, key)."""
    for body in [program.body] + [function.body for function in program.functions]:
        for statement in statements_of(body):
            for field in ("value", "index", "mask", "condition", "start", "stop", "step"):
                if isinstance(getattr(statement, field, None), Node):
                    yield statement, field
            for field in ("values", "offsets"):
                for place in range(len(getattr(statement, field, []))):
                    yield getattr(statement, field), place
    for function in program.functions:
        for place in range(len(function.results)):
            yield function.results, place


def _get(holder, key):
    return holder[key] if isinstance(holder, list) else getattr(holder, key)


def _set(holder, key, value):
    if isinstance(holder, list):
        holder[key] = value
    else:
        setattr(holder, key, value)


def _places(program):
    """Every expression with where it stands, outer ones first."""
    pending = list(_roots(program))
    while pending:
        holder, key = pending.pop(0)
        yield holder, key
        node = _get(holder, key)
        pending += [(node.args, index) for index in range(len(node.args))]


def _expression_edits(program):
    for number, (holder, key) in enumerate(_places(program)):
        node = _get(holder, key)
        if node.element is None or node.op in ("literal",):
            continue
        candidates = [each for each in node.walk() if each is not node and each.element is node.element
                      and each.shape == node.shape][:4]
        for candidate in candidates:
            yield lambda copied, number=number, candidate=candidate: _replace(copied, number, candidate)
        if (not _is_simple(node) or node.op == "var") and not references(node):
            yield lambda copied, number=number, simple=constant(node): _replace(copied, number, simple)


def _replace(program, number, replacement):
    for index, (holder, key) in enumerate(_places(program)):
        if index == number:
            _set(holder, key, replacement)
            return


def _loops(program):
    for body in bodies(program):
        yield from (statement for statement in body if isinstance(statement, For))


def _spell_out(program, name):
    """The value of a constexpr parameter where its name stands."""
    del program.constants[name]
    for node in all_nodes(program):
        if node.op == "literal" and re.search(r"\b%s\b" % name, node.attrs.get("text") or ""):
            node.attrs["text"] = None


def _replace_scalar(program, scalar):
    """The value of an argument where its name stands."""
    program.scalars = [each for each in program.scalars if each.name != scalar.name]
    for holder, key in list(_places(program)):
        node = _get(holder, key)
        if node.op == "var" and node.attrs["name"] == scalar.name:
            _set(holder, key, Node("literal", [], None, (), value=int(scalar.value), text=None))


def _argument_edits(program):
    names = used_names(program)
    used = {id(node.attrs.get("buffer")) for node in all_nodes(program)}
    for body in bodies(program):
        used |= {id(getattr(statement, "buffer", None)) for statement in body}
    for place, buffer in enumerate(program.buffers):
        if id(buffer) not in used:
            yield lambda copied, place=place: copied.buffers.pop(place)
    for place, scalar in enumerate(program.scalars):
        if scalar.name not in names:
            yield lambda copied, place=place: copied.scalars.pop(place)
    called = {node.attrs["function"].name for node in all_nodes(program) if node.op == "call"}
    for place, function in enumerate(program.functions):
        if function.name not in called:
            yield lambda copied, place=place: copied.functions.pop(place)
    for name in program.constants:
        yield lambda copied, name=name: _spell_out(copied, name)
    for scalar in program.scalars:
        if scalar.element.is_int():
            yield lambda copied, scalar=scalar: _replace_scalar(copied, scalar)
    for number, node in enumerate(all_nodes(program)):
        if node.op.startswith("load") and len(node.args) > 1 and node.op != "load_descriptor":
            yield lambda copied, number=number: list(all_nodes(copied))[number].args.pop()
    yield lambda copied: setattr(copied, "combines", [])
    yield lambda copied: setattr(copied, "num_stages", 0)
    yield lambda copied: setattr(copied, "num_warps", 0)
    for number, statement in enumerate(_loops(program)):
        if statement.options:
            yield lambda copied, number=number: setattr(list(_loops(copied))[number], "options", "")
    yield lambda copied: setattr(copied, "grid", (1, 1, 1))
    yield lambda copied: setattr(copied, "constants", {})


def size(program):
    return sum(1 for _ in all_nodes(program)) + 3 * sum(len(body) for body in bodies(program)) + \
        len(program.buffers) + len(program.scalars) + len(program.functions) + len(program.combines) + \
        len(program.constants) + program.grid[0] + program.grid[1] + (program.num_stages > 0) + (program.num_warps > 0) + \
        sum(len(statement.options) for statement in _loops(program))


def _variants(program, edits):
    for edit in edits:
        copied = copy.deepcopy(program)
        try:
            edit(copied)
        except (IndexError, AttributeError):
            continue
        if size(copied) < size(program):
            yield copied


def reduce(program, find, report=lambda size: None):
    """The smallest kernel that this finds with a problem of the same kind. `find` gives the problem of one."""
    wanted = kind_of(find(program))
    progress = True
    while progress:
        progress = False
        for edits in (_statement_edits, _expression_edits, _argument_edits):
            again = True
            while again:
                again = False
                for variant in _variants(program, edits(program)):
                    if kind_of(find(variant)) == wanted:
                        program, again, progress = variant, True, True
                        report(size(program))
                        break
    return program
