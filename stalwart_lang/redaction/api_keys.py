"""Keys, tokens and passwords: by what they begin with, or by the name they are assigned to."""

import re
from base64 import b64decode
from collections.abc import Iterator
from itertools import chain

from stalwart_lang.redaction.kinds import Found, words
from stalwart_lang.redaction.secret_names import is_secret_name

_FORMS: tuple[tuple[str, str], ...] = (
    ("sk-", r"[A-Za-z0-9_-]{20,}"),  # OpenAI, Anthropic (sk-ant-), OpenRouter, Langfuse
    *((f"{start}IA", r"[A-Z0-9]{16}(?![A-Za-z0-9])") for start in ("AK", "AS")),  # AWS
    *((f"gh{letter}_", r"[A-Za-z0-9]{36,255}") for letter in "pousr"),  # GitHub
    ("github_pat_", r"[A-Za-z0-9_]{22,255}"),
    *((f"gl{kind}-", r"[A-Za-z0-9_-]{20,255}") for kind in ("pat", "dt", "rt", "ptt", "agent")),
    ("glc_", r"[A-Za-z0-9+/=]{32,}"),  # Grafana
    ("glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    ("xox", r"[abceoprs]-[A-Za-z0-9-]{10,}"),  # Slack
    ("xapp-", r"[0-9]-[A-Za-z0-9-]{16,}"),
    ("hooks.slack.com/", r"(?:services|workflows|triggers)/([A-Za-z0-9_/-]{8,})"),
    ("discord.com/api/", r"(?:v[0-9]{1,2}/)?webhooks/([0-9]{5,25}/[A-Za-z0-9_-]{16,})"),
    ("discordapp.com/api/", r"(?:v[0-9]{1,2}/)?webhooks/([0-9]{5,25}/[A-Za-z0-9_-]{16,})"),
    ("webhook.office.com/", r"webhookb2/([A-Za-z0-9@_/-]{16,})"),  # Microsoft Teams
    ("AIza", r"[A-Za-z0-9_-]{35}"),  # Google
    ("ya29.", r"[A-Za-z0-9_-]{16,}"),
    ("GOCSPX-", r"[A-Za-z0-9_-]{20,}"),
    *(
        (f"{kind}_{mode}_", r"[A-Za-z0-9]{16,}")
        for kind in ("sk", "rk")
        for mode in ("live", "test")
    ),
    ("whsec_", r"[A-Za-z0-9+/=]{24,}"),  # Stripe's and others' webhooks
    ("hf_", r"[A-Za-z0-9]{30,}"),  # Hugging Face
    ("gsk_", r"[A-Za-z0-9]{40,}"),  # Groq
    ("xai-", r"[A-Za-z0-9]{40,}"),
    ("pplx-", r"[A-Za-z0-9]{32,}"),  # Perplexity
    ("nvapi-", r"[A-Za-z0-9_-]{32,}"),  # NVIDIA
    ("r8_", r"[A-Za-z0-9]{32,}"),  # Replicate
    ("tvly-", r"[A-Za-z0-9_-]{20,}"),  # Tavily
    ("pcsk_", r"[A-Za-z0-9_]{32,}"),  # Pinecone
    ("lsv2_", r"(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),  # LangSmith
    ("SG.", r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}"),  # SendGrid
    ("npm_", r"[A-Za-z0-9]{36}"),
    ("pypi-", r"[A-Za-z0-9_-]{32,}"),
    ("rubygems_", r"[0-9a-f]{48}"),
    ("dckr_pat_", r"[A-Za-z0-9_-]{20,}"),  # Docker
    *((f"shp{kind}_", r"[0-9a-fA-F]{32}") for kind in ("at", "ca", "pa", "ss")),  # Shopify
    *((f"do{kind}_v1_", r"[0-9a-f]{64}") for kind in "por"),  # DigitalOcean
    ("EAA", r"[A-Za-z0-9]{40,}"),  # Meta
    ("dapi", r"[0-9a-f]{32}(?![A-Za-z0-9])"),  # Databricks
    ("hvs.", r"[A-Za-z0-9_-]{24,}"),  # Vault
    ("ATATT3", r"[A-Za-z0-9_=-]{32,}"),  # Atlassian
    ("lin_api_", r"[A-Za-z0-9]{32,}"),  # Linear
    ("figd_", r"[A-Za-z0-9_-]{32,}"),  # Figma
    ("sntry", r"[su]_[A-Za-z0-9+/=_-]{32,}"),  # Sentry
    ("sb_secret_", r"[A-Za-z0-9_-]{20,}"),  # Supabase
    ("sbp_", r"[0-9a-f]{40}"),
    ("key-", r"[0-9a-f]{32}(?![A-Za-z0-9])"),  # Mailgun
    ("APP_USR-", r"[0-9]{6,20}-[A-Za-z0-9_-]{16,}"),  # Mercado Pago
    ("aact_", r"[A-Za-z0-9_:=-]{32,}"),  # Asaas
    ("AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}"),
    ("eyJ", r"[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"),  # JSON Web Token
)
_WITH_A_DIGIT = ("sk-", "EAA")
"""What begins like this is a key only with a digit in it."""

# What stands before the beginning is asked for after it: so `re` looks for the beginning alone,
# and a row such as `eyJeyJeyJ…` is walked once.
_BEGINNINGS = tuple(
    (
        start,
        re.compile(
            rf"{re.escape(start)}(?<![A-Za-z0-9]{re.escape(start)})"
            rf"{'(?<![_-]eyJ)' * (start == 'eyJ')}{rest}"
        ),
    )
    for start, rest in _FORMS
)
_BOT = re.compile(r":AA(?<=[0-9]{8}:AA)[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])")
"""A Telegram bot's token: its id, eight to ten digits, stands before it."""

_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr][ \t]{1,4}([A-Za-z0-9._~+/-]{16,4096}=*)")
_BASIC = re.compile(r"[Bb][Aa][Ss][Ii][Cc][ \t]{1,4}([A-Za-z0-9+/_-]{4,4096}={0,2})")
_AUTHORIZATION = re.compile(
    r"[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?(?:[A-Za-z][A-Za-z0-9-]{1,20}[ \t]{1,4})?"
    r"(?P<value>[^\s\"'`<>{}()\[\],;$%*][^\s\"'`<>{}()\[\],;]{5,4095})"
)
_COOKIE = re.compile(
    r"[\"']?[ \t]{0,3}:[ \t]{0,3}[\"']?(?P<value>[\w.-]{1,64}=[^\s\"';\[\]]{1,4096}"
    r"(?:;[ \t]{0,2}[^\s\"';\[\]]{1,4096}){0,64})"
)

_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "pwd", "senha", "pass")
_SECRETS = ("secret", "segredo", "token", "credential", "credencia", "key", "chave")
_HEADERS = ("authorization", "cookie")
_KEY_BEFORE = re.compile(
    r"(?:api|access|secret|private|auth|account|encryption|signing|subscription)[ _-]?\Z"
)
_CHAVE_AFTER = re.compile(r"[ _-](?:de[ _-])?(?:api|acesso|secreta|privada)")
_MAY_ASSIGN = re.compile(r"(?:s?[\"' \t]|s?[:=])")
_SIGN = r"[ \t]{0,3}(?::=|=>|[:=])(?:[ \t]{0,3}|[ \t]{0,8}(?:\r?\n[ \t]{0,8}){1,2})"
"""What assigns; the value may stand on the line below."""
_ASSIGNED = re.compile(
    r"(?P<many>s)?[\"']?(?:[ \t](?:is|é|eh)(?=[ \t:]))?"
    rf"(?:{_SIGN}|[ \t]{{0,3}}(?<=is|.é|eh)[ \t]{{1,3}})"
    r"[\"'`]?(?P<value>[^\s\"'`<>{}()\[\],;&|]{4,512}+)(?![(\[])"
)
_QUOTED = re.compile(
    rf"[\"']?{_SIGN}(?:\"(?P<double>[^\"\n\[\]]{{3,512}})\"|'(?P<single>[^'\n\[\]]{{3,512}})'"
    r"|`(?P<back>[^`\n\[\]]{3,512})`)"
)
_MEMBER = re.compile(
    r"(?P<quote>[\"'])[ \t\n]{0,8}:[ \t\n]{0,8}(?:\"(?P<double>[^\"\n\[\]]{1,512})\""
    r"|'(?P<single>[^'\n\[\]]{1,512})'|(?P<number>[0-9]{1,64})(?=[\s,}\]]|\Z))"
)
"""A member of an object in JSON, from the quote after its name on."""
_MEMBER_NAME = re.compile(r"[\"']([\w .-]{1,40})\Z")
_FLAG_BEFORE = re.compile(r"(?<![\w-])--?(?:[a-z0-9]{1,20}[_-]){0,3}\Z")
_FLAG = re.compile(
    r"[ \t]{1,4}(?:\"(?P<double>[^\"\n\[\]]{1,512})\"|'(?P<single>[^'\n\[\]]{1,512})'"
    r"|(?P<value>[^\s\"'`<>{}()\[\],;&|$%*-][^\s\"'`<>{}()\[\],;&|]{0,511}))"
)
_AFTER_A_BLANK = re.compile(
    r"[ ](?=[^\s]{0,80}[0-9])(?=[^\s]{0,80}[^\W\d_])(?=[^\s]{0,80}[!@#$%&*?])"
    r"(?P<value>[^\s\"'`<>{}()\[\],;|]{8,80})(?![^\s.,;:\"'])"
)
"""A password needs no sign before it (`senha P@rque-2931`) where no word looks like it."""

