// A request of an ESME on its way to an SMSC.
//
// Thread: a value that is handed from dispatcher to dispatcher.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <nio/base/Bytes.h>
#include <nio/loop/SelectorThread.h>

#include <smpp/pdu/PduWriter.h>

#include "sms_router/model/AddressMark.h"
#include "sms_router/model/Ingress.h"
#include "sms_router/model/MessageId.h"
#include "sms_router/model/MessageRecord.h"
#include "sms_router/model/Rerouting.h"
#include "sms_router/model/SourceAddress.h"

namespace router {

class Account;

// Where an answer is awaited: a connection, and the request on it. Thread of its members: any
// dispatcher's.
struct Origin {
    nio::ChannelHandle link;
    std::uint32_t sequence = 0;
    smpp::Command command{};
    std::uint32_t part = 0;      // of a submit_multi that was split, from 1; 0: the whole request
    Ingress* ingress = nullptr;  // by which it came
    Whole whole{};               // what it is a part of
    unsigned charge = 1;         // messages, against the account's rate

    // See Ingress::answer().
    void answer(nio::Bytes response) const { ingress->answer(*this, std::move(response)); }
    void refuse(smpp::Status status) const { answer(smpp::answer(command, status, sequence)); }
};

struct Submission {
    Origin origin;
    Account* account = nullptr;
    nio::Bytes pdu;                 // the whole request, addresses rewritten
    MessageId about = 0;            // query, cancel, replace: of which message
    MessageId shown = 0;            // the id that its ESME gets; 0: the connector makes one
    bool isPart = false;            // of a submit_multi, whose parts have one id in common
    AddressMark destination{};      // as it is sent
    AddressMark sender{};           // likewise
    bool otherDestination = false;  // a route has made its only one another than the ESME's
    SharedSource source{};          // as it is sent
    SharedOwn own{};                // for its receipts; null: the addresses are not rewritten
    bool wantsReceipt = false;
    // A receipt when it is delivered.
    bool wantsSuccess = false;
    unsigned messages = 1;               // of a submit_multi as many as it has destinations
    std::size_t mostWaiting = SIZE_MAX;  // of its account at one connector: window x max_binds
    Rerouting rerouting{};               // to another connector, while it was not sent
    std::uint8_t moves = 0;              // so often that was done
    nio::TimePoint arrived{};
    nio::TimePoint handedOver{};              // to the first connector's dispatcher
    std::unique_ptr<MessageRecord> record{};  // where there is an access log
};

}  // namespace router
