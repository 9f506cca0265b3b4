"""The house rules that a program can see: check.py RULE ROOT prints what breaks RULE.

rooms    a room includes only rooms below it, and by names that start at lib/ or apps/; it declares
         no class of a room above it, but for those of HANDED_ON; those of a program without an order
         form no circle; a folder of lib/nio has at most 25 files
systems  in the libraries only sys/ and selector/ of lib/nio include headers of the operating system
asio     Asio is included by timers/Timers.cpp and by nobody else but what stands for programs of
         others: the peers of benchmarks, and a consumer
columns  no line of code is longer than 100 columns
lines    no file of code is longer than 400 lines
classes  a class of the libraries and the SMPP programs has at most 45 member functions and 20
         fields
names    no name of a GoogleTest test is longer than 50 characters
"""
import re
import sys
from pathlib import Path

from class_sizes import class_sizes

MAX_COLUMNS = 100
MAX_LINES = 400
MAX_TEST_NAME = 50
MAX_ROOM_FILES = 25
MAX_FUNCTIONS = 45
MAX_FIELDS = 20
# One field for each metric of docs/metrics.md; programs of others read them by these names.
WITH_MORE_FIELDS = {"DispatcherMetrics"}
WITH_SMALL_CLASSES = ("lib/nio", "lib/smpp", "apps/sms_router", "apps/smpp_bench")

# Each room of lib/nio may include itself and those before it.
ROOMS = ["base", "sys", "channel", "selector", "tasks", "timers", "observe", "memory", "loop", "group",
         "codec", "connection", "pipeline", "coroutine", "net"]
# What a room knows less than that: bytes and packets know no descriptor.
ONLY = {"codec": {"base"}}
BELOW = {room: ONLY.get(room, set(ROOMS[:place])) for place, room in enumerate(ROOMS)}

# The same of lib/smpp, which knows nothing of lib/nio but what is in these rooms.
SMPP_BELOW = {
    "pdu": set(),
    "text": {"pdu"},
    "session": {"pdu"},
}
SMPP_NIO = {"base"}

# The same of sms-router. Its two edges do not know each other, and its parts no observer.
ROUTER_ROOMS = ["config", "model", "store", "records", "routing", "session", "delivery", "egress",
                "ingress", "http", "admin", "app"]
ROUTER_BELOW = {room: set(ROUTER_ROOMS[:place]) for place, room in enumerate(ROUTER_ROOMS)}
ROUTER_BELOW["ingress"] -= {"egress"}
ROUTER_BELOW["http"] -= {"egress"}
ROUTER_BELOW["admin"] -= {"ingress", "http", "egress", "delivery", "session", "store"}

# Classes of rooms above that a file declares, to hand a pointer on: it never looks into one.
HANDED_ON = {
    "lib/nio/base/ThreadRole.h": {"SelectorThread"},
    "lib/nio/timers/IdleTimeouts.h": {"SelectorHandler"},
    "apps/sms_router/model/Account.h": {"AccountDesk"},
    "apps/sms_router/model/Topology.h": {"ReceiptDesk"},
    "apps/sms_router/routing/Shard.h": {"LoginThrottle", "PasswordDesk"},
}

ASIO_FILE = Path("lib/nio/timers/Timers.cpp")
# Headers of one system or of POSIX. <sys/uio.h> has iovec, which names pieces of memory.
SYSTEM_HEADER = re.compile(r"(sys|linux|net|netinet|arpa|asm)/|(unistd|fcntl|poll|pthread|sched|signal"
                           r"|dlfcn|ifaddrs|netdb|termios|ucontext|syscall)\.h$")
SYSTEM_ROOMS = ("lib/nio/sys/", "lib/nio/selector/")
NO_SYSTEM = {"sys/uio.h"}

