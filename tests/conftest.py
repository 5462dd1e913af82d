import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# The suite draws the same examples on every machine. HYPOTHESIS_PROFILE=long looks for new ones.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=150)
settings.register_profile(
    "long",
    deadline=None,
    max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "20000")),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

pytest_plugins = ["postgres"]

# A shell has what it starts in the background ignore Ctrl-C, and that is inherited: the programs
# that tests interrupt would never hear of it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled vocabularies and keys away from the folders of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield
