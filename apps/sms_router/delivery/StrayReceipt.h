// A receipt that came by a connector where its message is not known, or not beyond doubt: it goes
// round the others of the same SMSC (ConnectorConfig::smsc) and comes back, if none has it. If some
// may have it, it goes round once more, and the one whose message fits best takes it.
//
// Thread: a value that is handed from dispatcher to dispatcher.
#pragma once

#include <cstdint>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/loop/SelectorThread.h>

namespace router {

class Account;
class ReceiptDesk;

// How well a message fits a receipt: the right number and the id in the other base, say. `over`: it
// has had its final receipt.
enum class Fit : std::uint8_t { none, anyNumber, otherNumber, otherForm, otherSender, over, sure };

struct StrayReceipt {
    nio::ChannelHandle link;  // by which it came, and is answered
    nio::Bytes pdu;
    nio::TimePoint arrived{};
    nio::TimePoint until{};           // it may be held
    std::vector<ReceiptDesk*> stops;  // that it has still to make, the next one last; then: home
    std::uint64_t place = 0;          // among those that are held at home
    bool mayComeYet = false;          // its message, to one where it has been
    Fit best = Fit::none;             // of what was found on its way
    const Account* whose = nullptr;   // what was found without its number speaking for it
    bool isContested = false;         // such were found of several accounts: none of them takes it
    bool isLastRound = false;
};

}  // namespace router
