"""Adapter: loads the packages of types in the SDK module by module. They load all of their 470 modules; a call needs few of them."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

TYPES = "openai.types"


@contextmanager
def types_deferred() -> Iterator[None]:
    """A block that imports the SDK: of its packages of types only the modules that are asked for by name are loaded.

    A package is loaded as a whole, as without this, when anything else is asked of it.
    """
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Finder:
    """Finds the packages of types, and no other module."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != TYPES and not name.startswith(f"{TYPES}."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None and spec.submodule_search_locations is not None:
            spec.loader = _Deferring(spec.loader)
        return spec


class _Deferring(Loader):
    """Makes a package that is empty until something is asked of it."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Package


class _Package(ModuleType):
    """A package that is still to be loaded."""

    def __getattr__(self, name: str) -> object:
        deferring = self.__loader__
        self.__class__ = ModuleType  # type: ignore[assignment]
        if isinstance(deferring, _Deferring):
            deferring.loader.exec_module(self)
        found: object = getattr(self, name)
        return found
