#!/bin/sh
# Builds the project beside this file, outside of the tree, and runs it.
#
#     check.sh subdirectory|package|pkg-config SOURCE BUILD CMAKE COMPILER
#
# package and pkg-config use what is installed from BUILD, which has to be complete.
set -eu

way=$1 source=$2 build=$3 cmake=$4 compiler=$5

unset DESTDIR CMAKE_GENERATOR
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cp "$source/tests/consumer/CMakeLists.txt" "$source/tests/consumer/main.cpp" "$scratch"

installLibrary() { "$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null; }

buildProject() {
    "$cmake" -S "$scratch" -B "$scratch/build" -DCMAKE_CXX_COMPILER="$compiler" "$@"
    "$cmake" --build "$scratch/build" -j 2 --target consumer
}

expectItSpeaks() {
    said=$("$1")
    [ "$said" = "consumer: timed out" ] || { echo "the program said: $said" >&2; exit 1; }
}

# Another compiler may use the installed library, too.
buildByPkgConfig() {
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name nio.pc)") \
        pkg-config --cflags --libs nio-smpp)
    # shellcheck disable=SC2086  # words are meant
    "$1" -std=c++20 "$scratch/main.cpp" -o "$scratch/consumer" $flags
}

case $way in
    subdirectory) # as a shared library, to have tried that as well
        buildProject -DNIO_SOURCE_DIR="$source" -DBUILD_SHARED_LIBS=ON \
            -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
        expectItSpeaks "$scratch/build/consumer"
        ;;
    package)
        installLibrary
        buildProject -DCMAKE_PREFIX_PATH="$scratch/prefix"
        expectItSpeaks "$scratch/build/consumer"
        ;;
    pkg-config)
        command -v pkg-config >/dev/null || {
            echo "skipped: there is no pkg-config"
            [ "${NIO_REQUIRE_ALL:-}" = 1 ] && exit 1
            exit 77
        }
        installLibrary
        for each in "$compiler" clang++; do
            command -v "$each" >/dev/null || continue
            buildByPkgConfig "$each"
            expectItSpeaks "$scratch/consumer"
        done
        ;;
    *)
        echo "unknown way: $way" >&2
        exit 2
        ;;
esac
