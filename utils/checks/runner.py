"""Call a learner's code safely, and return its values or one clear reason why it returned none.

What is called, and how often, is up to the kinds of answers (`kinds`). No expected value is known
here.
"""

import contextlib
import copy
import inspect
import linecache
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from utils.checks.limits import OutOfTime, Printed, isolated_side_effects, time_limit
from utils.checks.tasks import Answer, CallSpec, Case, GradientKey, Reason
from utils.checks.trace import Lines, Trace

OUR_SEED = 812849633550336  # unlikely to be chosen by a learner, so that manual_seed is noticed
QUICK = 1.0  # seconds: about fifty times what most answers need for all their calls
SPARE = 0.6  # of these, which are left for other calls when changes of its code have been tried
VERIFYING = 0.1  # of the rest, for what has helped in one case, to be tried in all
PATIENCE = 6  # times a limit, by the clock: a busy machine must not look like an endless loop


class AnswerError(Exception):
    """The reason why a learner's definition returned nothing that can be compared.

    Args:
        reason: the reason as a member of `Reason`, for tables.
        message: a sentence or two for the learner, with the way out.
        where: for an exception, the learner's line and the inputs that raised it.
        earlier: values returned in the cases before this error.
        raised: for an exception, the name of its class.
    """

    def __init__(
        self,
        reason: Reason,
        message: str,
        where: str = "",
        earlier: Sequence[Answer] = (),
        raised: str = "",
    ):
        super().__init__(message)
        self.reason, self.message, self.where, self.earlier = reason, message, where, earlier
        self.raised = raised


def collect(
    spec: CallSpec,
    answers: Iterable[Answer],
    printed: Printed,
    limit: Callable[[float], contextlib.AbstractContextManager] | None = None,
) -> list[Answer]:
    """Draw answers, each of which calls a learner's definition, without harm to this process.

    Args:
        spec: specification of the calls.
        answers: iterator that makes a call whenever it is asked for the next answer.
        printed: counter of the lines that the learner's code prints.
        limit: function of seconds that returns a context manager, which raises `OutOfTime` after
            them; by default `time_limit`, with `PATIENCE`.

    Raises:
        AnswerError: the definition returned nothing that can be compared, from some case on.
    """
    collected: list[Answer] = []
    with isolated_side_effects(printed):
        try:
            with limit(spec.seconds) if limit else time_limit(spec.seconds, PATIENCE):
                for answer in answers:
                    collected.append(answer)
        except OutOfTime:
            raise AnswerError(
                Reason.TIME,
                f"`{spec.id}` was still running after more than {spec.seconds:g} seconds and was "
                "stopped. Is there a loop that never ends? The notebook is fine: fix it and check "
                "again.",
                earlier=collected,
            ) from None
        except AnswerError as error:
            error.earlier = collected
            raise
    return collected


