// Makes so many turns with so many echoes each, for locked.py to look at:
//
//     steady-echo PROTOCOL CONNECTIONS DEPTH TURNS
//
// What is to be looked at happens inside measuredTurns().
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "steady/Echo.h"

extern "C" [[gnu::noinline]] void measuredTurns(steady::Echo& echo, std::size_t turns) {
    echo.rounds(turns);
}

namespace {

steady::Protocol protocolNamed(const std::string& name) {
    for (steady::Protocol& each : steady::protocols()) {
        if (each.name == name) return each;
    }
    throw std::runtime_error("no such protocol: " + name);
}

std::size_t number(const char* text) {
    return static_cast<std::size_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

int main(int count, char** arguments) try {
    if (count != 5) throw std::runtime_error("PROTOCOL CONNECTIONS DEPTH TURNS");
    // In a process that never had a second thread the C library leaves its locks open.
    std::thread([] {}).join();
    steady::Echo echo(protocolNamed(arguments[1]),
                      {.connections = number(arguments[2]), .depth = number(arguments[3])});
    echo.rounds(10);
    measuredTurns(echo, number(arguments[4]));
} catch (const std::exception& error) {
    std::fprintf(stderr, "steady-echo: %s\n", error.what());
    return 1;
}
