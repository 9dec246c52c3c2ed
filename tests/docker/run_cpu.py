#!/usr/bin/env python3
"""Runs docker/cpu.Containerfile without a container engine: every stage in a debootstrap folder.

    sudo tests/docker/run_cpu.py FOLDER [--mirror URL]

Executes the file's own SHELL, WORKDIR, COPY and RUN lines by chroot, then starts the last stage's
ENTRYPOINT and CMD as its USER and waits until its HEALTHCHECK is content. Needs root, debootstrap,
git, 4 GiB below FOLDER and ten minutes or more; not part of ./test.sh. FOLDER stays.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from containerfile import copied, expand, read_stages

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOKEN = "of-the-container-test"
HEALTHY_SECONDS = 60
# What a chroot shares with this machine: a builder gives its steps the same.
MOUNTS = (("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"))
SUITES = {"debian:12": "bookworm", "debian:12-slim": "bookworm"}


def say(text):
    print(f"== {text}", flush=True)


@contextlib.contextmanager
def mounted(root):
    done = []
    try:
        for kind, place in MOUNTS:
            target = root / place[1:]
            target.mkdir(exist_ok=True)
            subprocess.run(["mount", "--rbind" if kind == "devtmpfs" else "--bind", place, target],
                           check=True)
            done.append(target)
        yield
    finally:
        for target in reversed(done):
            subprocess.run(["umount", "--recursive", "--lazy", target], check=False)


def copy_from_repository(sources, root, folder, destination):
    """Files that git knows, but those that .dockerignore names: what a builder would see."""
    ignored = [line.strip("/") for line in (ROOT / ".dockerignore").read_text().splitlines()
               if line and not line.startswith("#")]
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "--", *sources], check=True,
                           capture_output=True, text=True).stdout.split("\n")
    for file in filter(None, files):
        if any(pathlib.PurePath(file).match(f"{i}/**") or file.split("/")[0] == i for i in ignored):
            continue
        whole = sources == ["."]
        target = root / folder[1:] / (file if whole else f"{destination}/{pathlib.Path(file).name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, target)


def run_stage(stage, root, stages):
    shell, folder, values = ["/bin/sh", "-c"], "/", {}
    for instruction in stage.instructions:
        if instruction.word == "SHELL":
            shell = instruction.exec_form()
        elif instruction.word == "WORKDIR":
            folder = instruction.text
            (root / folder[1:]).mkdir(parents=True, exist_ok=True)
        elif instruction.word == "ARG":
            name, _, value = instruction.text.partition("=")
            values[name] = value.strip('"')
        elif instruction.word == "COPY":
            origin, sources, destination = copied(instruction)
            say(f"COPY {instruction.text}")
            if origin:
                shutil.copytree(stages[origin] / sources[0][1:], root / destination[1:],
                                symlinks=True, dirs_exist_ok=True)
            else:
                copy_from_repository(sources, root, folder, destination)
        elif instruction.word == "RUN":
            say(f"RUN {instruction.text}")
            command = " && ".join([f"cd {folder}", expand(instruction.text, values)])
            subprocess.run(["chroot", root, *shell, command], check=True, env=environment())


def environment(**more):
    kept = {n: v for n, v in os.environ.items() if n.lower().endswith("_proxy")}
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive", **kept, **more}


def bootstrap(root, suite, mirror):
    if not (root / "etc/debian_version").exists():
        say(f"debootstrap {suite} {root}")
        subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates", suite, root,
                        mirror], check=True, stdout=subprocess.DEVNULL)
    for file in ("etc/resolv.conf", "etc/hosts"):
        shutil.copy2(f"/{file}", root / file)


def wait_until_healthy(health, chroot, server):
    end = time.monotonic() + HEALTHY_SECONDS
    while time.monotonic() < end and server.poll() is None:
        answer = subprocess.run([*chroot, *health], env=environment(WARPSMITH_TOKEN=TOKEN),
                                capture_output=True, text=True, check=False)
        if answer.returncode == 0:
            return answer.stdout
        time.sleep(1)
    return None


def serve(stage, root):
    """The image's own start and health check; returns what the check printed."""
    chroot = ["chroot", f"--userspec={stage.last('USER').text}", root]
    start = stage.last("ENTRYPOINT").exec_form() + stage.last("CMD").exec_form()
    health = json.loads(re.search(r"CMD (\[.*\])", stage.last("HEALTHCHECK").text)[1])
    say(f"refuses to start without a token: {' '.join(start)}")
    refused = subprocess.run([*chroot, *start], env=environment(), capture_output=True, text=True,
                             check=False, timeout=HEALTHY_SECONDS)
    print(refused.stderr.strip())
    if refused.returncode == 0 or "without a token" not in refused.stderr:
        return None
    say(f"start: {' '.join(start)}")
    with subprocess.Popen([*chroot, *start], env=environment(WARPSMITH_TOKEN=TOKEN)) as server:
        answer = wait_until_healthy(health, chroot, server)
        server.terminate()
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        sys.exit("needs root and debootstrap")
    stages = {}
    for number, stage in enumerate(read_stages((ROOT / "docker/cpu.Containerfile").read_text())):
        root = (options.folder / (stage.name or f"stage{number}")).resolve()
        root.mkdir(parents=True, exist_ok=True)
        bootstrap(root, SUITES[stage.expanded_base()], options.mirror)
        stages[stage.name] = root
        with mounted(root):
            run_stage(stage, root, stages)
            answer = serve(stage, root) if stage.last("ENTRYPOINT") else ""
    print(answer)
    return 0 if answer else 1


if __name__ == "__main__":
    sys.exit(main())