# What stands for programs of others: what the library is measured against, and who uses it.
OTHERS = (Path("tests/bench/peers"), Path("tests/consumer"))
TEST = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\(\s*\w+,\s*(\w+)\s*\)")
DECLARED = re.compile(r"^(?:class|struct)\s+(\w+);")
DEFINED = re.compile(r"^(?:class|struct)\s+(?:\w+\([^)]*\)\s+)?(\w+)(?:\s+final)?\s*(?::[^;{]*)?\{",
                     re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def code_files(root, *folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp") and path.is_file():
                yield path


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def includes_of(path):
    """(line number, opening mark, name) of each include."""
    for number, line in enumerate(lines_of(path), 1):
        if match := INCLUDE.match(line):
            yield number, match[1], match[2]


def library_trouble(room, mark, name):
    if mark == '"':
        return f'"{name}" is to be written <nio/ROOM/{Path(name).name}>'
    parts = name.split("/")
    if parts[0] != "nio":
        return None
    if len(parts) < 3:
        return f"<{name}> contains every room"
    if parts[1] != room and parts[1] not in BELOW[room]:
        return f"room '{room}' may not include <{name}>"
    return None


def check_library_rooms(root):
    for path in code_files(root, "lib/nio"):
        parts = path.relative_to(root / "lib/nio").parts
        if len(parts) == 1:
            continue  # a header for all rooms
        if parts[0] not in BELOW:
            yield f"{path.relative_to(root)}: room '{parts[0]}' has no place in the order"
            continue
        for number, mark, name in includes_of(path):
            if trouble := library_trouble(parts[0], mark, name):
                yield f"{path.relative_to(root)}:{number}: {trouble}"


def check_room_sizes(root):
    sizes = {}
    for path in code_files(root, "lib/nio"):
        sizes[path.parent] = sizes.get(path.parent, 0) + 1
    for folder, size in sizes.items():
        if size > MAX_ROOM_FILES:
            yield f"{folder.relative_to(root)}: {size} files"


def smpp_trouble(room, mark, name):
    if mark == '"':
        return f'"{name}" is to be written <smpp/ROOM/{Path(name).name}>'
    parts = name.split("/")
    if parts[0] == "nio" and (len(parts) < 3 or parts[1] not in SMPP_NIO):
        return f"lib/smpp may not include <{name}>"
    if parts[0] == "smpp" and (len(parts) < 3 or parts[1] not in SMPP_BELOW[room] | {room}):
        return f"room '{room}' may not include <{name}>"
    return None


def check_smpp_rooms(root):
    for path in code_files(root, "lib/smpp"):
        room = path.relative_to(root / "lib/smpp").parts[0]
        if room not in SMPP_BELOW:
            yield f"{path.relative_to(root)}: room '{room}' has no place in the order"
            continue
        for number, mark, name in includes_of(path):
            if trouble := smpp_trouble(room, mark, name):
                yield f"{path.relative_to(root)}:{number}: {trouble}"


def check_router_rooms(root):
    router = root / "apps/sms_router"
    for path in code_files(router, "."):
        place = path.relative_to(root)
        room = path.relative_to(router).parts[0]
        if path.parent == router:
            continue  # main.cpp
        if room not in ROUTER_BELOW:
            yield f"{place}: room '{room}' has no place in the order"
            continue
        for number, _, name in includes_of(path):
            parts = name.split("/")
            if parts[0] in ("", ".", ".."):
                yield f'{place}:{number}: "{name}" is to be written from apps/ on'
            if parts[0] == "sms_router" and parts[1] not in ROUTER_BELOW[room] | {room}:
                yield f"{place}:{number}: room '{room}' may not include <{name}>"


def rooms_of_classes(root, folder):
    """class -> the rooms of the folder whose headers define one of that name"""
    rooms = {}
    for path in code_files(root, folder):
        if path.suffix != ".h":
            continue
        for match in DEFINED.finditer(path.read_text(encoding="utf-8")):
            rooms.setdefault(match[1], set()).add(path.relative_to(root / folder).parts[0])
    return rooms


def check_declarations(root, folder, below):
    rooms = rooms_of_classes(root, folder)
    for path in code_files(root, folder):
        place = path.relative_to(root).as_posix()
        room = path.relative_to(root / folder).parts[0]
        for number, line in enumerate(lines_of(path), 1):
            match = DECLARED.match(line)
            if match is None or match[1] in HANDED_ON.get(place, set()):
                continue
            homes = rooms.get(match[1], set())
            if homes and not homes & (below.get(room, homes) | {room}):
                yield f"{place}:{number}: room '{room}' may not declare {match[1]}"


def check_program_rooms(root):
    apps = root / "apps"
    programs = {path.name for path in apps.iterdir() if path.is_dir()} if apps.is_dir() else set()
    for path in code_files(root, "apps"):
        own = path.relative_to(apps).parts[0]
        for number, _, name in includes_of(path):
            other = name.split("/")[0]
            if other in programs - {own, "common"}:
                yield f"{path.relative_to(root)}:{number}: '{own}' may not include <{name}>"


def rooms_used(program):
    """room -> the rooms of the same program that it includes"""
    used = {}
    for path in code_files(program, "."):
        room = path.relative_to(program).parts[0]
        for _, _, name in includes_of(path):
            parts = name.split("/")
            if len(parts) > 2 and parts[0] == program.name and parts[1] != room:
                used.setdefault(room, set()).add(parts[1])
    return used


def is_above_itself(room, used):
    below, rest = set(), [room]
    while rest:
        more = used.get(rest.pop(), set()) - below
        below |= more
        rest += more
    return room in below


def check_circles(root):
    for program in sorted((root / "apps").glob("*/")):
        used = rooms_used(program)
        if circle := [room for room in sorted(used) if is_above_itself(room, used)]:
            yield f"{program.relative_to(root)}: a circle of rooms: {', '.join(circle)}"


def check_rooms(root):
    yield from check_library_rooms(root)
    yield from check_room_sizes(root)
    yield from check_circles(root)
    if (root / "lib/smpp").is_dir():
        yield from check_smpp_rooms(root)
    yield from check_program_rooms(root)
    if (root / "apps/sms_router").is_dir():
        yield from check_router_rooms(root)
    for folder, below in (("lib/nio", BELOW), ("lib/smpp", SMPP_BELOW),
                          ("apps/sms_router", ROUTER_BELOW)):
        yield from check_declarations(root, folder, below)


def check_asio(root):
    users = set()
    for path in code_files(root, "lib", "apps", "tests"):
        for number, _, name in includes_of(path):
            is_others = any(root / folder in path.parents for folder in OTHERS)
            if not re.match(r"(boost/)?asio[./]", name) or is_others:
                continue
            users.add(path.relative_to(root))
            if path.relative_to(root) != ASIO_FILE:
                yield f"{path.relative_to(root)}:{number}: only {ASIO_FILE} may include <{name}>"
    if (root / ASIO_FILE).exists() and ASIO_FILE not in users:
        yield f"{ASIO_FILE}: does not include Asio"


def check_systems(root):
    for path in code_files(root, "lib"):
        place = path.relative_to(root).as_posix()
        if place.startswith(SYSTEM_ROOMS):
            continue
        for number, mark, name in includes_of(path):
            if mark == "<" and name not in NO_SYSTEM and SYSTEM_HEADER.match(name):
                yield f"{place}:{number}: only sys/ and selector/ may include <{name}>"


def check_columns(root):
    for path in code_files(root, "lib", "apps", "tests"):
        for number, line in enumerate(lines_of(path), 1):
            if len(line) > MAX_COLUMNS:
                yield f"{path.relative_to(root)}:{number}: {len(line)} columns"


def check_lines(root):
    for path in code_files(root, "lib", "apps", "tests"):
        if (count := len(lines_of(path))) > MAX_LINES:
            yield f"{path.relative_to(root)}: {count} lines"


def check_classes(root):
    for path in code_files(root, *WITH_SMALL_CLASSES):
        for name, functions, fields in class_sizes(path.read_text(encoding="utf-8")):
            has_many = fields > MAX_FIELDS and name not in WITH_MORE_FIELDS
            if functions > MAX_FUNCTIONS or has_many:
                yield f"{path.relative_to(root)}: {name}: {functions} functions, {fields} fields"


def check_names(root):
    for path in code_files(root, "tests"):
        text = path.read_text(encoding="utf-8")
        for match in TEST.finditer(text):
            if len(match[1]) > MAX_TEST_NAME:
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path.relative_to(root)}:{line}: {match[1]}: {len(match[1])} characters"


RULES = {
    "rooms": check_rooms,
    "systems": check_systems,
    "asio": check_asio,
    "columns": check_columns,
    "lines": check_lines,
    "classes": check_classes,
    "names": check_names,
}


def main():
    rule, root = sys.argv[1], Path(sys.argv[2])
    if not any(code_files(root, "lib/nio")):
        sys.exit(f"there is no code under {root}/lib/nio")
    troubles = list(RULES[rule](root))
    print("\n".join(troubles))
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
