#!/usr/bin/env python3
"""Runs the fuzzers of a build, one after the other, and keeps the books.

    fuzz.py run   BUILD [--seconds 60] [TARGET ...]   fuzz: one line per target
    fuzz.py merge BUILD [--most 48] [TARGET ...]      what was found, cut down, into corpus/TARGET.corpus
    fuzz.py cover BUILD [TARGET ...]                  how much of what it is about each one reaches
    fuzz.py pack   FOLDER FILE.corpus                 the files of a folder, as a corpus
    fuzz.py unpack FILE.corpus FOLDER                 a corpus, as the files of a folder
    fuzz.py table [TARGET ...]                        the books, as a table of docs/reliability.md

`run` begins with the corpus of the tree and all that earlier runs have found, which stays in
BUILD/found/TARGET. tests/fuzz/log.json (or what --log says) counts, over all runs of a target:
core-seconds (user and system time of the fuzzer), executions, runs; and has the edges covered, of
so many, and the size of the corpus after the last one. An input that breaks a property is kept as
BUILD/broken-TARGET-*; the exit code is 1 then.

`merge` keeps, of all inputs, a few that together cover as much as so few can: the one that adds the
most first, of those the smallest; in all at most 128 KiB. It numbers them. An input in the corpus that
has a name, and no number, was added by hand: it counts, and it stays.

`pack` and `unpack` change FOLDER into FILE.corpus and back. A line of such a file is the name of an
input, a colon and its content, in which %XX is a byte that is not printable ASCII, and '%' itself.

`cover` runs all inputs once and counts the functions and the edges of the sources that a target is
about. The edges that only a sanitizer takes, where it reports, are counted among those that are
not reached.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / 'docs'
sys.path.insert(0, str(HERE.parent / 'support'))
from command_line import Parser, at_least  # noqa: E402

# Whose words a fuzzer should know: options, keys, values.
WORDS = {'echo_server_options': 'man/echo-server.1', 'echo_client_options': 'man/echo-client.1',
         'sms_router_options': 'man/sms-router.1', 'router_config': 'router.toml'}
LOG = HERE / 'log.json'
AIM = 3600  # core-seconds of each target
MOST_BYTES = 128 << 10
# The sources that a target is about.
ABOUT = {
    'address_patterns': ['apps/sms_router/config/AddressPattern',
                         'apps/sms_router/config/AddressRange'],
    'admin_page': ['apps/sms_router/admin/', 'apps/common/http/'],
    'agent_messages': ['apps/echo_client/agents/AgentMessages',
                       'apps/echo_client/agents/AgentFraming'],
    'decoders': ['lib/nio/codec/'],
    'earlier_run': ['apps/echo_client/report/EarlierRun'],
    'echo_answers': ['apps/echo_client/payload/'],
    'echo_client_options': ['apps/echo_client/options/'],
    'echo_server_options': ['apps/echo_server/EchoServerOptions'],
    'esme_link': ['apps/sms_router/ingress/', 'apps/sms_router/delivery/AccountDesk',
                  'apps/sms_router/delivery/DeskBinds', 'apps/sms_router/session/'],
    'http_forms': ['apps/sms_router/http/FormFields', 'apps/sms_router/http/KannelDoor',
                   'apps/sms_router/http/KannelNotice', 'apps/sms_router/http/JasminDoor'],
    'http_messages': ['apps/sms_router/http/MessageBatch', 'apps/sms_router/http/MessageRequest'],
    'http_requests': ['apps/common/http/HttpHead', 'apps/common/http/HttpParser'],
    'packet_channel': ['lib/nio/connection/Packet', 'lib/nio/connection/StreamHandler'],
    'record_lines': ['apps/sms_router/records/RecordLine', 'apps/sms_router/model/MessageId'],
    'router_config': ['apps/sms_router/config/'],
    'smpp_pdu': ['lib/smpp/pdu/'],
    'smpp_session': ['lib/smpp/session/'],
    'smpp_text': ['lib/smpp/text/'],
    'sms_router_options': ['apps/sms_router/app/RouterOptions'],
    'store_file': ['apps/sms_router/store/'],
    'tls_filter': ['lib/nio-tls/'],
}
# What a packed corpus writes as it is; a space only inside, as editors remove it at the end.
PLAIN = ''.join(map(chr, range(0x20, 0x7f))).replace('%', '')
LIMITS = ['-rss_limit_mb=2048', '-timeout=60', '-max_len=4096']
ENVIRONMENT = {**os.environ, 'ASAN_OPTIONS': 'detect_stack_use_after_return=1',
               'UBSAN_OPTIONS': 'print_stacktrace=1', 'NIO_SELECTOR': 'epoll'}


class Mistake(Exception):
    pass


def targets(build, wanted):
    known = sorted(p.name[len('fuzz-'):] for p in (build / 'bin').glob('fuzz-*'))
    known = [name for name in known if name != 'replay']
    if not known:
        raise Mistake(f'no fuzzer is built in {build}: `make fuzz` does')
    if missing := set(wanted) - set(known):
        raise Mistake(f'not built: {", ".join(sorted(missing))}')
    return wanted or known


def packed(inputs):
    """The text of a corpus, from the contents by their names."""
    lines = [f'{name}:{quote_from_bytes(content, safe=PLAIN)}' for name, content in inputs.items()]
    return ''.join(re.sub(' $', '%20', line) + '\n' for line in lines)


def unpacked(text):
    lines = [line.partition(':') for line in text.split('\n') if line]
    return {name: unquote_to_bytes(content) for name, _, content in lines}


def pack(folder, file):
    inputs = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    file.write_text(packed(inputs), encoding='ascii')


def unpack(file, folder):
    """Leaves in `folder` nothing else. Two at once do no harm: they write the same."""
    inputs = unpacked(file.read_text(encoding='ascii')) if file.is_file() else {}
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in inputs:
            path.unlink(missing_ok=True)
    for name, content in inputs.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)
    return folder


def corpora(build, name):
    """Where new inputs go, then where others are from."""
    found = build / 'found' / name
    found.mkdir(parents=True, exist_ok=True)
    return [found, unpack(HERE / 'corpus' / f'{name}.corpus', build / 'corpus' / name)]


def dictionary(build, name):
    text = (DOCS / WORDS[name]).read_text().replace('\\-', '-')
    words = sorted(set(re.findall(r'[\w./:*-]{2,40}', text)))
    path = build / f'{name}.dict'
    path.write_text(''.join(f'"{word}"\n' for word in words))
    return path


def fuzz(build, name, seconds):
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    words = [build / 'bin' / f'fuzz-{name}', f'-max_total_time={seconds}', '-print_final_stats=1',
             f'-artifact_prefix={build}/broken-{name}-', *LIMITS]
    if name in WORDS:
        words.append(f'-dict={dictionary(build, name)}')
    # Another fuzz.py may run the same target.
    log = build / f'{name}-{os.getpid()}.txt'
    with open(log, 'wb') as out:
        code = subprocess.run(words + corpora(build, name), stdout=out, stderr=out,
                              stdin=subprocess.DEVNULL, env=ENVIRONMENT).returncode
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    log = log.replace(build / f'{name}.txt')
    text = log.read_text(errors='replace')
    covered = re.findall(r' cov: (\d+)', text)
    corpus = re.findall(r' corp: (\d+)', text)
    counters = re.search(r'modules? *\((\d+) inline 8-bit counters\)', text)
    executed = re.search(r'number_of_executed_units: *(\d+)', text)
    return {'ok': code == 0,
            'seconds': time.monotonic() - began,
            'core_seconds': (spent.ru_utime + spent.ru_stime) - (used.ru_utime + used.ru_stime),
            'executions': int(executed.group(1)) if executed else 0,
            'edges': int(covered[-1]) if covered else 0,
            'of_edges': int(counters.group(1)) if counters else 0,
            'corpus': int(corpus[-1]) if corpus else 0,
            'log': log}


def read_books(path):
    return json.loads(path.read_text()) if path.is_file() else {}


def count(path, name, run):
    books = read_books(path)
    entry = books.setdefault(name, {'core_seconds': 0, 'executions': 0, 'runs': 0})
    entry['core_seconds'] = round(entry['core_seconds'] + run['core_seconds'], 1)
    entry['executions'] += run['executions']
    entry['runs'] += 1
    if run['edges']:
        entry.update(edges=run['edges'], of_edges=run['of_edges'], corpus=run['corpus'])
    fresh = path.with_suffix('.new')
    fresh.write_text(json.dumps(books, indent=1, sort_keys=True) + '\n')
    fresh.replace(path)
    return entry


def run_all(build, names, seconds, log):
    ok = True
    for name in names:
        run = fuzz(build, name, seconds)
        all_runs = count(log, name, run)
        print(f'{name}: {run["executions"]} executions in {run["seconds"]:.0f} s, '
              f'{run["edges"]} edges, {run["corpus"]} inputs; '
              f'{all_runs["core_seconds"]:.0f} core-seconds in all'
              + ('' if run['ok'] else f': BROKEN, see {run["log"]}'), flush=True)
        ok = ok and run['ok']
    return 0 if ok else 1


def features(control):
    """What each input covers, of libFuzzer's merge control file."""
    lines = control.read_text(errors='replace').splitlines()
    # A count, the number of inputs of the first folder, then their names in order.
    files = lines[2:2 + int(lines[0])]
    sizes, covers = {}, {}
    for line in lines[2 + len(files):]:
        kind, index, *rest = line.split(' ')
        if kind == 'STARTED':
            sizes[int(index)] = int(rest[0])
        if kind == 'FT':
            covers[int(index)] = set(rest)
    return [(Path(files[i]), sizes[i], covers[i]) for i in covers]


