"""The recipes for Conan and vcpkg take this version, files that there are, and options of CMake.

recipes_test.py ROOT BUILD

The tools are not needed. The conanfile runs with stand-ins for what it imports; BUILD has the
options, in its CMakeCache.txt.
"""
import json
import re
import runpy
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT, BUILD = (Path(word).resolve() for word in sys.argv[1:3])
RECIPES = ROOT / ".ci/packages"


def conanfile():
    names = ("conan", "conan.tools", "conan.tools.cmake", "conan.tools.files")
    modules = {name: mock.MagicMock() for name in names}
    modules["conan"] = types.SimpleNamespace(ConanFile=object)
    with mock.patch.dict(sys.modules, modules):
        recipe = runpy.run_path(str(RECIPES / "conanfile.py"))["Nio"]()
    recipe.recipe_folder = str(RECIPES)
    recipe.set_version()
    return recipe, modules


class Recipes(unittest.TestCase):
    def test_version(self):
        header = (ROOT / "lib/nio/version.h").read_text(encoding="utf-8")
        version = re.search(r'define NIO_VERSION "(.*)"', header)[1]
        self.assertEqual(conanfile()[0].version, version)
        port = json.loads((RECIPES / "vcpkg/vcpkg.json").read_text(encoding="utf-8"))
        self.assertEqual(port["version"], version)

    def test_sources(self):
        recipe, modules = conanfile()
        recipe.export_sources_folder = "there"
        recipe.export_sources()
        calls = modules["conan.tools.files"].copy.call_args_list
        self.assertTrue(calls)
        for call in calls:
            self.assertTrue(list(Path(call.args[2]).glob(call.args[1])), call)

    def test_options(self):
        cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
        known = set(re.findall(r"^(NIO_\w+):", cache, re.MULTILINE))
        for name in ("conanfile.py", "vcpkg/portfile.cmake"):
            text = (RECIPES / name).read_text(encoding="utf-8")
            named = set(re.findall(r"\bNIO_(?!VERSION)\w+", text.replace("-D", " ")))
            self.assertTrue(named, name)
            self.assertFalse(named - known, name)

    # What both recipes say of the installed tree.
    def test_folder(self):
        config = (ROOT / "lib/cmake/NioInstall.cmake").read_text(encoding="utf-8")
        self.assertIn("set(configDir ${CMAKE_INSTALL_LIBDIR}/cmake/nio)", config)
        for name in ("conanfile.py", "vcpkg/portfile.cmake"):
            self.assertIn("lib/cmake/nio", (RECIPES / name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
