// The connection of an ESME: checks its bind, has its requests sent where they belong
// (EsmeRequests), gives it the answers and what arrives for its account.
//
// A window: while as many of its requests wait for answers as the account may have, nothing more is
// read from it. That its peer has gone is noticed all the same.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: see SmppLink.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <nio/sys/SocketAddress.h>
#include <nio/timers/Deadline.h>

#include "common/Places.h"
#include "sms_router/delivery/DeskBinds.h"
#include "sms_router/ingress/EsmeRequests.h"
#include "sms_router/ingress/PasswordDesk.h"
#include "sms_router/routing/Shard.h"
#include "sms_router/session/LoginThrottle.h"
#include "sms_router/session/SmppLink.h"

namespace router {

class AccountDesk;

// How long a new connection of that age keeps its place though others wait for one. Its wait in the
// backlog of the listener counts: connections that are silent must not make it last.
std::chrono::milliseconds timeLeftToBind(std::chrono::milliseconds established,
                                         bool hasBegunHandshake);

class EsmeLink final : public SmppLink {
  public:
    EsmeLink(const ShardSet& shards, std::shared_ptr<const smpp::SessionOptions> session,
             nio::SocketAddress peer, bool tls);

    // Its place among the connections of its listener; it offers that until it is bound.
    void take(apps::Places::Place place) { place_ = std::move(place); }

    // Null: the connection is over. Thread: the handle's dispatcher.
    static EsmeLink* findNow(nio::ChannelHandle handle) NIO_REQUIRES(nio::onDispatcher);

    // All of them: by the handle of each.
    static Ingress& ingress();

    // Puts another configuration in force for the shard and its connections.
    static void useNow(Shard& shard, SharedTopology topology) NIO_REQUIRES(nio::onDispatcher);
    // Connections of the shard take no new requests, and unbind once all are answered.
    static void drainNow(Shard& shard) NIO_REQUIRES(nio::onDispatcher);

    BindRow describeNow() const NIO_REQUIRES(nio::onDispatcher);
    // Empty while it is not bound.
    std::string accountName() const;

  private:
    class Links;

    // --- SmppLink and its session
    void opened() override NIO_REQUIRES(nio::onDispatcher);
    void failed(const nio::Error& error) override NIO_REQUIRES(nio::onDispatcher);
    void closed(const std::string& why) override NIO_REQUIRES(nio::onDispatcher);
    void bindRequested(const smpp::Pdu& bind) override;
    void requestArrived(const smpp::Pdu& request) override;
    void responseArrived(const smpp::Pdu& answer, smpp::Cookie cookie) override;
    void malformedArrived(smpp::Status problem, nio::ByteView octets) override;
    void unexpectedArrived(nio::ByteView octets) override NIO_REQUIRES(nio::onDispatcher);
    void requestLost(smpp::Cookie cookie, smpp::Lost how, smpp::Status status) override;
    void answeredLate(const smpp::Pdu& answer, smpp::Cookie cookie) override;
    void unbindArrived() override;
    // --- its shard
    void topologyChanged() NIO_REQUIRES(nio::onDispatcher);
    void drain() NIO_REQUIRES(nio::onDispatcher);

    // --- the bind
    void offerPlaceLater() NIO_REQUIRES(nio::onDispatcher);
    using Verdict = PasswordDesk::Verdict;
    // Absent: its password was not checked yet.
    void takeTurn(std::optional<Verdict> verdict) NIO_REQUIRES(nio::onDispatcher);
    void turnComes(std::optional<Verdict> verdict) NIO_REQUIRES(nio::onDispatcher);
    void decideBind() NIO_REQUIRES(nio::onDispatcher);
    std::optional<BindRefusal> judgeBind();
    void passwordChecked(Verdict verdict) NIO_REQUIRES(nio::onDispatcher);
    void decided(Verdict verdict) NIO_REQUIRES(nio::onDispatcher);
    static void admission(AccountDesk& desk, nio::ChannelHandle link, bool admitted)
        NIO_REQUIRES(nio::onDispatcher);
    void admittedNow(bool admitted) NIO_REQUIRES(nio::onDispatcher);
    void refuseBind(BindRefusal why) NIO_REQUIRES(nio::onDispatcher);
    void logRefused(const std::string& what, LoginThrottle::Why why)
        NIO_REQUIRES(nio::onDispatcher);
    void logRefusal(BindRefusal why) NIO_REQUIRES(nio::onDispatcher);
    AccountDesk& desk() const;

    // --- answers
    void answerNow(const Origin& origin, nio::ByteView response) NIO_REQUIRES(nio::onDispatcher);
    void respondNow(nio::ByteView response) NIO_REQUIRES(nio::onDispatcher);
    void deliverNow(std::uint64_t number, const nio::Bytes& pdu) NIO_REQUIRES(nio::onDispatcher);
    void refuseNow(smpp::Command request, smpp::Status status, std::uint32_t sequence)
        NIO_REQUIRES(nio::onDispatcher);
    void tellDesk(std::uint64_t number, std::optional<smpp::Status> status)
        NIO_REQUIRES(nio::onDispatcher);
    void countRequest(smpp::Command request);
    void countAnswer(smpp::Command request, smpp::Status status);
    void updateWindow() NIO_REQUIRES(nio::onDispatcher);
    void unbindIfDone() NIO_REQUIRES(nio::onDispatcher);
    const AccountConfig& accountConfig() const { return shard_->config().accounts[account_]; }
    Account& account() const { return *shard_->topology().accounts[account_]; }

    const ShardSet& shards_;
    Shard* shard_ = nullptr;
    const nio::SocketAddress peer_;
    const bool tls_;
    std::string systemId_;          // as the bind has it
    std::size_t account_ = 0;       // its index in the configuration
    Account* deskOwner_ = nullptr;  // the account, which stays when the configuration changes
    bool hasAccount_ = false;       // bound, and the configuration has the account
    bool atDesk_ = false;           // the desk knows this connection
    bool draining_ = false;
    bool hadTurn_ = false;  // its bind has waited, see LoginThrottle
    smpp::Command kind_{};  // of its bind
    std::chrono::steady_clock::time_point since_{};
    apps::Places::Place place_;
    std::optional<EsmeRequests> requests_;    // since it was bound
    std::unique_ptr<nio::Deadline> delayed_;  // until it has to bind; its bind, see LoginThrottle
    std::string password_;                    // of the bind that waits
    // That its password is checked by, until it is decided or the connection is gone.
    std::shared_ptr<const PasswordHash> asks_;
};

}  // namespace router
