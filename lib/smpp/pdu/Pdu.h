// A PDU seen in place: where its fields are, and what they say. Nothing is copied or allocated; all
// views are into the received bytes.
//
//     const smpp::Scanned scanned = smpp::scan(bytes);
//     if (!scanned.pdu) return answer(scanned.problem);
//     std::string_view to = scanned.pdu->text(smpp::Field::destinationAddress);
//
// The scan is bounded by the bytes given: no length within them is believed before it was checked.
// The fields are judged in their order, then the optional parameters; the first problem counts
// (a tolerant reading has fewer, see Reading):
//
//     what is wrong                                               problem
//     fewer than 16 octets, or command_length is not the size     ESME_RINVCMDLEN
//     the body ends before a field has begun, or within integers  ESME_RINVCMDLEN
//     octets behind the last field, where no TLV may follow       ESME_RINVCMDLEN
//     a C-octet string without its NUL, or over its maximum:
//         system_id, password, system_type                        ESME_RINVSYSID, …PASWD, …SYSTYP
//         address_range                                           ESME_RBINDFAIL
//         service_type                                            ESME_RINVSERTYP
//         source_addr                                             ESME_RINVSRCADR
//         destination_addr, esme_addr, an SME of a list           ESME_RINVDSTADR
//         dl_name                                                 ESME_RINVDLNAME
//         message_id                                              ESME_RINVMSGID
//         final_date                                              ESME_RUNKNOWNERR
//     schedule_delivery_time, validity_period: the same, or not
//         0 or 16 characters                                      ESME_RINVSCHED, ESME_RINVEXPIRY
//     sm_length over 254, or past the end                         ESME_RINVMSGLEN
//     number_of_dests 0 or over 254                               ESME_RINVNUMDESTS
//     dest_flag other than 1 and 2                                ESME_RINVDESTFLAG
//     octets behind the last field that are no whole TLVs         ESME_RINVOPTPARSTREAM
//     a TLV's length is wrong for its tag                         ESME_RINVPARLEN
//
// No problem, since refusing it would lose messages and helps nobody:
//  - any body of an unknown command: it is not looked at;
//  - a response without a body, whatever its status; then has() is false for its fields;
//  - a response whose status is not ok with a body that is malformed: as if it had none. The octets
//    stay as they came;
//  - a response whose status is ok and whose fields are well, but not what follows them: as if it
//    ended before that; header() has the shorter command_length, the octets the one that came.
//    What it says has been done;
//  - short_message and message_payload at once (3.4 forbids it, but has no status for it);
//  - an unknown tag, or one that comes twice;
//  - the values of integers and the syntax of times: that is for the SMSC to judge;
//  - what the layouts allow beyond 3.4: a message_id in deliver_sm_resp, times in deliver_sm, TLVs
//    in submit_sm_resp, submit_multi_resp, deliver_sm_resp and replace_sm.
//
// Thread: any; a value.
// Lifetime: as long as the bytes.
// Source: SMPP 3.4, 3.2 (format), 4 (the operations).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <nio/base/Bytes.h>

#include <smpp/pdu/Command.h>
#include <smpp/pdu/Field.h>
#include <smpp/pdu/Status.h>
#include <smpp/pdu/TlvList.h>

namespace smpp {

struct Header {
    static constexpr std::size_t bytes = 16;

    std::uint32_t length = 0;
    Command command{};
    Status status{};
    std::uint32_t sequence = 0;

    // Nothing if there are fewer than 16 octets. The length is as it came.
    static std::optional<Header> read(nio::ByteView pdu);
};

// How a PDU is judged. What a strict reading accepts, a tolerant one accepts as the same.
//
// Tolerant: a message_id may have 256 octets with its NUL, any other C-octet string 65, also a
// time; short_message 255 octets, a list of destinations 255. TLVs may follow any command, and have
// any length. repaired() mends some of what is malformed even so.
enum class Reading : std::uint8_t { strict, tolerant };

struct Scanned;
struct Layout;

class Pdu {
  public:
    nio::ByteView bytes() const { return bytes_; }
    const Header& header() const { return header_; }
    Command command() const { return header_.command; }
    Status status() const { return header_.status; }
    std::uint32_t sequence() const { return header_.sequence; }

    // Whether the body has this mandatory field.
    bool has(Field field) const;
    // A C-octet string, without its NUL. Empty where has() is false.
    std::string_view text(Field field) const;
    // A one-octet integer. 0 where has() is false.
    std::uint8_t number(Field field) const;
    // short_message, or the raw octets of dest_address(es) and unsuccess_sme(s) behind their count.
    nio::ByteView octets(Field field) const;
    // Where the field begins and how many octets it takes (a NUL counted), from bytes().begin().
    std::size_t offsetOf(Field field) const;
    std::size_t sizeOf(Field field) const;

    // The optional parameters, in their order; also those of an unknown tag.
    TlvList tlvs() const;
    // The value of the first with this tag.
    std::optional<nio::ByteView> tlv(Tag tag) const { return tlvs().find(tag); }
    std::size_t tlvOffset() const { return tlvOffset_; }

    // The user data: message_payload if it is there, otherwise short_message. Where a peer filled
    // the one and left the other empty, the full one.
    nio::ByteView message() const;

  private:
    friend class PduPatch;
    friend Scanned scan(nio::ByteView pdu, Reading reading);

    Status readBody(Reading reading);
    void endAt(std::size_t size);
    // Among layout_'s rules; fields_ or more if the field is not there.
    std::size_t positionOf(Field field) const;
    bool messageIsInPayload() const;

    static constexpr std::size_t maxFields = 18;

    nio::ByteView bytes_;
    Header header_;
    const Layout* layout_ = nullptr;
    std::array<std::uint32_t, maxFields + 1> starts_{};  // of each field, then of the TLVs
    std::size_t fields_ = 0;                             // that are there
    std::size_t tlvOffset_ = 0;
};

struct Scanned {
    std::optional<Pdu> pdu;       // absent: malformed
    Status problem = Status::ok;  // the status that answers it
    // The header, as far as there was one.
    Header header{};
};

// `pdu` is one whole PDU: command_length equals its size.
Scanned scan(nio::ByteView pdu, Reading reading = Reading::strict);

}  // namespace smpp
