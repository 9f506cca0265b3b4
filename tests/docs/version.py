"""Header, man pages, change log, packages and programs name the same version.

version.py ROOT BUILD

Files and programs that this build does not have are left out.
"""
import re
import subprocess
import sys
from pathlib import Path

PROGRAMS = ("echo-server", "echo-client", "sms-router", "smpp-bench")


def found_in(path, pattern):
    return re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)


def versions(root, build):
    """(place, the versions that it names)"""
    header = root / "lib/nio/version.h"
    numbers = found_in(header, r"define NIO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)")
    yield "the numbers of version.h", [".".join(numbers)]
    yield "CHANGELOG.md", found_in(root / "CHANGELOG.md", r"^## (\d+\.\d+\.\d+)")[:1]
    for name in PROGRAMS:
        page = f"docs/man/{name}.1"
        yield page, found_in(root / page, r'^\.TH \S+ 1 "" "nio ([^"]*)"')
        program = build / "bin" / name
        if program.exists():
            said = subprocess.run([program, "--version"], capture_output=True, text=True,
                                  check=False).stdout
            yield f"{name} --version", re.findall(rf"^{name} (\S+)$", said, re.MULTILINE)
    for name, pattern in (("nio.pc", r"^Version: (.*)$"), ("nio-smpp.pc", r"^Version: (.*)$"),
                          ("nio-tls.pc", r"^Version: (.*)$"),
                          ("nioConfigVersion.cmake", r'^set\(PACKAGE_VERSION "(.*)"\)')):
        if (build / name).exists():
            yield name, found_in(build / name, pattern)


def main():
    root, build = map(Path, sys.argv[1:])
    wanted = found_in(root / "lib/nio/version.h", r'define NIO_VERSION "(.*)"')
    named = list(versions(root, build))
    troubles = [f"{place} names {', '.join(those) or 'no version'}, and version.h {wanted[0]}"
                for place, those in named if those != wanted]
    print("\n".join(troubles) or f"{len(named)} places name version {wanted[0]}")
    sys.exit(1 if troubles else 0)


if __name__ == "__main__":
    main()
