"""What redaction costs: against one pass of a plain pattern, and on texts made to be slow.

    python benchmarks/redaction.py

Each line is a ratio of two things measured in the same run, its target, and `pass` or `FAIL`; what
it costs in milliseconds stands behind it, for reading only.
"""

import random
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import process_time

from ratios import ratio

from stalwart_lang.redaction import default_redactor

SIZE = 100_000
PLAIN = re.compile(r"[\w.+-]{1,64}@[\w.-]{1,255}|\+?\(?\d[\d ().-]{7,18}\d")
"""The least that looks for an address or a number at all; it decides nothing."""


def repeated(unit: str, size: int = SIZE) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def made(form: str, size: int = SIZE) -> str:
    """Repeat `form`, each `#` a digit of its own."""
    digits = random.Random(5)
    return re.sub("#", lambda _: digits.choice("0123456789"), repeated(form, size))


REPEATED = ("a.", "a@", "@", "a@b.", "a@a.aa", "1 ", "1.", "1", "12.", "[{(", "(1", "(11) ", "+")
REPEATED += ("+1 ", "00 1 ", "0 ", "1234 ", "tel ", "tel 1 ", "eyJ", "eyJaaaaaa.", "sk-", "token=")
REPEATED += (
    "password:",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "%25",
    "%41",
    "\\",
    "\\u0041",
    "-",
)
REPEATED += ("&#64;", "\u200b", "\u00a0", "\uff11", "漢", "é", "'", '"', "ana@example.com ", "a-b@")
REPEATED += ("+5511987654321 ", "529.982.247-25 ")
REPEATED += ("password='", '"password":"', "--password ", "Cookie: a=", "Basic ", "cnpj", "://a:a@")
MADE = ("tel ########### ", "+1 ### ####### ", "(11) 9####-#### ", "###.###.###-## ", "4### ", "# ")
MADE += ("4############### ", "########### ", "api_key=a######## ")


def report(name: str, measured: float, target: float, milliseconds: float) -> bool:
    passed = measured <= target
    verdict = "pass" if passed else "FAIL"
    print(f"{name:<44} {measured:>7.2f}  at most {target:<5g} {verdict}   {milliseconds:.1f} ms")
    return passed


def prose() -> str:
    """The pages of the documentation: text as it is mostly traced."""
    docs = Path(__file__).parent.parent / "docs"
    return repeated("\n".join(page.read_text("utf-8") for page in sorted(docs.glob("*.md"))))


def least(run: Callable[[], object], times: int = 4) -> float:
    """Give the least seconds of processor time of some calls: others' work does not count."""
    taken = []
    for _ in range(times):
        start = process_time()
        run()
        taken.append(process_time() - start)
    return min(taken)


def cold(code: str) -> float:
    """Give the seconds of processor time of a new process that runs `code`."""
    timed = f"import time, stalwart_lang; start = time.process_time(); {code}"
    timed += "; print(time.process_time() - start)"
    done = subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True, text=True)
    return float(done.stdout)


def main() -> int:
    redact = default_redactor()
    texts: Mapping[str, str] = {
        **{f"repeated {unit!r}": repeated(unit) for unit in REPEATED},
        **{f"made {form!r}": made(form) for form in MADE},
    }
    text = prose()
    redact(text)
    measured, ours, _ = ratio(lambda: redact(text), lambda: PLAIN.findall(text), pairs=21)
    passed = [report("prose, against a plain pattern", measured, 6, ours * 1000)]

    base = least(partial(redact, text))
    slowest = sorted((least(partial(redact, each), 2), name) for name, each in texts.items())
    for taken, name in slowest[-8:]:
        passed.append(report(f"{name}, against prose", taken / base, 12, taken * 1000))

    grown = []
    for unit in (*REPEATED, *MADE):
        small, large = partial(redact, made(unit, SIZE // 4)), partial(redact, made(unit, SIZE))
        taken = least(large)
        grown.append((taken / least(small), repr(unit), taken))
    for growth, name, taken in sorted(grown)[-3:]:  # what is linear grows by 4
        passed.append(report(f"{name}, four times as long", growth, 6, taken * 1000))

    first = cold("from stalwart_lang.redaction import default_redactor as d; d()('tel +1 2')")
    bare = cold("import stalwart_lang.redaction")
    print(
        f"first use of a redactor {first * 1000:.0f} ms; importing the package {bare * 1000:.0f} ms"
    )
    return 0 if all(passed) else 1


if __name__ == "__main__":
    raise SystemExit(main())
