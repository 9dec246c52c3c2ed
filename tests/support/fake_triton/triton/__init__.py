"""Stands in for Triton in tests of its compile worker: the same interfaces, and PTX without a body.

A kernel that calls `fail(...)` is refused there, as Triton does; `crash()` ends the process, and
`look()` opens a file.
"""

import ast
import inspect
import textwrap

__version__ = "3.6.0"


class Parameter:
    def __init__(self, parameter, unspecialised):
        self.name, self.default = parameter.name, parameter.default
        self.do_not_specialize = parameter.name in unspecialised
        self.do_not_specialize_on_alignment = False
        self.annotation_type = ""


class JITFunction:
    def __init__(self, function, do_not_specialize=()):
        self.raw_src, self.starting_line_number = inspect.getsourcelines(function)
        text = textwrap.dedent("".join(self.raw_src))
        self.src = text[text.index("def "):]
        self.__name__ = function.__name__
        self.params = [Parameter(each, do_not_specialize)
                       for each in inspect.signature(function).parameters.values()]

    def parse(self):
        return ast.parse(self.src)


def jit(function=None, **options):
    return JITFunction(function) if function else lambda each: JITFunction(each, **options)
