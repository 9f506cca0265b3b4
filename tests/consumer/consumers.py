#!/usr/bin/env python3
"""Whether others can build with the library, and what they build works to its end.

    consumers.py fetched|package|components|archives|short|all SOURCE BUILD CMAKE COMPILER

fetched, package        a project of somebody else, by CMake
components, archives    what is installed, looked at
short, all              programs of others, built in a few ways or in many: those of README.md and
                        docs/, and those beside this file

All but fetched use what is installed from BUILD, which has to be complete. Exit code 77 means
skipped.
"""
import contextlib
import gzip
import os
import pwd
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "docs"), str(HERE.parent / "bench")]
from code_blocks import blocks_of  # noqa: E402
from router_programs import Program, Trouble  # noqa: E402

SECONDS = 60  # for each step of a program
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
LINE = b"hello from a consumer\n"
LISTENING = "0A"  # in /proc/net/tcp


def skip(why):
    print(f"skipped: {why}")
    sys.exit(1 if os.environ.get("NIO_REQUIRE_ALL") == "1" else 77)


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        words = " ".join(str(word) for word in command)
        raise Trouble(f"{words}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


# --- programs ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """How a program is built."""

    compiler: str
    level: str
    link: str  # static or shared
    visibility: str
    standard: str
    rtti: str

    @property
    def flags(self):
        return [f"-std={self.standard}", self.level, f"-fvisibility={self.visibility}",
                f"-f{self.rtti}", *WARNINGS]

    def __str__(self):
        return " ".join(str(word) for word in (
            self.compiler, self.level, self.link, self.visibility, self.standard, self.rtti))


def ways(table):
    return [Way(*row.split()) for row in table.strip().splitlines()]


def other_gcc():
    """A g++ of another version than g++ itself."""
    def version(name):
        return subprocess.run([name, "-dumpversion"], capture_output=True, text=True).stdout
    names = [f"g++-{number}" for number in (11, 12, 13, 14, 15)]
    there = [name for name in names if shutil.which(name) and version(name) != version("g++")]
    return there[0] if there else names[0]


# Each level with each compiler, and each two of the other columns' values together.
ALL = ways("""
    g++     -O0 static default c++20 rtti
    g++     -Og static hidden  c++2b no-rtti
    g++     -O1 shared hidden  c++20 rtti
    g++     -O2 shared default c++2b no-rtti
    g++     -O3 static hidden  c++20 no-rtti
    OTHER   -O0 shared hidden  c++2b no-rtti
    OTHER   -Og shared default c++20 rtti
    OTHER   -O1 static default c++2b no-rtti
    OTHER   -O2 static hidden  c++20 rtti
    OTHER   -O3 shared default c++2b rtti
    clang++ -O0 shared hidden  c++20 no-rtti
    clang++ -Og static default c++2b rtti
    clang++ -O1 shared default c++20 rtti
    clang++ -O2 static hidden  c++20 no-rtti
    clang++ -O3 shared hidden  c++2b rtti
""".replace("OTHER", other_gcc()))


def short(compiler):
    return ways(f"""
        {compiler} -O0 static default c++20 rtti
        {compiler} -O1 shared hidden  c++20 no-rtti
    """)


def those_there_are(table):
    missing = {way.compiler for way in table if not shutil.which(way.compiler)}
    for compiler in sorted(missing):
        print(f"left out: there is no {compiler}")
    if missing and os.environ.get("NIO_REQUIRE_ALL") == "1":
        sys.exit(1)
    return [way for way in table if way.compiler not in missing]


@dataclass(frozen=True)
class Source:
    name: str
    text: str

    @property
    def serves(self):
        return "nio::Server" in self.text or "nio::Acceptor" in self.text

    @property
    def connects(self):
        return not self.serves and "nio::Connector" in self.text

    @property
    def check(self):
        """Of one that is no echo server on its own: what tries it out."""
        found = TITLE.match(self.text)
        return CHECKS.get(found[1]) if found else None


REPOSITORY = "https://git.example.org/nio.git"
FETCHING = re.compile(r"^```cmake\n([^`]*FetchContent[^`]*)^```", re.MULTILINE)
ADDRESS = re.compile(r'"(127\.0\.0\.1):\d+"')
UPSTREAM = re.compile(r"loopback4\(\d+\)")
NAMES = "_Z(T[ISTVCc]|T[hv][n0-9_]*|GV)?N[KRO]*{}"  # the beginning of what a namespace has
TITLE = re.compile(r"// .*: (\w+)")  # "// Sends a line to a server: ask [ADDRESS]"
OTHER_LIBRARY = re.compile(r"#include <(nlohmann/json\.hpp|uv\.h|zlib\.h)>")


def sources(root):
    """Those beside this file, and those of the documents that are whole programs of the library."""
    yield from (Source(path.stem, path.read_text(encoding="utf-8"))
                for path in sorted(HERE.glob("*.cpp")))
    for document in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        for line, code in blocks_of(document):
            if "int main(" in code:
                yield Source(f"{document.stem}-{line}", code)


def port_of(process):
    """Where it listens: programs in documents do not say so."""
    inodes = set()
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            inodes.update(re.findall(r"socket:\[(\d+)\]", os.readlink(link)))
    for row in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        words = row.split()
        if words[3] == LISTENING and words[9] in inodes:
            return int(words[1].split(":")[1], 16)
    return None


@contextlib.contextmanager
def serving(*command):
    """The port of a server; afterwards it ends well."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            end = time.monotonic() + SECONDS
            while (port := port_of(process)) is None:
                if process.poll() is not None or time.monotonic() > end:
                    raise Trouble(f"{command[0]} does not listen; exit code {process.poll()}")
                time.sleep(0.01)
            yield port
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=SECONDS)
            if process.returncode != 0:
                raise Trouble(f"{command[0]}: exit code {process.returncode} after SIGTERM\n{said}")
        finally:
            process.kill()


def expect(port, request, expected, wrap=contextlib.nullcontext, decode=bytes):
    with socket.create_connection(("127.0.0.1", port), SECONDS) as plain, wrap(plain) as client:
        client.sendall(request)
        answer = b""
        while not answer.endswith(b"\n") and (part := client.recv(1024)):
            answer += decode(part)
    if answer != expected:
        raise Trouble(f"the answer to {request} was {answer}")


def expect_echo(port):
    expect(port, LINE, LINE)


def check_json(made):
    with serving(made) as port:
        expect(port, b'{"id": 1, "numbers": [1, 2.5]}\n', b'{"id":1,"sum":3.5}\n')


def check_gzip(made):
    with serving(made) as port:
        stream = zlib.decompressobj(zlib.MAX_WBITS + 16)
        expect(port, gzip.compress(LINE), LINE, decode=stream.decompress)


def check_tls(made):
    certificate, key = made.with_suffix(".crt"), made.with_suffix(".key")
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
        certificate, "-subj", "/CN=consumer", "-addext", "subjectAltName=IP:127.0.0.1")
    trusting = ssl.create_default_context(cafile=certificate)
    with serving(made, "127.0.0.1:0", certificate, key) as port:
        expect(port, LINE, LINE,
               lambda plain: trusting.wrap_socket(plain, server_hostname="127.0.0.1"))


def check_look_up(made):
    user = pwd.getpwnam("root")
    with serving(made) as port:
        expect(port, f"{user.pw_name}\n".encode(), f"{user.pw_dir}\n".encode())


def check_processes(made):
    with serving(made) as port:
        expect(port, LINE, LINE, decode=lambda part: part.split(b": ")[-1])


def check_input(made):
    if (said := run(made, input=LINE.decode(), timeout=SECONDS)) != f"{len(LINE)} bytes, 1 lines\n":
        raise Trouble(f"{made.name} said: {said}")


CHECKS = {"json_lines": check_json, "gzip_echo": check_gzip, "tls_echo": check_tls,
          "look_up": check_look_up, "processes": check_processes, "watch_input": check_input}


class Builder:
    """Builds programs in one way, and runs them."""

    def __init__(self, way, folder, prefixes, echo_port):
        self.way, self.folder, self.prefix = way, folder, prefixes[way.link]
        self.echo_port = echo_port
        folder.mkdir(parents=True)

    def package(self, option, source):
        """What pkg-config says of nio-smpp, which brings nio, and of nio-tls where it is used."""
        configs = next(self.prefix.rglob("nio.pc")).parent
        packages = ["nio-smpp", *(["nio-tls"] if "nio-tls/" in source.text else [])]
        said = run("pkg-config", option, *packages,
                   env={**os.environ, "PKG_CONFIG_PATH": str(configs)})
        return said.split()

    def build(self, source, *more):
        # A server takes any port, and asks the echo server where it asks somebody.
        ports = iter([0] if source.serves else [])
        text = ADDRESS.sub(lambda found: f'"{found[1]}:{next(ports, self.echo_port)}"', source.text)
        text = UPSTREAM.sub(f"loopback4({self.echo_port})", text)
        file, made = self.folder / f"{source.name}.cpp", self.folder / source.name
        file.write_text(text, encoding="utf-8")
        folder = next(self.prefix.rglob("nio.pc")).parents[1]
        run(self.way.compiler, *self.way.flags, *more, *self.package("--cflags", source), file, "-o",
            made, *self.package("--libs", source), f"-Wl,-rpath,{folder}", "-ldl",
            *(["-lz"] if "<zlib.h>" in source.text else []),
            *(["-luv"] if "<uv.h>" in source.text else []))
        return made

    def build_hidden(self, plugin):
        """One that shows nothing of the copy of the library that it contains."""
        made = self.build(Source("plugin-hidden", plugin.text), "-shared", "-fPIC",
                          "-fvisibility=hidden", "-Wl,--exclude-libs,ALL")
        names = run("nm", "-D", "--defined-only", made)
        if found := re.search(rf" {NAMES.format('3nio')}.*", names):
            raise Trouble(f"{made.name} shows {found[0]}")
        return made

    def try_out(self, source):
        if source.name == "plugin":
            return  # host's
        made = self.build(source)
        if source.check:
            source.check(made)
            return
        if source.serves:
            with serving(made) as port:
                expect_echo(port)
            return
        words = [made]
        if source.name == "host":
            plugin = Source("plugin", (HERE / "plugin.cpp").read_text(encoding="utf-8"))
            made = self.build(plugin, "-shared", "-fPIC")
            if self.way.link == "shared":
                words += [made, shutil.copy(made, f"{made}-2"), "shared"]
            else:
                words += [made, self.build_hidden(plugin), "own"]
        said = run(*words, timeout=SECONDS)
        if not said:
            raise Trouble(f"{source.name} said nothing")


def trouble_of(builder, source):
    try:
        builder.try_out(source)
    except (Trouble, OSError, subprocess.TimeoutExpired) as trouble:
        return f"{source.name}, {builder.way}:\n{trouble}"
    return None


def lacks_library(source, prefix, compiler):
    """The header of a library that is not there, or nothing."""
    if "nio-tls/" in source.text and not next(prefix.rglob("nio-tls.pc"), None):
        return "nio-tls"
    other = OTHER_LIBRARY.search(source.text)
    found = other and subprocess.run([compiler, "-E", "-xc++", "-"], input=f"#include <{other[1]}>",
                                     capture_output=True, text=True)
    return other[1] if found and found.returncode != 0 else None


def try_programs(root, prefixes, table, scratch):
    every = []
    for source in sources(root):
        if lacks := lacks_library(source, prefixes["static"], table[0].compiler):
            print(f"left out: {source.name} needs {lacks}")
        else:
            every.append(source)
    first = Builder(table[0], scratch / "echo", prefixes, 0)
    echo = next(source for source in every if source.name.startswith("README"))
    with serving(first.build(echo)) as port, ThreadPoolExecutor(os.cpu_count()) as pool:
        builders = [Builder(way, scratch / f"way-{number}", prefixes, port)
                    for number, way in enumerate(table)]
        # One way is enough for those with a check of their own; `echo` was built in it already.
        pairs = [(builder, source) for builder in builders for source in every
                 if (source is not echo if builder is builders[0] else not source.check)]
        expect_echo(port)
        troubles = list(filter(None, pool.map(lambda pair: trouble_of(*pair), pairs)))
    print("\n".join(troubles) or f"{len(every)} programs work, built in {len(table)} ways")
    return 1 if troubles else 0


# --- what is installed ---------------------------------------------------------------------------


class Project:
    """The library's tree, and how it is built here."""

    def __init__(self, source, build, cmake, compiler, scratch):
        self.source, self.build, self.cmake = source, build, cmake
        self.compiler, self.scratch = compiler, scratch

    def install(self, *more, prefix=None, build=None):
        prefix = prefix or self.scratch / "prefix"
        run(self.cmake, "--install", build or self.build, "--prefix", prefix, *more)
        return prefix

    def configure(self, source, *more):
        build = self.scratch / "build"
        run(self.cmake, "-S", source, "-B", build, *more)
        return build

    def build_consumer(self, *more):
        for name in ("CMakeLists.txt", "line.cpp"):
            shutil.copy(HERE / name, self.scratch)
        build = self.configure(self.scratch, f"-DCMAKE_CXX_COMPILER={self.compiler}", *more)
        run(self.cmake, "--build", build, "-j", "2", "--target", "consumer")
        said = run(build / "consumer")
        if said != "consumer: timed out\n":
            raise Trouble(f"the consumer said: {said}")
        return build

    def release(self):
        """A repository with the tree as it is, and a tag of this version."""
        header = (self.source / "lib/nio/version.h").read_text(encoding="utf-8")
        version = re.search(r'define NIO_VERSION "(.*)"', header)
        repository = self.scratch / "nio.git"
        git = ["git", "-c", "user.name=nio", "-c", "user.email=nio@example.org",
               "-c", "commit.gpgSign=false", "-c", "tag.gpgSign=false", "-c", "core.hooksPath="]
        run(*git, "init", "--quiet", "--bare", repository)
        git += [f"--git-dir={repository}", f"--work-tree={self.source}", "-c", "core.bare=false"]
        run(*git, "add", "--all")
        run(*git, "commit", "--quiet", "--message=Release")
        run(*git, "tag", f"v{version[1]}")
        return repository.as_uri()

    def build_fetched(self):
        """The CMakeLists.txt of docs/embedding.md with the program of README.md; shared, to have
        tried that as well. A debug build compiles each source alone: so headers that sources begin
        with stand alone, which Style.headersStandAlone relies on."""
        shown = (self.source / "docs/embedding.md").read_text(encoding="utf-8")
        files = FETCHING.search(shown)[1].replace(REPOSITORY, self.release())
        _, program = next(blocks_of(self.source / "README.md"))
        (self.scratch / "CMakeLists.txt").write_text(files, encoding="utf-8")
        (self.scratch / "main.cpp").write_text(ADDRESS.sub(r'"\1:0"', program), encoding="utf-8")
        build = self.configure(self.scratch, f"-DCMAKE_CXX_COMPILER={self.compiler}",
                               "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_BUILD_TYPE=Debug",
                               "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
        run(self.cmake, "--build", build, "-j", "2", "--target", "mine", "nio-smpp")
        return build / "mine"

    def install_shared(self):
        build = self.configure(self.source, f"-DCMAKE_CXX_COMPILER={self.compiler}",
                               "-DBUILD_SHARED_LIBS=ON", "-DNIO_BUILD_APPS=OFF",
                               "-DNIO_BUILD_TESTS=OFF")
        run(self.cmake, "--build", build, "-j", "2")
        return self.install(prefix=self.scratch / "shared", build=build)

    def share_archives(self):
        """In a moment, what install_shared() takes minutes for: of the archives' objects."""
        shared = self.install(prefix=self.scratch / "shared")
        for name, room, needs in (("nio", "nio", []), ("nio-smpp", "smpp", ["-lnio"]),
                                  ("nio-tls", "nio-tls", ["-lnio", "-lssl", "-lcrypto"])):
            archive = next(shared.rglob(f"lib{name}.a"), None)
            if not archive:  # there is no OpenSSL
                continue
            exports = self.source / "lib" / room / "exports.map"
            run(self.compiler, "-shared", f"-Wl,--version-script={exports}", "-o",
                archive.with_suffix(".so"), f"-Wl,-soname,lib{name}.so", "-Wl,--whole-archive",
                archive, "-Wl,--no-whole-archive", f"-L{archive.parent}", *needs, "-pthread")
        for archive in shared.rglob("lib*.a"):
            archive.unlink()
        return shared


def listed(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def components(project):
    """The parts are all, nothing to build with is in the first, and each program has its page."""
    parts = {}
    for name in ("nio-runtime", "nio-development"):
        prefix = project.scratch / name
        prefix.mkdir()
        parts[name] = listed(project.install("--component", name, prefix=prefix))
    everything = listed(project.install())
    if sorted(parts["nio-runtime"] + parts["nio-development"]) != everything:
        raise Trouble(f"the parts {parts} are not all: {everything}")
    if wrong := [name for name in parts["nio-runtime"]
                 if re.search(r"(^|/)(include|cmake|pkgconfig)/", name)]:
        raise Trouble(f"the runtime has {wrong}")
    programs = [name[len("bin/"):] for name in everything if name.startswith("bin/")]
    pages = [Path(name).stem for name in everything if "/man1/" in name]
    if programs != pages:
        raise Trouble(f"the programs {programs} have the pages {pages}")


def archives(project):
    """Plain machine code, in which nothing has a name that is somebody else's."""
    for archive in project.install().rglob("lib*.a"):
        headers = run("objdump", "-h", archive)
        if found := re.search(r"\.(gnu\.lto_|gnu\.debuglto_|llvmbc)\S*", headers):
            raise Trouble(f"{archive.name} has a section {found[0]}")
        names = run("nm", "-C", "--defined-only", archive)
        if found := re.search(r"(?<!nio_)\basio(::|_).*", names):
            raise Trouble(f"{archive.name} has {found[0]}")
    for library in project.share_archives().rglob("lib*.so"):
        room = "4smpp" if "smpp" in library.name else "3nio"
        ours = NAMES.format(room)
        for row in run("nm", "-D", "--defined-only", library).splitlines():
            if not re.match(ours, name := row.split()[-1]):
                raise Trouble(f"{library.name} exports {name}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers and files go, too
    way, source, build, cmake, compiler = sys.argv[1:6]
    for name in ("DESTDIR", "CMAKE_GENERATOR"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        project = Project(Path(source), Path(build), cmake, compiler, scratch)
        if way == "fetched":
            if not shutil.which("git"):
                skip("there is no git")
            with serving(project.build_fetched()) as port:
                expect_echo(port)
            return 0
        if way == "package":
            project.build_consumer(f"-DCMAKE_PREFIX_PATH={project.install()}")
            return 0
        if way == "components":
            return components(project)
        if way == "archives":
            return archives(project)
        if not shutil.which("pkg-config"):
            skip("there is no pkg-config")
        if way == "short":
            prefixes = {"static": project.install(), "shared": project.share_archives()}
            return try_programs(project.source, prefixes, short(compiler), scratch)
        prefixes = {"static": project.install(), "shared": project.install_shared()}
        return try_programs(project.source, prefixes, those_there_are(ALL), scratch)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        sys.exit(str(trouble))
