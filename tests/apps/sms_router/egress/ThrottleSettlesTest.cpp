// At which rate ThrottleControl settles, against simulated SMSCs.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>

#include "sms_router/egress/ThrottleControl.h"

namespace router {
namespace {

using namespace std::chrono_literals;

double inSeconds(nio::Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

// Whether the SMSC takes a message now.
using Smsc = std::function<bool(nio::TimePoint)>;

Smsc tokenBucket(double perSecond, double depth) {
    return [=, tokens = depth, last = nio::TimePoint{}](nio::TimePoint now) mutable {
        tokens = std::min(depth, tokens + perSecond * inSeconds(now - last));
        last = now;
        if (tokens < 1) return false;
        --tokens;
        return true;
    };
}

// So many in each second of its clock.
Smsc perSecond(double most) {
    return [=, second = std::int64_t{0}, taken = 0.0](nio::TimePoint now) mutable {
        const auto current = now.time_since_epoch() / 1s;
        if (current != second) taken = 0;
        second = current;
        return ++taken <= most;
    };
}

Smsc sometimes(double share, unsigned seed) {
    return [=, random = std::mt19937(seed)](nio::TimePoint) mutable {
        return std::uniform_real_distribution<>(0, 1)(random) >= share;
    };
}

class Link {
  public:
    Link(double configured, Smsc smsc, nio::Clock::duration latency)
        : control(configured), smsc_(std::move(smsc)), latency_(latency) {}

    struct Rates {
        double accepted = 0;
        double throttled = 0;
        double sent() const { return accepted + throttled; }
    };
    // What was answered in a second, on average; so much is offered, in a burst each so often.
    Rates run(nio::Clock::duration time, double offeredPerSecond, nio::Clock::duration each = 1ms) {
        Rates answered;
        const nio::TimePoint begin = now_;
        for (const nio::TimePoint end = now_ + time; now_ < end; now_ += 1ms) {
            takeAnswers(answered);
            const bool isTime = (now_ - begin) % each == 0ms;
            if (isTime)
                waiting_ = std::min(waiting_ + offeredPerSecond * inSeconds(each), 10'000.0);
            while (waiting_ >= 1 && flights_.size() < 200 && control.take(now_)) send();
        }
        const double seconds = inSeconds(time);
        return {answered.accepted / seconds, answered.throttled / seconds};
    }

    ThrottleControl control;

  private:
    struct Flight {
        nio::TimePoint sent;
        bool isTaken;
    };

    void send() {
        --waiting_;
        flights_.push_back({now_, smsc_(now_)});
    }
    void takeAnswers(Rates& answered) {
        while (!flights_.empty() && flights_.front().sent + latency_ <= now_) {
            const Flight flight = flights_.front();
            flights_.pop_front();
            flight.isTaken ? control.accepted(flight.sent) : control.throttled(flight.sent, now_);
            ++(flight.isTaken ? answered.accepted : answered.throttled);
        }
    }

    Smsc smsc_;
    const nio::Clock::duration latency_;
    nio::TimePoint now_{1h};
    double waiting_ = 0;
    std::deque<Flight> flights_;
};

constexpr double moreThanEnough = 100'000;

TEST(ThrottleSettles, AtTheRateOfATokenBucket) {
    for (const double rate : {10.0, 100.0, 1000.0}) {
        for (const double depth : {rate / 10, rate, 3 * rate}) {
            for (const double configured : {0.0, 5000.0}) {
                for (const auto latency : {1ms, 50ms}) {
                    Link link(configured, tokenBucket(rate, std::max(depth, 1.0)), latency);
                    link.run(60s, moreThanEnough);
                    const Link::Rates rates = link.run(120s, moreThanEnough);
                    // One of a single token takes every other message as soon as the rate is over.
                    const double least = depth > 1 ? 0.98 : 0.95;
                    EXPECT_GE(rates.accepted, least * rate) << rate << " of " << depth;
                    EXPECT_LE(rates.throttled, 0.3 * rate) << rate << " of " << depth;
                }
            }
        }
    }
}

// Within 90 if the bucket holds one token: then a rate just above the limit gets half of it.
TEST(ThrottleSettles, WithinThirtySeconds) {
    for (const double rate : {10.0, 30.0, 100.0, 300.0, 1000.0}) {
        for (const double depth : {rate / 10, rate, 3 * rate}) {
            for (const double configured : {0.0, 1.5 * rate, 5000.0}) {
                for (const auto latency : {1ms, 20ms, 50ms}) {
                    Link link(configured, tokenBucket(rate, depth), latency);
                    link.run(depth > 1 ? 30s : 90s, moreThanEnough);
                    for (int minute = 0; minute < 3; ++minute) {
                        EXPECT_GE(link.run(60s, moreThanEnough).accepted, 0.95 * rate)
                            << rate << " of " << depth << ", configured " << configured;
                    }
                }
            }
        }
    }
}

TEST(ThrottleSettles, AtWhatIsOfferedIfOneInAHundredIsThrottled) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        for (const double offered : {10.0, 100.0, 1000.0}) {
            for (const double configured : {0.0, 5000.0}) {
                Link link(configured, sometimes(0.01, seed), 20ms);
                EXPECT_GE(link.run(60s, offered).sent(), 0.98 * offered) << seed << " " << offered;
            }
        }
    }
}

TEST(ThrottleSettles, AtTheRateOfAnSmscThatCountsSeconds) {
    for (const double rate : {10.0, 100.0, 1000.0}) {
        Link link(0, perSecond(rate), 20ms);
        link.run(60s, moreThanEnough);
        const Link::Rates rates = link.run(120s, moreThanEnough);
        EXPECT_GE(rates.accepted, 0.95 * rate) << rate;
        EXPECT_LE(rates.throttled, 0.1 * rate) << rate;
    }
}

TEST(ThrottleSettles, AtWhatIsOfferedIfSomeAreThrottledAnyhow) {
    unsigned seed = 1;
    for (const double share : {0.01, 0.02, 0.05, 0.1}) {
        for (const double offered : {10.0, 150.0, 2000.0}) {
            for (const double configured : {0.0, offered * 4 / 3}) {
                Link link(configured, sometimes(share, seed++), 5ms);
                link.run(20s, offered);
                const double sent = link.run(120s, offered).sent();
                EXPECT_GE(sent, (share > 0.01 ? 0.9 : 0.95) * offered) << share << " " << offered;
            }
        }
    }
}

TEST(ThrottleSettles, AtWhatIsOfferedIfAQuarterIsThrottledAnyhow) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        for (const double share : {0.2, 0.25}) {
            Link link(0, sometimes(share, seed), 50ms);
            link.run(120s, 100);
            EXPECT_GE(link.run(120s, 100).sent(), 90) << share << " " << seed;
        }
    }
}