class Rerun:
    """A function that calls a learner's definition with unusual cases, as long as time is left.

    Make it before the definition is first called, because its time starts then: learners should not
    wait to hear what else is wrong with an answer that was slow already.

    Args:
        spec: specification of the calls.
        definition: object that the learner's notebook holds under the name `spec.id`.
        seconds: limit of this process's processor time, from now on.
    """

    def __init__(self, spec: CallSpec, definition: Any, seconds: float = QUICK):
        self.spec, self.definition = spec, definition
        self._end = time.process_time() + seconds

    def __call__(
        self, cases: Sequence[Case], seed: int = OUR_SEED
    ) -> list[Mapping[str, np.ndarray] | None]:
        """Return the outputs in each case; None if a call fails or no time is left.

        Args:
            cases: inputs of the calls; they are copied.
            seed: random seed that is set before each call.
        """
        return self._while_time(lambda case: self._tried(case, seed), cases)

    def trace(self, cases: Sequence[Case]) -> list[Lines | None]:
        """Return what the definition's lines compute in each case, up to an error or the end.

        The entry of a case for which no time is left is None.
        """
        return self._while_time(self._lines, cases)

    def watch(self, context: contextlib.AbstractContextManager, case: Case) -> bool:
        """Call the definition within a context, up to its end, an error, or the end of the time.

        Returns:
            Whether there was time for all of it.
        """

        def call(case: Case) -> bool:
            called_in(context, self.spec, self.definition, case)
            return True

        return self._while_time(call, [case]) == [True]

    def edited(
        self, codes: Sequence[str], cases: Sequence[Case], spare: float = SPARE
    ) -> list[Mapping[str, np.ndarray] | None]:
        """Return the outputs in each case, code by code, of codes in place of the definition's own.

        An entry is None if its code fails or changes its inputs, or no time is left, but for what
        is spared.
        """
        redefined = cache(self._redefined)
        spec = replace(self.spec, learns=False)  # gradients are not asked for

        def tried(pair: tuple[str, Case]) -> Mapping[str, np.ndarray] | None:
            code, case = pair
            try:
                return returned(spec, redefined(code), case).outputs
            except Exception:
                return None

        pairs = [(code, case) for code in codes for case in cases]
        return self._while_time(tried, pairs, spare)

    def edited_lines(self, codes: Sequence[str], case: Case) -> list[Lines | None]:
        """Return what the lines of codes in place of the definition's own compute, as `trace`."""

        def lines(code: str) -> Lines:
            return traced(self.spec, self._redefined(code), case).lines()

        return self._while_time(lines, codes)

    def has_time(self, spare: float = SPARE) -> bool:
        """Return whether another code may be tried, and there is time to verify it."""
        return time.process_time() < self._end - spare - VERIFYING

    def _redefined(self, code: str) -> Any:
        """Return the definition that a code makes in place of the learner's, if it can be run."""
        with contextlib.suppress(Exception):
            names = dict(own_functions(self.definition)[-1].__globals__)
            exec(code, names)
            return names[self.spec.id]
        return self.definition

    def _while_time(
        self, function: Callable[[Any], Any], cases: Sequence[Any], spare: float = 0.0
    ) -> list:
        returned: list = []
        end = self._end - spare
        left = end - time.process_time()
        if left > 0:
            limit = time_limit(left, PATIENCE)
            with isolated_side_effects(Printed()), contextlib.suppress(OutOfTime), limit:
                for case in cases:
                    if time.process_time() > end:
                        break
                    returned.append(function(case))
        return returned + [None] * (len(cases) - len(returned))

    def _lines(self, case: Case) -> Lines:
        return traced(self.spec, self.definition, case).lines()

    def _tried(self, case: Case, seed: int) -> Mapping[str, np.ndarray] | None:
        torch.default_generator.manual_seed(seed)
        try:
            return self.outputs(case)
        except Exception:
            return None

    def outputs(self, case: Case) -> Mapping[str, np.ndarray]:
        """Call the definition once, and return its outputs."""
        if case.then:
            return _arrays(self.spec, _last_of_several(self.spec, self.definition, case))
        function = _callable(self.spec, self.definition, case)
        return _arrays(self.spec, _call(function, _copies(case), case))


def _last_of_several(spec: CallSpec, definition: Any, case: Case) -> Any:
    """Call a definition as training does, again and again, and return what the last call returns.

    A module is built once for all calls. If a network learns through the answer, each way back is
    taken. A call in float64, which right answers may refuse, must not spoil the next one.
    """
    once = replace(case, then={})
    function = _callable(spec, definition, once)
    with contextlib.suppress(AnswerError):
        _call_to_learn(spec, function, in_double(once))
    _call_to_learn(spec, function, once)
    function = _callable(spec, definition, once)
    for each in (once, once):
        _call_to_learn(spec, function, each)
    return _call_to_learn(spec, function, case.last)


def _call_to_learn(spec: CallSpec, function: Callable, case: Case) -> Any:
    """Call a function or a module with a case's parameters, and take the way back, if one learns.

    Raises:
        AnswerError: the call or the way back raised an exception.
    """
    _give_parameters(spec, function, case)
    inputs = _copies(case)
    if not spec.learns:
        return _call(function, inputs, case)
    inputs = [x.requires_grad_().clone() if is_decimal(x) else x for x in inputs]

    def there_and_back() -> Any:
        returned = function(*inputs)
        outputs = returned if isinstance(returned, tuple | list) else [returned]
        learning = [x.sum() for x in outputs if isinstance(x, Tensor) and x.requires_grad]
        if learning:
            sum(learning).backward()
        return returned

    with torch.enable_grad():
        return _call(there_and_back, [], case)


