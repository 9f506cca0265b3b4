// Walks once over the body of a PDU, by its layout. Private to this room.
//
// Thread: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Layout.h>
#include <smpp/pdu/Pdu.h>

namespace smpp {

// Every mandatory field of `pdu`, which begins with its header: the offset of each goes to
// `starts`, then that of what follows. Nothing behind the PDU is read.
Status scanFields(nio::ByteView pdu, const Layout& layout, Reading reading, std::uint32_t* starts);

// What follows the mandatory fields: optional parameters, or nothing.
struct RestScan {
    Status problem = Status::ok;
    std::size_t good = 0;  // octets before the problem
};
RestScan scanRest(nio::ByteView rest, const Layout& layout, Reading reading);

}  // namespace smpp
