// A profile for people: every number, and the source with its counts beside each line.
#pragma once

#include <string>

#include "runtime/evaluate/subject.h"
#include "tools/profile/groups.h"

namespace ws {

/// Markdown. Source is quoted and cut; of a long one only lines that do something.
/// @param what  Workload and device: "{\"n\": 1024} on cpu:0".
std::string profile_report(const Subject& subject, const Profile& profile, const std::string& what);

}  // namespace ws
