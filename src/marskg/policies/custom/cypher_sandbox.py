"""Whether a policy's statement can see nothing but its own tenant, and no more of that than numbers and labels.

Guarantees: a statement passes only if every pattern of every MATCH has a node that is bound to the tenant, by
``m.tenant = $tenant`` or by a range from ``$low`` to ``$high`` of an order key, joined to the rest by AND alone, or a
node that an earlier pattern bound; edges never leave a tenant (I8), so that all that such a pattern reaches is the
tenant's. It reads only properties that are numbers, times, names of kinds or labels; nothing that a memory says, its
name, its vector or its amounts. Functions are those of a list. Subqueries, patterns inside expressions, maps outside
patterns and computed property names are refused: what cannot be told is not run. Decided on tokens and clauses, without
an engine; a text must have passed :func:`marskg.store.statements.cypher_guard.check_read_only` before.
Sources: openCypher 9 grammar; semantics I8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.errors import QueryRefused
from marskg.ontology.fields import ACCESS_FIELDS, GOVERNED_FIELDS, PAYLOAD_FIELDS
from marskg.ontology.vocabulary import Datatype
from marskg.store.statements.cypher_guard import Token, tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Order keys, whose range from ``$low`` to ``$high`` is the tenant's.
ORDER_KEYS: Final = frozenset({"fifoKey", "lruKey", "decayKey", "randomKey"})
#: Texts by which memories are grouped and compared; they are no content, but no number may be made of them.
LABELS: Final = frozenset({"session", "subjects", "purpose", "jurisdiction", "intentTags"})
#: Numbers that are what a memory says.
_SAID: Final = frozenset({"amount"})
_STRUCTURE: Final = frozenset(
    {"id", "ref", "tenant", "kind", "sequence", "guards", "blockers", "guarding", "entityType"}
)
#: Numbers of edges.
_OF_EDGES: Final = frozenset({"created", "weight"})
_FIELDS: Final = (*GOVERNED_FIELDS, *ACCESS_FIELDS, *(field for fields in PAYLOAD_FIELDS.values() for field in fields))
#: What a statement may read of a node or an edge.
READABLE: Final = (
    frozenset(field.local for field in _FIELDS if field.datatype not in {Datatype.STRING, Datatype.IRI, Datatype.JSON})
    | _STRUCTURE
    | _OF_EDGES
    | ORDER_KEYS
    | LABELS
) - _SAID
#: Functions that make a number of a text.
_PARSERS: Final = frozenset({"tointeger", "tofloat"})
_FUNCTIONS: Final = _PARSERS | frozenset(
    (  # noqa: SIM905 - a list of short words is not read any better
        "abs acos all any asin atan atan2 avg ceil coalesce collect cos cot count degrees e endnode exp floor "
        "haslabels head isempty labels last length log log10 max min none nodes nullif percentilecont percentiledisc "
        "pi radians relationships reverse round sign sin single size sqrt startnode stdev stdevp sum tail tan "
        "toboolean type"
    ).split()
)
#: Words that an opening bracket or parenthesis may follow without being a subscript or a call.
_OPERATORS: Final = frozenset(
    (  # noqa: SIM905 - as above
        "and as asc ascending by case desc descending distinct else end ends in is limit not null optional or order "
        "return skip starts then union unwind when where with xor"
    ).split()
)
_CLAUSES: Final = frozenset(
    {"MATCH", "OPTIONAL", "WHERE", "WITH", "UNWIND", "RETURN", "ORDER", "SKIP", "LIMIT", "UNION"}
)
#: Clauses that this reading does not follow.
_UNSUPPORTED: Final = frozenset(
    {"CALL", "EXPLAIN", "PROFILE", "USING", "YIELD", "OFFSET", "FINISH", "FILTER", "LET", "FOR", "NEXT", "EXISTS"}
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_TENANT, _LOW, _HIGH = "$tenant", "$low", "$high"
_WAY_OUT: Final = (
    "filter by m.tenant = $tenant, or by m.fifoKey >= $low AND m.fifoKey < $high, joined to other conditions by AND "
    "alone, or start from a node that was matched so"
)


class _Clause(NamedTuple):
    word: str
    line: int
    body: list[Token]


class _Path(NamedTuple):
    """One pattern: the variables of its nodes, those that it binds itself, and where it stands."""

    nodes: frozenset[str]
    bound: bool
    line: int


def check_scope(text: str) -> None:
    """Accept a reading statement that keeps to its tenant and to what is no content.

    Raises:
        QueryRefused: it does not, or it cannot be told; the message has the line and the way out.
    """
    found = _clauses([token for token in tokens_of(text) if token.text != ";"])
    bound: frozenset[str] = frozenset()
    for place, clause in enumerate(found):
        if clause.word == "MATCH":
            following = found[place + 1 : place + 2]
            condition = following[0].body if following and following[0].word == "WHERE" else []
            bound = _matched(clause, condition, bound)
        else:
            _check_expression(clause.body, clause.line)
            bound = _carried(clause, bound)
    _check_parsers([token for clause in found for token in clause.body])


# --- Clauses ------------------------------------------------------------------------------------------------------


def _clauses(tokens: Sequence[Token]) -> list[_Clause]:
    """Return the clauses in order; OPTIONAL MATCH counts as MATCH."""
    found: list[_Clause] = []
    depths = _depths(tokens)
    for index, (token, depth) in enumerate(zip(tokens, depths, strict=True)):
        word = _keyword(tokens, index)
        _check_word(tokens, index, word)
        if word == "OPTIONAL" and _keyword(tokens, index + 1) == "MATCH":
            continue
        if _begins(tokens, index, word, depth):
            found.append(_Clause(word, token.line, []))
        elif not found:
            raise _refused(token.line, "the statement begins with no clause", "begin with MATCH, UNWIND or WITH")
        else:
            found[-1].body.append(token)
    if depths[-1]:
        raise _refused(tokens[-1].line, "brackets, or CASE and END, do not match", "close what is open")
    empty = next((clause for clause in found if not clause.body and clause.word != "UNION"), None)
    if empty is not None:
        raise _refused(empty.line, f"{empty.word} is empty", "write what it is about, or leave it out")
    return found


def _depths(tokens: Sequence[Token]) -> list[int]:
    """Return in how many brackets and CASEs each token stands, those that it opens included."""
    depth, found = 0, []
    for index, token in enumerate(tokens):
        word = _keyword(tokens, index)
        depth += (token.text in _OPEN) - (token.text in _CLOSE) + (word == "CASE") - (word == "END")
        if depth < 0:
            raise _refused(token.line, "brackets, or CASE and END, do not match", "close what is open")
        found.append(depth)
    return found


def _check_word(tokens: Sequence[Token], index: int, word: str) -> None:
    """Refuse clauses that are not followed here, and words that an engine could take for a name."""
    if word in _UNSUPPORTED:
        raise _refused(tokens[index].line, f"{word} is not for policies", "use MATCH, WITH, UNWIND and RETURN")
    case = word == "CASE" and not _opens_case(tokens, index)
    if case or (word in {"STARTS", "ENDS"} and not _is_comparison(tokens, index)):
        raise _refused(tokens[index].line, f"{word} is no name here", f"write it `{tokens[index].text}`")


def _begins(tokens: Sequence[Token], index: int, word: str, depth: int) -> bool:
    """Return whether the word at ``index`` begins a clause."""
    if word not in _CLAUSES or (word == "WITH" and _keyword(tokens, index - 1) in {"STARTS", "ENDS"}):
        return False
    if depth and word != "WHERE":  # which a comprehension has, too
        raise _refused(tokens[index].line, f"{word} stands inside brackets", "take it out of them")
    if word == "OPTIONAL":
        raise _refused(tokens[index].line, "OPTIONAL stands alone", "write OPTIONAL MATCH")
    return not depth


def _keyword(tokens: Sequence[Token], index: int) -> str:
    """Return the word at ``index`` in capitals where it may be one of Cypher's, an empty text elsewhere."""
    if index < 0 or tokens[index].kind != "word":
        return ""
    before = tokens[index - 1].text if index else ""
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    # After a dot or a colon, and before a colon in a map, stands a name.
    return "" if before in {".", ":"} or after == ":" else tokens[index].text.upper()