TEST(ThrottleSettles, AtTheRateOfABucketThatThrottlesSomeAnyhow) {
    for (const double rate : {100.0, 1000.0}) {
        const Smsc bucket = tokenBucket(rate, rate / 10);
        const Smsc some = sometimes(0.01, 7);
        Link link(
            0, [=](nio::TimePoint now) mutable { return some(now) && bucket(now); }, 20ms);
        link.run(60s, moreThanEnough);
        EXPECT_GE(link.run(120s, moreThanEnough).accepted, 0.95 * rate);
    }
}

// What is answered in a second once it has settled.
Link::Rates settled(Link link, double offered, nio::Clock::duration each = 1ms) {
    link.run(60s, offered, each);
    return link.run(120s, offered, each);
}

// What exceeds a hard limit is not taken for background, whatever is throttled besides.
TEST(ThrottleSettles, WithFewThrottledAtAHardLimit) {
    for (const double rate : {30.0, 100.0, 500.0}) {
        // The first cut goes to 45.
        for (const double offered : {std::max(1.2 * rate, 50.0), 2 * rate}) {
            for (const double configured : {0.0, 4 * rate}) {
                for (const double depth : {rate / 10, rate, 2 * rate}) {
                    for (const double share : {0.0, 0.01}) {
                        const Smsc bucket = tokenBucket(rate, depth);
                        const Smsc some = sometimes(share, 7);
                        const auto both = [=](nio::TimePoint now) mutable {
                            return some(now) && bucket(now);
                        };
                        const Link::Rates rates = settled(Link(configured, both, 20ms), offered);
                        EXPECT_GE(rates.accepted, 0.97 * rate) << rate << " of " << depth;
                        EXPECT_LE(rates.throttled, 0.1 * rate) << rate << " of " << depth;
                    }
                }
            }
        }
    }
}

TEST(ThrottleSettles, AtAHardLimitAlsoWithBursts) {
    for (const double rate : {30.0, 100.0, 500.0}) {
        for (const auto each : {1s, 3s}) {
            for (const double configured : {0.0, 4 * rate}) {
                for (const double depth : {rate / 10, rate}) {
                    const Link link(configured, tokenBucket(rate, depth), 20ms);
                    const Link::Rates rates = settled(link, 3 * rate, each);
                    EXPECT_GE(rates.accepted, 0.95 * rate) << rate << " of " << depth;
                    EXPECT_LE(rates.throttled, 0.1 * rate) << rate << " of " << depth;
                }
            }
        }
    }
}

TEST(ThrottleSettles, AnewWhenTheSmscTakesLessAndMoreAgain) {
    const Smsc much = tokenBucket(1000, 100);
    const Smsc little = tokenBucket(50, 5);
    bool isSlow = false;
    Link link(
        0,
        [&, much, little](nio::TimePoint now) mutable { return isSlow ? little(now) : much(now); },
        20ms);
    link.run(60s, moreThanEnough);
    isSlow = true;
    link.run(10s, moreThanEnough);
    const Link::Rates slow = link.run(30s, moreThanEnough);
    EXPECT_GE(slow.accepted, 0.95 * 50);
    EXPECT_LE(slow.throttled, 0.3 * 50);
    isSlow = false;
    link.run(60s, moreThanEnough);
    EXPECT_GE(link.run(30s, moreThanEnough).accepted, 0.95 * 1000);
}

}  // namespace
}  // namespace router
