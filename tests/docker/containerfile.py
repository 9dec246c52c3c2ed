"""Containerfiles as lists of stages: what the checks of this folder and its chroot run stand on."""

import dataclasses
import json
import re
import shlex

# Of the reference, what the files here may use: no ONBUILD, no ADD (it fetches), no MAINTAINER.
KNOWN = {"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "RUN",
         "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}


@dataclasses.dataclass
class Instruction:
    line: int
    word: str
    text: str

    def exec_form(self):
        """The list of a JSON form, or None."""
        try:
            words = json.loads(self.text)
        except ValueError:
            return None
        return words if isinstance(words, list) and all(isinstance(w, str) for w in words) else None


@dataclasses.dataclass
class Stage:
    base: str
    name: str
    instructions: list
    args: dict  # Of the ARGs before the first FROM: what `base` may use.

    def all(self, word):
        return [i for i in self.instructions if i.word == word]

    def last(self, word):
        found = self.all(word)
        return found[-1] if found else None

    def expanded_base(self):
        return expand(self.base, self.args)


def expand(text, values):
    """${NAME} and $NAME by their values; others stay."""
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))",
                  lambda m: values.get(m[1] or m[2], m[0]), text)


def read_instructions(text):
    """Logical lines, comments left out. ValueError names the line that is none."""
    instructions, parts, start = [], [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or (not parts and not line.strip()):
            continue  # Between continued lines too, as builders do.
        start = start if parts else number
        going_on = line.rstrip().endswith("\\")
        parts.append(line.rstrip().removesuffix("\\").strip())
        if going_on:
            continue
        word, _, rest = " ".join(parts).partition(" ")
        if word.upper() not in KNOWN:
            raise ValueError(f"{start}: unknown instruction {word}")
        instructions.append(Instruction(start, word.upper(), rest.strip()))
        parts = []
    if parts:
        raise ValueError(f"{start}: the last line goes on")
    return instructions


def read_stages(text):
    stages, arguments = [], {}
    for instruction in read_instructions(text):
        if instruction.word == "FROM":
            base, *name = re.split(r"\s+as\s+", instruction.text, flags=re.IGNORECASE)
            stages.append(Stage(base, name[0] if name else "", [], arguments))
        elif stages:
            stages[-1].instructions.append(instruction)
        elif instruction.word == "ARG":
            name, _, value = instruction.text.partition("=")
            arguments[name] = value.strip('"')
        else:
            raise ValueError(f"{instruction.line}: {instruction.word} before the first FROM")
    if not stages:
        raise ValueError("1: there is no FROM")
    return stages


def copied(instruction):
    """(stage or "", sources, destination) of a COPY."""
    words = shlex.split(instruction.text)
    stage = "".join(w.partition("=")[2] for w in words if w.startswith("--from="))
    *sources, destination = [w for w in words if not w.startswith("--")]
    return stage, sources, destination


def installed_packages(stage):
    """Packages that the stage's RUN lines name after `apt-get install`."""
    values = {}
    for argument in stage.all("ARG"):
        name, _, value = argument.text.partition("=")
        values[name] = value.strip('"')
    packages = []
    for run in stage.all("RUN"):
        for command in re.split(r"&&|;", expand(run.text, values)):
            words = command.split()
            if words[:1] == ["apt-get"] and "install" in words:
                packages += [w for w in words[words.index("install") + 1:] if not w.startswith("-")]
    return packages
