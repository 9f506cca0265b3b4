// What the HTTP requests of one dispatcher have sent, and what waits for its answer.
//
// Thread: the dispatcher's own.
// Lifetime: the router's.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sms_router/model/Ingress.h"
#include "sms_router/routing/Shard.h"

namespace router {

class HttpSubmits {
  public:
    // `ingress` gets the answers, and gives them to answeredNow().
    HttpSubmits(Shard& shard, Ingress& ingress) : shard_(shard), ingress_(ingress) {}

    Shard& shard() const { return shard_; }
    // Of the next request.
    std::uint32_t nextSequence() { return ++sequence_; }
    // Of the parts of the next long message.
    std::uint16_t nextReference() { return ++reference_; }

    // The answer is null where there is nothing but its status.
    using Answered = nio::UniqueFunction<void(smpp::Status status, const smpp::Pdu* answer)>;
    // `request` is a whole PDU of that account (its index in the configuration). `answered` runs
    // once: now, or in a later turn.
    void takeNow(std::size_t account, nio::ChannelHandle connection, const nio::Bytes& request,
                 Answered answered) NIO_REQUIRES(nio::onDispatcher);
    void answeredNow(std::uint32_t sequence, nio::ByteView response)
        NIO_REQUIRES(nio::onDispatcher);

  private:
    void end(std::uint32_t sequence, smpp::Status status, const smpp::Pdu* answer);

    struct Waiting {
        Account* account = nullptr;
        bool isSubmit = true;
        Answered answered{};
    };

    Shard& shard_;
    Ingress& ingress_;
    std::uint32_t sequence_ = 0;
    std::uint16_t reference_ = 0;
    std::unordered_map<std::uint32_t, Waiting> waiting_;  // by sequence number
};

}  // namespace router
