"""OpenStack Swift with its S3 API in one process: `swift-server.py [FOLDER [PORT]]`.

Account, container, object and proxy server, each on a free port of the loopback. The line that is
printed says the port of the S3 API. The first line of the standard input is the access key, a space
and the secret key; the process ends when the standard input does. Without a folder it keeps what it
is given in a temporary one, which goes with it.

The servers' own programs are not used: they read one fixed configuration, which belongs to another
user, and each of them takes a second to start.
"""
import os
import shutil
import sys
import tempfile
import traceback

from swift.common import utils

utils.eventlet_monkey_patch()

import eventlet
from eventlet import wsgi
from swift.account.server import AccountController
from swift.common.ring.builder import RingBuilder
from swift.common.wsgi import SwiftHttpProtocol, loadapp
from swift.container.server import ContainerController
from swift.obj.server import ObjectController

CONNECTIONS = 256

SWIFT = """
[swift-hash]
swift_hash_path_suffix = suffix
swift_hash_path_prefix = prefix
"""

PROXY = """
[DEFAULT]
swift_dir = {folder}
log_level = ERROR

[pipeline:main]
pipeline = catch_errors gatekeeper proxy-logging listing_formats s3api tempauth copy slo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
max_manifest_segments = 10000

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

# Gives answers their length, without which one to HEAD has a byte too many.
[filter:proxy-logging]
use = egg:swift#proxy_logging

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:s3api]
use = egg:swift#s3api
location = us-east-1
max_upload_part_num = 10000

[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret_key} .admin

[filter:copy]
use = egg:swift#copy

[filter:slo]
use = egg:swift#slo
max_manifest_segments = 10000
"""


class Cache:
    """Stands for memcached, which a single process does not need."""

    def __init__(self):
        self.values = {}

    def get(self, key, **_):
        return self.values.get(key)

    def set(self, key, value, **_):
        self.values[key] = value

    def delete(self, key, **_):
        self.values.pop(key, None)

    def incr(self, key, delta=1, **_):
        self.values[key] = max(0, self.values.get(key, 0) + delta)
        return self.values[key]

    def decr(self, key, delta=1, **_):
        return self.incr(key, -delta)


def main(named=None, port=0):
    access_key, secret_key = sys.stdin.buffer.raw.readline().decode().split()
    folder = named or make_folder()
    try:
        if not has_attributes(folder):
            sys.exit(f"{folder} is on a file system without extended attributes, as Swift needs them.")
        serve_all(folder, int(port), access_key, secret_key)
        with eventlet.greenio.GreenPipe(sys.stdin.fileno(), "rb", 0) as stdin:
            while stdin.read(1):
                pass
    except SystemExit as end:
        print(end, file=sys.stderr)
    except Exception:
        traceback.print_exc()
    finally:
        if named is None:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


def make_folder():
    for parent in (tempfile.gettempdir(), "/var/tmp", os.getcwd()):
        folder = tempfile.mkdtemp(prefix="klieg-swift-", dir=parent)
        if has_attributes(folder):
            return folder
        os.rmdir(folder)
    sys.exit("No folder for temporary files has extended attributes; set TMPDIR to one that does.")


def has_attributes(folder):
    """Objects need extended attributes, which not every file system for temporary files has."""
    try:
        os.setxattr(folder, "user.swift", b"1")
        return True
    except OSError:
        return False


def serve_all(folder, port, access_key, secret_key):
    write(folder, "swift.conf", SWIFT)
    utils.set_swift_dir(folder)
    devices = os.path.join(folder, "devices")
    os.makedirs(os.path.join(devices, "d1"), exist_ok=True)
    conf = {"swift_dir": folder, "devices": devices, "mount_check": "false", "log_level": "ERROR"}
    logger = utils.get_logger(conf)
    servers = {
        "account": AccountController,
        "container": ContainerController,
        "object": ObjectController,
    }
    sockets = {name: eventlet.listen(("127.0.0.1", 0), backlog=CONNECTIONS) for name in servers}
    # The servers read each other's rings.
    for name, socket in sockets.items():
        make_ring(folder, name, socket.getsockname()[1])
    for name, server in servers.items():
        serve(sockets[name], server(conf, logger=logger))
    account, user = access_key.split(":")
    proxy = PROXY.format(folder=folder, account=account, user=user, secret_key=secret_key)
    gate = eventlet.listen(("127.0.0.1", port), backlog=CONNECTIONS)
    app, cache = loadapp(write(folder, "proxy.conf", proxy)), Cache()
    serve(gate, lambda env, start: app({**env, "swift.cache": cache}, start))
    print(gate.getsockname()[1], flush=True)


def serve(socket, app):
    eventlet.spawn(
        wsgi.server,
        socket,
        app,
        utils.NullLogger(),
        log_output=False,
        protocol=SwiftHttpProtocol,
        custom_pool=eventlet.GreenPool(CONNECTIONS),
    )


def make_ring(folder, name, port):
    builder = RingBuilder(1, 1, 1)
    place = {"region": 1, "zone": 1, "ip": "127.0.0.1", "device": "d1", "weight": 1, "meta": ""}
    builder.add_dev({**place, "port": port})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, f"{name}.ring.gz"))


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


main(*sys.argv[1:])
