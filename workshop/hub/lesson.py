"""A lesson on a hub: learners log in, work and save, all at once, and what that takes is measured.

Runs inside the world that `trial.py` makes; there, every process but its own is the hub's or a
learner's.
"""

import json
import os
import subprocess
import sys
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import nbformat
import psutil
import requests
import websocket

HUB = "127.0.0.1:8000"
API = f"http://{HUB}/hub/api"
PATIENCE = 280  # seconds, for what hangs
NOTEBOOK = "notebooks/02_additive_attention.ipynb"
EXERCISES = "exercises/02_additive_attention.ipynb"
TASK = "additive_scores_loop"
IDLE = 10  # seconds until a server counts as idle, when the trial comes to that

FILL = "blocks = []\nwhile True:\n    blocks.append(b'x' * 10**8)"
FILLED = "print(len(blocks)); del blocks"
THREADS = (  # with small stacks, so that memory is not what stops it
    "import threading, time\nthreading.stack_size(2**16)\nwhile True:\n"
    "    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()"
)
LOOP = "while True: pass"


class Learner:
    """Somebody with a browser.

    Args:
        name: of the account; the password is the name, backwards.
    """

    def __init__(self, name: str):
        self.name = name
        self.took: dict[str, float] = {}  # stage → seconds
        self._http = requests.Session()

    @contextmanager
    def stage(self, name: str):
        """Note how long something takes."""
        begun = time.monotonic()
        yield
        self.took[name] = time.monotonic() - begun

    def log_in(self) -> None:
        """By the form, as a browser does; then take a token for the requests that follow."""
        login = f"http://{HUB}/hub/login"
        self._http.get(login, timeout=PATIENCE)
        form = {"username": self.name, "password": self.name[::-1], "_xsrf": self._xsrf()}
        answer = self._http.post(login, data=form, allow_redirects=False, timeout=PATIENCE)
        assert answer.status_code == 302, f"{self.name} cannot log in: {answer.status_code}"
        self._http.get(f"http://{HUB}/hub/token", timeout=PATIENCE)
        self._http.headers["X-XSRFToken"] = self._xsrf()
        token = self.ask("POST", f"{API}/users/{self.name}/tokens")["token"]
        self._http = requests.Session()
        self._http.headers["Authorization"] = f"token {token}"

    def _xsrf(self) -> str:
        return next(cookie.value for cookie in self._http.cookies if cookie.name == "_xsrf")

    def ask(self, method: str, url: str, content=None):
        """What the hub, or the learner's server, answers."""
        answer = self._http.request(method, url, json=content, timeout=PATIENCE)
        assert answer.ok, f"{self.name}: {method} {url}: {answer.status_code} {answer.text[:300]}"
        return answer.json() if answer.content else None

    def start(self) -> None:
        """Start a server, and wait until it answers."""
        self.ask("POST", f"{API}/users/{self.name}/server")
        wait_for(f"{self.name}'s server", self.ready)

    def ready(self) -> bool:
        server = self.ask("GET", f"{API}/users/{self.name}")["servers"].get("")
        return server is not None and server["ready"]

    def server(self, method: str, path: str, content=None):
        return self.ask(method, f"http://{HUB}/user/{self.name}/api/{path}", content)

    def channel(self, kernel: str) -> websocket.WebSocket:
        return websocket.create_connection(
            f"ws://{HUB}/user/{self.name}/api/kernels/{kernel}/channels",
            header={"Authorization": self._http.headers["Authorization"]},
            timeout=PATIENCE,
        )

    def work(self, answer: str) -> None:
        """Log in, open 02, run all of it, answer an exercise, check it, save.

        Args:
            answer: the code of the answer, or "" for what stands there untouched.
        """
        with self.stage("log in"):
            self.log_in()
        with self.stage("start the server"):
            self.start()
        with self.stage("open 02"):
            notebook = Open(self, NOTEBOOK)
        with self.stage("run all of 02"):
            notebook.run_all()
        with self.stage("save it"):
            notebook.save()
        with self.stage("open, answer, check, save"):
            exercises = Open(self, EXERCISES)
            for cell in exercises.code():
                if answer and cell.source.startswith(f"def {TASK}("):
                    cell.source = answer
                exercises.run(cell)
                if cell.source == f'check("{TASK}")':
                    break
            self.verdict = said(cell)
            exercises.save()
            exercises.close()
        self.notebook = notebook


