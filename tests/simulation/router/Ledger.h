// Every message of a run, and what has become of it on either side of the router.
//
// Thread: the one of the run.
#pragma once

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Status.h>

#include "simulation/router/OddPdu.h"
#include "simulation/router/RouterScenario.h"
#include "simulation/router/SentReceipt.h"
#include "simulation/threads/Scheduler.h"

namespace simulation {

struct SentMessage {
    smpp::Command command() const { return smpp::Header::read(pdu)->command; }
    // The router knows no number of its receipts, and no repetitions.
    bool isMulti() const { return command() == smpp::Command::submitMulti; }

    std::size_t esme = 0;
    std::size_t edition = 0;  // at least this one was in force everywhere when it was sent
    std::string number{};     // where it goes, first of all: no other message does
    nio::Bytes pdu{};         // as the ESME has sent it
    smpp::Status refusal{};   // with which the router is to answer it
    std::size_t forwarded = 0;
    std::size_t answered = 0;
    bool abandoned = false;     // its ESME was unbound before it was answered
    bool unheard = false;       // its answer, and id, were lost on their way
    std::string whole{};        // the id of the message that it is one part of several of
    std::size_t reference = 0;  // where the router has one of its own in the PDU; 0: nowhere
    std::optional<smpp::Status> smscStatus{};  // what the SMSC has answered
    nio::Bytes answer{};                       // likewise, as it is passed on
    std::string smscId{};
    std::string id{};                   // as the router has answered
    std::list<SentReceipt> receipts{};  // from the SMSC
};

// From an SMSC to an account.
struct OriginatedMessage {
    std::size_t esme = 0;
    std::size_t edition = 0;  // as above
    bool open = false;        // the SMSC does not know yet what became of it
    nio::Bytes pdu{};         // as it is passed on
    bool accepted = false;    // the router has said so
    std::size_t delivered = 0;
    bool late = false;  // as above
};

// What a webhook has got about a message.
struct PostedReceipt {
    std::size_t account = 0;
    std::string delivery{};  // its number
    std::string to{};
    std::size_t taken = 0;  // so often the webhook has said so
};

struct EarlyReceipt {
    std::size_t esme = 0;
    std::string body;
    bool late = false;  // as above
};

struct Ledger {
    Ledger(const RouterScenario& ofScenario, Scheduler& ofScheduler)
        : scenario(ofScenario), scheduler(ofScheduler), troubled(ofScenario.smscs) {
        for (std::size_t i = 0; i < scenario.smscs; ++i) {
            listeners.push_back(&machine().listenOutside(RouterScenario::smscAddress(i), 16));
        }
    }

    bool isOdd(Random& random) const {
        return scenario.oddPerMille > 0 && random.chance(scenario.oddPerMille);
    }
    // This PDU, with an oddity if the scenario has some.
    OddPdu sentBy(Random& random, Place place, const nio::Bytes& pdu) {
        if (!isOdd(random)) return {pdu, pdu};
        OddPdu odd = oddPdu(place, pdu, random);
        machine().journal().note(odd.name);
        return odd;
    }
    // As an ESME with this account is to get it.
    std::string bodyOf(std::size_t esme, nio::ByteView pdu) const {
        return std::string(nio::asText(bodyFor(scenario.versionOf(esme), pdu)));
    }
    SentReceipt* receiptLike(SentMessage& message, std::string_view body) const {
        auto& all = message.receipts;
        const auto found = std::find_if(all.begin(), all.end(), [&](const SentReceipt& each) {
            return bodyOf(message.esme, each.expected()) == body;
        });
        return found == all.end() ? nullptr : &*found;
    }
    Machine& machine() { return scheduler.machine(); }
    void fail(const std::string& what) { machine().journal().fail(what); }
    // Its text names a message.
    SentMessage* find(std::string_view text) {
        const auto found = messages.find(text.substr(0, text.find(' ')));
        return found == messages.end() ? nullptr : &found->second;
    }
    SentMessage* goingTo(std::string_view number) {
        const auto found = std::find_if(messages.begin(), messages.end(), [&](const auto& each) {
            return each.second.number == number;
        });
        return found == messages.end() ? nullptr : &found->second;
    }
    // Messages may be refused, and receipts lost, through no fault of the router.
    bool isExcused(std::size_t smsc) {
        const auto& dialled = listeners[smsc]->dialled;
        const bool isBroken = std::any_of(dialled.begin(), dialled.end(),
                                          [](const auto& each) { return !each->excuse().empty(); });
        // It could not even dial: it does so again later.
        const auto& struck = machine().faults().struck();
        const bool noSocket = std::any_of(struck.begin(), struck.end(), [](const auto& each) {
            return each.fault == Fault::noDelayFails;
        });
        return isBroken || noSocket || troubled[smsc] || mayBeOff(smsc) || stops ||
               scheduler.clockHasJumped();
    }

