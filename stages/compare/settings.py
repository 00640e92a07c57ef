"""The settings of one comparison: those of `params.yaml`, with what the command line says otherwise."""

from pydantic import ValidationError

from stages.compare.options import Options
from stages.contracts.errors import InputError, problems_of
from stages.contracts.params import CompareParams


def settings(written: CompareParams, options: Options) -> CompareParams:
    """The settings to compare by.

    Raises:
        InputError: a value of the command line is out of range.
    """
    given = {
        name: value
        for name, value in (
            ("min_difference", options.min_difference),
            ("confidence", options.confidence),
            ("seed", options.seed),
        )
        if value is not None
    }
    try:
        return CompareParams.model_validate({**written.model_dump(), **given})
    except ValidationError as error:
        raise InputError(problems_of(error, CompareParams, file="command line")) from None
