// The headers that a source begins with, apart from the rest of it.
#pragma once

#include <string>
#include <string_view>

namespace ws::nvrtc {

/// `#include` lines for the headers in angle brackets that `source` names before anything else but
/// comments and `#pragma once`; empty if there are none. A header that is not there is passed over:
/// the source's own line shall say so.
///
/// The includes at the start come before the values of a kernel's parameters, so that a parameter
/// named as something inside the header does no harm, and the same text can stand before all of
/// them.
std::string leading_includes(std::string_view source);

}  // namespace ws::nvrtc
