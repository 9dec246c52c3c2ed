#!/usr/bin/env python3
"""Checks docker/kubernetes without a cluster.

    check_kubernetes.py WARPSMITH     also that the program has the options that containers give it
    check_kubernetes.py --self-test   that planted mistakes are found

The files parse and have known kinds; selectors match pods; secrets, config maps, volumes and ports
that something refers to are there; containers have limits, no root and nothing to gain; servers have
probes, nodes a GPU, and nodes reach nothing but the database; KEDA counts the jobs that docker/slurm
counts. One line per mistake, and exit status 1
when there are any.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from manifests import Objects, containers, labels, port_names, references, selects, title
from planted_kubernetes import PLANTED

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GPU = "nvidia.com/gpu"
DATABASE_PORTS = {5432, 53}  # And the cluster's DNS.
CONTAINER_KEYS = {"name", "image", "command", "args", "env", "ports", "startupProbe", "livenessProbe",
                  "readinessProbe", "securityContext", "resources", "volumeMounts"}
POD_KEYS = {"restartPolicy", "automountServiceAccountToken", "enableServiceLinks",
            "terminationGracePeriodSeconds", "securityContext", "tolerations", "initContainers",
            "containers", "volumes"}


def container_errors(pod, one):
    for key in sorted(set(one) - CONTAINER_KEYS):
        yield f"has a field {key}, which is not known here"
    security = one.get("securityContext", {})
    user = {**pod.get("securityContext", {}), **security}
    if user.get("runAsNonRoot") is not True or not user.get("runAsUser"):
        yield "may run as root"
    if security.get("allowPrivilegeEscalation") is not False or security.get("privileged"):
        yield "may gain privileges"
    if security.get("capabilities", {}).get("drop") != ["ALL"]:
        yield "keeps capabilities"
    if security.get("readOnlyRootFilesystem") is not True:
        yield "may write to its image"
    limits = one.get("resources", {}).get("limits", {})
    for what in ("cpu", "memory"):
        if what not in limits:
            yield f"has no limit for {what}"
    if ":" not in one.get("image", ""):
        yield "names an image without a tag"
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    for mount in one.get("volumeMounts", []):
        if mount["name"] not in volumes:
            yield f"mounts the volume {mount['name']}, which is not there"
    variables = {variable["name"] for variable in one.get("env", [])}
    for word in one.get("args", []) + one.get("command", []):
        for name in re.findall(r"\$\((\w+)\)", word):
            if name not in variables:
                yield f"has no variable {name}"
    own_ports = {port["name"] for port in one.get("ports", [])}
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        port = one.get(probe, {}).get("httpGet", {}).get("port")
        if probe in one and port not in own_ports:
            yield f"asks in its {probe} for a port {port}, which it does not have"


def pod_errors(template):
    pod = template["spec"]
    for key in sorted(set(pod) - POD_KEYS):
        yield f"its pods have a field {key}, which is not known here"
    if pod.get("automountServiceAccountToken") is not False:
        yield "its pods have a token of the cluster"
    if pod.get("securityContext", {}).get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "its pods have no seccomp profile"
    for volume in pod.get("volumes", []):
        if "hostPath" in volume:
            yield f"its volume {volume['name']} is a folder of the host"
    for one in containers(template):
        yield from (f"container {one['name']} {error}" for error in container_errors(pod, one))


def reference_errors(objects):
    known = {what: objects.generated(what) for what in ("secretGenerator", "configMapGenerator")}
    used = [(name, *reference) for name, template in objects.templates()
            for reference in references(template)]
    for one in objects.of_kind("TriggerAuthentication"):
        used += [(title(one), "secretGenerator", ref["name"], ref["key"])
                 for ref in one["spec"].get("secretTargetRef", [])]
    for who, generator, name, key in used:
        what = generator.removesuffix("Generator")
        if name not in known[generator]:
            yield f"{who}: there is no {what} {name}"
        elif key and key not in known[generator][name]:
            yield f"{who}: the {what} {name} has no {key}"
    logins = {one["metadata"]["name"] for one in objects.of_kind("TriggerAuthentication")}
    for one in objects.of_kind("ScaledJob"):
        for trigger in one["spec"]["triggers"]:
            name = trigger.get("authenticationRef", {}).get("name")
            if name not in logins:
                yield f"{title(one)}: there is no TriggerAuthentication {name}"


def selector_errors(objects):
    templates = [template for _, template in objects.templates()]
    for one in objects.of_kind("Deployment"):
        if not selects(one["spec"]["selector"], labels(one["spec"]["template"])):
            yield f"{title(one)} does not select its own pods"
    for one in objects.of_kind("Service"):
        chosen = [t for t in templates if selects(one["spec"]["selector"], labels(t))]
        for port in one["spec"]["ports"]:
            if not any(port["targetPort"] in port_names(t) for t in chosen):
                yield f"{title(one)}: no pod that it selects has the port {port['targetPort']}"
        for template in chosen:
            yield from (f"{title(one)}: its pods have no {error}" for error in probe_errors(template))
    for one in objects.of_kind("PodDisruptionBudget"):
        if not any(selects(one["spec"]["selector"], labels(t)) for t in templates):
            yield f"{title(one)} selects no pods"


def probe_errors(template):
    for probe, path in (("livenessProbe", "/health"), ("readinessProbe", "/ready")):
        if template["spec"]["containers"][0].get(probe, {}).get("httpGet", {}).get("path") != path:
            yield f"{probe} that asks for {path}"


def network_errors(objects):
    policies = [one["spec"] for one in objects.of_kind("NetworkPolicy")]
    closed = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    if closed not in policies:
        yield "no NetworkPolicy closes the namespace"
    for one in objects.of_kind("NetworkPolicy"):
        chosen = [t for _, t in objects.templates() if selects(one["spec"]["podSelector"], labels(t))]
        if not chosen:
            yield f"{title(one)} selects no pods"
        for rule in one["spec"].get("ingress", []):
            for port in rule.get("ports", []):
                if not any(port["port"] in port_names(t) for t in chosen):
                    yield f"{title(one)}: no pod that it selects has the port {port['port']}"


def node_errors(objects):
    policies = [one["spec"] for one in objects.of_kind("NetworkPolicy")]
    for one in objects.of_kind("ScaledJob"):
        template = one["spec"]["jobTargetRef"]["template"]
        resources = template["spec"]["containers"][0].get("resources", {})
        asked = {resources.get(kind, {}).get(GPU) for kind in ("requests", "limits")}
        if asked != {1}:
            yield f"{title(one)}: its nodes have not one GPU each"
        if template["spec"].get("restartPolicy") != "Never":
            yield f"{title(one)}: an idle node that has ended would start again"
        mine = [policy for policy in policies if selects(policy["podSelector"], labels(template))]
        out = [rule for policy in mine for rule in policy.get("egress", [])]
        if any(policy.get("ingress") for policy in mine):
            yield f"{title(one)}: others can reach its nodes"
        if not out:
            yield f"{title(one)}: its nodes cannot reach the database"
        for rule in out:
            ports = {port["port"] for port in rule.get("ports", [])}
            if not rule.get("to") or not ports or not ports <= DATABASE_PORTS:
                yield f"{title(one)}: its nodes reach more than the database"


def query_errors(objects):
    """Nodes of Slurm and of Kubernetes are started for the same jobs."""
    text = (ROOT / "docker/slurm/autoscale").read_text()
    waiting = re.search(r'^WAITING = """(.*?)"""', text, re.DOTALL | re.MULTILINE)[1]
    wanted = " ".join(waiting.format("'cuda', 'cpu'").split())
    for one in objects.of_kind("ScaledJob"):
        for trigger in one["spec"]["triggers"]:
            if trigger["metadata"].get("query") != wanted:
                yield f"{title(one)}: it counts other jobs than docker/slurm/autoscale"


def option_errors(objects, warpsmith):
    for name, template in objects.templates():
        for one in containers(template):
            words = one.get("args", [])
            if words:
                text = subprocess.run([warpsmith, words[0], "--help"], capture_output=True, text=True,
                                      check=True).stdout
                for word in words[1:]:
                    if word.startswith("--") and not re.search(rf"{word}\b", text):
                        yield f"{name}: `warpsmith {words[0]}` has no {word}"


def check(folder, warpsmith=None):
    objects = Objects(folder)
    if objects.errors:
        return objects.errors
    errors = []
    place = objects.settings.get("namespace")
    for one in objects.all:
        if one["kind"] != "Namespace" and one["metadata"].get("namespace") != place:
            errors.append(f"{title(one)} is not in the namespace {place}")
    for name, template in objects.templates():
        errors += [f"{name}: {error}" for error in pod_errors(template)]
    for rule in (reference_errors, selector_errors, network_errors, node_errors, query_errors):
        errors += rule(objects)
    return errors + (list(option_errors(objects, warpsmith)) if warpsmith else [])


def self_test():
    wrong = []
    for file, old, new, wanted in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "kubernetes"
            shutil.copytree(ROOT / "docker/kubernetes", copy)
            text = (copy / file).read_text()
            if old not in text:
                wrong.append(f"{file} has no {old!r}")
                continue
            (copy / file).write_text(text.replace(old, new, 1))
            found = check(copy)
        if found != wanted:
            wrong.append(f"{new!r} for {old!r} in {file}: found {found} instead of {wanted}")
    return wrong


def main():
    errors = self_test() if sys.argv[1] == "--self-test" else check(ROOT / "docker/kubernetes", sys.argv[1])
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
