// The forms in which SMSCs write a message_id: the same number looks different in an answer and in
// a receipt, and a router must know it again.
//
// Thread: any; pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace smppbench {

enum class IdForm {
    decimal,   // 1754300000123
    hex,       // 19873c2d5bb
    hexUpper,  // 19873C2D5BB
    padded,    // 00000001754300000123
    uuid,      // 00000000-0000-4000-8000-019873c2d5bb
};

const std::map<std::string, IdForm>& idForms();

// At most 48 bits.
std::string writeId(std::uint64_t number, IdForm form);
std::optional<std::uint64_t> readId(std::string_view text, IdForm form);

}  // namespace smppbench
