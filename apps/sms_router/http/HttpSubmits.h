// What the HTTP requests of one dispatcher have sent, and what waits for its answer.
//
// Thread: the dispatcher's own.
// Lifetime: the router's.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sms_router/http/Idempotency.h"
#include "sms_router/http/MessageBody.h"
#include "sms_router/model/Ingress.h"
#include "sms_router/model/MessageId.h"
#include "sms_router/routing/Shard.h"

namespace router {

class HttpSubmits {
  public:
    // `ingress` gets the answers, and gives them to answeredNow().
    HttpSubmits(Shard& shard, Ingress& ingress, IdempotencyKeys& keys)
        : shard_(shard), ingress_(ingress), keys_(keys) {}

    Shard& shard() const { return shard_; }
    // Of all dispatchers.
    IdempotencyKeys& keys() const { return keys_; }
    // For one request at a time.
    MessageBody& body() { return body_; }
    // Of the next request.
    std::uint32_t nextSequence() { return ++sequence_; }
    // Of the parts of the next long message.
    std::uint16_t nextReference() { return ++reference_; }

    // The answer is null where there is nothing but its status.
    using Answered = nio::UniqueFunction<void(smpp::Status status, const smpp::Pdu* answer)>;
    // A request of that account (its index in the configuration).
    struct Request {
        std::size_t account = 0;
        nio::ChannelHandle connection{};
        nio::Bytes pdu{};     // whole
        Whole whole{};        // that it is a part of, if it submits
        unsigned charge = 1;  // see Origin
    };
    // `answered` runs once: now, or in a later turn.
    void takeNow(const Request& request, Answered answered) NIO_REQUIRES(nio::onDispatcher);
    // How the parts of a long message are to be marked, by the connector of this one.
    smpp::Marking markingFor(const Request& part) NIO_REQUIRES(nio::onDispatcher);
    void answeredNow(std::uint32_t sequence, nio::ByteView response)
        NIO_REQUIRES(nio::onDispatcher);

  private:
    void end(std::uint32_t sequence, smpp::Status status, const smpp::Pdu* answer);

    struct Waiting {
        Account* account = nullptr;
        smpp::Command request{};
        Answered answered{};
    };

    Shard& shard_;
    Ingress& ingress_;
    IdempotencyKeys& keys_;
    MessageBody body_;
    std::uint32_t sequence_ = 0;
    std::uint16_t reference_ = 0;
    std::unordered_map<std::uint32_t, Waiting> waiting_;  // by sequence number
};

}  // namespace router
