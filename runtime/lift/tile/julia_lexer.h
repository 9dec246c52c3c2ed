// Julia's words: what kernels of cuTile.jl are written with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ws::lift::tile {

struct JuliaToken {
  enum class Kind : std::uint8_t {
    kName,      // also with a keyword as its text
    kMacro,     // text: "@inbounds"
    kInteger,   //
    kFloat,     //
    kText,      // text: without quotes
    kOperator,  // text, with its dot: ".+"
    kOpen,      // ( [ {
    kClose,     //
    kComma,
    kNewline,  // also `;`
    kEnd,      // of the text
    kBad,      // text: what is wrong
  };
  Kind kind = Kind::kEnd;
  std::string text;
  std::int64_t integer = 0;
  double number = 0;
  int line = 0;
  int column = 0;
  bool spaced = false;  ///< White space stands before it.
};

/// All tokens, the last of kind kEnd. Comments are left out.
std::vector<JuliaToken> julia_tokens(std::string_view text);

}  // namespace ws::lift::tile
