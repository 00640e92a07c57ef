"""YAML as people write it here: safe types only, and no key twice."""

import yaml


class NotYaml(ValueError):
    """The text is not YAML; `line` counts from 1 and is None when it is not known."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


_Safe: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # seven times as fast where libyaml is


class _Strict(_Safe):  # type: ignore[valid-type,misc]
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            key = str(self.construct_object(key_node, deep=True))
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f'the key "{key}" is given twice', key_node.start_mark
                )
            seen.add(key)
        mapping: dict[object, object] = super().construct_mapping(node, deep)
        return mapping


def parse(text: str) -> object:
    """The value that a YAML text holds; None for an empty text.

    Raises:
        NotYaml: broken YAML, a type that is not plain data, or a key that is given twice (all but the last would be lost).

    >>> parse("a: [1, two]")
    {'a': [1, 'two']}
    """
    try:
        value: object = yaml.load(text, Loader=_Strict)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        sentence = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise NotYaml(sentence, mark.line + 1 if mark else None) from None
    except (RecursionError, ValueError) as error:
        raise NotYaml(str(error).splitlines()[0] or "nested too deeply", None) from None
    return value
