"""Keys and tokens by the forms that services give them, and random runs of letters and digits.

Guarantees: pure functions; a UUID, a digest with nothing beside it, a compound word and the public half of a key are no
secrets; a token of a service that nobody wrote down here is found where a word for one stands before it, or where it
mixes cases and digits as only a generator does. Sources: what each service documents of the prefixes of its tokens.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.language.identifiers import check_digits
from marskg.language.identifiers.model import Found, Identifier, Kind
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILLER: Final = "Kq7Zb2Xw9Rt4Lm8Nc3Vd6Hs5Jf"
_HEX_FILLER: Final = "3f8a1c9d7b2e6045"

#: By what their service calls them: the pattern, and a sample in which ``<n>`` are n letters and digits, ``<nx>`` n
#: hexadecimal ones. Each pattern is anchored by a prefix or a form that words do not have. The first that fits names it.
_TOKENS: Final = {
    "aws-key": (r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}", "AKIAIOSFODNN7EXAMPLE"),
    "github": (r"gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255}", "ghp_<36>"),
    "gitlab": (r"gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent)-[\w-]{20,}", "glpat-<20>"),
    "slack": (r"xox[abeoprs]-(?=\S*\d)[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}", "xoxb-<24>"),
    "slack-hook": (
        r"https://hooks\.slack\.com/(?:services|workflows)/[\w/]{20,}",
        "https://hooks.slack.com/services/T<8>/B<8>/<24>",
    ),
    "discord-hook": (
        r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{16,20}/[\w-]{40,}",
        "https://discord.com/api/webhooks/123456789012345678/<68>",
    ),
    "stripe": (r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{20,}", "sk_live_<24>"),
    "google": (r"AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}", "AIza<35>"),
    "anthropic": (r"sk-ant-[A-Za-z0-9_-]{20,}", "sk-ant-api03-<40>"),
    "openai": (r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}", "sk-proj-<48>"),
    "hugging-face": (r"(?:hf|api_org)_[A-Za-z0-9]{20,}", "hf_<34>"),
    "groq": (r"gsk_[A-Za-z0-9]{40,}", "gsk_<52>"),
    "replicate": (r"r8_[A-Za-z0-9]{36,}", "r8_<37>"),
    "xai": (r"xai-[A-Za-z0-9]{60,}", "xai-<80>"),
    "perplexity": (r"pplx-[A-Za-z0-9]{40,}", "pplx-<48>"),
    "npm": (r"npm_[A-Za-z0-9]{30,}", "npm_<36>"),
    "pypi": (r"pypi-AgE[\w-]{40,}", "pypi-AgE<60>"),
    "rubygems": (r"rubygems_[0-9a-f]{48}", "rubygems_<48x>"),
    "crates": (r"cio[A-Za-z0-9]{32}", "cio<32>"),
    "docker": (r"dckr_[op]at_[\w-]{27,}", "dckr_pat_<27>"),
    "twilio": (r"(?:SK|AC)[0-9a-f]{32}", "SK<32x>"),
    "sendgrid": (r"SG\.[\w-]{16,}\.[\w-]{16,}", "SG.<22>.<43>"),
    "mailgun": (r"key-[0-9a-f]{32}", "key-<32x>"),
    "mailchimp": (r"[0-9a-f]{32}-us\d{1,2}", "<32x>-us12"),
    "digital-ocean": (r"do[oprt]_v1_[0-9a-f]{40,}", "dop_v1_<64x>"),
    "shopify": (r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}", "shpat_<32x>"),
    "square": (r"sq0(?:atp|csp)-[\w-]{22,}|EAAA[\w-]{60}", "sq0atp-<22>"),
    "telegram": (r"\d{8,10}:AA[\w-]{32,35}", "7483920174:AA<33>"),
    "discord": (r"[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,}", "M<23>.<6>.<27>"),
    "linear": (r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}", "lin_api_<40>"),
    "notion": (r"(?:secret|ntn)_[A-Za-z0-9]{40,}", "ntn_<46>"),
    "figma": (r"figd_[\w-]{30,}", "figd_<40>"),
    "atlassian": (r"ATATT3[\w=-]{50,}|ATCTT3[\w=-]{50,}", "ATATT3<80>"),
    "airtable": (r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", "pat<14>.<64x>"),
    "postman": (r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", "PMAK-<24x>-<34x>"),
    "databricks": (r"dapi[0-9a-f]{32}", "dapi<32x>"),
    "vault": (r"hv[sbr]\.[A-Za-z0-9_-]{20,}", "hvs.<24>"),
    "doppler": (r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9]{40,}", "dp.pt.<43>"),
    "grafana": (r"gl(?:sa|c)_[A-Za-z0-9+/=_]{30,}", "glsa_<41>"),
    "sentry": (r"sntry[su]_[A-Za-z0-9+/=_]{40,}", "sntrys_<64>"),
    "new-relic": (r"NRAK-[A-Z0-9]{27}", "NRAK-ABCDEFGH2345678JKLMNPQR9ZX3"),
    "supabase": (r"sb[ps]_[0-9a-f]{40}|sb_secret_[\w-]{20,}", "sbp_<40x>"),
    "netlify": (r"nfp_[A-Za-z0-9]{36,}", "nfp_<40>"),
    "planetscale": (r"pscale_(?:tkn|pw|oauth)_[\w.-]{30,}", "pscale_tkn_<43>"),
    "tailscale": (r"tskey-(?:[a-z]+-)?[A-Za-z0-9-]{20,}", "tskey-auth-<30>"),
    "pulumi": (r"pul-[0-9a-f]{40}", "pul-<40x>"),
    "contentful": (r"CFPAT-[\w-]{40,}", "CFPAT-<43>"),
    "jwt": (r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}", "eyJ<20>.eyJ<30>.<43>"),
    "azure": (
        r"AccountKey=[A-Za-z0-9+/=]{40,}|SharedAccessKey=[A-Za-z0-9+/=]{40,}|\bsig=[A-Za-z0-9%]{40,}|[\w~.-]{3}\dQ~[\w~.-]{31,34}",
        "AccountKey=<86>==",
    ),
    "age-key": (r"AGE-SECRET-KEY-1[0-9A-Z]{50,}", "AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE6"),
    "wallet-key": (r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112}", "xprv<107>"),
    "url-password": (
        r"[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,64}:[^\s/@]{1,128}@[^\s]+", "postgres://app:hunter2xyz@db.internal/main"
    ),
    "bearer": (
        r"[Bb]earer\s(?=\S*(?:\d|[a-z][A-Z]))[A-Za-z0-9._~+/=-]{16,}|[Bb]asic\s(?=\S*(?:\d|[a-z][A-Z]))[A-Za-z0-9+/]{12,}={0,2}",
        "Bearer <32>",
    ),
    "private-key": (
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,8192}?-----END [A-Z0-9 ]+-----)?",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n<60>\n-----END OPENSSH PRIVATE KEY-----",
    ),
    "putty-key": (
        r"PuTTY-User-Key-File-\d:[\s\S]{0,8192}?Private-(?:Lines|MAC): ?[\s\S]{1,4096}?(?=\n\n|$)",
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\n<60>",
    ),
}  # fmt: skip
_BEFORE: Final = "(?<![A-Za-z0-9_])"
_ANY_TOKEN: Final = late_regex(
    "|".join(f"(?P<t{place}>{_BEFORE}(?:{pattern}))" for place, (pattern, _) in enumerate(_TOKENS.values()))
)
_TOKEN_NAMES: Final = tuple(_TOKENS)
#: One of these is in whatever has the form of a token.
_MAYBE_TOKEN: Final = late_regex(r"[A-Za-z0-9_-]{16}|://|[Bb]asic |[Bb]earer ")

_LONG: Final = late_regex(r"(?<![\w./+=-])[A-Za-z0-9+/_=-]{24,200}(?![\w./+=-])")
_UUID: Final = late_regex(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
#: What a page names to have a file checked, and the public half of a key: they stand in public.
_PUBLISHED: Final = late_regex(r"sha(?:256|384|512)-|AAAA[A-Z]3NzaC1")
#: Where somebody is paid is no secret.
_ADDRESS: Final = late_regex(r"[13][1-9A-HJ-NP-Za-km-z]{25,34}")
_HEX: Final = late_regex(r"(?:0x)?[0-9a-fA-F]+")
#: Bits a character from which a run of letters and digits was not written by a person.
_RANDOM_BITS: Final = 3.8
#: As much behind a word for a key, where less is enough.
_CUED_BITS: Final = 2.8
_CUED: Final = late_regex(
    r"(?:(?<![^\W_])(?:key|token|secret|bearer|jwt|credential|(?:api-?|geheim|zugangs)?schlüssel|clave|密钥|令牌)s?(?![^\W\d_]))"
    r"[\s:=,'\"`(]{1,4}(?:(?:is|was|ist|es|=)[\s:'\"`]{1,3})?(?P<value>(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_-]{16,200})(?![\w./+=-])",
    re.IGNORECASE,
)
_PUBLIC_KEY: Final = late_regex(
    r"(?<!\w)(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\w+) AAAA[A-Za-z0-9+/]{20,}={0,3}(?: [\w.+-]+@[\w.-]+)?"
)


def find(text: str) -> Iterator[Found]:
    """Yield the keys and tokens in ``text``."""
    if not _MAYBE_TOKEN.search(text):
        return
    for match in _ANY_TOKEN.finditer(text):
        name = _TOKEN_NAMES[int((match.lastgroup or "t0")[1:])]
        yield Found(match.start(), match.end(), Kind.SECRET, name)
    for match in _LONG.finditer(text):
        if _is_random(match[0]):
            yield Found(match.start(), match.end(), Kind.SECRET, "random")
    for match in _CUED.finditer(text):
        if _bits(match["value"]) >= _CUED_BITS and not _is_compound(match["value"]):
            yield Found(match.start("value"), match.end("value"), Kind.SECRET, "cued")
    if " AAAA" in text:
        for match in _PUBLIC_KEY.finditer(text):
            yield Found(match.start(), match.end(), Kind.IDENTIFIER, "ssh-public-key")


def _is_random(run: str) -> bool:
    """Return whether a long run mixes cases and digits as only a generator does."""
    if _UUID.fullmatch(run) or _HEX.fullmatch(run) or _PUBLISHED.match(run) or "/" in run.strip("/"):
        return False
    if _ADDRESS.fullmatch(run) and check_digits.base58(run):
        return False
    if not (re.search(r"\d", run) and re.search(r"[a-z]", run) and re.search(r"[A-Z]", run)):
        return False
    return _bits(run) >= _RANDOM_BITS


def _bits(run: str) -> float:
    counts = Counter(run)
    return -sum(count / len(run) * math.log2(count / len(run)) for count in counts.values())


def _is_compound(run: str) -> bool:
    """Return whether a run is words and numbers with joints between them, as the name of a thing is."""
    parts = [part for part in re.split(r"[-_]", run) if part]
    return all(part.isalpha() or part.isdigit() or re.fullmatch(r"[a-z]+\d{1,2}|\d{1,2}[a-z]+", part) for part in parts)


def _filled(sample: str) -> str:
    def filler(match: re.Match[str]) -> str:
        source, size = (_HEX_FILLER if match[2] else _FILLER), int(match[1])
        return (source * (size // len(source) + 1))[:size]

    return re.sub(r"<(\d+)(x?)>", filler, sample)


def _has_form(pattern: str, value: str) -> bool:
    return re.fullmatch(pattern, value) is not None


ROWS: Final = (
    *(
        Identifier(
            name, Kind.SECRET, f"It was {{{_filled(sample)}}} then", f"It was {sample[:4]} then", partial(_has_form, pattern)
        )
        for name, (pattern, sample) in _TOKENS.items()
    ),
    Identifier("random", Kind.SECRET, f"It was {{{_filled('<32>')}}} then", "It was pneumonoultramicroscopic then", _is_random),
    Identifier(
        "cued", Kind.SECRET, f"The service's token {{{_filled('<20x>')}}} works", "The design-token-2024-review is on Friday",
        lambda value: _bits(value) >= _CUED_BITS and not _is_compound(value) and not value.isalpha() and not value.isdigit(),
    ),
    Identifier(
        "ssh-public-key", Kind.IDENTIFIER, f"It was {{ssh-ed25519 AAAAC3NzaC1{_filled('<60>')} ann@host}} then",
        "It was ssh-rsa of AAAA then", partial(_has_form, _PUBLIC_KEY.pattern),
    ),
)  # fmt: skip
