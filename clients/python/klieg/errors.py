"""What the service refuses, in the one class of errors that this client raises."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, cast

from .models import Job

# Of a generation; anything else that a failed job says is `job_failed`.
CODES = frozenset(
    {
        "out_of_credits",
        "rate_limit",
        "prompt_nsfw",
        "ip_detected",
        "job_failed",
        "timeout",
        "validation",
        "confirmation_rejected",
        "canceled",
        "job_not_cancellable",
        "approval_required",
        "run_ended",
    }
)


class KliegError(Exception):
    """A refused request, a job that ended without a result, or a service that does not answer.

    Branch on `code`, and where there is none on `status`; the sentences are for people.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str | None = None,
        problem: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
        retry_after_reset: str | None = None,
        job: Job | None = None,
    ) -> None:
        super().__init__(message)
        said = dict(problem or {})
        #: Of the answer, or what a failed job says of its own; 0 where there is none.
        self.status = status
        #: Also `unreachable`, when nothing answered or the answer broke off.
        self.code: str | None = code if code is not None else said.get("code")
        self.title: str = said.get("title") or ("No Answer" if status == 0 else f"Status {status}")
        self.detail: str | None = said.get("detail")
        #: Which fields of the request are wrong (`pointer`), and how (`detail`).
        self.errors: list[dict[str, str]] = said.get("errors") or []
        #: The job that the problem is about: for a duplicate, the earlier one.
        self.job_id: str | None = job["id"] if job is not None else said.get("job_id")
        self.render_id: str | None = said.get("render_id")
        self.set_id: str | None = said.get("set_id")
        #: For support.
        self.request_id: str | None = said.get("request_id")
        #: Seconds, when the service named them.
        self.retry_after = retry_after
        #: When a quota begins anew, as RFC 3339.
        self.retry_after_reset = retry_after_reset
        #: All that the service said.
        self.problem: dict[str, Any] = said
        #: The job that failed or was canceled, as a wait found it.
        self.job = job


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> KliegError:
    """Of an answer other than 2xx. A proxy's page is no problem object and has its status alone."""
    try:
        said = json.loads(body)
    except ValueError:
        said = None
    problem = cast(dict[str, Any], said) if isinstance(said, dict) else {}
    message = problem.get("detail") or problem.get("title") or f"The service answered {status}."
    return KliegError(
        message,
        status=status,
        problem=problem,
        retry_after=_retry_after(headers),
        retry_after_reset=headers.get("retry-after-reset"),
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds; a date counts from the answer's own, so that no clock here is asked."""
    text = headers.get("retry-after")
    if text is None:
        return None
    if text.isdigit():
        return float(text)
    try:
        until = parsedate_to_datetime(text) - parsedate_to_datetime(headers.get("date", ""))
    except (TypeError, ValueError):
        return None
    return max(0.0, until.total_seconds())


def unreachable(url: str) -> KliegError:
    """Nothing answered at `url`, or the connection broke before the answer was whole."""
    return KliegError(f"{url} is not reachable.", status=0, code="unreachable")


def job_error(job: Job) -> KliegError:
    """What a wait raises for a job that ended without a result."""
    if job["status"] == "canceled":
        cancellation = job.get("cancellation")
        message = cancellation["message"] if cancellation else "The job was canceled."
        return KliegError(message, status=0, code="canceled", job=job)
    failure = job.get("failure")
    error = cast(dict[str, Any], job.get("error") or {})
    code = failure.get("code", "job_failed") if failure else "job_failed"
    return KliegError(
        failure["message"] if failure else "The job failed.",
        status=error.get("status", 502),
        code=code if code in CODES else "job_failed",
        problem=error,
        job=job,
    )


def not_yet(job_id: str) -> KliegError:
    return KliegError(
        f"The job {job_id} has not ended yet.",
        status=408,
        code="timeout",
        problem={"job_id": job_id},
    )
