"""HTTP/1.1 by the standard library: a connection a request, sync and async alike."""
