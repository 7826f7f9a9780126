"""An object store on this machine that speaks S3: moto's."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from unittest import mock
from uuid import uuid4


@contextmanager
def object_store() -> Iterator[str]:
    """The address of a store without buckets; the environment has its keys meanwhile."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    with redirect_stdout(StringIO()):
        server.start()
    host, port = server.get_host_and_port()
    keys = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "tests",
        "AWS_SECRET_ACCESS_KEY": "tests",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
    }
    with mock.patch.dict(os.environ, keys):
        try:
            yield keys["AWS_ENDPOINT_URL"]
        finally:
            server.stop()


def new_bucket() -> str:
    """The URL of a bucket that nobody has used."""
    import fsspec

    name = f"bucket-{uuid4().hex}"
    fsspec.filesystem("s3", use_listings_cache=False).mkdir(name)
    return f"s3://{name}"
