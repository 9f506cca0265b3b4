#!/usr/bin/env python3
"""Packed corpora: fuzz.py gets back what it packed, and fuzz-replay refuses malformed ones.

    corpus_test.py BIN
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fuzz

REPLAY = Path(sys.argv.pop(1)) / 'fuzz-replay'
INPUTS = {'00': b'', '01': b' a b ', '02': b'100%0A\r\n', 'by-hand': bytes(range(256))}


class CorpusTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.file = self.folder / 'decoders.corpus'

    def replay(self):
        return subprocess.run([REPLAY, 'decoders', self.file], capture_output=True, text=True,
                              timeout=600, check=False)

    def test_a_packed_corpus_is_unpacked_as_it_was(self):
        text = fuzz.packed(INPUTS)
        self.assertTrue(text.isascii())
        self.assertNotIn(' \n', text)
        self.file.write_text(text)
        unpacked = self.folder / 'unpacked'
        unpacked.mkdir()
        (unpacked / 'of-an-earlier-run').write_bytes(b'x')
        fuzz.unpack(self.file, unpacked)
        self.assertEqual({p.name: p.read_bytes() for p in unpacked.iterdir()}, INPUTS)
        again = self.folder / 'again.corpus'
        fuzz.pack(unpacked, again)
        self.assertEqual(again.read_text(), text)

    def test_fuzz_replay_runs_each_input(self):
        self.file.write_text(fuzz.packed(INPUTS))
        run = self.replay()
        self.assertEqual((run.returncode, run.stdout), (0, 'decoders: 4 inputs\n'), run.stderr)
        self.assertEqual(run.stderr, ''.join(f'{self.file}:{name}\n' for name in INPUTS))

    def test_fuzz_replay_refuses_a_malformed_corpus(self):
        for line in 'no colon', '01:%', '01:%0', '01:%0x', '01:%+1':
            self.file.write_text(f'00:\n{line}\n')
            run = self.replay()
            self.assertEqual(run.returncode, 2, line)
            self.assertEqual(run.stderr, f"fuzz-replay: {self.file}:2: "
                                         "not 'NAME:CONTENT' with %XX escapes\n")

    def test_fuzz_replay_refuses_an_empty_corpus(self):
        self.file.write_text('')
        run = self.replay()
        self.assertEqual((run.returncode, run.stderr), (2, 'fuzz-replay: no inputs\n'))


if __name__ == '__main__':
    unittest.main()
