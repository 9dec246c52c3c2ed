#!/usr/bin/env python3
"""Checks the files below docker/ without a container engine.

    check_containers.py               the repository
    check_containers.py --self-test   that planted mistakes are found

Each Containerfile parses, has several stages, copies only what is there, installs only packages that
this machine's package lists know, ends as a user other than root with a health check, and starts in
exec form. The compose file parses, builds those files, mounts a data volume and passes the GPU; the
one for several servers is checked by compose_scale.py.
One line per mistake, and exit status 1 when there are any.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

from compose_scale import PLANTED_SCALE, scale_errors
from containerfile import copied, installed_packages, read_stages

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = ("cpu", "cuda", "rocm")
DATA = "/data"
PORT = "7411"
# Package archives of other makers, whose lists are not here.
FOREIGN = re.compile(r"^cuda-")


def known_packages(names):
    """Those of `names` that the package lists have; None where there are no lists."""
    try:
        listed = subprocess.run(["apt-cache", "policy", *sorted(names)], capture_output=True,
                                text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.findall(r"^(\S+):\n  Installed: .*\n  Candidate: (?!\(none\))", listed, re.MULTILINE)
    return set(found) if found else None


def built_packages(root):
    """Those that the first stages install: what a build needs, and what plug-ins need beside it."""
    text = (root / "cmake/packages.sh").read_text()
    lists = re.findall(r"^(?:product|postgres|bucket)_packages=\((.*?)\)", text, re.DOTALL | re.MULTILINE)
    return " ".join(lists).split()


def stage_errors(stage, earlier, root):
    for copy in stage.all("COPY"):
        origin, sources, _ = copied(copy)
        if origin and origin not in earlier:
            yield f"{copy.line}: copies from {origin}, which is no earlier stage"
        for source in [] if origin else sources:
            if source.startswith("/") or ".." in source or not (root / source).exists():
                yield f"{copy.line}: copies {source}, which is not there"
    for run in stage.all("RUN"):
        if "apt-get install" in run.text and "apt-get update" not in run.text:
            yield f"{run.line}: installs from whatever package lists an earlier layer left"


def final_errors(stage):
    """Of the image that runs."""
    user = stage.last("USER")
    if user is None:
        yield "0: runs as root: there is no USER"
    elif not re.fullmatch(r"[1-9]\d*:[1-9]\d*", user.text):
        yield f"{user.line}: USER {user.text} is not UID:GID, both numbers above 0"
    health = stage.last("HEALTHCHECK")
    if health is None or "CMD [" not in health.text:
        yield "0: has no HEALTHCHECK in exec form"
    elif "GET /health " not in health.text:
        yield f"{health.line}: the HEALTHCHECK does not ask for GET /health"
    volume = stage.last("VOLUME")
    if volume is None or volume.exec_form() != [DATA]:
        yield f"0: declares no VOLUME {DATA}"
    exposed = stage.last("EXPOSE")
    if exposed is None or exposed.text != PORT:
        yield f"0: does not EXPOSE {PORT}"
    for word in ("ENTRYPOINT", "CMD"):
        start = stage.last(word)
        if start is None or not start.exec_form():
            yield f"0: has no {word} in exec form"
    for copy in stage.all("COPY"):
        if not copied(copy)[0]:
            yield f"{copy.line}: the image that runs takes files from elsewhere than a stage"


def file_errors(path, root, packages):
    """Adds the packages of this file to `packages`."""
    try:
        stages = read_stages(path.read_text())
    except ValueError as error:
        yield str(error)
        return
    if len(stages) < 2:
        yield "0: is a single stage: compilers would be in the image"
    names = set()
    for stage in stages:
        if not re.search(r":.+", stage.expanded_base()) and stage.expanded_base() not in names:
            yield f"0: FROM {stage.base} has no tag"
        yield from stage_errors(stage, names, root)
        names.add(stage.name)
        packages.update(installed_packages(stage))
    yield from final_errors(stages[-1])


def service_errors(name, service, root):
    build = service.get("build") or {}
    file = build.get("dockerfile", "")
    if file != f"docker/{name}.Containerfile" or not (root / file).exists():
        yield f"service {name} does not build docker/{name}.Containerfile"
    if (root / "docker" / build.get("context", "?")).resolve() != root.resolve():
        yield f"service {name} is not built from the repository's root"
    if not any(volume.endswith(f":{DATA}") for volume in service.get("volumes", [])):
        yield f"service {name} mounts no volume at {DATA}"
    if "WARPSMITH_TOKEN" not in service.get("environment", {}):
        yield f"service {name} has no WARPSMITH_TOKEN: it would refuse to start"
    if not all(port.startswith("127.0.0.1:") for port in service.get("ports", [])):
        yield f"service {name} opens a port to others than this machine"
    gpu = {"cuda": "capabilities", "rocm": "/dev/kfd"}.get(name, "")
    if gpu not in str(service):
        yield f"service {name} passes no GPU"


def compose_errors(root):
    try:
        compose = yaml.safe_load((root / "docker/compose.yaml").read_text())
    except yaml.YAMLError as error:
        yield f"is no YAML: {error}"
        return
    services = compose.get("services", {})
    if set(services) != set(FILES):
        yield f"has services {sorted(services)} instead of {sorted(FILES)}"
    for name, service in services.items():
        yield from service_errors(name, service, root)
    used = {v.split(":")[0] for s in services.values() for v in s.get("volumes", [])}
    for volume in sorted(used - set(compose.get("volumes", {}))):
        yield f"mounts the volume {volume}, which it does not declare"


def check(root):
    errors, packages = [], set(built_packages(root))
    for name in FILES:
        path = root / f"docker/{name}.Containerfile"
        errors += [f"docker/{path.name}:{error}" for error in file_errors(path, root, packages)]
    errors += [f"docker/compose.yaml: {error}" for error in compose_errors(root)]
    scale = (root / "docker/compose.scale.yaml").read_text()
    errors += [f"docker/compose.scale.yaml: {error}" for error in scale_errors(scale)]
    foreign = {p for p in packages if FOREIGN.match(p)}
    known = known_packages(packages - foreign)
    if known is None:
        print("left out: whether the packages exist (there are no package lists here)")
    else:
        errors += [f"no package is called {p}" for p in sorted(packages - foreign - known)]
    return errors


GOOD = """\
ARG BASE=debian:12-slim
FROM debian:12 AS build
COPY cmake/packages.sh cmake/
RUN apt-get update && \\
    # a comment between
    apt-get install -y tar