class Open:
    """A notebook that a learner has open, with a kernel of its own."""

    def __init__(self, learner: Learner, path: str):
        self._learner, self._path = learner, path
        self.content = nbformat.from_dict(learner.server("GET", f"contents/{path}")["content"])
        wanted = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "python3"}}
        self._session = learner.server("POST", "sessions", wanted)
        self._kernel = self._session["kernel"]["id"]
        self._channel = learner.channel(self._kernel)
        self.execute("pass")

    def code(self) -> list[nbformat.NotebookNode]:
        return [cell for cell in self.content.cells if cell.cell_type == "code"]

    def run_all(self) -> None:
        for cell in self.code():
            self.run(cell)
            wrong = [output for output in cell.outputs if output.output_type == "error"]
            assert not wrong, f"{self._learner.name}: {wrong}"

    def run(self, cell: nbformat.NotebookNode) -> None:
        cell.outputs = self.execute(cell.source)

    def execute(self, code: str) -> list[nbformat.NotebookNode]:
        """Run code, and wait until the kernel is idle again; what came of it."""
        header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "version": "5.3"}
        header |= {"session": "trial", "username": "", "date": ""}
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self._channel.send(json.dumps(message | {"channel": "shell", "buffers": []}))
        found = []
        while True:
            frame = self._channel.recv()
            if isinstance(frame, bytes):  # pictures of widgets
                continue
            message = json.loads(frame)
            if message["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return found
            with suppress(ValueError):  # not an output
                found.append(nbformat.v4.output_from_msg(message))

    def restart(self) -> None:
        self._learner.server("POST", f"kernels/{self._kernel}/restart")
        self.rejoin()
        self.execute("pass")

    def rejoin(self) -> None:
        """Connect again: whoever has not listened for a minute is disconnected."""
        self._channel.close()
        self._channel = self._learner.channel(self._kernel)

    def interrupt(self) -> None:
        self._learner.server("POST", f"kernels/{self._kernel}/interrupt")

    def save(self) -> None:
        content = {"type": "notebook", "format": "json", "content": self.content}
        self._learner.server("PUT", f"contents/{self._path}", content)

    def close(self) -> None:
        """Shut the kernel down, as whoever closes a notebook for good."""
        self._channel.close()
        self._learner.server("DELETE", f"sessions/{self._session['id']}")


def said(cell: nbformat.NotebookNode) -> str:
    """The words that a cell has answered with."""
    return "".join(
        output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue", "")
        for output in cell.outputs
    )


def errors(outputs: list[nbformat.NotebookNode]) -> list[str]:
    """What has gone wrong, in order. Without a thread left, IPython can only write it as text."""
    return [output.get("evalue") or output.get("ename") or output.text for output in outputs]


def wait_for(what: str, condition: Callable[[], bool], seconds: float = PATIENCE) -> float:
    """Wait until something holds; the seconds that took."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds, f"{what}: not within {seconds} seconds"
        time.sleep(0.2)
    return time.monotonic() - begun


class Meter(threading.Thread):
    """Measures, every two seconds, what each user of this world has in memory, and has computed.

    Memory is PSS: what processes share is divided among them, so that it can be added up.
    """

    def __init__(self):
        super().__init__(daemon=True)
        self.peak: dict[str, int] = defaultdict(int)  # user → bytes
        self.largest: dict[str, int] = defaultdict(int)  # user → bytes, RSS of one process
        self.together = 0  # bytes, the peak of all at the same time
        self.processor: dict[tuple[str, int], float] = {}  # user, process → seconds

    def run(self) -> None:
        while True:
            now: dict[str, int] = defaultdict(int)
            for process in psutil.process_iter():
                with suppress(psutil.Error):
                    user, memory = process.username(), process.memory_full_info()
                    if process.pid in (1, os.getpid()):
                        continue
                    now[user] += memory.pss
                    self.largest[user] = max(self.largest[user], memory.rss)
                    spent = process.cpu_times()
                    self.processor[user, process.pid] = spent.user + spent.system
            for user, memory in now.items():
                self.peak[user] = max(self.peak[user], memory)
            self.together = max(self.together, sum(now.values()))
            time.sleep(2)

    def processor_of(self, user: str) -> float:
        return sum(seconds for (name, _), seconds in [*self.processor.items()] if name == user)


def give(names: list[str], answer: str) -> dict:
    """Give the lesson; what was measured. The last two are bad neighbours, the one before is lazy.

    Args:
        names: of the accounts.
        answer: the code of a right answer.
    """
    *names, filler, looper = names
    config = Path(__file__).with_name("trial_config.py")
    state = Path("/srv/jupyterhub/state")
    with open("/srv/hub.log", "w") as log:
        command = [sys.executable, "-m", "jupyterhub", "-f", str(config)]
        world = {**os.environ, "PYTHONPATH": "/srv/attention-course"}
        hub = subprocess.Popen(command, cwd=state, env=world, stdout=log, stderr=log)
    begun = time.monotonic()
    wait_for("the hub", lambda: hub.poll() is not None or _answers())
    assert hub.poll() is None, "the hub has not started"
    figures: dict = {"hub starts": time.monotonic() - begun, "learners": len(names)}
    meter = Meter()
    meter.start()

    tell(f"The hub is up. {len(names)} learners log in, run 02, answer and save, all at once ...")
    learners = [Learner(name) for name in names]
    begun = time.monotonic()
    with ThreadPoolExecutor(len(learners)) as room:
        answers = [answer] * (len(learners) - 1) + [""]
        list(room.map(Learner.work, learners, answers))
    figures["the class"] = time.monotonic() - begun
    figures["seconds"] = {
        stage: [learner.took[stage] for learner in learners] for stage in learners[0].took
    }
    figures["verdicts"] = [learner.verdict for learner in learners]
    time.sleep(4)  # the meter comes round once more
    figures["processor"] = [meter.processor_of(name) for name in names]
    figures["memory"] = [meter.peak[name] for name in names]
    figures["largest process"] = [meter.largest[name] for name in names]
    figures["together"] = meter.together
    figures["the hub itself"] = meter.peak["root"]

    tell("They rest. One runs 02 again; then once more, beside bad neighbours ...")
    first = learners[0]
    figures["alone"] = _again(first)
    neighbours = []
    for name in (filler, looper):
        neighbour = Learner(name)
        neighbour.log_in()
        neighbour.start()
        neighbours.append(Open(neighbour, EXERCISES))
    fills, loops = neighbours
    with ThreadPoolExecutor(2) as aside:
        filling, looping = aside.submit(fills.execute, FILL), aside.submit(loops.execute, LOOP)
        try:
            figures["beside bad neighbours"] = _again(first)
        finally:
            loops.interrupt()
    figures["filling memory"] = errors(filling.result())
    figures["looping"] = errors(looping.result())
    fills.rejoin()
    figures["blocks of 100 MB"] = int(fills.execute(FILLED)[0].text)
    figures["starting threads"] = errors(fills.execute(THREADS))
    figures["memory of who fills"] = meter.peak[filler]
    figures["alive"] = sum(said_now(one.notebook) == "2\n" for one in learners)

    tell("All but one rest, and their servers are stopped ...")
    figures["idle servers gone"] = _cull(first, learners[1:])
    figures["who works stays"] = first.ready()
    hub.terminate()
    hub.wait(60)
    return figures


def tell(line: str) -> None:
    """What is going on, for whoever waits."""
    print(line, file=sys.stderr, flush=True)


def _answers() -> bool:
    with suppress(requests.ConnectionError):
        return requests.get(f"{API}/", timeout=5).ok
    return False


def _again(learner: Learner) -> float:
    """Run 02 once more, in a fresh kernel; the seconds."""
    learner.notebook.restart()
    begun = time.monotonic()
    learner.notebook.run_all()
    return time.monotonic() - begun


def said_now(notebook: Open) -> str:
    """What a kernel says to a sum, if it is alive."""
    notebook.rejoin()
    return notebook.execute("print(1 + 1)")[0].text


def _cull(working: Learner, idle: list[Learner]) -> float:
    """Stop idle servers, sooner than a hub does, while one learner works; the seconds it takes."""
    heard = time.monotonic() + 5  # the hub hears every two seconds who is at work
    while time.monotonic() < heard:
        said_now(working.notebook)
    command = [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE}"]
    command += [f"--url={API}", "--cull-every=5"]
    world = {**os.environ, "JUPYTERHUB_API_TOKEN": "impatient"}
    culler = subprocess.Popen(command, env=world, stderr=subprocess.DEVNULL)

    def gone() -> bool:
        said_now(working.notebook)
        return not any(learner.ready() for learner in idle)

    try:
        return wait_for("the idle servers", gone)
    finally:
        culler.terminate()


if __name__ == "__main__":
    order = json.load(sys.stdin)
    Path("/srv/figures.json").write_text(json.dumps(give(**order)))
