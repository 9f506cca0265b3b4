// What the tests of pipelines share: a connection of a pipeline, and its peer.
//
// Thread: that of the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

namespace pipelinetest {

using Strings = std::vector<std::string>;

class PipelineCase : public ::testing::Test {
  protected:
    template <class Factory>
    auto& add(const Factory& factory) {
        return dispatcher.add(factory(std::move(link.channel)), nio::Interest::read);
    }
    bool turnUntilEnded() {
        return dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 0; });
    }

    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    Strings seen;
    support::TestDispatcher dispatcher;
};

// An application that writes down what it is told.
struct Recorder {
    Strings* seen;

    void opened(auto&) { seen->push_back("opened"); }
    void read(auto&, std::string_view packet) { seen->emplace_back(packet); }
    void flushed(auto&) { seen->push_back("flushed"); }
    void peerFinished(auto& peer) {
        seen->push_back("peer finished");
        peer.closeAfterFlush();
    }
    void failed(auto&, const nio::Error& error) { seen->push_back(error.message()); }
    void closed(auto&) { seen->push_back("closed"); }
};

// Pauses at each packet.
struct OneAtATime : Recorder {
    void read(auto& peer, std::string_view packet) {
        seen->emplace_back(packet);
        peer.pauseReading();
    }
};

template <class Peer>
void resume(support::TestDispatcher& dispatcher, Peer& peer) {
    dispatcher.inTurn([&] { peer.resumeReading(); });
    dispatcher.turns(2);
}

// Gives each packet twice, both ways.
struct Twice {
    void read(auto& context, nio::ByteView packet) {
        context.read(packet);
        context.read(packet);
    }
    void write(auto& context, nio::ByteView packet) {
        context.write(packet);
        context.write(packet);
    }
};

}  // namespace pipelinetest
