"""What was checked, one line each, and whether all of it was right."""


class Checks:
    def __init__(self, part):
        self.part = part
        self.failed = 0
        self.count = 0

    def told(self, line):
        print(f"{self.part}: {line}", flush=True)

    def check(self, name, ok, detail=""):
        self.count += 1
        self.failed += not ok
        mark = "ok  " if ok else "FAIL"
        more = f" ({detail})" if detail and not ok else ""
        print(f"{self.part}: {mark} {name}{more}", flush=True)
        return ok

    def equal(self, name, got, expected):
        return self.check(name, got == expected, f"is {got!r}, expected {expected!r}")
