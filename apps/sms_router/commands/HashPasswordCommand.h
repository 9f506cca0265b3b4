// sms-router --hash-password: a password in, its hash for password_hash out.
//
// Thread: any.
#pragma once

#include <iosfwd>

namespace router {

// Of the first line. The exit code.
int hashPassword(std::istream& in, std::ostream& out, std::ostream& errors);
// The same of standard input; a terminal does not show what is typed.
int hashPasswordOfStandardInput();

}  // namespace router
