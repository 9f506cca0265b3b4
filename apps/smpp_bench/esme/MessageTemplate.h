// The submit_sm of a run, written once; a message differs in its sequence number, its stamp and the
// last digits of its destination only.
//
// Thread: one at a time.
#pragma once

#include "smpp_bench/Stamp.h"
#include "smpp_bench/esme/EsmeOptions.h"

namespace smppbench {

class MessageTemplate {
  public:
    MessageTemplate(const EsmeOptions& options, std::uint32_t run);

    // Valid until the next call.
    nio::ByteView message(std::uint32_t number, std::uint32_t sequence);

  private:
    const std::uint32_t run_;
    nio::Bytes pdu_;
    std::size_t digits_ = 0;  // where the last digits of destination_addr are
    std::size_t text_ = 0;    // where short_message is
};

}  // namespace smppbench
