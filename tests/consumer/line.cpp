// Prints one line that only the libraries can know.
#include <cstdio>

#include <nio/base/Error.h>
#include <smpp/pdu/Status.h>

int main() {
    if (!smpp::statusNamed("ESME_ROK")) return 1;
    std::puts(nio::Error(nio::Errc::timedOut, "consumer").message().c_str());
}
