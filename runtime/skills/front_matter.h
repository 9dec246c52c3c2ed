// The front matter of a transformation's file: a strict subset of YAML, read as JSON.
//
//   key: value             plain text, an integer, true or false; "quoted" where the text holds
//                          `: ` or ` #`, or begins with a mark that YAML gives a meaning
//   key: [a, b]            a list on one line
//   key:                   a map, or a list, two spaces deeper
//     - text               an item
//     - key: value         an item that is a map; its other keys stand below the first
//   # text                 a comment, on a line of its own
//
// Anything else of YAML (anchors, tags, several documents, folded texts, tabs) is refused by name,
// so that what we read is what every reader of YAML reads.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/base/result.h"

namespace ws {

/// The path of the whole block; values are below it: "front matter.passes[0].region".
inline constexpr const char* kFrontMatter = "front matter";

/// Path of a value -> its line, from 1.
using LineMap = std::map<std::string, std::size_t>;

/// Reads the block between the first line, `---`, and the next such line.
///
/// @param text   All lines of the file.
/// @param value  Gets an object.
/// @param lines  Gets the line of each value.
/// @return       How many lines the block takes, both marks included.
/// @errors       kInvalidArgument: "line 7: ...".
Result<std::size_t> read_front_matter(const std::vector<std::string>& text, nlohmann::json& value,
                                      LineMap& lines);

/// The line that an error is about, whose message begins with a value's path; 1 when none is.
std::size_t line_of(const LineMap& lines, const std::string& message);

/// An error about a line of a file: kInvalidArgument, "line 12: ...".
tl::unexpected<Error> wrong_line(std::size_t line, const std::string& what, std::string hint = {});

}  // namespace ws