    // It was stopped by hand, or a configuration did not have it; then it has to be bound again.
    bool mayBeOff(std::size_t smsc) const { return switched[smsc] || mayLackConnector(smsc); }
    bool mayLackConnector(std::size_t smsc) const {
        return someEdition(
            0, [&](std::size_t i) { return scenario.editions[i].lacksConnector == smsc; });
    }
    // Where a route leads that is in force, or may still be.
    bool mayGoTo(const SentMessage& message, std::size_t smsc) const {
        return someEdition(message.edition, [&](std::size_t i) {
            return scenario.connectorOf(message.esme, i) == smsc;
        });
    }
    // There was a time, since this edition was in force, when the router did not know the account.
    bool mayLackAccount(std::size_t esme, std::size_t since) const {
        return someEdition(since,
                           [&](std::size_t i) { return scenario.editions[i].lacksAccount[esme]; });
    }
    bool isExcused(const SentMessage& message) {
        for (std::size_t i = 0; i < scenario.smscs; ++i) {
            if (mayGoTo(message, i) && isExcused(i)) return true;
        }
        return false;
    }
    // It was not sent, since an SMSC had asked to be left.
    bool mayHaveNoLink(const SentMessage& message) const {
        for (std::size_t i = 0; i < scenario.smscs; ++i) {
            if (message.forwarded == 0 && unbound[i] && mayGoTo(message, i)) return true;
        }
        return false;
    }
    // Where ESMEs are sure to be listened to: the other one, where it is certain to be there.
    std::uint16_t esmePort() const {
        const bool hasOther = settled == newest && scenario.editions[settled].hasAnotherPort;
        return hasOther ? RouterScenario::otherPort : RouterScenario::esmePort;
    }
    // The widest that there has been: what is under way may be of that time.
    std::size_t accountWindow() const {
        std::size_t widest = 0;
        (void)someEdition(0, [&](std::size_t i) {
            widest = std::max(widest, scenario.editions[i].accountWindow);
            return false;
        });
        return widest;
    }
    // Of those that were, are or may be in force.
    template <class Matches>
    bool someEdition(std::size_t since, Matches matches) const {
        for (std::size_t i = since; i <= newest; ++i) {
            if (!refused.contains(i) && matches(i)) return true;
        }
        return false;
    }

    const RouterScenario& scenario;
    Scheduler& scheduler;
    std::map<std::string, SentMessage, std::less<>> messages;  // by the first word of their text
    std::map<std::string, OriginatedMessage, std::less<>> originated;  // by their text
    std::map<std::string, nio::Bytes, std::less<>> alerts;  // by their source, as passed on
    std::set<std::string> ids;                              // that the router has given
    // Receipts that came by another connection than their message's answer, and before it.
    std::map<std::string, std::vector<EarlyReceipt>> early;  // by the number of the message
    std::map<std::string, PostedReceipt> posted;             // by the id of the message
    std::vector<Listener*> listeners;                        // of the SMSCs
    std::vector<bool> troubled;     // SMSCs to which a connection was lost, or not there in time
    std::size_t newest = 0;         // edition that the router has read
    std::set<std::size_t> refused;  // editions of which nothing may be in force
    std::size_t settled = 0;        // in force on all dispatchers: an earlier one is on none
    std::vector<bool> switched = std::vector<bool>(RouterScenario::mostSmscs);  // by hand
    std::vector<bool> unbound = std::vector<bool>(RouterScenario::mostSmscs);   // by themselves
    // A connection of this account's ended, and acknowledgements with it, perhaps.
    std::array<bool, RouterScenario::mostAccounts> mayRepeat{};
    // Receipts that another of the SMSC's connections than the message's is to send, by SMSC.
    std::array<std::vector<SentReceipt*>, RouterScenario::mostSmscs> strays{};
    bool ready = false;  // the router has said so
    bool stops = false;  // it was told to
};

}  // namespace simulation
