// TLS as a stage of a pipeline: nio::tls(context). The other stages see plain bytes.
//
//     auto context = nio::TlsContext::server({"chain.pem", "key.pem"}).orThrow();
//     nio::Server server("0.0.0.0:7443", nio::tls(context), nio::lines(), application);
//
//     auto trust = nio::TlsContext::client({}).orThrow();  // the system's authorities
//     nio::Client client("example.org:7443", nio::tls(trust, "example.org"), nio::lines(), ...);
//
// Output of one callback is encoded together. Until the handshake is done it is held and counts as
// pending output; a pause does not stop the handshake. The end of stream is close_notify both ways:
// ours leaves before FIN, the peer's is peerFinished(), and a FIN without it is Errc::truncated.
// The handshake has no timeout: the application needs its own. A failed handshake ends the
// connection with Errc::encodingFailed and OpenSSL's reason.
//
// Without a context the stage passes all bytes: one pipeline serves both kinds of listener.
//
// Errors: tls() throws std::invalid_argument for a server name without a context, which would send
// plain text, and for a null slot.
//
// Thread: the connection's dispatcher; copies, and TlsSlot, any.
// Lifetime: a connection keeps the context that it began with.
#pragma once

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include <nio/base/ThreadRole.h>
#include <nio/codec/ProtocolDecoder.h>

#include <nio-tls/TlsSession.h>

namespace nio {

// A context that can be replaced: connections that open later use the new one. Null: no TLS.
class TlsSlot {
  public:
    explicit TlsSlot(std::shared_ptr<const TlsContext> context = nullptr)
        : context_(std::move(context)) {}

    void set(std::shared_ptr<const TlsContext> context) {
        const std::lock_guard lock(mutex_);
        context_.swap(context);
    }
    std::shared_ptr<const TlsContext> get() const {
        const std::lock_guard lock(mutex_);
        return context_;
    }

  private:
    mutable std::mutex mutex_;
    std::shared_ptr<const TlsContext> context_;
};

class TlsStage {
  public:
    using In = ByteStream;
    using Out = ByteStream;

    struct Settings {
        std::shared_ptr<const TlsSlot> slot;
        std::string serverName;  // of a client's context
    };
    explicit TlsStage(Settings settings)
        : settings_(std::make_shared<const Settings>(std::move(settings))) {}
    // A connection begins with a copy.
    TlsStage(const TlsStage& other) : settings_(other.settings_) {}
    TlsStage& operator=(const TlsStage&) = delete;

    // Null: this connection has no TLS, or is not open yet.
    const TlsSession* session() const { return live_ == nullptr ? nullptr : &live_->session; }

    void opened(auto& context) NIO_REQUIRES(onDispatcher) {
        begin();
        if (live_ == nullptr) return;
        context.startEncoding();
        Network network(context);
        failOn(context, live_->session.begin(network));
    }
    void read(auto& context, ByteView arrived) NIO_REQUIRES(onDispatcher) {
        if (live_ == nullptr) return context.read(arrived);
        TlsSession& session = live_->session;
        if (live_->failed || session.hasPeerFinished()) return;
        TlsBuffer plain;
        Network network(context);
        const Result<void> decoded = session.decode(arrived, plain, network);
        if (!plain.bytes().empty()) context.read(plain.bytes());
        failOn(context, decoded);
        if (session.hasPeerFinished()) context.peerFinished();
    }
    void write(auto& context, ByteView plain) NIO_REQUIRES(onDispatcher) {
        begin();
        if (live_ == nullptr) return context.write(plain);
        if (!live_->failed) live_->unsent.append(plain);
    }
    void flush(auto& context) NIO_REQUIRES(onDispatcher) {
        if (pendingBytes() == 0 || !live_->session.isReady()) return;
        Network network(context);
        const Result<void> encoded = live_->session.encode(live_->unsent.bytes(), network);
        if (!encoded) return failOn(context, encoded);
        live_->unsent.release();
    }
    void finish(auto& context) NIO_REQUIRES(onDispatcher) {
        if (live_ == nullptr || live_->failed) return;
        Network network(context);
        failOn(context, live_->session.finish(network));
    }
    void peerFinished(auto& context) NIO_REQUIRES(onDispatcher) {
        if (live_ == nullptr || live_->failed || live_->session.hasPeerFinished()) return;
        if (live_->session.isReady()) return context.fail(Error(Errc::truncated, "receive"));
        failOn(context, Error(Errc::truncated, "handshake"));
    }
    std::size_t pendingBytes() const { return live_ == nullptr ? 0 : live_->unsent.bytes().size(); }
    std::size_t memory() const {
        return live_ == nullptr ? 0 : live_->session.memory() + live_->unsent.memory();
    }
    bool needsInput() const {
        return live_ != nullptr && !live_->failed && !live_->session.isReady();
    }

  private:
    template <class Context>
    class Network final : public ByteSink {
      public:
        explicit Network(Context& context) : context_(context) {}
        void append(ByteView bytes) override {
            onDispatcher.assumeCurrent();
            context_.write(bytes);
        }

      private:
        Context& context_;
    };
    struct Live {
        Live(const TlsContext& context, const std::string& serverName)
            : session(context, serverName) {}
        TlsSession session;
        TlsBuffer unsent{};  // not encoded yet
        bool failed = false;
    };

    void begin() {
        if (std::exchange(begun_, true)) return;
        const std::shared_ptr<const TlsContext> context = settings_->slot->get();
        if (context == nullptr) return;
        live_ = std::make_unique<Live>(*context, settings_->serverName);
    }
    // After an error no output can be encoded any more.
    void failOn(auto& context, const Result<void>& result) NIO_REQUIRES(onDispatcher) {
        if (result) return;
        live_->failed = true;
        const std::size_t lost = live_->unsent.bytes().size();
        live_->unsent.release();
        context.fail(result.error(), lost);
    }

    std::shared_ptr<const Settings> settings_;
    std::unique_ptr<Live> live_;
    bool begun_ = false;
};

// `serverName`: for a client's context, the name that its server's certificate must have.
inline TlsStage tls(std::shared_ptr<const TlsContext> context = nullptr,
                    std::string serverName = {}) {
    if (context == nullptr && !serverName.empty()) {
        throw std::invalid_argument("nio::tls: no context for server \"" + serverName + "\"");
    }
    return TlsStage({std::make_shared<const TlsSlot>(std::move(context)), std::move(serverName)});
}
inline TlsStage tls(std::shared_ptr<const TlsSlot> slot, std::string serverName = {}) {
    if (slot == nullptr) throw std::invalid_argument("nio::tls: the slot must not be null");
    return TlsStage({std::move(slot), std::move(serverName)});
}

// The session of a pipeline that has a TlsStage: its protocol, cipher, the peer's certificate.
// Null: none.
const TlsSession* tlsOf(auto& peer) {
    return peer.template stage<TlsStage>().session();
}

}  // namespace nio
