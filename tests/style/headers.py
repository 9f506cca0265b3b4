"""Every public header stands alone and does not lead to Asio. All of them compile together, twice in
a row, without RTTI, and behind headers of others that make macros of common words. As C++17, and
without exceptions, each says one sentence.

headers.py COMPILER ROOT

Compiled alone are those that no source begins with, and those that declare a type without defining
it: a source may define it later. The others Consumer.fetched compiles, each with its source.
"""
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Qt's keywords, what <sys/sysmacros.h>, <complex.h>, <X11/X.h>, <ncurses.h> and g++'s -std=gnu++20
# define, and what programs take over from Windows and from logging libraries.
MACROS = ["signals=public", "slots=", "emit=", "foreach(a,b)=for(a:b)", "forever=for(;;)",
          "Q_SIGNALS=public", "Q_SLOTS=", "Q_EMIT=",
          "major(x)=x", "minor(x)=x", "makedev(x,y)=x", "I=(0)", "linux=1", "unix=1",
          "None=0L", "Always=2", "Success=0", "Above=0", "Below=1", "Bool=int", "True=1", "False=0",
          "timeout(x)=(0)(x)",
          "interface=struct", "small=char", "near=", "far=", "IN=", "OUT=", "OPTIONAL=",
          "ERROR=0", "DEBUG=1", "INFO=2", "WARNING=3", "FATAL=4", "TRUE=1", "FALSE=0",
          "LOG(x)=x", "CHECK(x)=x", "TEST(x,y)=x", "FAIL()=x", "check(x)=x", "verify(x)=x",
          "require(x,y)=x"]
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
         "-fno-rtti", *(f"-D{macro}" for macro in MACROS)]
SENTENCES = {("-std=c++17",): "nio needs C++20",
             ("-std=c++20", "-fno-exceptions"): "nio needs exceptions"}


def run_on(compiler, lib, text, *flags):
    return subprocess.run([compiler, *FLAGS, f"-I{lib}", *flags, "-xc++", "-"], input=text,
                          capture_output=True, text=True)


def inclusion(lib, header):
    return f"#include <{header.relative_to(lib)}>\n"


def is_compiled_with_its_source(lib, header):
    source = header.with_suffix(".cpp")
    if "nio-tls" in header.parts or not source.exists():  # nio-tls is not fetched
        return False
    begins = source.read_text(encoding="utf-8").startswith(inclusion(lib, header))
    return begins and not re.search(r"^\s*(class|struct) \w+;", header.read_text(encoding="utf-8"),
                                    re.MULTILINE)


def trouble_alone(compiler, lib, header):
    run = run_on(compiler, lib, inclusion(lib, header), "-std=c++20")
    if run.returncode != 0:
        return f"{header.relative_to(lib)} does not stand alone:\n{run.stderr}"
    return None


def trouble_together(compiler, lib, headers):
    text = "".join(inclusion(lib, header) for header in headers)
    with tempfile.NamedTemporaryFile("r") as reached:
        run = run_on(compiler, lib, 2 * text, "-std=c++20", "-MD", "-MF", reached.name, "-MT", "x")
        if run.returncode != 0:
            return f"together:\n{run.stderr}"
        files = Path(reached.name).read_text(encoding="utf-8")
    names = [str(header.relative_to(lib)) for header in headers]
    if missing := [name for name in names if name not in files]:
        return f"the compiler did not say that it reached {missing}"
    asio = re.search(r"\S*/asio(\.hpp|/)\S*", files)
    return f"the headers lead to {asio[0]}" if asio else None


def unclear(compiler, lib, header):
    """Besides the sentence there is only the compiler's word that it stops."""
    for flags, sentence in SENTENCES.items():
        run = run_on(compiler, lib, inclusion(lib, header), *flags)
        said = [line for line in run.stderr.splitlines() if "error:" in line]
        if len(said) != 2 or sentence not in said[0] or "fatal" not in said[1]:
            return f"{header.relative_to(lib)} with {flags} says:\n{run.stderr[:2000]}"
    return None


def main():
    compiler, lib = sys.argv[1], Path(sys.argv[2]) / "lib"
    headers = sorted(path for room in ("nio", "nio-tls", "smpp") for path in (lib / room).rglob("*.h"))
    alone = [header for header in headers if not is_compiled_with_its_source(lib, header)]
    with ThreadPoolExecutor(2) as pool:
        together = pool.submit(trouble_together, compiler, lib, headers)
        found = [*pool.map(lambda header: trouble_alone(compiler, lib, header), alone),
                 *pool.map(lambda header: unclear(compiler, lib, header), headers)]
    troubles = list(filter(None, [together.result(), *found]))
    print("\n".join(troubles) or f"{len(alone)} headers stand alone, {len(headers) - len(alone)} "
          "are compiled with their sources by Consumer.fetched")
    sys.exit(1 if troubles or not headers else 0)


if __name__ == "__main__":
    main()
