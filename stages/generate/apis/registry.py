"""The kinds of API that an endpoint may speak: a new one is a module beside this one, and an entry
here.
"""

from stages.generate.apis.chat_completions import ChatCompletionsApi
from stages.generate.apis.kind import ApiKind, JsonObject
from stages.generate.apis.responses import ResponsesApi
from stages.shared.records.model_config import Api

API_KINDS: dict[Api, ApiKind] = {kind.name: kind for kind in (ChatCompletionsApi(), ResponsesApi())}
"""The kinds of API by the name that a model config states; the first that recognizes a body reads
it.
"""


def recognize(body: JsonObject) -> ApiKind | None:
    """The kind of API that gave a body; None for a body of none of them."""
    for kind in API_KINDS.values():
        if kind.recognizes(body):
            return kind
    return None
