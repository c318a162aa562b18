"""Which faults pass, and how long to wait before trying again.

1. Silence, 502 and 503 are tried again where a second arrival does no harm; 500 only for reads.
2. 429 refused the request, so it is tried again whatever it was.
3. Never earlier than the service asks; what it asks beyond `ASKED_MAX` is the caller's to wait.
"""

from __future__ import annotations

import random

from .errors import KliegError

#: Tries of one call: some 40 s with the delays below, enough for a restart.
TRIES_MAX = 12
#: Tries of a call that is refused for its rate: some 8 s.
REFUSED_TRIES_MAX = 5
FIRST_DELAY = 0.1
REFUSED_FIRST_DELAY = 0.5
DELAY_MAX = 5.0
ASKED_MAX = 20.0


def delay_after(
    fault: KliegError,
    *,
    tried: int,
    is_read: bool,
    is_repeatable: bool,
    is_answered: bool,
    retries_limits: bool,
) -> float | None:
    """Seconds to wait before the next try; None when there should be none. `tried` is from 1 on."""
    if fault.status == 429:
        if not retries_limits or tried >= REFUSED_TRIES_MAX or fault.retry_after_reset is not None:
            return None
        return _patient(fault, REFUSED_FIRST_DELAY, tried)
    if tried >= TRIES_MAX or not is_repeatable or not is_passing(fault, is_read):
        return None
    if tried == 1 and not is_answered and isinstance(fault.__cause__, ConnectionRefusedError):
        return None  # Nothing listens there.
    return _patient(fault, FIRST_DELAY, tried)


def _patient(fault: KliegError, first: float, tried: int) -> float | None:
    asked = fault.retry_after or 0.0
    if asked > ASKED_MAX:
        return None
    delay: float = min(DELAY_MAX, first * 2.0 ** (tried - 1))
    # Half of it by chance, so that clients that failed together do not come back together.
    return asked + delay * (0.5 + random.random() / 2)


def is_passing(fault: KliegError, is_read: bool = False) -> bool:
    """Silence, or the service saying that it cannot just now."""
    if fault.code == "unreachable":
        return True
    return fault.status in (502, 503) or (is_read and fault.status == 500)
