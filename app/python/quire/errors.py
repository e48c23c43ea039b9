"""The exceptions of Quire. Their text is the engine's own sentence."""


class QuireError(Exception):
    """Everything that Quire raises, beside TypeError for arguments that do not exist.

    code: what kind of error it is: "invalid_argument", "unsupported", "not_found",
    "context_overflow", "template", "corrupt_file", "out_of_memory", "io", "device", "cancelled"
    or "internal".
    """

    def __init__(self, message: str, code: str = "internal") -> None:
        super().__init__(message)
        self.code = code


class InvalidRequestError(QuireError, ValueError):
    """An argument, a prompt or a model's path is wrong, or asks for what Quire does not support."""


class EngineError(QuireError, RuntimeError):
    """The engine, the device, the memory or a file failed."""


_MAX_SHOWN = 80

_CALLER_ERRORS = {
    "invalid_argument",
    "not_found",
    "unsupported",
    "context_overflow",
    "template",
}


def error_of(code: str, message: str) -> QuireError:
    """The exception for an error of the engine."""
    kind = InvalidRequestError if code in _CALLER_ERRORS else EngineError
    return kind(message, code)


def shown(value: object) -> str:
    """A value for a message: the beginning of what Python writes of it."""
    try:
        text = repr(value)
    except ValueError:  # Of a number with thousands of digits.
        return f"one of type {type(value).__name__} that is too long to be shown"
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."


def invalid(message: str) -> InvalidRequestError:
    """A wrong value."""
    return InvalidRequestError(message, "invalid_argument")


def unsupported(message: str) -> InvalidRequestError:
    """A value that makes sense, but not here."""
    return InvalidRequestError(message, "unsupported")
