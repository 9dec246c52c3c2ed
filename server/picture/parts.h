// The parts of pictures, one for each kind of answer. Each reads untrusted JSON: what is not as the
// tools write it is left out, and nothing is drawn where nothing is left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/picture/picture.h"

namespace ws::server {

inline constexpr int kMargin = 12;  // [pixels]
inline constexpr int kRowHeight = 18;
inline constexpr int kHeadHeight = 46;  ///< The title and the summary have it.

std::optional<Drawing> benchmark_picture(const Json& output);
std::optional<Drawing> tune_picture(const Json& output, const Json& record);
std::optional<Drawing> profile_picture(const Json& output, const Json& record);
std::optional<Drawing> workflow_picture(const Json& output);
std::optional<Drawing> timeline_picture(const Json& output);
std::optional<Drawing> mismatch_picture(const Json& output, const Json& record);

/// The title and the summary of the answer.
void add_head(Drawing& drawing, const std::string& title, const Json& output);

/// A member that is a finite number; nothing: it is not there, or is none.
std::optional<double> number_in(const Json& object, const char* key);
/// A member that is a text, else empty.
std::string text_in(const Json& object, const char* key);
/// A member that is a list: at most so many of its rows.
std::vector<Json> rows_in(const Json& object, const char* key, std::size_t most);
/// "1.23x"
std::string times_words(double value);

}  // namespace ws::server
