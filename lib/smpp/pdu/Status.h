// The result that an answer carries, by command_status.
//
// Thread: any; values.
// Source: SMPP 3.4, 5.1.3. Names are the specification's without ESME_R.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nio/base/Cpp20.h>

namespace smpp {

// Any 32-bit value can arrive (vendors use 0x400 to 0x4FF) and is kept as it came.
enum class Status : std::uint32_t {
    ok = 0x00,
    invMsgLen = 0x01,
    invCmdLen = 0x02,
    invCmdId = 0x03,
    invBndSts = 0x04,
    alyBnd = 0x05,
    invPrtFlg = 0x06,
    invRegDlvFlg = 0x07,
    sysErr = 0x08,
    invSrcAdr = 0x0A,
    invDstAdr = 0x0B,
    invMsgId = 0x0C,
    bindFail = 0x0D,
    invPaswd = 0x0E,
    invSysId = 0x0F,
    cancelFail = 0x11,
    replaceFail = 0x13,
    msgQFul = 0x14,
    invSerTyp = 0x15,
    invNumDests = 0x33,
    invDlName = 0x34,
    invDestFlag = 0x40,
    invSubRep = 0x42,
    invEsmClass = 0x43,
    cntSubDl = 0x44,
    submitFail = 0x45,
    invSrcTon = 0x48,
    invSrcNpi = 0x49,
    invDstTon = 0x50,
    invDstNpi = 0x51,
    invSysTyp = 0x53,
    invRepFlag = 0x54,
    invNumMsgs = 0x55,
    throttled = 0x58,
    invSched = 0x61,
    invExpiry = 0x62,
    invDftMsgId = 0x63,
    xTAppn = 0x64,  // ESME_RX_T_APPN: temporary error of the receiving application
    xPAppn = 0x65,  // ESME_RX_P_APPN: permanent
    xRAppn = 0x66,  // ESME_RX_R_APPN: rejected
    queryFail = 0x67,
    invOptParStream = 0xC0,
    optParNotAllwd = 0xC1,
    invParLen = 0xC2,
    missingOptParam = 0xC3,
    invOptParamVal = 0xC4,
    deliveryFailure = 0xFE,
    unknownErr = 0xFF,
};

// "ESME_RTHROTTLED"; "0x00000412" where the specification has no name.
std::string nameOf(Status status);
// By that name, with or without ESME_, in any case, or as a number ("0x58", "88").
std::optional<Status> statusNamed(std::string_view name);

}  // namespace smpp