def own_functions(definition: Any) -> list[FunctionType]:
    """Return a definition that is a function, or the methods of one that is a class."""
    own = [definition, *vars(definition).values()] if inspect.isclass(definition) else [definition]
    return [*filter(inspect.isfunction, (inspect.unwrap(each) for each in own if callable(each)))]


def cell_of(definition: Any) -> str:
    """Return the cell that defines a function or a class; "" if there is none, or it is a file."""
    files = {function.__code__.co_filename for function in own_functions(definition)}
    return "".join(linecache.getlines(*files)) if len(files) == 1 and not is_file(*files) else ""


def is_file(name: str) -> bool:
    """Decide whether code comes from a file: a cell has a name, but no file on disk."""
    return Path(name).exists()


def traced(spec: CallSpec, definition: Any, case: Case) -> Trace:
    """Call a definition, and return the trace of its lines, up to an exception if it raises one."""
    trace = Trace({function.__code__.co_filename for function in own_functions(definition)})
    values = called_in(trace, spec, definition, case)
    if values is not None:
        trace.end(values, len(spec.outputs))
    return trace


def called_in(
    context: contextlib.AbstractContextManager, spec: CallSpec, definition: Any, case: Case
) -> Any:
    """Call a definition within a context, and return what it returns; None if it raises an error.

    What is built or copied for the call is not within the context.
    """
    torch.default_generator.manual_seed(OUR_SEED)
    with contextlib.suppress(Exception), _empty_is_nan():
        function = _callable(spec, definition, case)
        inputs = _copies(case)
        with context:
            return _call(function, inputs, case)


@contextlib.contextmanager
def _empty_is_nan() -> Iterator[None]:
    """Fill the memory that `torch.empty` returns, which would differ from call to call."""
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")  # `use_deterministic_algorithms` imports for 1 s
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)


def returned(spec: CallSpec, definition: Any, case: Case) -> Answer:
    """Return the values in a case or, if that raises an exception, in its plain form (`in_plain`).

    No task mentions precision or memory layout, so code for float32 and `.view` is right too.

    Raises:
        AnswerError: the definition returned nothing that can be compared.
    """
    try:
        return returned_exactly(spec, definition, case)
    except AnswerError as error:
        if error.reason == Reason.ERROR and (plain := in_plain(case)) is not case:
            with contextlib.suppress(AnswerError):
                return returned_exactly(spec, definition, plain)
        raise


def in_plain(case: Case) -> Case:
    """Return a case in float32, stored row by row; the case itself if it is so already."""
    decimals = [*filter(is_decimal, [*case.inputs.values(), *case.parameters.values()])]
    if all(value.dtype == torch.float32 and value.is_contiguous() for value in decimals):
        return case
    return _with_decimals(case, lambda value: value.float().contiguous())


def in_double(case: Case) -> Case:
    """Return a case with all its decimals in float64."""
    return _with_decimals(case, Tensor.double)


def _with_decimals(case: Case, change: Callable[[Tensor], Tensor]) -> Case:
    def changed(values: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: change(value) if is_decimal(value) else value for name, value in values.items()
        }

    return replace(case, inputs=changed(case.inputs), parameters=changed(case.parameters))


