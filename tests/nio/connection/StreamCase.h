// A StreamHandler whose callbacks a test fills in, and a connection to it.
//
// Thread: that of the test.
#pragma once

#include <nio/connection/StreamHandler.h>

#include <gtest/gtest.h>

#include <functional>

#include "support/TestDispatcher.h"

namespace streams {

using support::Link;
using support::makeLink;
using support::TestDispatcher;
using Family = nio::SocketAddress::Family;

// Opens the protected door to the test.
class Stream final : public nio::StreamHandler {
  public:
    Stream(nio::SocketChannel channel, nio::StreamOptions options)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>(options)) {}

    using StreamHandler::end;
    using StreamHandler::revisitInput;
    using StreamHandler::sendThrough;

    std::function<void(std::string_view)> onBytes;
    std::function<void()> onOpened, onFinished, onFlushed, onClosed;
    std::string arrived;
    int opened = 0, finished = 0, flushed = 0, revisited = 0;

    // What outlives the handler.
    struct End {
        int closed = 0;
        std::optional<nio::Error> reason;
    };
    std::shared_ptr<End> ending = std::make_shared<End>();

  protected:
    void connectionOpened() override {
        ++opened;
        if (onOpened) onOpened();
    }
    void bytesArrived(nio::ByteView bytes) override {
        arrived += nio::asText(bytes);
        if (onBytes) onBytes(nio::asText(bytes));
    }
    void peerFinished() override {
        ++finished;
        onFinished ? onFinished() : StreamHandler::peerFinished();
    }
    void outputFlushed() override {
        ++flushed;
        if (onFlushed) onFlushed();
    }
    void connectionClosed(const std::optional<nio::Error>& reason) override {
        ++ending->closed;
        ending->reason = reason;
        if (onClosed) onClosed();
    }
    void inputRevisited() override { ++revisited; }
};

class StreamCase : public ::testing::Test {
  protected:
    Stream& add(std::function<void(Stream&)> prepare = {}, nio::StreamOptions options = {}) {
        auto made = std::make_unique<Stream>(std::move(link.channel), options);
        if (prepare) prepare(*made);
        ending = made->ending;
        return dispatcher.add(std::move(made), nio::Interest::read);
    }

    Link link = makeLink(Family::ipv4);
    std::shared_ptr<Stream::End> ending;
    TestDispatcher dispatcher;
};

}  // namespace streams
