// What looks like an address, an identifier or a folder in a text, for the Anonymiser. Pure
// functions; lengths are 0 where there is none.
#pragma once

#include <cstddef>
#include <string_view>

namespace invar::report {

bool is_letter_or_digit(char c);
bool is_hexadecimal(std::string_view text);

// At the beginning of `text`, ended by its end or what is neither letter, digit nor ':':
// IPv4 (without a port), IPv6, MAC and InfiniBand addresses.
std::size_t address_length(std::string_view text);
// A UUID, or 32 hexadecimal digits and more (machine, container).
std::size_t identifier_length(std::string_view text);
// The whole text is an address.
bool is_address(std::string_view text);
// Loopback and unspecified: the same on every machine.
bool is_everybodys_address(std::string_view text);

// The host of a URI, behind its "://" at `at`; without user, port and what follows: "tcp://HOST:1".
std::size_t authority_length(std::string_view text, std::size_t at);

// An absolute path that begins with the '/' at `at`: at the beginning of a word, behind a quote
// (then up to the closing one), '=', ':' and the like, or an option ("-I/apps").
std::size_t path_length(std::string_view text, std::size_t at);
// A folder that every system has (/usr, /proc, ...), or a vendor's usual one.
bool is_system_path(std::string_view path);

// What stands behind the numbers of a kernel's release and is of no distribution: of
// "6.1.0-acme-rt" "acme-rt"; empty of "6.1.0-18-amd64" and of "5.14.0-362.el9.x86_64".
std::string_view own_part_of_release(std::string_view release);

// What a launcher or a batch system calls the job, of a variable of the environment or of the
// library ("PMIX_ID", "1806565377.0" -> "1806565377"); empty: it does not tell.
std::string_view job_of_variable(std::string_view name, std::string_view value);

}  // namespace invar::report