FROM ${BASE}
COPY --from=build /opt /opt
USER 10:10
VOLUME ["/data"]
EXPOSE 7411
HEALTHCHECK CMD ["ask", "GET /health HTTP/1.0"]
ENTRYPOINT ["true"]
CMD ["x"]
"""

# (text of GOOD, what stands in its place, the error)
PLANTED = [
    ("", "", None),
    ("USER 10:10\n", "", "0: runs as root: there is no USER"),
    ("USER 10:10", "USER 0:10", "9: USER 0:10 is not UID:GID, both numbers above 0"),
    ("USER 10:10", "USER root", "9: USER root is not UID:GID, both numbers above 0"),
    ('CMD ["ask", "GET /health HTTP/1.0"]', "NONE", "0: has no HEALTHCHECK in exec form"),
    ("GET /health HTTP/1.0", "list_devices", "12: the HEALTHCHECK does not ask for GET /health"),
    ('["/data"]', "/data", "0: declares no VOLUME /data"),
    ("EXPOSE 7411", "EXPOSE 80", "0: does not EXPOSE 7411"),
    ('CMD ["x"]', "CMD x", "0: has no CMD in exec form"),
    ("--from=build", "--from=built", "8: copies from built, which is no earlier stage"),
    ("--from=build /opt", "cmake", "8: the image that runs takes files from elsewhere than a stage"),
    ("COPY cmake/packages.sh", "COPY cmake/missing", "3: copies cmake/missing, which is not there"),
    ("COPY cmake/packages.sh", "COPY ../etc", "3: copies ../etc, which is not there"),
    ("apt-get update && \\", "true && \\",
     "4: installs from whatever package lists an earlier layer left"),
    ("COPY cmake/packages.sh", "ADD cmake/packages.sh", "3: unknown instruction ADD"),
    ('CMD ["x"]', "CMD \\", "14: the last line goes on"),
    ("FROM debian:12 AS", "FROM debian AS", "0: FROM debian has no tag"),
    ("FROM debian:12 AS build\n", "RUN true\nFROM debian:12 AS build\n",
     "2: RUN before the first FROM"),
]


def self_test():
    wrong = []
    for old, new, wanted in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            root, packages = pathlib.Path(folder), set()
            (root / "cmake").mkdir()
            (root / "cmake/packages.sh").touch()
            path = root / "planted"
            path.write_text(GOOD.replace(old, new, 1) if old else GOOD)
            found = list(file_errors(path, root, packages))
        if found != ([wanted] if wanted else []):
            wrong.append(f"{new!r} for {old!r}: found {found} instead of {wanted}")
        if wanted is None and packages != {"tar"}:
            wrong.append(f"packages are {packages} instead of tar")
    scale = (ROOT / "docker/compose.scale.yaml").read_text()
    for old, new, wanted in PLANTED_SCALE:
        found = list(scale_errors(scale.replace(old, new, 1))) if old in scale else ["not planted"]
        if found != wanted:
            wrong.append(f"{new!r} for {old!r}: found {found} instead of {wanted}")
    return wrong


def main():
    errors = self_test() if sys.argv[1:] == ["--self-test"] else check(ROOT)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