def _is_comparison(tokens: Sequence[Token], index: int) -> bool:
    """Return whether STARTS or ENDS at ``index`` compares: WITH follows, and what is compared stands before."""
    before = tokens[index - 1] if index else None
    operand = before is not None and (
        before.text in {")", "]"}
        or before.kind in {"name", "string", "parameter"}
        or (before.kind == "word" and before.text.lower() not in _OPERATORS)
    )
    return operand and _keyword(tokens, index + 1) == "WITH"


def _opens_case(tokens: Sequence[Token], index: int) -> bool:
    """Return whether CASE at ``index`` can be nothing else: engines take it for a name where an operator follows."""
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if after is None or after.kind == "sign":
        return False
    return after.kind != "word" or after.text.upper() == "WHEN" or after.text.lower() not in {*_OPERATORS, "contains"}


def _carried(clause: _Clause, bound: frozenset[str]) -> frozenset[str]:
    """Return what is bound to the tenant after a clause other than MATCH."""
    if clause.word == "UNION":
        return frozenset()
    if clause.word == "UNWIND":
        return bound - {_name(clause.body[-1])}
    if clause.word not in {"WITH", "RETURN"}:
        return bound
    body = clause.body[1:] if clause.body[0].text.upper() == "DISTINCT" else clause.body
    kept: set[str] = set()
    dropped: set[str] = set()
    for item in _split(body, ","):
        if [token.text for token in item] == ["*"]:
            kept |= bound
        elif len(item) == 1 and _name(item[0]) in bound:
            kept.add(_name(item[0]))
        elif len(item) == 3 and item[1].text.upper() == "AS" and _name(item[0]) in bound:  # noqa: PLR2004 - m AS n
            kept.add(_name(item[2]))
        elif item:
            dropped.add(_name(item[-1]))
    return frozenset(kept - dropped)


