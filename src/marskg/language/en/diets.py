"""What people who keep to a diet do not eat or drink, and what a food belongs to.

Guarantees: plain tables of everyday English; a diet goes against a food only where somebody is said to have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

_MEAT: Final = (
    "meat steak steaks beef pork chicken ham bacon sausage sausages lamb turkey veal ribeye ribs brisket salami"
)
_FISH: Final = "fish salmon tuna sushi anchovies herring"
_SHELLFISH: Final = "shellfish seafood shrimp shrimps prawn prawns crab crabs lobster oysters mussels clams scallops"
_DAIRY: Final = "dairy milk cheese butter cream yoghurt yogurt"
_NUTS: Final = "nuts nut peanut peanuts almonds walnuts hazelnuts cashews pecans pistachios"
_WHEAT: Final = "gluten wheat bread pasta barley rye"
_DRINKS: Final = "alcohol beer wine whisky whiskey vodka rum gin champagne cocktails cocktail"
#: Words of a diet or an allergy, and what it rules out.
_RULED_OUT: Final = tuple(
    (frozenset(told.split()), frozenset(ruled_out.split()))
    for told, ruled_out in (
        ("vegetarian", f"{_MEAT} {_FISH} {_SHELLFISH}"),
        ("vegan", f"{_MEAT} {_FISH} {_SHELLFISH} {_DAIRY} honey eggs"),
        ("pescatarian", _MEAT),
        ("teetotal teetotaller sober", _DRINKS),
        ("celiac coeliac", _WHEAT),
    )
)
_FAMILIES: Final = tuple(frozenset(words.split()) for words in (_SHELLFISH, _DAIRY, _NUTS, _WHEAT, _FISH))
_SUFFERS: Final = frozenset(["allergic", "allergy", "intolerant", "intolerance"])
#: Words by which somebody has a food; a bare mention goes against nothing.
_HAS: Final = frozenset(
    [
        "love",
        "loves",
        "loved",
        "likes",
        "enjoy",
        "enjoys",
        "eat",
        "eats",
        "eating",
        "ate",
        "drink",
        "drinks",
        "drinking",
        "drank",
        "crave",
        "craves",
        "order",
        "orders",
        "adores",
        "favourite",
        "favorite",
        "grill",
        "cook",
        "roast",
        "serve",
        "fond",
    ]
)


def goes_against(said: AbstractSet[str], held: AbstractSet[str]) -> bool:
    """Return whether words that are ``said`` have somebody take what the words ``held`` rule out."""
    if said.isdisjoint(_HAS):
        return False
    if any(not told.isdisjoint(held) and not ruled_out.isdisjoint(said) for told, ruled_out in _RULED_OUT):
        return True
    suffers = not _SUFFERS.isdisjoint(held) and _SUFFERS.isdisjoint(said)
    return suffers and any(not family.isdisjoint(held) and not family.isdisjoint(said) for family in _FAMILIES)
