"""A git server on the loopback that takes a token, as a forge does: what is pushed without it is refused."""

import base64
import os
import subprocess
from collections.abc import Callable

from tests.builders.provider import Reply, Request

TOKEN = "token-of-the-job"
_EXPECTED = "Basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()


def git_replies(folder) -> Callable[[Request], Reply]:
    """The replies of a server of the bare repositories of a folder."""

    def reply(request) -> Reply:
        if request.headers.get("authorization") != _EXPECTED:
            return Reply(status=401, headers={"www-authenticate": 'Basic realm="git"'})
        path, _, query = request.path.partition("?")
        asked = {
            "GIT_PROJECT_ROOT": str(folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": "job",
            "REQUEST_METHOD": request.method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(request.content)),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"],
            input=request.content,
            env=os.environ | asked,
            capture_output=True,
            check=True,
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(fields.pop("Status", "200").split()[0])
        return Reply(content, status, fields)

    return reply
