"""Personal data in captured content, found and put out of sight before anything is written."""

from stalwart_lang.redaction.kinds import KINDS, Found, Kind
from stalwart_lang.redaction.redactor import Redactor, default_redactor

__all__ = ["KINDS", "Found", "Kind", "Redactor", "default_redactor"]
