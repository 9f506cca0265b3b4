"""Where the tests find things, and the router in the middle (or, with --direct, nobody)."""
import contextlib
import itertools
from dataclasses import dataclass, field
from pathlib import Path

from router_programs import Router, router_config


@dataclass
class Surroundings:
    programs: Path
    scratch: Path
    node_modules: Path
    direct: bool
    numbers: itertools.count = field(default_factory=itertools.count)

    @property
    def account(self):
        """Who the ESMEs are: with --direct they bind to the SMSC as the router would."""
        return ("router", "secret") if self.direct else ("esme1", "secret1")

    def smsc_options(self, *more):
        """The router binds as router/secret; ESMEs that bind directly have names of their own."""
        return [*more, *(["--system-id", "esme1", "--password", "secret1"] if self.direct else [])]

    def folder(self):
        path = self.scratch / f"run{next(self.numbers)}"
        path.mkdir(parents=True)
        return path


class Nobody:
    """In the router's place: whoever wants the router gets the SMSC."""

    def __init__(self, port):
        self.port = port

    def stop(self):
        return 0


@contextlib.contextmanager
def start_router(surroundings, smsc_port, **changes):
    if surroundings.direct:
        yield Nobody(smsc_port)
        return
    folder = surroundings.folder()
    config = router_config(folder, smsc_port, **changes)
    with Router(surroundings.programs, folder, config) as router:
        yield router
