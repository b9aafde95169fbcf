"""Amounts that English speakers tell of: what was spent, earned or done, and what is aimed at in a period.

Guarantees: pure. What happened is a ledger's entry, ``ledger/<what was done>/<on what>`` (append, with amount and
unit); what is aimed at is a goal, ``goal/<of what>``, of which there is one at a time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.phrasing import ADVERBS, STOP, Frame, frame, key_of
from marskg.language.facts import Fact, Said
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Cardinality, Kind

if TYPE_CHECKING:
    from marskg.language.en.facts.phrasing import Found

_CURRENCIES: Final = {
    "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "dollar": "USD", "buck": "USD", "euro": "EUR",
    "pound": "GBP", "quid": "GBP", "yen": "JPY", "rupee": "INR", "usd": "USD", "eur": "EUR", "gbp": "GBP",
    "franc": "CHF", "krona": "SEK", "kronor": "SEK", "sek": "SEK", "chf": "CHF",
}  # fmt: skip
_NUMBER: Final = r"\d{1,3}(?:[,\u202f ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_WORDS_OF_MONEY: Final = r"(?:dollars?|bucks?|euros?|pounds?|quid|yen|rupees?|usd|eur|gbp|francs?|kronor|krona|sek|chf)"
#: An amount of money: a sign or a word says of what.
MONEY: Final = (
    rf"(?:(?P<sign>[$€£¥₹]) ?(?P<money>{_NUMBER})(?P<scale>k\b|m\b| ?(?:thousand|million|billion)\b)?|"
    rf"(?P<money2>{_NUMBER})(?P<scale2>k\b| (?:thousand|million))? (?P<coin>{_WORDS_OF_MONEY})\b|"
    rf"(?P<money3>{_NUMBER}) ?(?P<sign3>[€£$]))"
)
_SCALES: Final = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "billion": 1e9}
_UNITS: Final = (
    r"(?:steps?|books?|workouts?|sessions?|kms?|kilometers?|kilometres?|miles?|meters?|metres?|m|hours?|hrs?|minutes?|mins?|pages?|chapters?|"
    r"calories|kcal|laps?|reps?|push-?ups|sit-?ups|squats|words|glasses|cups|liters?|litres?|kgs?|kilos?|kilograms?|"
    r"pounds|lbs?)"
)
_COUNT: Final = rf"(?P<count>{_NUMBER})(?P<many>k\b)? ?-?(?P<unit>{_UNITS})\b"
_PERIOD: Final = (
    r"(?:(?:per|a|an|each|every|this|in a|for the) (?P<period>day|week|month|year|night|weekend|quarter)|(?P<ly>daily|"
    r"weekly|monthly|yearly|annually))"
)
#: Verbs of what is counted, by the name of their ledger.
_DONE: Final = {
    "walked": "walk", "ran": "run", "jogged": "run", "cycled": "cycling", "biked": "cycling", "rode": "cycling",
    "swam": "swim", "hiked": "hike", "slept": "sleep", "read": "read", "wrote": "write", "studied": "study",
    "worked": "work", "practiced": "practice", "practised": "practice", "drank": "drink", "burned": "burn",
    "lifted": "lift", "meditated": "meditate", "drove": "drive", "climbed": "climb", "lost": "lose", "gained": "gain",
}  # fmt: skip
_PURPOSE: Final = late_regex(
    r"(?:today|tonight|yesterday|last night|this (?:morning|afternoon|evening|week|month|weekend)|on (?:mon|tues|"
    r"wednes|thurs|fri|satur|sun)day|"
    r"earlier|just now|ago)\b.*$|^(?:a|an|the|my|some|our|this|new|buying|getting|having) |\b(?:expenses?|spending|"
    r"costs?|purchases?)\b",
    re.IGNORECASE,
)
_WHAT_STOP: Final = (
    r"(?=\s*(?:[.!?;:…]|,|$|\s[-–—]|—|–)|\s+(?:today|tonight|yesterday|last|this|earlier|on|at|for|per|a week|each|"
    r"every|and|but|so|"
    r"to|which|because|when|while|in|from|as|with|before|after|just|now|it|lately|recently|again|since|that|i|though|"
    r"then)\b)"
)
#: What a sum of a sort of expenses adds up: "food" has breakfasts, too.
_SORTS: Final = {
    sort: frozenset(map(key_of, words.split()))
    for sort, words in {
        "food": "food breakfast brunch lunch dinner supper meal snack coffee latte tea drinks groceries grocery"
        " supermarket takeaway takeout restaurant cafe canteen pizza sandwich burger bakery bread dessert",
        "transport": "transport petrol fuel parking taxi cab uber bus tram train metro subway toll fare",
        "home": "rent mortgage electricity heating water utilities internet broadband furniture",
    }.items()
}
_EXPENSE: Final = r"(?:spending|expenses?|costs?|budget|bills?|purchases?|spend)"


def number(text: str) -> float:
    """Return a number as it is written: ``1,200.50``."""
    plain = re.sub(r"[,\u202f ](?=\d{3}(?:\D|$))", "", text)
    return float(plain.replace(",", "."))


def money_of(match: re.Match[str]) -> tuple[float, str] | None:
    """Return amount and ISO 4217 code of :data:`MONEY` in a match; None where it has none."""
    groups = match.groupdict()
    said = groups.get("money") or groups.get("money2") or groups.get("money3")
    if said is None:
        return None
    scale = (groups.get("scale") or groups.get("scale2") or "").strip().lower()
    sign = groups.get("sign") or groups.get("sign3") or (groups.get("coin") or "").lower()
    return number(said) * _SCALES.get(scale, 1.0), _CURRENCIES.get(sign) or _CURRENCIES.get(sign.rstrip("s"), sign)


def written(amount: float) -> str:
    """Return an amount as people write it."""
    return f"{amount:.0f}" if amount == int(amount) else f"{amount:.2f}"


def _amount_of(found: Found) -> tuple[float, str] | None:
    money = money_of(found.match)
    if money is not None:
        return money
    if not found.group("count"):
        return None
    many = 1000.0 if found.group("many") else 1.0
    return number(found.group("count")) * many, _unit(found.group("unit"))


def _unit(said: str) -> str:
    unit = said.lower().replace("-", "")
    if unit in {"km", "kms", "kilometer", "kilometers", "kilometre", "kilometres"}:
        return "km"
    return unit if unit.endswith("s") or unit in {"m", "kcal"} else f"{unit}s"


def _ledger(found: Found, ledger: str, what: str, says: str) -> Fact | None:
    amount = _amount_of(found)
    if amount is None:
        return None
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who} {says}",
        confidence=found.confidence,
        key=f"ledger/{ledger}/{sort_of(what)}{key_of(what) or 'other'}",
        cardinality=Cardinality.APPEND,
        payload={"concept": what or ledger, "amount": amount[0], "unit": amount[1]},
        when=found.sentence.text,
    )


def sort_of(what: str) -> str:
    """Return the part of a key that says of what sort ``what`` is, empty where that is not known."""
    said = {*key_of(what).split()}
    return next((f"{sort}/" for sort, words in _SORTS.items() if said & words), "")


def _spent(found: Found) -> Fact | None:
    what = found.group("what")
    for _ in range(2):
        what = _PURPOSE.sub("", what).strip()
    amount = _amount_of(found)
    if amount is None or not what:
        return None
    return _ledger(found, "expenses", what, f"spent {written(amount[0])} {amount[1]} on {what}")


def _earned(found: Found) -> Fact | None:
    what = _PURPOSE.sub("", found.group("what")).strip()
    amount = _amount_of(found)
    if amount is None:
        return None
    return _ledger(found, "income", what, f"earned {written(amount[0])} {amount[1]}{' from ' + what if what else ''}")


def _did(found: Found) -> Fact | None:
    amount = _amount_of(found)
    if amount is None:
        return None
    verb = found.group("verb").lower()
    ledger = "walk" if amount[1] == "steps" else _DONE.get(verb, "done")
    said = verb if verb in _DONE else "walked" if amount[1] == "steps" else "did"
    return _ledger(found, ledger, amount[1], f"{said} {written(amount[0])} {amount[1]}")


def _goal(found: Found) -> Fact | None:
    amount = _amount_of(found)
    if amount is None:
        return None
    what = found.group("what") or found.group("thing") or found.group("kind")
    for _ in range(2):
        what = _PURPOSE.sub("", what).strip(" ,")
    money = money_of(found.match) is not None
    if not money:
        what = amount[1]
    period = (found.group("period") or found.group("period2")).lower() or {
        "daily": "day",
        "weekly": "week",
        "monthly": "month",
    }.get((found.group("ly") or found.group("ly2")).lower(), "")
    if money and not what:
        what = "budget"
    start, end = found.span
    goal = f"{'at most ' if money and found.rule != 'goal.save' else ''}{written(amount[0])} {amount[1]}"
    goal += f" on {what}" if money and what != "budget" else ""
    goal += f" per {period}" if period else ""
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who}'s goal: {goal}",
        confidence=found.confidence,
        does=Said.ADD,
        kind=Kind.TASK,
        key=f"goal/{key_of(what) or what}",
        payload={"goal": f"{what}: {goal}" if what not in goal else goal},
    )


_AIM: Final = (
    r"(?:\bI(?:'m|'ve| am| have|'d|'ll)? [^.!?;$€£]{0,80}?\b(?:want|aim(?:ing)?|tr(?:y|ying)|going|plan(?:ning)?|"
    r"like|love|start(?:ing)?|"
    r"hop(?:e|ing)|need|excited|decided|set(?:ting)?|limit(?:ing)?|keep(?:ing)?|cap(?:ping)?|cut(?:ting)?|"
    r"commit(?:ted|ting)?)\b|"
    r"\bm?y? ?(?:new |first |next |current |daily |weekly |main |big )*(?:goal|target|budget|limit|aim|plan)\b)"
)
_AT_MOST: Final = (
    r"(?:no more than |under |below |less than |at most |up to |within |only |just |around |about |a maximum of |"
    r"max |to )*"
)
_ABOUT: Final = r"(?:about |around |over |almost |nearly |a total of |only |just |exactly |like )*"
#: The frames of goals, then those of ledgers.
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "goal.spend",
        "goal target limit spend spending under budget",
        rf"{_AIM}[^.?;$€£]{{0,70}}?\b(?:spend(?:ing)?) {_AT_MOST}{MONEY}(?: {_PERIOD})? (?:on|"
        rf"for) (?P<what>[^.!?;,]{{2,40}}?)"
        rf"{_WHAT_STOP}(?: {_PERIOD.replace('P<period>', 'P<period2>').replace('P<ly>', 'P<ly2>')})?",
        _goal,
        0.85,
    ),
    frame(
        "goal.expense",
        "spending expenses expense budget costs cost bill purchases",
        rf"{_AIM}[^.?;$€£]{{0,70}}?\b(?P<thing>[\w-]+(?: [\w-]+)?) {_EXPENSE} {_AT_MOST}{MONEY}(?: {_PERIOD})?",
        _goal,
        0.95,
    ),
    frame(
        "goal.budget",
        "budget limit",
        rf"\bmy (?P<kind>[\w-]+(?: [\w-]+)? )?(?:budget|spending limit|"
        rf"limit)(?: for (?P<what>[^.!?;,]{{2,40}}?))? "
        rf"(?:is|was|will be|would be|has been|got|should be)(?: now| set (?:to|at)| only| around| about| up to|"
        rf" raised to| cut to)* {MONEY}(?: {_PERIOD})?",
        _goal,
        0.85,
    ),
    frame(
        "goal.do",
        "goal target want aim aiming trying try start starting hit going plan excited love like hope aims started "
        "commit",
        rf"{_AIM}[^.?;]{{0,60}}?\b(?:walk(?:ing)?|run(?:ning)?|hit(?:ting)?|reach(?:ing)?|do(?:ing)?|tak(?:e|ing)|"
        rf"get(?:ting)?(?: in)?|"
        rf"read(?:ing)?|writ(?:e|ing)|sleep(?:ing)?|drink(?:ing)?|swim(?:ming)?|cycl(?:e|ing)|is|of|for|at|to|los(?:e|"
        rf"ing)|study(?:ing)?|practi[cs](?:e|ing)|meditat(?:e|ing))"
        rf" (?:at least |a total of |around |about |over |up to |more than |"
        rf"the )*{_COUNT}[^.!?;]{{0,25}}?(?: {_PERIOD})",
        _goal,
        0.95,
    ),
    frame(
        "goal.save",
        "save saving",
        rf"\bI(?:'m| am|'d| want| would| plan| need| hope)? (?:\w+ ){{0,4}}?sav(?:e|ing) (?:up )?(?:at least |around |"
        rf"about )?{MONEY}(?: {_PERIOD})?(?: (?:for|towards?) (?P<what>[^.!?;,]{{2,40}}?){STOP})?",
        _goal,
        0.75,
    ),
    frame(
        "ledger.spent",
        "spent spend paid dropped shelled splurged",
        rf"\b(?:I|we)(?:'ve| have)? ?{ADVERBS}(?:managed to |ended up )?(?:spent|dropped|shelled out|splurged|paid|"
        rf"spending|spend) {_ABOUT}"
        rf"{MONEY} (?:on|for|at) (?P<what>[^.!?;,]{{2,60}}?){_WHAT_STOP}",
        _spent,
        0.97,
    ),
    frame(
        "ledger.bought",
        "bought got grabbed paid had for",
        rf"\b(?:I|we)(?:'ve| have)? ?{ADVERBS}(?:bought|got|grabbed|paid for|had|"
        rf"picked up) (?P<what>[^.!?;,$€£]{{2,60}}?) for {_ABOUT}{MONEY}",
        _spent,
        0.95,
    ),
    frame(
        "ledger.cost",
        "cost",
        rf"\b(?:my|our|the|today's|this morning's|tonight's|last night's|"
        rf"yesterday's) (?P<what>[\w -]{{3,40}}?) (?:today |tonight |yesterday |just |only )*cost me (?:about |around |"
        rf"only |just )?{MONEY}",
        _spent,
        0.85,
    ),
    frame(
        "ledger.earned",
        "earned made sold received",
        rf"\b(?:I|we)(?:'ve| have)? ?{ADVERBS}(?:earned|made|received|got paid) (?:about |around |"
        rf"over )?{MONEY}(?: (?:from|by|for|on|with) (?P<what>[^.!?;,]{{2,60}}?){_WHAT_STOP})?",
        _earned,
        0.75,
    ),
    frame(
        "ledger.did",
        " ".join(
            (*_DONE, "steps", "did", "took", "hit", "got", "reached", "logged", "completed", "managed", "clocked")
        ),
        rf"\b(?:I|we)(?:'ve| have)? ?{ADVERBS}(?:(?:checked|looked|glanced|realized|realised|noticed|saw|"
        rf"see) [^.!?;]{{0,70}}?(?:I|that) )?{ADVERBS}(?:managed to |got to )?"
        rf"(?P<verb>{'|'.join(_DONE)}|did|took|hit|got|get in|got in|reached|logged|completed|walk|run|managed|clocked|"
        rf"put in|racked up|ended up with)(?: in)?"
        rf" (?:about |around |over |almost |nearly |a total of |an? (?:amazing|impressive|whopping|solid|good) |"
        rf"exactly |only |just |like |more than |for |at )*{_COUNT}",
        _did,
        0.97,
    ),
)