# --- Patterns -----------------------------------------------------------------------------------------------------


def _matched(clause: _Clause, condition: Sequence[Token], bound: frozenset[str]) -> frozenset[str]:
    """Return what is bound to the tenant after a MATCH with its WHERE.

    Raises:
        QueryRefused: one of its patterns is not.
    """
    paths = [_path(part, clause.line) for part in _split(clause.body, ",")]
    bound |= _bound_by(condition)
    waiting = paths
    while waiting:
        reached = [path for path in waiting if path.bound or path.nodes & bound]
        if not reached:
            raise _refused(waiting[0].line, "the statement does not keep to its tenant", _WAY_OUT)
        bound = bound.union(*(path.nodes for path in reached))
        waiting = [path for path in waiting if path not in reached]
    return bound


def _bound_by(condition: Sequence[Token]) -> frozenset[str]:
    """Return the variables that a WHERE binds to the tenant, whatever else it says: by conjuncts alone."""
    parts = _conjuncts(condition)
    low: set[tuple[str, str]] = set()
    high: set[tuple[str, str]] = set()
    found: set[str] = set()
    for part in parts:
        texts = [token.text for token in part]
        match texts:
            case [name, ".", "tenant", "=", "$tenant"] | ["$tenant", "=", name, ".", "tenant"]:
                found.add(name.strip("`"))
            case [name, ".", key, ">", "=", "$low"] | ["$low", "<", "=", name, ".", key]:
                low.add((name.strip("`"), key))
            case [name, ".", key, "<", "$high"] | ["$high", ">", name, ".", key]:
                high.add((name.strip("`"), key))
            case ["$low", "<", "=", name, ".", key, "<", "$high"] if key in ORDER_KEYS:
                found.add(name.strip("`"))
    return frozenset(found | {name for name, key in low & high if key in ORDER_KEYS})