def is_by_hand(path):
    return not path.name.isdigit()


def by_hand(corpus):
    return sorted(filter(is_by_hand, corpus.iterdir()))


def chosen(inputs, most, corpus):
    """Paths; those that were added by hand come first."""
    kept = by_hand(corpus)
    covered = set().union(*(covers for path, _, covers in inputs if path in kept))
    left = MOST_BYTES - sum(path.stat().st_size for path in kept)
    while len(kept) < most:
        small = [i for i in inputs if i[1] <= left]
        best = max(small, key=lambda i: (len(i[2] - covered), -i[1]), default=None)
        if best is None or not best[2] - covered:
            break
        kept.append(best[0])
        covered |= best[2]
        left -= best[1]
    return kept


def merge(build, name, most):
    folders = corpora(build, name)
    corpus = folders[-1]
    with tempfile.TemporaryDirectory() as scratch:
        control, empty = Path(scratch) / 'control', Path(scratch) / 'empty'
        empty.mkdir()
        subprocess.run([build / 'bin' / f'fuzz-{name}', '-set_cover_merge=1',
                        f'-merge_control_file={control}', f'-artifact_prefix={scratch}/',
                        *LIMITS, empty, *folders],
                       check=True, stdin=subprocess.DEVNULL, env=ENVIRONMENT,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        paths = chosen(features(control), most, corpus)
    own = {path.name: path.read_bytes() for path in paths if path in by_hand(corpus)}
    others = [path.read_bytes() for path in paths if path.name not in own]
    for number, content in enumerate(sorted(others, key=lambda c: (len(c), c))):
        own[f'{number:02}'] = content
    file = HERE / 'corpus' / f'{name}.corpus'
    file.write_text(packed(dict(sorted(own.items()))), encoding='ascii')
    print(f'{name}: {len(own)} inputs, {sum(map(len, own.values()))} bytes')


TABLE_HEAD = '''# Fuzzing: time spent

`python3 tests/fuzz/fuzz.py table` prints this page from `tests/fuzz/log.json`, which adds up all
runs of each fuzzer (`make fuzz`). Core-seconds are user and system time; the aim is {aim:,} of each
target. Edges and inputs are those of the last run. What a fuzzer checks: `tests/fuzz/TARGET.cpp`.

| target | core-seconds | of the aim | executions | edges | inputs |
| --- | --- | --- | --- | --- | --- |'''
REACH_HEAD = '''# Fuzzing: code reached

`python3 tests/fuzz/fuzz.py cover build/fuzz` prints this page{of}: how much of the
sources that each fuzzer is about its inputs reach. Edges on which only a sanitizer would report
count as not reached.

| target | sources | functions | edges |
| --- | --- | --- | --- |'''


def commit():
    git = subprocess.run(['git', '-C', HERE, 'rev-parse', '--short', 'HEAD'], capture_output=True,
                         text=True, check=False)
    return f' (commit {git.stdout.strip()})' if git.returncode == 0 else ''


def cover(build, name):
    seen = subprocess.run([build / 'bin' / f'fuzz-{name}', '-runs=1', '-print_coverage=1',
                           f'-artifact_prefix={build}/broken-{name}-', *LIMITS,
                           *corpora(build, name)], stdin=subprocess.DEVNULL, env=ENVIRONMENT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    functions = {}  # by name and place: the same one may come from several objects
    for line in seen.decode(errors='replace').splitlines():
        match = re.match(r'(UN)?COVERED_FUNC: .* edges: (\d+)/(\d+) (.*) (\S+?)(:\d+)*$', line)
        if not match:
            continue
        source = os.path.normpath(match[5])
        if any(f'/{part}' in source for part in ABOUT[name]):
            key = (match[4], source)
            functions[key] = max(functions.get(key, (0, 0)), (int(match[2]), int(match[3])))
    reached = sum(1 for edges in functions.values() if edges[0] > 0)
    edges = [sum(column) for column in zip(*functions.values())] or [0, 0]
    about = ', '.join(f'`{part}`' for part in ABOUT[name])
    print(f'| `{name}` | {about} | {reached:,} of {len(functions):,} | '
          f'{edges[0]:,} of {edges[1]:,} |', flush=True)


def table(log, wanted):
    books = read_books(log)
    if missing := set(wanted) - set(books):
        raise Mistake(f'no run of {", ".join(sorted(missing))} is in {log}')
    print(TABLE_HEAD.format(aim=AIM))
    for name in wanted or sorted(books):
        entry = books[name]
        spent = entry['core_seconds']
        print(f'| `{name}` | {spent:,.0f} | {100 * spent / AIM:.0f} % | {entry["executions"]:,} | '
              f'{entry.get("edges", 0):,} | {entry.get("corpus", 0):,} |')


def work(options):
    """The exit code."""
    if options.what == 'table':
        table(options.log, options.words)
        return 0
    if options.what in ('pack', 'unpack'):
        if len(options.words) != 2:
            raise Mistake(f'{options.what} takes two paths')
        (pack if options.what == 'pack' else unpack)(*map(Path, options.words))
        return 0
    if not options.words:
        raise Mistake('which build?')
    build = Path(options.words[0]).resolve()
    names = targets(build, options.words[1:])
    if options.what == 'run':
        return run_all(build, names, options.seconds, options.log)
    if options.what == 'cover':
        print(REACH_HEAD.format(of=commit()), flush=True)
    for name in names:
        if options.what == 'cover':
            cover(build, name)
        else:
            merge(build, name, options.most)
    return 0


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument('what', choices=['run', 'merge', 'cover', 'table', 'pack', 'unpack'])
    parser.add_argument('words', nargs='*', metavar='BUILD TARGET',
                        help='a build, such as build/fuzz (table: none), and some targets; else all')
    parser.add_argument('--seconds', type=at_least(1), default=60, help='run: for each target')
    parser.add_argument('--most', type=at_least(1), default=48, help='merge: so many inputs')
    parser.add_argument('--log', type=Path, default=LOG, help='where the books are')
    options = parser.parse_intermixed_args()
    try:
        return work(options)
    except (Mistake, OSError, ValueError, subprocess.SubprocessError) as error:
        parser.error(error)


if __name__ == '__main__':
    sys.exit(main())
