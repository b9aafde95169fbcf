"""Passwords, keys, tokens and other credentials, by the forms that services give them and by the words beside them.

Guarantees: pure functions; a word that says "password" without giving one is no finding; a UUID, a digest with nothing
beside it and a compound word are no secrets. Sources: what each service documents of the prefixes of its tokens.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Tokens by what their service calls them. Each pattern is anchored by a prefix or a form that words do not have.
_TOKENS: Final = {
    "aws-key": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    "github": r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255}",
    "gitlab": r"gl(?:pat|ptt|dt|rt|soat)-[\w-]{20,}",
    "slack": r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}",
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
    "bearer": r"[Bb]earer\s[A-Za-z0-9._~+/=-]{16,}|[Bb]asic\s[A-Za-z0-9+/]{12,}={0,2}",
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

_PASSWORD: Final = r"p[a@4][s5$]{2}\s?w[o0]rd"  # noqa: S105 - the word for one
_WORD: Final = (
    rf"(?:{_PASSWORD}|passwd|pwd|pass\s?phrase|passcode|pin(?:\s?(?:code|number))?|api[\s_-]?key|secret(?:[\s_-]?key)?"
    r"|access[\s_-]?(?:key|code|token)|auth(?:entication|orization)?[\s_-]?(?:token|code|key)|client[\s_-]?secret"
    r"|private[\s_-]?key|recovery[\s_-]?(?:code|key|phrase)|seed[\s_-]?phrase|security[\s_-]?code|verification[\s_-]?code"
    r"|one[\s-]?time[\s_-]?(?:code|password)|otp|2fa[\s_-]?code|cvv2?|cvc2?|door[\s_-]?code|gate[\s_-]?code|alarm[\s_-]?code"
    r"|safe[\s_-]?(?:code|combination)|wi-?fi[\s_-]?(?:password|key)|login|credentials?|token|passwort|kennwort|mot de passe"
    r"|contraseña|clave|senha|parola)"
)
_SAID: Final = re.compile(
    rf"(?<![^\W_]){_WORD}(?:\s(?:for|to|of|on|at)\s(?:[\w.'’-]+\s){{1,4}}?|\s+)?['\"]?\s*(?:(?:is|was|are|ist|est|es)(?:\s(?:now|still|set\sto|currently))?\s*:?|[:=]+>?)\s*"
    r"(?:(?P<quote>['\"“`])(?P<quoted>[^'\"”`\n]{3,128})['\"”`]|(?P<bare>[^\s'\"“”`]{3,128}))",
    re.IGNORECASE,
)
_PLAIN: Final = re.compile(
    r"(?<![^\W_])(?:my|our|the|his|her|their|your|mein|mon|mi)\s(?:\w+\s){0,2}(?:password|passphrase|passcode|passwort|contraseña)(?:\s(?:for|to)\s(?:[\w.'’-]+\s){1,3}?|\s)(?:is|ist|est|es)\s"
    r"(?P<bare>[A-Za-z][\w-]{3,63})(?=[.!]?\s*(?:$|\n|[.!]\s))",
    re.IGNORECASE,
)
#: A short word for it, and beside it what no command and no folder is called: letters and digits.
_BESIDE: Final = re.compile(
    r"(?<![^\W_])(?:my\s)?(?:pwd|pw)\s(?P<bare>(?=[^\s/]*\d)(?=[^\s/]*[A-Za-z])[\w!#$%&*+?@^~-]{5,63})(?=[.,;!]?(?:\s|$))",
    re.IGNORECASE,
)
#: The secret first. What goes on with another noun, as a password manager does, is no password.
_BEFORE: Final = re.compile(
    rf"(?<!\S)['\"“`]?(?P<bare>(?=\S*[\d!@#$%^&*])[^\W_][^\s'\"“”`]{{2,127}})['\"”`]?,?\s(?:as|is|was)\s(?:my|our|the|his|her|their|your)\s(?:[\w-]+\s){{0,2}}"
    rf"(?:{_PASSWORD}|passphrase|passcode|pwd|pin(?:\s?(?:code|number))?)(?=\s*(?:[.,;:!?)]|$)|\s(?:for|on|to|at|in|and|but|or|there|here|now|still"
    r"|too|again|everywhere)\b)",
    re.IGNORECASE,
)
#: One of these is in each word for a secret.
_HINTS: Final = (
    "pass", "word", "w0rd", "pw", "pin", "key", "secret", "code", "token", "phrase", "otp", "cvv", "cvc", "combination", "login",
    "credential", "kennwort", "contrase", "clave", "senha", "parola",
)  # fmt: skip
#: What is said of a password without telling it.
_NOT_TOLD: Final = frozenset(
    "wrong incorrect invalid valid expired correct right safe secure insecure weak strong forgotten lost hidden required"
    " missing stored saved changed reset needed encrypted unknown secret private public empty different same short long"
    " stolen leaked compromised known blank optional mandatory protected shared working broken okay fine good bad written"
    .split()
)  # fmt: skip
_LONG: Final = re.compile(r"(?<![\w./+=-])[A-Za-z0-9+/_=-]{24,200}(?![\w./+=-])")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX: Final = re.compile(r"(?:0x)?[0-9a-fA-F]+")
#: Bits a character from which a run of letters and digits was not written by a person.
_RANDOM_BITS: Final = 3.8
_FEWEST_PIN: Final = 3


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
    if any(word in lower for word in _HINTS):
        yield from _told(text)


def _told(text: str) -> Iterator[Finding]:
    """Yield what stands beside a word for a secret."""
    for match in _SAID.finditer(text):
        group = "quoted" if match["quoted"] else "bare"
        value = match[group].rstrip(".,;!?)")
        if is_told(value, quoted=group == "quoted"):
            yield Finding(match.start(group), match.start(group) + len(value), Category.SECRET, "said")
    for match in _PLAIN.finditer(text):
        if match["bare"].casefold() not in _NOT_TOLD:
            yield Finding(match.start("bare"), match.end("bare"), Category.SECRET, "said")
    for pattern in (_BESIDE, _BEFORE):
        for match in pattern.finditer(text):
            if is_told(match["bare"].rstrip(".,;!?)")):
                yield Finding(match.start("bare"), match.end("bare"), Category.SECRET, "said")


def is_told(value: str, *, quoted: bool = False) -> bool:
    """Return whether what stands behind the word for a secret is one."""
    if value.casefold() in _NOT_TOLD or len(value) < _FEWEST_PIN or value.startswith(("http://", "https://")):
        return False
    digits = any(one.isdigit() for one in value)
    if value.isalpha():
        return quoted
    return digits or any(not one.isalnum() and one not in "-'’.,/" for one in value)


def _is_random(run: str) -> bool:
    """Return whether a long run mixes cases and digits as only a generator does."""
    if _UUID.fullmatch(run) or _HEX.fullmatch(run) or "/" in run.strip("/"):
        return False
    if not (re.search(r"\d", run) and re.search(r"[a-z]", run) and re.search(r"[A-Z]", run)):
        return False
    counts = Counter(run)
    bits = -sum(count / len(run) * math.log2(count / len(run)) for count in counts.values())
    return bits >= _RANDOM_BITS
