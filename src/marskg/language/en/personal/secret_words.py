"""How English tells a password, a code or a key, and what it says of one without telling it.

Guarantees: plain patterns (:mod:`marskg.language.personal`). Words of neighbouring languages stand among them.
"""

from __future__ import annotations

import re
from typing import Final

from marskg.language.personal import Secrets

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
_TOLD: Final = re.compile(
    r"(?<![^\W_])(?:(?:p[a@4][s5$]{2}w[o0]rd|passwd|passphrase|passcode|pwd|pw)\s?[:=]"
    r"|(?:pass|pin|cvv2?|cvc2?|secret|client_?secret|api[_-]?key|(?:access|auth|refresh|id|bearer)_?token)=|[?&]token=)"
    r"\s?(?P<value>[^\s&;]{3,128})",
    re.IGNORECASE,
)

SECRETS: Final = Secrets(
    hints=_HINTS, said=_SAID, plain=_PLAIN, beside=(_BESIDE, _BEFORE), label=_TOLD, not_told=_NOT_TOLD
)
