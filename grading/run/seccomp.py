"""Block the system calls for which a worker has no good use.

Some kinds of memory are not charged to any process: System V segments, memfd, shared mappings
without a file, sockets, extended attributes, locks. Some sockets lead out of every namespace, such
as sockets to the host of a virtual machine. Some calls reach into other processes. A process that
ignores the signal of its children's end hides the time that they took, and a process that moves to
other processors takes them from other workers. A filter in the kernel (seccomp) refuses such calls
with the error "not permitted".
"""

import ctypes
import platform
import struct

_REFUSED = {  # call → its numbers on x86_64 and on aarch64
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "vmsplice": (278, 75),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "inotify_init": (253, 26),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "landlock_create_ruleset": (444, 444),
    "io_setup": (206, 0),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "sched_setaffinity": (203, 122),
}
_LOCKS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
_SIGCHLD = 17
_SHARED_WITHOUT_FILE, _WHERE = 0x21, 0x2F  # MAP_SHARED | MAP_ANONYMOUS, and all bits of both
_REFUSED_IF = (  # a call's numbers, the place of an argument, a mask of its bits, the value refused
    ((9, 222), 3, _WHERE, _SHARED_WITHOUT_FILE),  # mmap
    *(((72, 25), 1, 0xFFFFFFFF, command) for command in _LOCKS),  # fcntl
    ((13, 134), 0, 0xFFFFFFFF, _SIGCHLD),  # rt_sigaction
)
_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # the kernel's numbers for these machines
_OTHER_CALLS = 0x40000000  # from here on: x32, a second set of calls on x86_64

# The filter is a program of steps: code, jump if true, jump if false, operand.
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16  # offsets in the description of a call
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050001, 0x80000000  # 1 is EPERM
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


class UnknownProcessor(OSError):  # noqa: N818 - a fact, not a fault
    """A processor for which the numbers of the calls to refuse are not known here."""


def program() -> bytes:
    """Return the filter as bytes.

    Raises:
        UnknownProcessor: the filter is not known for this processor: it would refuse nothing.
    """
    machine = platform.machine()
    if machine not in _MACHINES:
        known = " and ".join(_MACHINES)
        raise UnknownProcessor(
            f"which system calls to refuse is known for the processors {known}, and this is "
            f"{machine or 'another'}"
        )
    kind = list(_MACHINES).index(machine)
    steps = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, _MACHINES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _OTHER_CALLS),
        (_RETURN, 0, 0, _KILL),
    ]
    for numbers in _REFUSED.values():
        steps += [(_EQUAL, 0, 1, numbers[kind]), (_RETURN, 0, 0, _REFUSE)]
    for numbers, argument, bits, value in _REFUSED_IF:
        steps += [
            (_EQUAL, 0, 5, numbers[kind]),
            (_LOAD, 0, 0, _ARGUMENTS + 8 * argument),
            (_AND, 0, 0, bits),
            (_EQUAL, 0, 1, value),
            (_RETURN, 0, 0, _REFUSE),
            (_LOAD, 0, 0, _NUMBER),
        ]
    return _packed([*steps, (_RETURN, 0, 0, _ALLOW)])


def _packed(steps: list[tuple[int, int, int, int]]) -> bytes:
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def refuse() -> None:
    """Install the filter, for good, in this process and every process that it will fork.

    Raises:
        OSError: the kernel does not accept the filter.
    """
    steps = program()
    libc = ctypes.CDLL(None, use_errno=True)
    filter_ = ctypes.byref(_Program(len(steps) // 8, steps))
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, filter_, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no filter for system calls")
