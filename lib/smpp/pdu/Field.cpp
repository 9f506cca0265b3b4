#include <array>
#include <cstddef>

#include <smpp/pdu/Field.h>

namespace smpp {

namespace {

// In the order of Field.
constexpr std::array<std::string_view, static_cast<std::size_t>(Field::count)> names{
    "system_id",
    "password",
    "system_type",
    "interface_version",
    "addr_ton",
    "addr_npi",
    "address_range",
    "service_type",
    "source_addr_ton",
    "source_addr_npi",
    "source_addr",
    "dest_addr_ton",
    "dest_addr_npi",
    "destination_addr",
    "number_of_dests",
    "dest_address(es)",
    "esme_addr_ton",
    "esme_addr_npi",
    "esme_addr",
    "esm_class",
    "protocol_id",
    "priority_flag",
    "schedule_delivery_time",
    "validity_period",
    "registered_delivery",
    "replace_if_present_flag",
    "data_coding",
    "sm_default_msg_id",
    "sm_length",
    "short_message",
    "message_id",
    "final_date",
    "message_state",
    "error_code",
    "no_unsuccess",
    "unsuccess_sme(s)",
};
static_assert(!names.back().empty());

}  // namespace

std::string_view nameOf(Field field) {
    const auto index = static_cast<std::size_t>(field);
    return index < names.size() ? names[index] : "unknown";
}

}  // namespace smpp
