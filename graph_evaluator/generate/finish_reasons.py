"""Why a model stopped: the words of providers and of log formats, in one table.

Sources: the API references of OpenAI, Azure, Anthropic, Google (Gemini), Mistral, Cohere, Amazon
Bedrock, DeepSeek, Zhipu, AI21, Together, OpenRouter and IBM watsonx, of the servers vLLM, SGLang,
llama.cpp, Ollama, LM Studio and Text Generation Inference, and of the Vercel AI SDK.
"""

import re
from typing import Literal

Ending = Literal["finished", "truncated", "refused", "failed"]
"""How an answer ended; "failed" is the provider's own failure, which says nothing of the model."""
MAX_OUTPUT_TOKENS, CONTENT_FILTER = "max_output_tokens", "content_filter"
"""The codes of the two commonest reasons, whatever a provider calls them."""
MODERATION = "moderation"
_WORDS: dict[Ending, str] = {
    "finished": """
        stop end_turn stop_sequence complete completed done finish finished eos eos_token
        end_of_sequence end_of_text tool_calls tool_call tool_use function_call end word normal
        eos_found stop_string stop_string_found
        """,
    "truncated": """
        length max_tokens max_output_tokens max_completion_tokens max_new_tokens token_limit limit
        model_length max_length context_length context_length_exceeded context_window_exceeded
        model_context_window_exceeded max_context_length error_limit length_limit time_limit
        not_finished incomplete pause_turn repetition truncated maximum_tokens output_limit
        max_predicted_tokens_reached context_length_reached max_context_length_exceeded
        """,
    "refused": """
        content_filter content_filtered safety refusal refused sensitive recitation blocklist
        prohibited_content spii image_safety language guardrail_intervened error_toxic blocked
        content_policy content_policy_violation moderation data_inspection_failed invalid_prompt
        responsible_ai_policy_violation model_armor image_prohibited_content content_blocked
        policy_violation safety_filter guardrail guardrails
        """,
    "failed": """
        error network_error abort aborted insufficient_system_resource failed failure cancelled
        canceled cancel user_cancel timeout timed_out server_error internal_error overloaded
        engine_overloaded malformed_model_output malformed_response load unload model_unloaded
        user_stopped interrupted preempted engine_error provider_error upstream_error rate_limit
        internal_server_error service_unavailable unavailable deadline_exceeded
        """,
}
_NOT_LETTERS = re.compile("[^a-z]+")
_PREFIX = "finishreason"


def _plain(word: str) -> str:
    """A word whatever its spelling: MAX_TOKENS, maxTokens and FinishReason.MAX_TOKENS are one."""
    return _NOT_LETTERS.sub("", word.lower()).removeprefix(_PREFIX)


_ENDINGS = {_plain(word): ending for ending, words in _WORDS.items() for word in words.split()}
_OF_LENGTH = """
    length max_tokens max_output_tokens max_completion_tokens max_new_tokens token_limit limit
    max_length length_limit
    """
_CODES = {_plain(word): MAX_OUTPUT_TOKENS for word in _OF_LENGTH.split()} | {
    _plain(word): CONTENT_FILTER for word in ("content_filter", "content_filtered", "safety")
}
LONGEST_REASON = 100


def ending_of(reason: str | None) -> Ending | None:
    """How an answer ended by the reason that a provider gives, or a log; None for a reason that is
    not known. An answer without one is finished.

    >>> ending_of("MAX_TOKENS"), ending_of("network-error"), ending_of("content_filter: SAFETY")
    ('truncated', 'failed', 'refused')
    >>> ending_of("vibes")
    """
    if not reason:
        return "finished"
    word = _plain(reason[:LONGEST_REASON].partition(":")[0])
    return _ENDINGS.get(word)


def code_of(reason: str) -> str:
    """The code of a known reason that is no end: one code for the bound on the output and one for
    the content filter, else the provider's own word.

    >>> code_of("length"), code_of("RECITATION")
    ('max_output_tokens', 'recitation')
    """
    word = reason[:LONGEST_REASON].partition(":")[0]
    return _CODES.get(_plain(word)) or word.strip().lower()
