"""Names whose whole value is secret, whatever it looks like: `password`, `apiKey`, `DB_SENHA`."""

import re
from collections.abc import Mapping

from stalwart_lang.redaction.kinds import words

_LAST = words(
    "password passwd passphrase passcode pwd pass senha secret segredo apikey cvv cvc "
    "passwordhash authorization"
)
"""A name that ends with one of these words is a secret's: `db_password`, `clientSecret`."""
_LAST_TWO = words(
    "api_key access_key secret_key private_key signing_key encryption_key account_key auth_key "
    "master_key access_token refresh_token auth_token session_token api_token bearer_token "
    "id_token bot_token csrf_token password_hash security_code client_credentials "
    "chave_api chave_secreta chave_privada"
)
_WHOLE = words(
    "token credential credencial cookie set_cookie chave_de_api chave_de_acesso accesskey "
    "secretkey privatekey clientsecret accesstoken refreshtoken authtoken sessiontoken"
)
_MANY = words("passwords senhas secrets segredos credentials credenciais api_keys cookies")
"""Of these a number is how many there are."""

_MAY_BE = re.compile(
    r"pass|pwd|senha|secret|segredo|token|key|chave|auth|cred|cookie|cvv|cvc|code", re.IGNORECASE
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+")

_SCHEMA = words(
    "type title description format pattern minLength maxLength minimum maximum default example "
    "examples enum const anyOf oneOf allOf $ref items properties required additionalProperties "
    "writeOnly readOnly nullable deprecated minItems maxItems uniqueItems"
)
_SCHEMA_TELLS = words("type anyOf oneOf allOf $ref enum const")
SCHEMA_VALUES = words("default example examples const enum")
"""The parts of a schema that hold values of what it describes."""


def is_secret_name(name: str, number: bool = False) -> bool:
    """Tell whether all that stands under `name` is secret; `number` where that is a number.

    `tokens_in`, `max_tokens`, `token_count` and `next_page_token` name no secret.
    """
    if not _MAY_BE.search(name):
        return False
    parts = _WORD.findall(_CAMEL.sub(" ", name).lower())
    if not parts:
        return False
    whole = "_".join(parts)
    return (
        parts[-1] in _LAST
        or "_".join(parts[-2:]) in _LAST_TWO
        or whole in _WHOLE
        or whole.removeprefix("x_") in _WHOLE
        or (whole in _MANY and not number)
    )


def is_schema(value: Mapping[object, object]) -> bool:
    """Tell a schema's description of a secret, such as `{"type": "string"}`, from the secret."""
    return _SCHEMA.issuperset(value) and not _SCHEMA_TELLS.isdisjoint(value)
