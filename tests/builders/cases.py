"""Tables of cases: each row has its name, so that a failure says which case it is."""

import pytest


def cases(names, table) -> pytest.MarkDecorator:
    """Parametrize a test by a table; `names` are the test's arguments, with commas between them.

    A row is the tuple of the arguments, or the value where there is one argument only.
    """
    return pytest.mark.parametrize(names, table.values(), ids=table.keys())
