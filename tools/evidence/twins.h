// Kernels whose texts are the same program: what is found wrong of one is wrong of all.
#pragma once

#include <string>
#include <vector>

#include "runtime/evaluate/subject.h"
#include "runtime/session/services.h"

namespace ws {

/// Notes that a validation proved the kernel wrong. @errors kIo.
Status note_wrong(const Services& services, const Subject& subject);

/// Other kernels of the problem that were proved wrong, with parameters that their evidence names,
/// and whose texts differ from this one's in comments and white space only. @errors kIo.
Result<std::vector<std::string>> wrong_twins(const Services& services, const Subject& subject);

}  // namespace ws
