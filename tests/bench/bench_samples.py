"""Raw runs as the tests make them up: nothing was measured."""

HOST = {"cpus": 2, "cpuModel": "CPU", "kernel": "6.1", "memoryMib": 1024, "governor": "none",
        "pinning": "server on CPU 0, client on CPU 1", "loadAverageBefore": 0.1,
        "kept": {"rounds": 3, "seconds": 1.0, "warmup": 0.3}}


def session(*servers, refused=(), modes=("echo",), spin=""):
    every = {"epoll": False, "libuv": False, "uring": False, "nio-epoll": True, "nio-uring": True}
    return {"type": "session", "session": "s", "date": "2000-01-01", "command": "make bench",
            "host": HOST, "modes": list(modes), "spin": spin,
            "servers": [{"name": name, "label": f"<{name}>", "ours": every[name],
                         "refused": "no ring" if name in refused else None}
                        for name in servers or every]}


def run(server, number, cpu, clean=True, kind="echo", connections=50, size=64, depth=1, threads=1,
        **figures):
    known = {"perSecond": 1e5, "p50": 50.0, "p99": 90.0, "p999": 99.0, "cpu": cpu, "user": 0.1,
             "system": cpu - 0.1, "serverBusy": 0.9, "loadBusy": 0.8, "privateKib": 100,
             "residentKib": 200, "threads": 1, "foreign": 0.0, "near": 50.0}
    return {"type": "run", "session": "s", "kind": kind, "server": server, "round": number,
            "connections": connections, "size": size, "depth": depth, "threads": threads,
            "attempt": 0, "clean": clean, "complaints": [], "figures": {**known, **figures}}


def some_rounds(**more):
    records = [session("epoll", "libuv", "nio-epoll")]
    for number, base in ((1, 5.0), (2, 6.0), (3, 5.5)):
        records += [run("epoll", number, base, **more), run("libuv", number, base * 1.1, **more),
                    run("nio-epoll", number, base * (0.99 + number / 100), **more)]
    return records
