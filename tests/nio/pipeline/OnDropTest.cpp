// What nio::on tells of output that is lost because the front ends, or has another handler.
#include <algorithm>

#include "nio/pipeline/OnCase.h"

namespace pipelinetest {
namespace {

const std::string isDropped = "dropped: ";

// Fails in the front, for what it receives.
struct Rejecting {
    void read(auto& context, nio::ByteView packet) {
        if (nio::asText(packet) == "bad") {
            return context.fail(nio::Error(std::errc::bad_message, "bad"));
        }
        context.read(packet);
    }
};

struct Multiplying {
    void write(auto& context, nio::ByteView) {
        const std::string much(100000, 'y');
        context.write(nio::asBytes(std::string_view(much)));
    }
};

// Sends a line when told, and with each line, and says what has become of it.
struct Telling : Recorder {
    nio::UniqueFunction<void()>* send;

    void tell(auto& peer) {
        peer.send(std::string_view("late"), [to = seen](const std::optional<nio::Error>& error) {
            to->push_back(error ? isDropped + error->message() : "written");
        });
    }
    void opened(auto& peer) {
        *send = [&peer, this] { tell(peer); };
    }
    void read(auto& peer, std::string_view) { tell(peer); }
    void flushed(auto&) {}
};

// Fails when told, which may be after the peer's end of stream.
struct FailingLater {
    std::size_t size;
    bool* isFinished;
    nio::UniqueFunction<void()>* fail;

    void opened(auto& peer) {
        *fail = [&peer] { peer.failAfterFlush(nio::Error(std::errc::bad_message, "later")); };
    }
    void read(auto& peer, std::string_view) { peer.send(std::string(size, 'a')); }
    void peerFinished(auto&) { *isFinished = true; }
};

class OnDropTest : public OnCase {
  protected:
    Telling application() { return {{&seen}, &send}; }
    auto& connect() {
        auto& front = add(nio::pipeline(nio::lines(), Rejecting(), nio::on(*other), application()));
        turns();
        return front;
    }
    std::size_t countOf(std::string_view start) const {
        return static_cast<std::size_t>(std::count_if(
            seen.begin(), seen.end(), [&](const auto& each) { return each.starts_with(start); }));
    }

    nio::UniqueFunction<void()> send;
};

TEST_F(OnDropTest, TheBackEndsWhenAStageOfTheFrontFails) {
    connect();
    link.peer.send("bad\n");
    EXPECT_TRUE(turnUntil([&] { return other->connectionCount() == 0; }));
    EXPECT_EQ(dispatcher->connectionCount(), 1u) << "the peer has not closed";
    const std::string error = nio::Error(std::errc::bad_message, "bad").message();
    EXPECT_EQ(seen, (Strings{error, "closed"}));
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(OnDropTest, OutputOverTheLimitOfTheFrontIsDropped) {
    nio::StreamOptions options;
    options.outputLimit = 64 * 1024;
    add(nio::pipeline(nio::lines(1024 * 1024), Multiplying(), nio::on(*other), application())
            .with(options));
    turns();
    link.peer.send("x\n");
    EXPECT_TRUE(turnUntilEnded());
    const std::string error = nio::Error(nio::Errc::outputLimit).message();
    EXPECT_EQ(seen, (Strings{isDropped + error, error, "closed"}));
}

TEST_F(OnDropTest, OutputThatTheFrontCannotFrameIsDropped) {
    add(nio::pipeline(nio::lines(64), Multiplying(), nio::on(*other), application()));
    turns();
    link.peer.send("x\n");
    EXPECT_TRUE(turnUntil([&] { return other->connectionCount() == 0; }));
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[0], isDropped + seen[1]);
    EXPECT_EQ(seen[2], "closed");
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(OnDropTest, OutputAfterTheDrainOfTheFrontIsDropped) {
    connect();
    nio::DrainOptions drain;
    drain.quietPeriod = std::chrono::milliseconds(1);
    drain.deadline = nio::kerneltest::patience;
    dispatcher->requestClose(drain);
    EXPECT_EQ(receiveAll(), "");
    other.inTurn([&] { send(); });
    turns();
    EXPECT_EQ(countOf("written"), 0u);
    EXPECT_EQ(countOf(isDropped), 1u);
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(OnDropTest, AnErrorAfterTheEndOfThePeerResetsNothing) {
    constexpr std::size_t size = 1500000;
    bool isFinished = false;
    nio::UniqueFunction<void()> fail;
    add(nio::pipeline(nio::lines(2 * size), EndRecorder{&seen}, nio::on(*other),
                      FailingLater{size, &isFinished, &fail}));
    turns();
    link.peer.send("x\n");
    link.peer.finish();
    EXPECT_TRUE(turnUntil([&] { return isFinished; }));
    turns(20);
    other.inTurn([&] { fail(); });
    other.turns(2);
    EXPECT_EQ(receiveAll().size(), size + 1);
    EXPECT_FALSE(link.peer.last().isFailed());
    EXPECT_TRUE(turnUntilEnded());
    const std::string error = nio::Error(std::errc::bad_message, "later").message();
    EXPECT_EQ(seen, (Strings{"front: " + error, "front closed"}));
}

TEST_F(OnDropTest, TheBackEndsWhenTheFrontIsReplaced) {
    auto& front = connect();
    other.inTurn([&] { send(); });
    dispatcher.inTurn([&] {
        EXPECT_TRUE(front.replaceWith(nio::pipeline(
            nio::lines(), [](auto& peer, std::string_view line) { peer.send(line); })));
    });
    EXPECT_TRUE(turnUntil([&] { return other->connectionCount() == 0; }));
    EXPECT_EQ(countOf("written"), 0u);
    EXPECT_EQ(seen.back(), "closed");
    link.peer.send("more\n");
    EXPECT_EQ(receive(10), "late\nmore\n");
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

}  // namespace
}  // namespace pipelinetest
