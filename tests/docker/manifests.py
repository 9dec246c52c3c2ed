"""Kubernetes objects as files have them, and what they refer to: for check_kubernetes.py."""

import yaml

# Kinds that may be used here, and where their pods' template is.
KINDS = {
    ("v1", "Namespace"): None,
    ("v1", "Service"): None,
    ("apps/v1", "Deployment"): ("spec", "template"),
    ("policy/v1", "PodDisruptionBudget"): None,
    ("networking.k8s.io/v1", "NetworkPolicy"): None,
    ("keda.sh/v1alpha1", "ScaledJob"): ("spec", "jobTargetRef", "template"),
    ("keda.sh/v1alpha1", "TriggerAuthentication"): None,
}


class Objects:
    """The objects of a kustomization, and what it generates."""

    def __init__(self, folder):
        self.errors = []
        self.all = []
        self.settings = self.read(folder / "kustomization.yaml")[0]
        files = self.settings.get("resources", [])
        for path in sorted(folder.glob("*.yaml")):
            if path.name != "kustomization.yaml" and path.name not in files:
                self.errors.append(f"kustomization.yaml does not list {path.name}")
        for name in files:
            if not (folder / name).exists():
                self.errors.append(f"kustomization.yaml lists {name}, which is not there")
            else:
                self.all += [self.known(name, one) for one in self.read(folder / name)]
        self.all = [one for one in self.all if one]

    def read(self, path):
        try:
            found = list(yaml.safe_load_all(path.read_text()))
        except yaml.YAMLError as error:
            place = getattr(error, "problem_mark", None)
            self.errors.append(f"{path.name}:{place.line + 1 if place else 0}: is no YAML")
            return [{}]
        return found

    def known(self, file, one):
        if not one:
            return None
        kind = (one.get("apiVersion"), one.get("kind"))
        if kind not in KINDS:
            self.errors.append(f"{file}: {kind[0]} {kind[1]} is no kind that is known here")
            return None
        return one

    def of_kind(self, kind):
        return [one for one in self.all if one["kind"] == kind]

    def templates(self):
        """(name of the object, the template of its pods) of all that have some."""
        for one in self.all:
            path = KINDS[(one["apiVersion"], one["kind"])]
            if path:
                template = one
                for step in path:
                    template = template[step]
                yield title(one), template

    def generated(self, what):
        """{name: keys} of "secretGenerator" or "configMapGenerator"."""
        return {one["name"]: {text.split("=")[0].split("/")[-1]
                              for text in one.get("files", []) + one.get("literals", [])}
                for one in self.settings.get(what, [])}


def title(one):
    return f"{one['kind']} {one['metadata']['name']}"


def labels(template):
    return template.get("metadata", {}).get("labels", {})


def selects(selector, has):
    """Whether a selector (labels, or matchLabels and matchExpressions) takes an object with the labels."""
    wanted = selector.get("matchLabels", {} if "matchExpressions" in selector else selector)
    return (all(has.get(key) == value for key, value in wanted.items()) and
            all(rule["operator"] == "In" and has.get(rule["key"]) in rule["values"]
                for rule in selector.get("matchExpressions", [])))


def containers(template):
    spec = template["spec"]
    return spec.get("initContainers", []) + spec["containers"]


def port_names(template):
    return {port["name"] for one in containers(template) for port in one.get("ports", [])}


def references(template):
    """(generator, name, key or None) of all secrets and config maps that pods use."""
    for one in containers(template):
        for variable in one.get("env", []):
            source = variable.get("valueFrom", {})
            for word, generator in (("secretKeyRef", "secretGenerator"),
                                    ("configMapKeyRef", "configMapGenerator")):
                if word in source:
                    yield generator, source[word]["name"], source[word]["key"]
    for volume in template["spec"].get("volumes", []):
        if "secret" in volume:
            yield "secretGenerator", volume["secret"]["secretName"], None
        if "configMap" in volume:
            yield "configMapGenerator", volume["configMap"]["name"], None
