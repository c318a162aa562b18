"""What Schemathesis is told of Klieg that its OpenAPI document cannot say, and why."""

import io
import os
import zipfile
from urllib.parse import quote

import schemathesis

# The listener's parser refuses heads of more than 32 KiB by itself, with 431 and a page of its own:
# the request never reaches the API, so its answer is not one of the document's.
HEAD_BYTES_MAX = 16 * 1024


@schemathesis.serializer("application/zip")
def zip_archive(context, value):
    """An archive is bytes that no schema describes, so a small one is sent for any value."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as folder:
        folder.writestr("index.html", "<!doctype html><title>A film</title>")
    return archive.getvalue()


@schemathesis.hook
def filter_case(context, case):
    """
    Null in an optional member means that it is absent, at every depth. The tester learns the id of
    its own token from a list; with that revoked, nothing but 401 would be judged.
    """
    head = quote(f"{case.query}{case.headers}")
    revokes_own = os.environ["KLIEG_OWN_TOKEN"] in (case.path_parameters or {}).values()
    return len(head) < HEAD_BYTES_MAX and not has_null(case.body) and not revokes_own


def has_null(value):
    if isinstance(value, dict):
        return any(item is None or has_null(item) for item in value.values())
    if isinstance(value, list):
        return any(has_null(item) for item in value)
    return False
