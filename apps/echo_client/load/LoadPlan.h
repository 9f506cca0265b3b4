// What all workers of a load go by.
//
// Thread: any; not changed once made. Lifetime: longer than all connections.
#pragma once

#include <memory>

#include <nio/connection/StreamOptions.h>

#include <nio-tls/Tls.h>

#include "echo_client/options/LoadOptions.h"

namespace load {

class LoadPlan {
  public:
    // Errors: an exception that names the file of TLS that is of no use.
    LoadPlan(const LoadOptions& options, const nio::SocketAddress& server);
    LoadPlan(const LoadPlan&) = delete;
    LoadPlan& operator=(const LoadPlan&) = delete;

    const LoadOptions& options() const { return options_; }
    const nio::SocketAddress& server() const { return server_; }
    const std::shared_ptr<const nio::StreamOptions>& stream() const { return stream_; }
    // A connection with more than so many bytes that the kernel has not taken sends no more.
    std::size_t unsentLimit() const { return unsentLimit_; }
    // Absent: no TLS.
    const std::optional<nio::TlsStage>& tls() const { return tls_; }
    std::optional<nio::SocketAddress> sourceOf(std::size_t connection) const;

  private:
    const LoadOptions options_;
    const nio::SocketAddress server_;
    const std::shared_ptr<const nio::StreamOptions> stream_;
    const std::size_t unsentLimit_;
    const std::optional<nio::TlsStage> tls_;
};

}  // namespace load
