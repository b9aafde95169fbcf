"""Cycles of any length among derivesFrom, dependsOn, supersedes and requires, in time linear in the edges.

Guarantees: exactly the edges that lie on a cycle are found, without recursion however long a chain is. SHACL Core
states cycles of one and two steps (``acyclicity.ttl``); the longer ones are looked for here.
Source: R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972), section 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


def cyclic_edges(edges: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Return those of the ``(source, type, target)`` edges whose ends lie on one cycle."""
    known = list(edges)
    successors: dict[str, list[str]] = {}
    for source, _type, target in known:
        successors.setdefault(source, []).append(target)
    component = components(successors)
    return [
        edge
        for edge in known
        if edge[0] == edge[2] or (edge[2] in component and component[edge[0]] == component[edge[2]])
    ]


def components(successors: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the number of the strongly connected component of each node that has successors or is one."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    component: dict[str, int] = {}
    stack: list[str] = []
    for root in successors:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(root, iter(successors[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            node, rest = work[-1]
            target = next((t for t in rest if t not in component), None)
            if target is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    _close(node, stack, component)
            elif target in index:
                low[node] = min(low[node], index[target])
            else:
                index[target] = low[target] = len(index)
                stack.append(target)
                work.append((target, iter(successors.get(target, ()))))
    return component


def _close(node: str, stack: list[str], component: dict[str, int]) -> None:
    """Take a finished component off the stack."""
    number = len(component)
    while True:
        member = stack.pop()
        component[member] = number
        if member == node:
            return
