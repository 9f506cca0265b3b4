"""Command lines of the tests' scripts: as of the programs, a mistake is one line on standard error
and exit code 2.
"""
import argparse
import math
import os
import shutil
from pathlib import Path


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def at_least(least, kind=int):
    def number(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value < math.inf:
            raise argparse.ArgumentTypeError(f"'{text}' is no number from {least} on")
        return value
    return number


def more_than_zero(text):
    value = at_least(0, float)(text)
    if value == 0:
        raise argparse.ArgumentTypeError("0 is too little")
    return value


def program(text):
    """Where it is: by its path, as a shell would not, or by its name alone."""
    found = shutil.which(os.path.abspath(text)) or shutil.which(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"there is no program {text}")
    return found


def folder_with(*programs):
    """The absolute path: a program in "." would else be looked for in PATH."""
    def folder(text):
        path = Path(text).absolute()
        if not path.is_dir():
            raise argparse.ArgumentTypeError(f"there is no folder {text}")
        for name in programs:
            if shutil.which(path / name) is None:
                raise argparse.ArgumentTypeError(f"there is no program {name} in {text}")
        return path
    return folder