def _conjuncts(condition: Sequence[Token]) -> list[list[Token]]:
    """Return the parts of a condition that all must hold; none where OR or XOR joins any of them."""
    words = [token.text.upper() for token in _outermost(condition) if token.kind == "word"]
    return [] if {"OR", "XOR"} & set(words) else _split(condition, "AND")


def _path(tokens: Sequence[Token], line: int) -> _Path:
    """Return what one pattern is about: ``[p =] (node)[-[edge]-(node)]…``."""
    start = 2 if len(tokens) > 2 and tokens[1].text == "=" else 0  # noqa: PLR2004 - a name and the sign
    line = tokens[0].line if tokens else line
    nodes: set[str] = set()
    bound = False
    index = start
    while True:
        index, name, binds = _node(tokens, index, line)
        bound = bound or binds
        if name:
            nodes.add(name)
        if index == len(tokens):
            return _Path(frozenset(nodes), bound, line)
        index = _edge(tokens, index, line)


def _node(tokens: Sequence[Token], index: int, line: int) -> tuple[int, str, bool]:
    """Read one node from ``index`` on; returns where it ends, its variable, and whether it names the tenant."""
    if index >= len(tokens) or tokens[index].text != "(":
        raise _unreadable(line)
    end = _closing(tokens, index, line)
    inside = tokens[index + 1 : end]
    name = ""
    if inside and inside[0].kind in {"word", "name"}:
        name, inside = _name(inside[0]), inside[1:]
    binds = _element(inside, line, numbers=False)
    return end + 1, name, binds


def _edge(tokens: Sequence[Token], index: int, line: int) -> int:
    """Read one edge from ``index`` on; returns where it ends."""

    def take(sign: str, *, needed: bool = True) -> None:
        nonlocal index
        if index < len(tokens) and tokens[index].text == sign:
            index += 1
        elif needed:
            raise _unreadable(line)

    take("<", needed=False)
    take("-")
    if index < len(tokens) and tokens[index].text == "[":
        end = _closing(tokens, index, line)
        inside = tokens[index + 1 : end]
        if inside and inside[0].kind in {"word", "name"}:
            inside = inside[1:]
        _element(inside, line, numbers=True)
        index = end + 1
    take("-")
    take(">", needed=False)
    return index


def _element(inside: Sequence[Token], line: int, *, numbers: bool) -> bool:
    """Check labels, lengths and properties of a node or an edge; returns whether these name the tenant."""
    place = next((place for place, token in enumerate(inside) if token.text == "{"), len(inside))
    head, properties = inside[:place], inside[place:]
    allowed = {":", "|", "&"} | ({"*", ".."} if numbers else set())
    for token in head:
        sound = token.kind in {"word", "name"} or token.text in allowed or (numbers and token.kind == "number")
        if not sound or _is_where(token):
            raise _unreadable(line)
    if not properties:
        return False
    if properties[-1].text != "}":
        raise _unreadable(line)
    binds = False
    for entry in _split(properties[1:-1], ","):
        if len(entry) < 3 or entry[0].kind not in {"word", "name"} or entry[1].text != ":":  # noqa: PLR2004 - key: value
            raise _unreadable(line)
        _check_property(entry[0])
        _check_expression(entry[2:], line)
        binds = binds or [token.text for token in entry] == ["tenant", ":", _TENANT]
    return binds


def _is_where(token: Token) -> bool:
    return token.kind == "word" and token.text.upper() == "WHERE"


# --- Expressions --------------------------------------------------------------------------------------------------


