"""What the service takes as assets, by the ends of files' names."""

_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "gif": "image/gif",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "webm": "video/webm",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "m4a": "audio/mp4",
    "ogg": "audio/ogg",
    "flac": "audio/flac",
    "glb": "model/gltf-binary",
    "gltf": "model/gltf+json",
    "woff2": "font/woff2",
    "ttf": "font/ttf",
}


def media_type_of(filename: str) -> str:
    return _TYPES.get(filename.rpartition(".")[2].lower(), "application/octet-stream")
