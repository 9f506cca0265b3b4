"""Conan 2 builds the libraries from this tree: conan create .ci/packages --build=missing"""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

required_conan_version = ">=2.0"


class Nio(ConanFile):
    name = "nio"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def set_version(self):
        with open(os.path.join(self.tree(), "lib/nio/version.h"), encoding="utf-8") as header:
            self.version = header.read().split('define NIO_VERSION "')[1].split('"')[0]

    def tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "lib/*"):
            copy(self, pattern, self.tree(), self.export_sources_folder)

    def requirements(self):
        self.requires("asio/[>=1.22]", visible=False)  # in one source, and in no header
        self.requires("openssl/[>=3 <4]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["NIO_BUILD_APPS"] = False
        toolchain.cache_variables["NIO_BUILD_TESTS"] = False
        asio = self.dependencies["asio"].cpp_info.aggregated_components()
        toolchain.cache_variables["NIO_ASIO_INCLUDE_DIR"] = asio.includedirs[0]
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    # The nioConfig.cmake that is installed says more than a generated one could.
    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/nio"]
