// An AccountDesk on a dispatcher, with a source that writes down what it is told, and ESMEs.
#pragma once

#include "apps/sms_router/store/StoreTesting.h"
#include "apps/sms_router/support/EsmeBench.h"
#include "apps/sms_router/support/NotingEgress.h"
#include "sms_router/delivery/AccountDesk.h"

namespace router {

using namespace std::chrono_literals;
using smpp::Status;
using smpp::smpptest::octets;

using Told = std::vector<std::string>;

// deliver_sm number n: 36 octets, with n in its text. Its sequence number is filled in.
inline std::string deliverSm(unsigned n, const std::string& sequence) {
    return "00000024 00000005 00000000" + sequence +
           "00 01 01 'A' 00 01 01 'B' 00 00 00 00 00 00 00 00 00 00 01 '" +
           std::string(1, static_cast<char>('0' + n)) + "'";
}

inline std::string deliverAnswer(const std::string& sequence,
                                 const std::string& status = "00000000") {
    return "00000011 80000005" + status + sequence + "00";
}

// A desk, its ESMEs and a connector.
struct DeskCase {
    explicit DeskCase(const StoreConfig& store = storeInMemory()) : bench(store) {
        source.standOn(*bench.dispatcher);
    }

    // With the SMSC's number n.
    Delivery deliveryOf(unsigned n, smpp::Command command = smpp::Command::deliverSm) {
        Delivery delivery;
        delivery.pdu = std::make_shared<const nio::Bytes>(octets(deliverSm(n, "00000000")));
        delivery.source = &source;
        delivery.sequence = n;
        delivery.command = command;
        delivery.arrived = nio::Clock::now();
        return delivery;
    }
    void deliver(unsigned n, smpp::Command command = smpp::Command::deliverSm) {
        Delivery delivery = deliveryOf(n, command);
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            bench.desk->deliverNow(std::move(delivery));
        });
    }
    void deliver(std::initializer_list<unsigned> numbers) {
        for (const unsigned n : numbers) deliver(n);
    }
    AccountDesk::Figures figures() {
        AccountDesk::Figures now;
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            now = bench.desk->figuresNow();
        });
        return now;
    }
    bool untilTold(const Told& told) {
        return bench.dispatcher.turnUntil([&] { return source.told.size() >= told.size(); }) &&
               source.told == told;
    }
    // Takes the deliveries with these numbers, in this order, and acknowledges each.
    void takes(RawSmpp& esme, std::initializer_list<unsigned> numbers, unsigned sequence = 1) {
        for (const unsigned n : numbers) {
            const std::string ours = "0000000" + std::to_string(sequence++);
            EXPECT_EQ(esme.next(), written(deliverSm(n, ours)));
            esme.send(deliverAnswer(ours));
        }
    }

    // Hears of what is left when the bench ends.
    NotingEgress source;
    EsmeBench bench;
};

}  // namespace router
