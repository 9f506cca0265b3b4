// Prints one line that only the library can know.
#include <cstdio>

#include <nio/base/Error.h>

int main() {
    std::puts(nio::Error(nio::Errc::timedOut, "consumer").message().c_str());
}
