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
#: What somebody who eats or drinks none of a kind goes without, by the word for the kind.
_KINDS: Final = tuple(
    (kind, frozenset(foods.split()))
    for kind, foods in (
        ("meat", _MEAT),
        ("fish", _FISH),
        ("shellfish", _SHELLFISH),
        ("seafood", f"{_SHELLFISH} {_FISH}"),
        ("dairy", _DAIRY),
        ("nuts", _NUTS),
        ("gluten", _WHEAT),
        ("alcohol", _DRINKS),
    )
)
_FAMILIES: Final = tuple(frozenset(words.split()) for words in (_SHELLFISH, _DAIRY, _NUTS, _WHEAT, _FISH))
#: Words of what must not be forgotten of somebody whom anything is done for; of neighbouring languages as well.
WARNINGS: Final = (
    "allergic allergy allergies anaphylaxis intolerant intolerance vegetarian vegan celiac coeliac diabetic "
    "diabetes epileptic epilepsy pregnant kosher halal allergisch allergie allergikerin vegetarier vegetarierin "
    "diabetiker alérgico alérgica alergia alergias intolerante celíaco celíaca vegetariano vegetariana "
    "allergique 过敏 素食"
)
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
        "fine",
        "safe",
        "okay",
        "suits",
    ]
)


def goes_against(said: AbstractSet[str], held: AbstractSet[str], *, denies: bool) -> bool:
    """Return whether words that are ``said`` have somebody take what the words ``held`` rule out.

    What is held names a diet, or ``denies`` that somebody takes a kind of food or drink.
    """
    if said.isdisjoint(_HAS):
        return False
    if denies:
        return not held.isdisjoint(_HAS) and any(kind in held and not foods.isdisjoint(said) for kind, foods in _KINDS)
    if any(not told.isdisjoint(held) and not ruled_out.isdisjoint(said) for told, ruled_out in _RULED_OUT):
        return True
    suffers = not _SUFFERS.isdisjoint(held) and _SUFFERS.isdisjoint(said)
    return suffers and any(not family.isdisjoint(held) and not family.isdisjoint(said) for family in _FAMILIES)
