"""Passwords, keys, tokens and other credentials, by the forms that services give them and by the words beside them.

Guarantees: pure functions; a word that says "password" without giving one is no finding; a UUID, a digest with nothing
beside it and a compound word are no secrets. Sources: what each service documents of the prefixes of its tokens.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from marskg.language.en.personal.secret_words import SECRETS
from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Tokens by what their service calls them. Each pattern is anchored by a prefix or a form that words do not have.
_TOKENS: Final = {
    "aws-key": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    "github": r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255}",
    "gitlab": r"gl(?:pat|ptt|dt|rt|soat)-[\w-]{20,}",
    "slack": r"xox[abeoprs]-(?=\S*\d)[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}",
    "slack-hook": r"https://hooks\.slack\.com/(?:services|workflows)/[\w/]{20,}",
    "stripe": r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{20,}",
    "google": r"AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}",
    "openai": r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}",
    "anthropic": r"sk-ant-[A-Za-z0-9_-]{20,}",
    "hugging-face": r"hf_[A-Za-z0-9]{20,}",
    "npm": r"npm_[A-Za-z0-9]{30,}",
    "pypi": r"pypi-AgE[\w-]{40,}",
    "twilio": r"(?:SK|AC)[0-9a-f]{32}",
    "sendgrid": r"SG\.[\w-]{16,}\.[\w-]{16,}",
    "mailgun": r"key-[0-9a-f]{32}",
    "mailchimp": r"[0-9a-f]{32}-us\d{1,2}",
    "digital-ocean": r"do[oprt]_v1_[0-9a-f]{40,}",
    "shopify": r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    "square": r"sq0(?:atp|csp)-[\w-]{22,}|EAAA[\w-]{60}",
    "telegram": r"\d{8,10}:AA[\w-]{32,35}",
    "discord": r"[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,}",
    "linear": r"lin_api_[A-Za-z0-9]{32,}",
    "notion": r"(?:secret|ntn)_[A-Za-z0-9]{40,}",
    "postman": r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
    "databricks": r"dapi[0-9a-f]{32}",
    "vault": r"hv[sb]\.[A-Za-z0-9_-]{20,}",
    "doppler": r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9]{40,}",
    "grafana": r"gl(?:sa|c)_[A-Za-z0-9+/=_]{30,}",
    "jwt": r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}",
    "azure": r"AccountKey=[A-Za-z0-9+/=]{40,}|SharedAccessKey=[A-Za-z0-9+/=]{40,}|\bsig=[A-Za-z0-9%]{40,}",
    "url-password": r"[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,64}:[^\s/@]{1,128}@[^\s]+",
    "bearer": r"[Bb]earer\s(?=\S*(?:\d|[a-z][A-Z]))[A-Za-z0-9._~+/=-]{16,}|[Bb]asic\s(?=\S*(?:\d|[a-z][A-Z]))[A-Za-z0-9+/]{12,}={0,2}",
    "private-key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,8192}?-----END [A-Z ]+-----)?",
}
_ANY_TOKEN: Final = re.compile(
    "|".join(
        f"(?P<t{place}>{pattern})"
        for place, pattern in enumerate(f"(?<![A-Za-z0-9_])(?:{one})" for one in _TOKENS.values())
    )
)
_TOKEN_NAMES: Final = tuple(_TOKENS)
#: One of these is in whatever has the form of a token.
_MAYBE_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{16}|://|[Bb]asic |[Bb]earer ")

_LONG: Final = re.compile(r"(?<![\w./+=-])[A-Za-z0-9+/_=-]{24,200}(?![\w./+=-])")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
#: What a page names to have a file checked; it stands in public.
_INTEGRITY: Final = re.compile(r"sha(?:256|384|512)-")
_HEX: Final = re.compile(r"(?:0x)?[0-9a-fA-F]+")
#: Bits a character from which a run of letters and digits was not written by a person.
_RANDOM_BITS: Final = 3.8
_FEWEST_PIN: Final = 3
#: What stands in code where a secret is meant and not told: a template, a tag, where it is read from, and a name such as
#: ``hashed_password`` or ``YOUR-API-KEY-HERE``. It is the whole of what stands there: "<b>hunter2</b>" tells one.
_NOT_GIVEN: Final = re.compile(
    r"(?:\$?\{\{? *[A-Za-z_.]*[(\[]? *\}*|\$\{[A-Z_][A-Z0-9_]*(?::-?)?\}?|(?:</?[a-z][a-z_-]*/?>?)+|#+"
    r"|(?:process\.env|os\.environ)\.\w+|(?:password|secret|token)"
    r"|(?=.*(?<![a-z])(?:password|secret|token|(?:api)?key)(?![a-z]))(?:[a-z]+[._-])+[a-z]+)$",
    re.IGNORECASE,
)
#: A call or an item, outside quotation marks and behind a sign; a bracket in a password is followed by a digit or by more.
_CALL: Final = re.compile(r"(?:[a-z_]\w*\.)*(?:[a-z_]+|[A-Z][A-Za-z]+)[(\[](?!\d)(?:[^)\]]|[)\]](?=$|[.,;:()\[\]]))*$")
_VERSION: Final = re.compile(r"\d+(?:\.\d+){1,3}$")


def find(text: str) -> Iterator[Finding]:
    """Yield the secrets in ``text``."""
    if _MAYBE_TOKEN.search(text):
        for match in _ANY_TOKEN.finditer(text):
            name = _TOKEN_NAMES[int((match.lastgroup or "t0")[1:])]
            yield Finding(match.start(), match.end(), Category.SECRET, name)
        for match in _LONG.finditer(text):
            if _is_random(match[0]):
                yield Finding(match.start(), match.end(), Category.SECRET, "random")
    lower = text.casefold()
    if any(word in lower for word in SECRETS.hints):
        yield from _told(text)


def _told(text: str) -> Iterator[Finding]:
    """Yield what stands beside a word for a secret."""
    for match in SECRETS.said.finditer(text):
        group = "quoted" if match["quoted"] else "bare"
        value = match[group].rstrip(".,;!?)")
        sign = text[match.start() : match.start(group)].rstrip()
        in_code = group == "bare" and sign.endswith(("=", ":", ">")) and _CALL.match(value)
        if in_code or (sign.endswith("==") and _VERSION.match(value)):
            continue
        if is_told(value, quoted=group == "quoted"):
            yield Finding(match.start(group), match.start(group) + len(value), Category.SECRET, "said")
    for match in SECRETS.plain.finditer(text):
        if match["bare"].casefold() not in SECRETS.not_told:
            yield Finding(match.start("bare"), match.end("bare"), Category.SECRET, "said")
    for pattern in SECRETS.beside:
        for match in pattern.finditer(text):
            if is_told(match["bare"].rstrip(".,;!?)")):
                yield Finding(match.start("bare"), match.end("bare"), Category.SECRET, "said")


def is_told(value: str, *, quoted: bool = False) -> bool:
    """Return whether what stands behind the word for a secret is one."""
    if value.casefold() in SECRETS.not_told or len(value) < _FEWEST_PIN or value.startswith(("http://", "https://")):
        return False
    if _NOT_GIVEN.match(value):
        return False
    digits = any(one.isdigit() for one in value)
    if value.isalpha():
        return quoted
    return digits or any(not one.isalnum() and one not in "-'’.,/" for one in value)


def _is_random(run: str) -> bool:
    """Return whether a long run mixes cases and digits as only a generator does."""
    if _UUID.fullmatch(run) or _HEX.fullmatch(run) or _INTEGRITY.match(run) or "/" in run.strip("/"):
        return False
    if not (re.search(r"\d", run) and re.search(r"[a-z]", run) and re.search(r"[A-Z]", run)):
        return False
    counts = Counter(run)
    bits = -sum(count / len(run) * math.log2(count / len(run)) for count in counts.values())
    return bits >= _RANDOM_BITS
