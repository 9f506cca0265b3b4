// --proxy-protocol: a stage that takes the PROXY header off the stream. One that is malformed or
// cut short ends its connection with one line on standard error.
//
// Thread: the connection's dispatcher; copies any.
#pragma once

#include "echo_server/ConnectionLog.h"
#include "echo_server/ProxyHeader.h"

namespace echo {

class ProxyStage {
  public:
    using In = nio::ByteStream;
    using Out = nio::ByteStream;

    // `isExpected`: else all passes. `isShown`: a line for each header.
    ProxyStage(bool isExpected, bool isShown) : isExpected_(isExpected), isShown_(isShown) {}

    std::size_t read(auto& context, nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher) {
        if (isRefused_) return bytes.size();
        if (isExpected_) return readHeader(context, bytes);
        context.taken(bytes.size());
        context.read(bytes);
        return bytes.size();
    }
    void peerFinished(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        if (hasBegun_) refuse(context, {nio::Errc::truncated, "PROXY header"});
    }

  private:
    std::size_t readHeader(auto& context, nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher) {
        const auto header = parseProxyHeader(bytes);
        if (!header) {
            refuse(context, header.error());
            return bytes.size();
        }
        hasBegun_ = !header.value();
        if (hasBegun_) return 0;
        isExpected_ = false;
        if (isShown_) {
            logConnection("proxied", peerOf(context.connection()),
                          ": " + header.value()->toString());
        }
        return header.value()->bytes;
    }
    void refuse(auto& context, nio::Error error) NIO_REQUIRES(nio::onDispatcher) {
        hasBegun_ = false;
        isRefused_ = true;
        logConnection("refused", peerOf(context.connection()), ": " + error.message());
        context.fail(std::move(error));
    }

    bool isExpected_;
    bool isShown_;
    bool isRefused_ = false;
    bool hasBegun_ = false;  // a part of the header has come
};

}  // namespace echo
