// The same program, however it is laid out: what a store of judged kernels is asked by.
#pragma once

#include <string>
#include <string_view>

namespace ws {

/// `source` without comments, with one space between tokens, and with the names of local variables
/// and parameters replaced by their order of declaration. Texts with equal forms are the same
/// program; texts with different ones may be too: what is not sure to be a local name keeps it, and
/// a text whose meaning may depend on its layout (__LINE__, raw strings, stringized macro
/// arguments) comes back as it is. Any thread.
std::string canonical_source(std::string_view source);

}  // namespace ws
