"""Makes a program that shows something as small as it still shows it."""
import ast

BODIES = ("body", "orelse", "finalbody")


def statements_of(node):
    for field in BODIES:
        body = getattr(node, field, None)
        if isinstance(body, list):
            yield body


def expressions_of(node):
    """(get, set) of every expression directly below the node."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            yield value, lambda new, field=field: setattr(node, field, new)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, ast.expr):
                    yield item, lambda new, value=value, i=i: value.__setitem__(i, new)


def removals(tree):
    """Statements that go, several at once first; compound ones give way to what is in them."""
    for node in ast.walk(tree):
        for body in statements_of(node):
            n = len(body)
            size = n
            while size:
                for at in range(0, n - size + 1, max(1, size // 2)):
                    yield lambda body=body, at=at, size=size: body.__setitem__(slice(at, at + size), [])
                size //= 2
            for at, statement in enumerate(body):
                if not isinstance(statement, ast.FunctionDef):
                    for inner in statements_of(statement):
                        if inner:
                            yield lambda body=body, at=at, inner=inner: body.__setitem__(slice(at, at + 1), inner)
                if isinstance(statement, ast.Try):
                    for handler in statement.handlers:
                        yield lambda body=body, at=at, h=handler: body.__setitem__(slice(at, at + 1), h.body)


def simplifications(tree):
    """An expression becomes one of its own parts, or a constant; a list loses an element."""
    for node in ast.walk(tree):
        for old, put in expressions_of(node):
            if not isinstance(getattr(old, "ctx", ast.Load()), ast.Load) or isinstance(old, (ast.Constant, ast.Name)):
                continue
            for part, _ in expressions_of(old):
                if isinstance(getattr(part, "ctx", ast.Load()), ast.Load):
                    yield lambda put=put, part=part: put(part)
            if isinstance(old, (ast.List, ast.Tuple)):
                for i in range(len(old.elts)):
                    yield lambda old=old, i=i: old.elts.__delitem__(i)
            for new in (ast.Constant(1), ast.Name("x", ast.Load())):
                yield lambda put=put, new=new: put(new)


def filled(tree):
    """No body is empty."""
    for node in ast.walk(tree):
        if isinstance(getattr(node, "body", None), list) and not node.body and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]
        if isinstance(node, ast.Try) and not node.handlers and not node.finalbody:
            node.finalbody = [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(tree))


def weight(source):
    return sum(1 for _ in ast.walk(ast.parse(source)))


def once(source, shows, edits, tries):
    """The first smaller program that still shows it; None: there is none."""
    n = sum(1 for _ in edits(ast.parse(source)))
    for i in range(n):
        if tries[0] <= 0:
            return None
        tree = ast.parse(source)
        for k, edit in enumerate(edits(tree)):
            if k == i:
                edit()
                break
        try:
            smaller = filled(tree)
            if weight(smaller) >= weight(source):
                continue
        except (SyntaxError, ValueError, AttributeError):
            continue
        tries[0] -= 1
        if shows(smaller):
            return smaller
    return None


def shrink(source, shows, tries=1500):
    """`shows(source)`: does it still? Whatever is tried counts against `tries`."""
    left = [tries]
    while True:
        smaller = once(source, shows, removals, left) or once(source, shows, simplifications, left)
        if smaller is None:
            return source
        source = smaller
