"""A progress bar, if tqdm is installed."""

from __future__ import annotations

from typing import Any, Callable, Union


class Progress:
    """Counts what is done. use_tqdm: whether to show it, or what to show it with."""

    def __init__(self, total: int, description: str,
                 use_tqdm: Union[bool, Callable[..., Any]]) -> None:
        self._bar: Any = None
        show = _tqdm() if use_tqdm is True else use_tqdm or None
        if show is not None:
            self._bar = show(total=total, desc=description, dynamic_ncols=True)

    def add(self, count: int) -> None:
        """So many more are done."""
        if self._bar is not None and count:
            self._bar.update(count)

    def close(self) -> None:
        """Leaves the bar as it is."""
        if self._bar is not None:
            self._bar.close()


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return None
    return tqdm
