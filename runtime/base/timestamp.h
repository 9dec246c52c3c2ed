// Times of the wall clock, appended to text.
#pragma once

#include <cstdint>
#include <string>

namespace ws {

/// Appends what timestamp_of() (clock.h) makes. Cheap for times of one second after each other.
/// Any thread. @param ms  Since the Unix epoch.
void append_timestamp(std::string& text, std::int64_t ms);

}  // namespace ws
