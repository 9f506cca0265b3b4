#include "echo_server/ConnectionLog.h"

#include <chrono>
#include <cstdio>
#include <ctime>

#include <nio/loop/SelectorThread.h>
#include <nio/sys/LineSink.h>

namespace echo {

namespace {

std::string timeNow() {
    using namespace std::chrono;
    const auto now = floor<milliseconds>(system_clock::now());
    const std::time_t seconds = system_clock::to_time_t(now);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char date[32];
    char text[48];
    (void)std::strftime(date, sizeof date, "%FT%T", &parts);
    const auto fraction = static_cast<int>(now.time_since_epoch().count() % 1000);
    (void)std::snprintf(text, sizeof text, "%s.%03dZ", date, fraction);
    return text;
}

}  // namespace

std::string peerOf(nio::StreamHandler& connection) {
    const auto address = connection.channel().peerAddress();
    return address ? address.value().toString() : "unknown peer";
}

void logConnection(std::string_view what, std::string_view peer, std::string_view how) {
    (void)nio::standardError().write({timeNow(), " ", what, ": ", peer, how, "\n"});
}

std::string ConnectionLog::placeOf(nio::StreamHandler& connection) {
    return " on " + connection.dispatcher().name();
}

std::string ConnectionLog::account() const {
    const std::chrono::duration<double> open = nio::Clock::now() - openedAt_;
    char seconds[32];
    (void)std::snprintf(seconds, sizeof seconds, "%.3f s", open.count());
    return ": " + (failure_.empty() ? "closed normally" : failure_) + ", received " +
           std::to_string(received_) + " bytes, sent " + std::to_string(sent_) + " bytes, open " +
           seconds;
}

}  // namespace echo