def is_decimal(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def returned_exactly(spec: CallSpec, definition: Any, case: Case) -> Answer:
    """Return the values in a case as it is."""
    torch.default_generator.manual_seed(OUR_SEED)  # `torch.manual_seed` does more, slowly
    inputs = _copies(case)
    values = _call(_callable(spec, definition, case), inputs, case)
    for (name, before), after in zip(case.inputs.items(), inputs, strict=True):
        if not _unchanged(before, after):
            raise AnswerError(
                Reason.IN_PLACE,
                f"`{spec.id}` changes its input `{name}`, which its caller still needs: "
                f"work on a copy, `{name}.clone()`. `x[…] = …`, `x += …` and methods that end in "
                "`_` all change what they are given.",
            )
    if torch.initial_seed() != OUR_SEED:
        raise AnswerError(
            Reason.SEED,
            f"`{spec.id}` sets the global random seed, which affects every other part of a "
            "program. Remove `manual_seed`.",
        )
    outputs = _arrays(spec, values)  # before the next call, which may change them
    return Answer(outputs, _gradients(spec, definition, case) if spec.learns else {})


def _callable(spec: CallSpec, definition: Any, case: Case) -> Callable:
    """Return the function to call with a case, or the module with the case's parameters."""
    if not inspect.isclass(definition):
        return definition
    module = _call(lambda: definition(**case.build), [], case)
    _give_parameters(spec, module, case)
    return module.eval()


def _give_parameters(spec: CallSpec, module: Any, case: Case) -> None:
    """Copy a case's parameters, if it has any, into a module."""
    own = dict(module.named_parameters()) if case.parameters else {}
    for name, values in case.parameters.items():
        if name not in own or own[name].shape != values.shape:
            shapes = {key: tuple(parameter.shape) for key, parameter in own.items()}
            raise AnswerError(
                Reason.PARAMETERS,
                f"`{spec.id}` needs a parameter `{name}` of shape {tuple(values.shape)}. "
                f"It has {shapes or 'none'}.",
            )
        own[name].data = values.clone()


def _call(function: Callable, inputs: Sequence[Any], case: Case) -> Any:
    try:
        return function(*inputs)
    except (OutOfTime, KeyboardInterrupt):
        raise
    except BaseException as error:  # also SystemExit: exit() in an answer must not end the kernel
        if unwritten := _unwritten(error):
            message = (
                f"{unwritten} is still `...`. Write what belongs there, run its cell, and check"
            )
            raise AnswerError(Reason.NOTHING, f"{message} again.", line_of(error)) from None
        where = f"{line_of(error)}{_called_with(case)}"
        raised = type(error).__name__
        raise AnswerError(Reason.ERROR, in_a_line(error), where, raised=raised) from None


def in_a_line(error: BaseException) -> str:
    """Format an exception in one line, because torch's messages may have pages of internals."""
    first_line = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first_line}"


def _unwritten(error: BaseException) -> str:
    """Name the variable that is still `...`, if it caused an exception; else return "".

    Other messages mention an ellipsis too, such as that of `einsum` with an axis too many.
    """
    of_its_class = isinstance(error, TypeError | AttributeError) or "of ellipsis" in str(error)
    if not (of_its_class and "ellipsis" in str(error)):
        return ""
    for frame, _ in reversed([*traceback.walk_tb(error.__traceback__)]):
        names = {**frame.f_globals, **frame.f_locals}
        for name in (*frame.f_code.co_varnames, *frame.f_code.co_names):
            if names.get(name) is ...:
                return f"`{name}`"
    return "Something in it"


def _called_with(case: Case) -> str:
    """Describe the case in which an exception was raised, with the shapes of its inputs."""
    shapes = [
        f"`{name}` {tuple(value.shape)}"
        for name, value in case.inputs.items()
        if isinstance(value, Tensor)
    ]
    return f"It was called with {case.label}{': ' if shapes else ''}{', '.join(shapes)}."


