#!/bin/sh
# Builds the project beside this file, outside of the tree, and runs it.
#
#     check.sh subdirectory|package|pkg-config|components|archives SOURCE BUILD CMAKE COMPILER
#
# package, pkg-config and components use what is installed from BUILD, which has to be complete;
# components and archives only look.
set -eu

way=$1 source=$2 build=$3 cmake=$4 compiler=$5

unset DESTDIR CMAKE_GENERATOR
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cp "$source/tests/consumer/CMakeLists.txt" "$source/tests/consumer/main.cpp" "$scratch"

# skip WHY
skip() {
    echo "skipped: $1"
    [ "${NIO_REQUIRE_ALL:-}" = 1 ] && exit 1
    exit 77
}

installLibrary() { "$cmake" --install "$build" --prefix "$scratch/prefix" >/dev/null; }

buildProject() {
    "$cmake" -S "$scratch" -B "$scratch/build" -DCMAKE_CXX_COMPILER="$compiler" "$@"
    "$cmake" --build "$scratch/build" -j 2 --target consumer
}

expectItSpeaks() {
    said=$("$1")
    [ "$said" = "consumer: timed out" ] || { echo "the program said: $said" >&2; exit 1; }
}

listed() { (cd "$1" && find . ! -type d | sort); }

expectComponentsAreAll() {
    for component in nio-runtime nio-development; do
        part=$scratch/parts/$component
        mkdir -p "$part"
        "$cmake" --install "$build" --prefix "$part" --component $component >/dev/null
        listed "$part" >"$scratch/$component"
    done
    installLibrary
    listed "$scratch/prefix" >"$scratch/all"
    sort "$scratch/nio-runtime" "$scratch/nio-development" | diff - "$scratch/all" >&2
    if grep -E '/(include|cmake|pkgconfig)/' "$scratch/nio-runtime" >&2; then exit 1; fi
}

expectEachProgramHasItsPage() {
    sed -n 's|^\./bin/\(.*\)|./share/man/man1/\1.1|p' "$scratch/all" >"$scratch/programs"
    grep '/man1/' "$scratch/all" | diff "$scratch/programs" - >&2
}

# clang's intermediate code would be all that its archives hold.
expectNoArchiveNeedsItsCompiler() {
    "$cmake" -S "$source" -B "$scratch/build" -DCMAKE_CXX_COMPILER=clang++ -DNIO_LTO=ON \
        -DNIO_BUILD_APPS=OFF -DNIO_BUILD_TESTS=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
    grep -q /lib/nio/ "$scratch/build/compile_commands.json"
    if grep -e -flto "$scratch/build/compile_commands.json" >&2; then exit 1; fi
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
        command -v pkg-config >/dev/null || skip "there is no pkg-config"
        installLibrary
        for each in "$compiler" clang++; do
            command -v "$each" >/dev/null || continue
            buildByPkgConfig "$each"
            expectItSpeaks "$scratch/consumer"
        done
        ;;
    components)
        expectComponentsAreAll
        expectEachProgramHasItsPage
        ;;
    archives)
        command -v clang++ >/dev/null || skip "there is no clang++"
        expectNoArchiveNeedsItsCompiler
        ;;
    *)
        echo "unknown way: $way" >&2
        exit 2
        ;;
esac
