import os
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


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled vocabularies and keys away from the folders of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield
