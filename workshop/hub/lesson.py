"""Simulate a lesson on a hub: all learners at once log in, run a notebook and exercises, and save.

`trial.py` runs this module as root in a sandbox, where every other process belongs to the hub or to
a learner: `python -m workshop.hub.lesson NAMES` prints the measured times and memory as JSON.
"""

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import nbformat
import psutil
import requests
import websocket

HUB = "127.0.0.1:8000"
API = f"http://{HUB}/hub/api"
SECONDS = 280  # until a request or a wait counts as hanging
NAME = "02_additive_attention.ipynb"


class Learner:
    """A simulated learner, who sends the hub the requests that a browser would send.

    Args:
        name: name of the account; its password is the name spelt backwards.
    """

    def __init__(self, name: str):
        self.name = name
        self._http = requests.Session()

    def work(self) -> dict[str, float]:
        """Go through all stages of the lesson; return how many seconds each stage took."""
        stages: dict[str, Callable[[], None]] = {
            "log in": self.log_in,
            "start the server": self.start_server,
            "run and save 02": partial(self.run_notebook, f"notebooks/{NAME}"),
            "run and save its exercises": partial(self.run_notebook, f"exercises/{NAME}"),
        }
        seconds = {}
        for stage, step in stages.items():
            start = time.monotonic()
            step()
            seconds[stage] = time.monotonic() - start
        return seconds

    def log_in(self) -> None:
        """Log in with the form, as a browser does, and get a token for all later requests."""
        login = f"http://{HUB}/hub/login"
        self._http.get(login, timeout=SECONDS)
        form = {"username": self.name, "password": self.name[::-1], "_xsrf": self._xsrf()}
        reply = self._http.post(login, data=form, allow_redirects=False, timeout=SECONDS)
        assert reply.status_code == 302, f"{self.name} cannot log in: {reply.status_code}"
        self._http.get(f"http://{HUB}/hub/token", timeout=SECONDS)
        self._http.headers["X-XSRFToken"] = self._xsrf()
        token = self._request("POST", f"{API}/users/{self.name}/tokens")["token"]
        self._http = requests.Session()
        self._http.headers["Authorization"] = f"token {token}"

    def start_server(self) -> None:
        """Start the learner's server, and wait until it answers."""

        def is_ready() -> bool:
            server = self._request("GET", f"{API}/users/{self.name}")["servers"].get("")
            return server is not None and server["ready"]

        self._request("POST", f"{API}/users/{self.name}/server")
        wait_until(is_ready, f"{self.name}'s server")

    def run_notebook(self, path: str) -> None:
        """Run all cells of a notebook in a new kernel, save the notebook, leave the kernel on."""
        server = f"http://{HUB}/user/{self.name}/api"
        notebook = nbformat.from_dict(self._request("GET", f"{server}/contents/{path}")["content"])
        session = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "python3"}}
        kernel = self._request("POST", f"{server}/sessions", session)["kernel"]["id"]
        channel = websocket.create_connection(
            f"ws://{HUB}/user/{self.name}/api/kernels/{kernel}/channels",
            header={"Authorization": self._http.headers["Authorization"]},
            timeout=SECONDS,
        )
        for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
            cell.outputs = execute(channel, cell.source)
            errors = [output for output in cell.outputs if output.output_type == "error"]
            assert not errors, f"{self.name}: {errors}"
        channel.close()
        content = {"type": "notebook", "format": "json", "content": notebook}
        self._request("PUT", f"{server}/contents/{path}", content)

    def _xsrf(self) -> str:
        return next(cookie.value for cookie in self._http.cookies if cookie.name == "_xsrf")

    def _request(self, method: str, url: str, content=None):
        reply = self._http.request(method, url, json=content, timeout=SECONDS)
        assert reply.ok, f"{self.name}: {method} {url}: {reply.status_code} {reply.text[:300]}"
        return reply.json() if reply.content else None


def execute(channel: websocket.WebSocket, code: str) -> list[nbformat.NotebookNode]:
    """Run code in a kernel, wait until the kernel is idle again, and return the outputs."""
    header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "version": "5.3"}
    header |= {"session": "trial", "username": "", "date": ""}
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
    request = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
    channel.send(json.dumps(request | {"channel": "shell", "buffers": []}))
    outputs = []
    while True:
        frame = channel.recv()
        if isinstance(frame, bytes):  # pictures of widgets
            continue
        message = json.loads(frame)
        if message["parent_header"].get("msg_id") != header["msg_id"]:
            continue
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return outputs
        with suppress(ValueError):  # not an output
            outputs.append(nbformat.v4.output_from_msg(message))


def wait_until(condition: Callable[[], bool], name: str) -> None:
    """Wait until a condition holds; after `SECONDS`, raise an `AssertionError` with its name."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < SECONDS, f"{name}: not within {SECONDS} seconds"
        time.sleep(0.2)


def measure(account: str) -> dict[str, float]:
    """Return the processor seconds and the megabytes of all processes of an account.

    Memory is counted as PSS, which divides shared memory among the processes that share it, so that
    it can be added up.
    """
    seconds = size = 0
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.username() == account and process.pid not in (1, os.getpid()):
                seconds += sum(process.cpu_times()[:4])  # with children that have ended
                size += process.memory_full_info().pss
    return {"processor, s": seconds, "memory, MB": size / 1e6}


def give_lesson(names: list[str]) -> dict:
    """Start the hub, let all learners work at once, stop the hub; return times and memory.

    Returns:
        "seconds" for the lesson, "memory of the hub, MB", and under "learners" a dict for each
        learner: the seconds of each stage, "processor, s" and "memory, MB".
    """

    def hub_answers() -> bool:
        assert hub.poll() is None, "the hub has not started"
        with suppress(requests.ConnectionError):
            return requests.get(f"{API}/", timeout=5).ok
        return False

    with open("/srv/hub.log", "w") as log:
        hub = subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "-f", "/srv/jupyterhub/jupyterhub_config.py"],
            cwd="/srv/jupyterhub/state",
            env={**os.environ, "PYTHONPATH": "/srv/attention-course"},
            stdout=log,
            stderr=log,
        )
    wait_until(hub_answers, "the hub")
    start = time.monotonic()
    with ThreadPoolExecutor(len(names)) as room:
        stages = list(room.map(Learner.work, map(Learner, names)))
    duration = time.monotonic() - start
    learners = [seconds | measure(name) for name, seconds in zip(names, stages, strict=True)]
    hub_memory = measure("root")["memory, MB"]
    hub.terminate()
    hub.wait(60)
    return {"seconds": duration, "memory of the hub, MB": hub_memory, "learners": learners}


if __name__ == "__main__":
    print(json.dumps(give_lesson(sys.argv[1:])))
