"""The rules for docker/compose.scale.yaml, which check_containers.py checks: a database, servers that
only answer, and nodes that reach nothing but the database."""

import yaml

STORE = "postgres://warpsmith@database/warpsmith"


def warpsmith_errors(name, service):
    command = service.get("command", [])
    if STORE not in command:
        yield f"service {name} does not use {STORE}"
    if "PGPASSWORD" not in service.get("environment", {}):
        yield f"service {name} has no password for the database"
    if not any(volume.endswith(":/data") for volume in service.get("volumes", [])):
        yield f"service {name} mounts no volume at /data"
    if service.get("read_only") is not True or service.get("cap_drop") != ["ALL"]:
        yield f"service {name} has rights that it does not need"
    if service.get("depends_on") != {"database": {"condition": "service_healthy"}}:
        yield f"service {name} does not wait for the database"


def front_errors(name, service):
    if "nodes" not in service["command"]:
        yield f"service {name} works itself: there is no --run-on nodes"
    if "WARPSMITH_TOKEN" not in service.get("environment", {}):
        yield f"service {name} has no WARPSMITH_TOKEN: it would refuse to start"
    if not all(port.startswith("127.0.0.1:") for port in service.get("ports", ["none"])):
        yield f"service {name} opens no port, or one to others than this machine"


def node_errors(name, service, networks):
    if service.get("ports"):
        yield f"service {name} opens a port"
    open_ones = [one for one in service.get("networks", ["default"])
                 if not (networks.get(one) or {}).get("internal")]
    if open_ones:
        yield f"service {name} reaches more than the database, by {', '.join(open_ones)}"
    if service.get("healthcheck") != {"disable": True}:
        yield f"service {name} has the health check of a server"


def scale_errors(text):
    try:
        compose = yaml.safe_load(text)
    except yaml.YAMLError:
        yield "is no YAML"
        return
    services = compose["services"]
    kinds = sorted((service.get("command") or ["database"])[0] for service in services.values())
    if kinds != ["database", "node", "node", "serve", "serve"]:
        yield f"has {', '.join(kinds)} instead of a database, two nodes and two servers"
    for name, service in services.items():
        kind = (service.get("command") or ["database"])[0]
        if kind == "database":
            if service.get("ports"):
                yield f"service {name} opens a port"
            continue
        yield from warpsmith_errors(name, service)
        yield from (front_errors(name, service) if kind == "serve" else
                    node_errors(name, service, compose["networks"]))
    mounted = [volume.split(":")[0] for one in services.values() for volume in one.get("volumes", [])]
    for volume in sorted(set(mounted)):
        if mounted.count(volume) > 1:
            yield f"mounts the volume {volume} twice"
        if volume not in compose["volumes"]:
            yield f"mounts the volume {volume}, which it does not declare"


# (text of the file, what stands in its place, the errors)
PLANTED_SCALE = [
    ("", "", []),
    ("services:", "services: [", ["is no YAML"]),
    ("\"--run-on\", \"nodes\"", "\"--log-level\", \"info\"",
     [f"service front{i} works itself: there is no --run-on nodes" for i in (1, 2)]),
    ("    WARPSMITH_TOKEN:", "    TOKEN:",
     [f"service front{i} has no WARPSMITH_TOKEN: it would refuse to start" for i in (1, 2)]),
    ("    PGPASSWORD:", "    PASSWORD:", [f"service front{i} has no password for the database" for i in (1, 2)]),
    ("127.0.0.1:7412", "0.0.0.0:7412",
     ["service front2 opens no port, or one to others than this machine"]),
    (STORE, "postgres://database", [f"service front{i} does not use {STORE}" for i in (1, 2)]),
    ("  cap_drop: [ALL]\n", "", [f"service {name} has rights that it does not need"
                                 for name in ("front1", "front2", "node1", "node2")]),
    ("condition: service_healthy", "condition: service_started",
     [f"service {name} does not wait for the database" for name in ("front1", "front2", "node1", "node2")]),
    ("networks: [database]\n\nservices", "networks: [clients, database]\n\nservices",
     [f"service node{i} reaches more than the database, by clients" for i in (1, 2)]),
    ("database: {internal: true}", "database: {internal: false}",
     [f"service node{i} reaches more than the database, by database" for i in (1, 2)]),
    ("  healthcheck: {disable: true}\n", "",
     [f"service node{i} has the health check of a server" for i in (1, 2)]),
    ("node2:/data\"]", "node2:/data\"]\n    ports: [\"127.0.0.1:7413:7411\"]", ["service node2 opens a port"]),
    ("node2:/data", "node1:/data", ["mounts the volume node1 twice"]),
    ("node2:/data", "node3:/data", ["mounts the volume node3, which it does not declare"]),
    ("node2:/data", "node2:/dat", ["service node2 mounts no volume at /data"]),
    ("  node2:\n    <<: *node\n    volumes: [\"node2:/data\"]\n", "",
     ["has database, node, serve, serve instead of a database, two nodes and two servers"]),
]
