"""A trusted function tried in this process, as if it were an answer in a process of its own: much faster."""

import copy
import traceback
from collections.abc import Callable, Sequence

from torch import Tensor

from practice.grader.isolate.remote import Failure, Returned
from practice.grader.isolate.values import Value, pack, unpack


class AnswerHere:
    """Calls `function` with copies of the arguments, and gives back what would have crossed the wire."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    def call(self, arguments: Sequence[Value]) -> Returned | Failure:
        """What the function returned, or what it raised."""
        inputs = [value.clone() if isinstance(value, Tensor) else copy.deepcopy(value) for value in arguments]
        try:
            (outputs,) = unpack(*pack([self._function(*inputs)]))
        except Exception as error:
            return Failure("exception", type(error).__name__, str(error), traceback=traceback.format_exc())
        return Returned(outputs, inputs)
