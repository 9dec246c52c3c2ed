// How to measure again what evidence says.
#pragma once

#include <string>

#include "runtime/archive/store/archive.h"

namespace ws {

/// A command line that does so, with the inputs of that evidence where they can be drawn again;
/// empty where there is none for its kind.
std::string call_again(const EvidenceRow& evidence);

}  // namespace ws
