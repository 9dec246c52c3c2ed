// Words that descriptions of faults share: where something was, and who did it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/device/fault_report.h"

namespace ws {

/// @param site  Index into Image::sites. @return  An empty one for those that are not there.
Site site_at(const Image& image, std::uint32_t site);

/// "source:12", or "an unknown line".
std::string place_text(const Site& site);

/// " by thread (1,0,0) of block (0,0,0)", as far as they are known.
std::string who(const Fault& fault);

}  // namespace ws
