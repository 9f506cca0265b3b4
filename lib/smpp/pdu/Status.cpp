#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <system_error>

#include <smpp/pdu/Status.h>

namespace smpp {

namespace {

struct Named {
    Status status;
    std::string_view name;
};

constexpr std::string_view prefix = "ESME_";

constexpr Named names[] = {
    {Status::ok, "ESME_ROK"},
    {Status::invMsgLen, "ESME_RINVMSGLEN"},
    {Status::invCmdLen, "ESME_RINVCMDLEN"},
    {Status::invCmdId, "ESME_RINVCMDID"},
    {Status::invBndSts, "ESME_RINVBNDSTS"},
    {Status::alyBnd, "ESME_RALYBND"},
    {Status::invPrtFlg, "ESME_RINVPRTFLG"},
    {Status::invRegDlvFlg, "ESME_RINVREGDLVFLG"},
    {Status::sysErr, "ESME_RSYSERR"},
    {Status::invSrcAdr, "ESME_RINVSRCADR"},
    {Status::invDstAdr, "ESME_RINVDSTADR"},
    {Status::invMsgId, "ESME_RINVMSGID"},
    {Status::bindFail, "ESME_RBINDFAIL"},
    {Status::invPaswd, "ESME_RINVPASWD"},
    {Status::invSysId, "ESME_RINVSYSID"},
    {Status::cancelFail, "ESME_RCANCELFAIL"},
    {Status::replaceFail, "ESME_RREPLACEFAIL"},
    {Status::msgQFul, "ESME_RMSGQFUL"},
    {Status::invSerTyp, "ESME_RINVSERTYP"},
    {Status::invNumDests, "ESME_RINVNUMDESTS"},
    {Status::invDlName, "ESME_RINVDLNAME"},
    {Status::invDestFlag, "ESME_RINVDESTFLAG"},
    {Status::invSubRep, "ESME_RINVSUBREP"},
    {Status::invEsmClass, "ESME_RINVESMCLASS"},
    {Status::cntSubDl, "ESME_RCNTSUBDL"},
    {Status::submitFail, "ESME_RSUBMITFAIL"},
    {Status::invSrcTon, "ESME_RINVSRCTON"},
    {Status::invSrcNpi, "ESME_RINVSRCNPI"},
    {Status::invDstTon, "ESME_RINVDSTTON"},
    {Status::invDstNpi, "ESME_RINVDSTNPI"},
    {Status::invSysTyp, "ESME_RINVSYSTYP"},
    {Status::invRepFlag, "ESME_RINVREPFLAG"},
    {Status::invNumMsgs, "ESME_RINVNUMMSGS"},
    {Status::throttled, "ESME_RTHROTTLED"},
    {Status::invSched, "ESME_RINVSCHED"},
    {Status::invExpiry, "ESME_RINVEXPIRY"},
    {Status::invDftMsgId, "ESME_RINVDFTMSGID"},
    {Status::xTAppn, "ESME_RX_T_APPN"},
    {Status::xPAppn, "ESME_RX_P_APPN"},
    {Status::xRAppn, "ESME_RX_R_APPN"},
    {Status::queryFail, "ESME_RQUERYFAIL"},
    {Status::invOptParStream, "ESME_RINVOPTPARSTREAM"},
    {Status::optParNotAllwd, "ESME_ROPTPARNOTALLWD"},
    {Status::invParLen, "ESME_RINVPARLEN"},
    {Status::missingOptParam, "ESME_RMISSINGOPTPARAM"},
    {Status::invOptParamVal, "ESME_RINVOPTPARAMVAL"},
    {Status::deliveryFailure, "ESME_RDELIVERYFAILURE"},
    {Status::unknownErr, "ESME_RUNKNOWNERR"},
};

// std::toupper asks the locale.
char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

std::optional<Status> statusNumbered(std::string_view text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    std::uint32_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value, hex ? 16 : 10);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return static_cast<Status>(value);
}

}  // namespace

std::string nameOf(Status status) {
    const auto* found = std::ranges::find(names, status, &Named::status);
    if (found != std::end(names)) return std::string(found->name);
    std::array<char, 16> text;
    const int size = std::snprintf(text.data(), text.size(), "0x%08X",
                                   static_cast<unsigned>(static_cast<std::uint32_t>(status)));
    return std::string(text.data(), static_cast<std::size_t>(size));
}

std::optional<Status> statusNamed(std::string_view name) {
    std::string full(name);
    std::ranges::transform(full, full.begin(), upper);
    if (!full.starts_with(prefix)) full.insert(0, prefix);
    const auto* found = std::ranges::find(names, full, &Named::name);
    if (found != std::end(names)) return found->status;
    return statusNumbered(name);
}

}  // namespace smpp
