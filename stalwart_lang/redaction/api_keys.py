"""Keys, tokens and passwords: by what they begin with, or by the word they are assigned to."""

import re
from collections.abc import Iterator

from stalwart_lang.redaction.kinds import Found, words

_FORMS: tuple[tuple[str, str], ...] = (
    ("sk-", r"[A-Za-z0-9_-]{20,}"),  # OpenAI (sk-proj-, sk-svcacct-) and Anthropic (sk-ant-)
    ("AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),  # AWS: a long-lived key's id
    ("ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),  # AWS: a temporary one's
    *((f"gh{letter}_", r"[A-Za-z0-9]{36,255}") for letter in "pousr"),  # GitHub
    ("github_pat_", r"[A-Za-z0-9_]{22,255}"),
    ("glpat-", r"[A-Za-z0-9_-]{20,255}"),  # GitLab
    ("xox", r"[abeoprs]-[A-Za-z0-9-]{10,}"),  # Slack
    ("AIza", r"[A-Za-z0-9_-]{35}"),  # Google
    ("sk_live_", r"[A-Za-z0-9]{16,}"),  # Stripe
    ("rk_live_", r"[A-Za-z0-9]{16,}"),
    ("eyJ", r"[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"),  # JSON Web Token
)
# What stands before the beginning is asked for after it: so `re` looks for the beginning alone,
# and a row such as `eyJeyJeyJ…` is walked once.
_BEGINNINGS = tuple(
    (start, re.compile(rf"{start}(?<![A-Za-z0-9]{start}){'(?<![_-]eyJ)' * (start == 'eyJ')}{rest}"))
    for start, rest in _FORMS
)

_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr][ \t]{1,4}([A-Za-z0-9._~+/-]{16,4096}=*)")

_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "senha")
_SECRETS = ("secret", "token", "credential", "key", "chave")
_KEY_BEFORE = re.compile(
    r"(?:api|access|secret|private|auth|account|encryption|signing|subscription)[ _-]?\Z"
)
_CHAVE_AFTER = re.compile(r"[ _-](?:de[ _-])?(?:api|acesso)")
_ASSIGNED = re.compile(
    r"s?[\"']?(?:[ \t](?:is|é|eh)(?=[ \t:]))?[ \t]{0,3}(?::=|=>|[:=]|(?<=is|.é|eh)[ \t])[ \t]{0,3}"
    r"[\"'`]?(?P<value>[^\s\"'`<>{}()\[\],;&|]{6,512}+)(?![(\[])"
)
_AFTER_A_BLANK = re.compile(
    r"[ ](?=[^\s]{0,80}[0-9])(?=[^\s]{0,80}[^\W\d_])(?=[^\s]{0,80}[!@#$%&*?])"
    r"(?P<value>[^\s\"'`<>{}()\[\],;|]{8,80})(?![^\s.,;:\"'])"
)
"""A password needs no sign before it (`senha P@rque-2931`) where no word looks like it."""

_IN_ADDRESS = re.compile(r"://[^\s:/@?#]{0,64}:([^\s/@?#]{3,256})@")

_BLOCK = re.compile(r"-----(?:(BEGIN)|END) (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_BODY = re.compile(r"\s*(?:[A-Za-z0-9+/=]{16,}\s+)*[A-Za-z0-9+/=]{16,}")

SECRET_NAMES = words(
    "password passwd passphrase pwd senha secret apikey accesskey secretkey privatekey "
    "clientsecret accesstoken refreshtoken authtoken sessiontoken authorization"
)
"""Names, in lower case and without marks, whose whole value is secret, whatever it looks like."""


def find_api_keys(text: str) -> Iterator[Found]:
    """Give the secrets in `text`: of what is assigned, the value alone, without its name."""
    yield from _blocks(text)
    for start, pattern in _BEGINNINGS:
        if start in text:
            for match in pattern.finditer(text):
                if start != "sk-" or _has_digit(match[0]):
                    yield Found("api_key", *match.span())
    for match in _BEARER.finditer(text):
        if _has_digit(match[1]):
            yield Found("api_key", *match.span(1))
    yield from _assigned(text)
    for match in _IN_ADDRESS.finditer(text):
        if not match[1].startswith("$"):
            yield Found("api_key", *match.span(1))


def _assigned(text: str) -> Iterator[Found]:
    """Give what is assigned to a name: `api_key=…`, `"token": "…"`, `a senha é …`."""
    lower = text.replace("\u0130", "i").lower()  # of the letters, only this one becomes two
    for name in (*_PASSWORDS, *_SECRETS):
        at = lower.find(name)
        while at >= 0:
            end = at + len(name)
            if name == "key" and not _KEY_BEFORE.search(lower, max(0, at - 16), at):
                match = None
            elif name == "chave":
                api = _CHAVE_AFTER.match(lower, end)
                match = _ASSIGNED.match(text, api.end()) if api else None
            else:
                match = _ASSIGNED.match(text, end)
                if not match and name in _PASSWORDS:
                    match = _AFTER_A_BLANK.match(text, end)
            if match:
                value = match["value"].rstrip(".:")
                start = match.start("value")
                if _secret(value, name in _PASSWORDS) and not _in_address(text, at):
                    yield Found("api_key", start, start + len(value))
            # What an assignment took has no name of a secret in it that would tell more.
            at = lower.find(name, match.end() if match else end)


def _in_address(text: str, at: int) -> bool:
    """Tell whether a name is that of a user: `https://x-access-token:…@host/path`."""
    return re.search(r"://[^\s/]*\Z", text[max(0, at - 30) : at]) is not None


def _blocks(text: str) -> Iterator[Found]:
    """Give the blocks of private keys, with their marks; a cut off one as far as it goes."""
    begun: re.Match[str] | None = None
    for mark in _BLOCK.finditer(text):
        if begun and not mark[1]:
            yield Found("api_key", begun.start(), mark.end())
            begun = None
        elif mark[1]:
            if begun:
                yield from _cut_off(text, begun)
            begun = mark
    if begun:
        yield from _cut_off(text, begun)


def _cut_off(text: str, begun: re.Match[str]) -> Iterator[Found]:
    if body := _BODY.match(text, begun.end()):
        yield Found("api_key", begun.start(), body.end())


def _secret(value: str, password: bool) -> bool:
    """Tell a secret from a word: `password: required`, `token: expired`, `senha=$SENHA`."""
    if value.startswith(("$", "%", "*")) or len(set(value)) < 3:
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if password:
        marks = any(mark in value for mark in "!@#$%^&*+~?")
        return (letters > 0 and (digits > 0 or marks)) or digits == len(value)
    return (digits > 0 < letters and len(value) >= 8) or letters == len(value) >= 32


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
