// The parameters of a request as browsers write forms: those of the query, then those of a body of
// application/x-www-form-urlencoded. Values are octets: the parameters say in which charset.
//
// Thread: any; a value.
// Limit: 100 parameters.
// Source: WHATWG URL Standard, 5 (application/x-www-form-urlencoded).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/http/HttpRequest.h"
#include "sms_router/http/Problem.h"

namespace router {

class FormFields {
  public:
    static constexpr std::size_t most = 100;

    // Both throw Problem: 400, too many, or a % without two hexadecimal digits behind it.
    static FormFields of(const apps::HttpRequest& request);
    void parse(std::string_view text);
    // Throws Problem: too many.
    void add(std::string name, std::string value);

    bool has(std::string_view name) const { return find(name) != nullptr; }
    // The first of that name; empty: there is none.
    std::string text(std::string_view name) const;
    const apps::HttpFields& all() const { return fields_; }

  private:
    const std::string* find(std::string_view name) const;

    apps::HttpFields fields_;
};

// Whether its Content-Type is that, in lower or upper case, with parameters or without.
bool hasMediaType(const apps::HttpRequest& request, std::string_view type);

// What text() gives back.
std::string formEncoded(std::string_view text);
// "name=value&name=value"
std::string formEncoded(const apps::HttpFields& fields);

}  // namespace router