def _check_expression(tokens: Sequence[Token], line: int) -> None:
    """Refuse what an expression must not have: other patterns, maps, subqueries, content, unknown functions."""
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        after = [other.text for other in tokens[index + 1 : index + 3]]
        if token.text == "{":
            raise _refused(
                token.line, "braces stand outside a pattern", "use MATCH and WITH instead of a map or subquery"
            )
        if token.text == ")" and (after in (["-", "["], ["-", "-"]) or (after[:1] == ["<"] and after[1:] == ["-"])):
            raise _refused(token.line, "a pattern stands inside an expression", "use OPTIONAL MATCH and count()")
        if before is None:
            continue
        if token.text == "(":
            _check_call(tokens, index)
        if token.text == "[" and _is_operand(before):
            end = _closing(tokens, index, line)
            if not all(one.kind in {"number", "range"} or one.text == "-" for one in tokens[index + 1 : end]):
                raise _refused(token.line, "a name in brackets is computed", "write the property after a dot")
        if before.text == "." and token.kind in {"word", "name"}:
            _check_property(token)


def _check_call(tokens: Sequence[Token], index: int) -> None:
    called = tokens[index - 1]
    if called.kind not in {"word", "name"} or (called.kind == "word" and called.text.lower() in _OPERATORS):
        return
    dotted = index > 1 and tokens[index - 2].text == "."
    if dotted or _name(called).lower() not in _FUNCTIONS:
        names = ", ".join(sorted(_FUNCTIONS))
        raise _refused(called.line, f"the function {_name(called)[:40]} is not for policies", f"there are {names}")


def _check_property(token: Token) -> None:
    if _name(token) not in READABLE:
        what = f"the property {_name(token)[:40]} is not for policies, which read no content"
        raise _refused(token.line, what, f"there are {', '.join(sorted(READABLE))}")


def _check_parsers(tokens: Sequence[Token]) -> None:
    """Refuse functions that make numbers of texts where the statement reads any text of a person's."""
    names = {_name(token) for token in tokens if token.kind in {"word", "name"}}
    parser = next((token for token in tokens if _name(token).lower() in _PARSERS), None)
    if parser is not None and names & LABELS:
        label = min(names & LABELS)
        what = f"{_name(parser)} stands beside {label}, of which no number may be made"
        raise _refused(parser.line, what, "leave one of them out")


def _is_operand(token: Token) -> bool:
    """Return whether a bracket after ``token`` looks something up in it."""
    if token.kind == "word":
        return token.text.lower() not in _OPERATORS
    return token.kind in {"name", "parameter", "string"} or token.text in {")", "]"}


# --- Tokens -------------------------------------------------------------------------------------------------------


def _name(token: Token) -> str:
    return token.text.strip("`")


def _closing(tokens: Sequence[Token], index: int, line: int) -> int:
    """Return where the bracket at ``index`` closes."""
    depth = 0
    for place in range(index, len(tokens)):
        depth += (tokens[place].text in _OPEN) - (tokens[place].text in _CLOSE)
        if not depth:
            return place
    raise _unreadable(line)


def _outermost(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens outside brackets and CASE."""
    found, depth = [], 0
    for index, token in enumerate(tokens):
        word = _keyword(tokens, index)
        depth += (token.text in _OPEN) + (word == "CASE")
        if not depth:
            found.append(token)
        depth -= (token.text in _CLOSE) + (word == "END")
    return found


def _split(tokens: Sequence[Token], at: str) -> list[list[Token]]:
    """Return the parts between the outermost ``at``, a sign or a word in capitals."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for index, token in enumerate(tokens):
        word = _keyword(tokens, index)
        depth += (token.text in _OPEN) - (token.text in _CLOSE) + (word == "CASE") - (word == "END")
        if not depth and (word == at or (token.kind == "sign" and token.text == at)):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _unreadable(line: int) -> QueryRefused:
    return _refused(line, "a pattern cannot be followed", "write it as (m:Memory)-[:derivesFrom]->(n:Memory)")


def _refused(line: int, what: str, way_out: str) -> QueryRefused:
    return QueryRefused(f"line {line}: {what}; {way_out}")
