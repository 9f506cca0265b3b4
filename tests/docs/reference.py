"""`make docs` builds the reference of the headers without a warning, and their comments are in it.

reference.py ROOT

Exit code 77: there is no doxygen.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

# One of each kind of comment: a page, and what it says.
SAID = {
    "index.html": "A C++20 library for Linux servers",
    "classnio_1_1Server.html": "A whole server: dispatchers, listeners, dealing",  # at the top
    "structnio_1_1AcceptorOptions.html": "Shares the gate of another",  # before a declaration
    "structsmpp_1_1SessionOptions.html": "what we call ourselves in bind answers",  # behind one
    "classnio_1_1SelectorThread.html": "invocations: Thread: any",  # a divider
}


def text_of(page):
    words = unescape(re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8")))
    return re.sub(r"\s+", " ", words)


def main():
    if not shutil.which("doxygen"):
        print("skipped: there is no doxygen")
        sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else 77)
    root = Path(sys.argv[1])
    settings = (root / ".ci/reference/Doxyfile").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["doxygen", "-"], cwd=root, capture_output=True, text=True,
                              input=f"{settings}\nOUTPUT_DIRECTORY = {folder}\n", check=False)
        if done.returncode != 0:
            sys.exit(done.stderr or f"doxygen: exit code {done.returncode}")
        html = Path(folder) / "html"
        missing = [f"{page} does not say: {said}" for page, said in SAID.items()
                   if said not in text_of(html / page)]
        if not any((html / "search").glob("classes_*.js")):
            missing.append("there is nothing to search")
    print("\n".join(missing) or f"{len(SAID)} comments are where they belong")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