def line_of(error: BaseException) -> str:
    """Quote the innermost line that raised an exception in a cell, which has no file on disk."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        text = linecache.getline(frame.filename, frame.lineno).strip()
        if text and not is_file(frame.filename):
            return f"In your code, `line {frame.lineno}: {text}`. "
    return ""


def _copies(case: Case) -> list[Any]:
    return [
        value.clone() if isinstance(value, Tensor) else copy.deepcopy(value)
        for value in case.inputs.values()
    ]


def _unchanged(before: Any, after: Any) -> bool:
    if not isinstance(before, Tensor):
        return before == after
    if torch.equal(before, after):
        return True
    return torch.equal(before.nan_to_num(), after.nan_to_num())  # NaN is not equal to itself


def _arrays(spec: CallSpec, returned: Any) -> dict[str, np.ndarray]:
    if returned is None:
        raise AnswerError(
            Reason.NOTHING,
            f"`{spec.id}` returns nothing yet. Write your code where the `...` stands; if you "
            "have, look for a missing `return`.",
        )
    several = len(spec.outputs) > 1
    if several and not (isinstance(returned, tuple | list) and len(returned) == len(spec.outputs)):
        raise AnswerError(
            Reason.TYPE,
            f"`{spec.id}` should return {len(spec.outputs)} tensors, "
            f"`{', '.join(spec.outputs)}`, and returns {with_article(returned)}.",
        )
    values = dict(zip(spec.outputs, returned if several else [returned], strict=True))
    return {name: _array(spec, name, value) for name, value in values.items()}


def _array(spec: CallSpec, name: str, value: Any) -> np.ndarray:
    if value is ...:
        raise AnswerError(Reason.NOTHING, f"In `{spec.id}`, `{name}` is still to be written.")
    if spec.returns == "texts":
        return _texts(spec, name, value)
    if not isinstance(value, Tensor):
        of_tensors = isinstance(value, list | tuple) and any(isinstance(x, Tensor) for x in value)
        joins = "stack` joins tensors" if of_tensors else "tensor` makes one of plain numbers"
        raise AnswerError(
            Reason.TYPE,
            f"`{spec.id}` should return `{name}` as a tensor, and returns {with_article(value)}. "
            f"Use tensor operations from the inputs on; where they do not reach, `torch.{joins}.",
        )
    if value.device.type != "cpu":
        raise AnswerError(
            Reason.DEVICE,
            f"`{spec.id}` returns `{name}` on the device `{value.device}`, but its inputs are on "
            "`cpu`. Make new tensors where the inputs are: `device=inputs.device`.",
        )
    value = value.detach().clone()  # the learner's code may keep and change it later
    return (value.double() if value.is_floating_point() else value).numpy()


def _texts(spec: CallSpec, name: str, value: Any) -> np.ndarray:
    what = with_article(value)
    if isinstance(value, list | tuple | np.ndarray):
        others = [item for item in value if not isinstance(item, str)]
        if not others:
            return np.array([str(text) for text in value], dtype=str)
        what += f" that holds {with_article(others[0])}"
    raise AnswerError(
        Reason.TYPE,
        f"`{spec.id}` should return `{name}` as a list of texts, one string for each, and returns "
        f"{what}.",
    )


@torch.enable_grad()  # even if the notebook has switched gradients off
def _gradients(spec: CallSpec, definition: Any, case: Case) -> dict[GradientKey, np.ndarray]:
    """Return the gradients of outputs with respect to the inputs and parameters they depend on."""
    function = _callable(spec, definition, case)
    leaves = {
        name: value.clone().requires_grad_()
        for name, value in case.inputs.items()
        if is_decimal(value)
    }
    if case.parameters:
        own = dict(function.named_parameters())
        leaves |= {name: own[name] for name in case.parameters}
    if not leaves:
        return {}
    inputs = [
        leaves[name].clone() if name in leaves else value for name, value in case.inputs.items()
    ]
    gradients: dict[GradientKey, np.ndarray] = {}
    try:
        returned = _call(function, inputs, case)
        outputs = returned if len(spec.outputs) > 1 else [returned]
        for name, output in zip(spec.outputs, outputs, strict=True):
            if output.requires_grad:
                total = (output * factors(output)).sum()
                flows = torch.autograd.grad(
                    total, [*leaves.values()], allow_unused=True, retain_graph=True
                )
                for leaf, flow in zip(leaves, flows, strict=True):
                    if flow is not None:
                        gradients[GradientKey(name, leaf)] = flow.detach().double().numpy()
    except Exception:  # it runs only on tensors without gradients, as with `.numpy()`
        return {}
    return gradients


def factors(output: Tensor) -> Tensor:
    """Return factors for an output's entries, because the plain sum of weights is always 1."""
    places = torch.arange(1, output.numel() + 1, dtype=output.dtype, device=output.device)
    return places.cos().reshape(output.shape)


def with_article(value: Any) -> str:
    """Name the class of a value with its article, "a list"."""
    if inspect.isclass(value):
        return "a class"
    if inspect.isgenerator(value):
        return "a generator, as each function with a `yield` does: collect, and `return` once"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
