"""DVC's settings and caches of the machine are not used."""

import pytest


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    for name in ("SITE_CACHE_DIR", "GLOBAL_CONFIG_DIR", "SYSTEM_CONFIG_DIR"):
        monkeypatch.setenv(f"DVC_{name}", str(tmp_path / name.lower()))