_NO_VALUES = words(
    "string str text password senha number integer int boolean bool object array null none nil "
    "undefined true false required optional obrigatório obrigatória obrigatoria missing invalid "
    "inválida invalida incorrect incorreta wrong expired empty vazia hidden oculta redacted"
)
"""What stands under the name of a secret in a schema or in a message of an error."""
_AFTER_A_FLAG = words(
    "a an the is are was to and or for of in on at as if it not with when where must may can "
    "should will does do flag flags option options argument arguments parameter switch value e é "
    "ou o os as um uma de do da em no na para por com se não deve pode quando como opção argumento "
    "parâmetro valor vem aceita accepts takes sets from instead"
)
"""Words that follow a flag in a sentence about it: `--password is asked for`."""

_IN_A_HOST = re.compile(r"[^\s/]*\Z")
_IN_ADDRESS = re.compile(r"://[^\s:/@?#]{0,64}:([^\s/?#\"'<>\[\]]{1,256})@")

_BLOCK = re.compile(r"-----(?:(BEGIN)|END) (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_BODY = re.compile(r"\s*(?:[A-Za-z0-9+/=]{16,}\s+)*[A-Za-z0-9+/=]{16,}")


def find_api_keys(text: str) -> Iterator[Found]:
    """Give the secrets in `text`: of what is assigned, the value alone, without its name."""
    yield from _blocks(text)
    for start, pattern in _BEGINNINGS:
        if start in text:
            for match in pattern.finditer(text):
                if start not in _WITH_A_DIGIT or _has_digit(match[0]):
                    yield Found("api_key", *match.span(match.lastindex or 0))
    for match in _BEARER.finditer(text):
        if _has_digit(match[1]):
            yield Found("api_key", *match.span(1))
    for match in _BASIC.finditer(text):
        if _holds_a_login(match[1]):
            yield Found("api_key", *match.span(1))
    for match in _BOT.finditer(text):
        yield Found("api_key", match.start() + 1, match.end())
    yield from _assigned(text)
    for match in _IN_ADDRESS.finditer(text):
        if not match[1].startswith("$"):
            yield Found("api_key", *match.span(1))


def _assigned(text: str) -> Iterator[Found]:
    """Give what is assigned to a name: `api_key=…`, `"token": "…"`, `a senha é …`."""
    lower = text.replace("\u0130", "i").lower()  # of the letters, only this one becomes two
    for name in chain(_PASSWORDS, _SECRETS, _HEADERS):
        at = lower.find(name)
        while at >= 0:
            span = _value_of(text, lower, name, at)
            if span and span[0] < span[1] and not _in_address(text, at):
                yield Found("api_key", *span)
            # What an assignment took has no name of a secret in it that would tell more.
            at = lower.find(name, span[1] if span else at + len(name))


def _value_of(text: str, lower: str, name: str, at: int) -> tuple[int, int] | None:
    """Return where the secret is that is assigned to the `name` at `at`, if one is.

    An empty span says how far an assignment of what is no secret reaches.
    """
    end = at + len(name)
    if name in _HEADERS:
        return _header(text, name, end)
    password = name in _PASSWORDS
    if (
        name == "pass" and (lower[end : end + 1].isalpha() or lower[max(0, at - 1) : at].isalpha())
    ) or (name == "key" and not _KEY_BEFORE.search(lower, max(0, at - 16), at)):
        return None
    if name == "chave":
        after = _CHAVE_AFTER.match(lower, end)
        if not after:
            return None
        end = after.end()
    if name == "credencia":
        end += len("l") if lower.startswith("l", end) else len("is") * lower.startswith("is", end)
    following = text[end : end + 1]
    if following in ("'", '"') and (span := _member(text, at, end)):
        return span
    if following in (" ", "\t") and (span := _flag(text, lower, at, end)):
        return span
    if not _MAY_ASSIGN.match(text, end):
        return None
    if (match := _QUOTED.match(text, end)) and match.lastgroup:
        value = match[match.lastgroup]
        blank = " " in value.strip()
        if (blank and password and not _stands_for_another(value)) or (
            not blank and _secret(value, password)
        ):
            return match.span(match.lastgroup)
    match = _ASSIGNED.match(text, end)
    if not match and password and name != "pass":
        match = _AFTER_A_BLANK.match(text, end)
        if match and _secret(match["value"].rstrip(".:"), password):
            return match.start("value"), match.start("value") + len(match["value"].rstrip(".:"))
        return None
    if match:
        value = match["value"].rstrip(".:")
        # Four digits are a password, but of `passwords: 2026` a count.
        enough = 6 if match["many"] or not password else 4
        if len(value) >= enough and _secret(value, password):
            return match.start("value"), match.start("value") + len(value)
        return match.end(), match.end()
    return None


def _header(text: str, name: str, end: int) -> tuple[int, int] | None:
    """Return where the value of a header `Authorization` or `Cookie` is."""
    match = (_COOKIE if name == "cookie" else _AUTHORIZATION).match(text, end)
    if not match:
        return None
    value = match["value"]
    if name == "cookie" or _has_digit(value) or len(value) >= 16:
        return match.span("value")
    return None


def _member(text: str, at: int, end: int) -> tuple[int, int] | None:
    """Return where the value of a member of JSON is whose whole name is a secret's."""
    match = _MEMBER.match(text, end)
    if not match or not match.lastgroup:
        return None
    begun = _MEMBER_NAME.search(text, max(0, at - 40), end)
    value = match[match.lastgroup]
    if not begun or text[begun.start()] != match["quote"] or not is_secret_name(begun[1]):
        return None
    if value.lower().strip() in _NO_VALUES or _stands_for_another(value):
        return None
    return match.span(match.lastgroup)


def _flag(text: str, lower: str, at: int, end: int) -> tuple[int, int] | None:
    """Return where the value of a flag of a command is: `--password x`."""
    if not _FLAG_BEFORE.search(lower, max(0, at - 70), at):
        return None
    match = _FLAG.match(text, end)
    if not match or not match.lastgroup:
        return None
    value = match[match.lastgroup]
    if match.lastgroup == "value":
        value = value.rstrip(".:")
        if value.lower() in _AFTER_A_FLAG or value.lower() in _NO_VALUES:
            return None
    start = match.start(match.lastgroup)
    return (start, start + len(value)) if value and not _stands_for_another(value) else None


def _holds_a_login(encoded: str) -> bool:
    """Tell whether what follows `Basic` is a name and a password, in base 64."""
    try:
        decoded = b64decode(
            encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4),
            b"-_" if "-" in encoded or "_" in encoded else None,
            validate=True,
        )
        return ":" in decoded.decode() and decoded.decode().isprintable()
    except ValueError:
        return False


def _in_address(text: str, at: int) -> bool:
    """Tell whether a name is that of a user: `https://x-access-token:…@host/path`."""
    begun = text.rfind("://", max(0, at - 30), at)
    return begun >= 0 and _IN_A_HOST.match(text, begun + 3, at) is not None


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
    if _stands_for_another(value) or len(set(value)) < 3:
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if password:
        marks = any(mark in value for mark in "!@#$%^&*+~?")
        return (letters > 0 and (digits > 0 or marks)) or digits == len(value)
    return (digits > 0 < letters and len(value) >= 8) or letters == len(value) >= 32


def _stands_for_another(value: str) -> bool:
    """Tell what only stands for a secret: `$SENHA`, `<token>`, `{{ token }}`, `******`."""
    return value.startswith(("$", "%", "*", "<", "{", "[")) or set(value) <= set("*xX.•-]_ ")


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
