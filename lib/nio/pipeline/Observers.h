// Stages that watch what passes: log() and count(). They may stand anywhere in a pipeline.
//
// Thread: the connection's dispatcher; copies any.
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <utility>

#include <nio/base/Bytes.h>
#include <nio/base/Error.h>
#include <nio/base/Guarded.h>
#include <nio/base/Log.h>
#include <nio/base/ThreadRole.h>

namespace nio {

// Logs opening, end, and the size of what passes: nio::log("client").
class LogStage {
  public:
    static constexpr bool isTransparent = true;

    LogStage(std::string name, LogLevel level) : name_(std::move(name)), level_(level) {}

    void opened(auto&) { line("opened"); }
    void read(auto& context, auto&& item) NIO_REQUIRES(onDispatcher) {
        line("read" + sizeOf(item));
        context.read(std::forward<decltype(item)>(item));
    }
    void write(auto& context, auto&& item) NIO_REQUIRES(onDispatcher) {
        line("write" + sizeOf(item));
        context.write(std::forward<decltype(item)>(item));
    }
    void peerFinished(auto&) { line("peer finished"); }
    void failed(auto&, const Error& error) {
        tryLine([&] { line("failed: " + error.message()); });
    }
    void closed(auto&) {
        tryLine([&] { line("closed"); });
    }

  private:
    static std::string sizeOf(ByteView bytes) {
        return " " + std::to_string(bytes.size()) + " bytes";
    }
    static std::string sizeOf(const auto&) { return ""; }
    void line(const std::string& event) const { log(level_, name_ + ": " + event); }
    // The other steps are to be told of the end, too.
    static void tryLine(auto&& write) {
        guarded(write, [](const std::exception_ptr&) {
            log(LogLevel::error, "nio::log: out of memory, a line is missing");
        });
    }

    std::string name_;
    LogLevel level_;
};

inline LogStage log(std::string name, LogLevel level = LogLevel::info) {
    return {std::move(name), level};
}

// What has passed through all connections of a pipeline.
//
// Thread: any. Lifetime: must outlive the connections.
struct Traffic {
    std::atomic<std::uint64_t> opened{0};
    std::atomic<std::uint64_t> closed{0};
    std::atomic<std::uint64_t> read{0};  // items: packets, say, or pieces of the stream
    std::atomic<std::uint64_t> written{0};
};

// Costs an atomic addition for each item: nio::count(traffic).
class CountStage {
  public:
    static constexpr bool isTransparent = true;

    explicit CountStage(Traffic& traffic) : traffic_(&traffic) {}

    void opened(auto&) { add(traffic_->opened); }
    void read(auto& context, auto&& item) NIO_REQUIRES(onDispatcher) {
        add(traffic_->read);
        context.read(std::forward<decltype(item)>(item));
    }
    void write(auto& context, auto&& item) NIO_REQUIRES(onDispatcher) {
        add(traffic_->written);
        context.write(std::forward<decltype(item)>(item));
    }
    void closed(auto&) { add(traffic_->closed); }

  private:
    static void add(std::atomic<std::uint64_t>& number) {
        number.fetch_add(1, std::memory_order_relaxed);
    }

    Traffic* traffic_;
};

inline CountStage count(Traffic& traffic) {
    return CountStage(traffic);
}

}  // namespace nio
