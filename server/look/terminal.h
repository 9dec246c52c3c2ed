// The text that a terminal can show: colours, characters beyond ASCII, and text that nobody here
// wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ws::server {

struct Terminal {
  bool colours = false;
  bool unicode = false;  ///< Else bars and branches are drawn in ASCII.
};

enum class TextColour : std::uint8_t { kPlain, kGood, kBad, kStrong, kFaint };

/// In that colour, where the terminal has colours.
std::string inked(const Terminal& terminal, TextColour ink, std::string_view text);

/// A bar of at most `width` characters, in eighths of one where the terminal has these.
/// @param share  0 to 1; what is outside is taken for the nearer end.
std::string bar(const Terminal& terminal, double share, std::size_t width);

/// One line of the archive's text, up to `limit` bytes: control characters, line ends, and the
/// marks that turn the direction of writing become spaces, bytes that are not UTF-8 question marks.
std::string one_line(std::string_view text, std::size_t limit);

/// As one_line(), but lines and tabs stay, and nothing is cut.
std::string many_lines(std::string_view text);

/// With spaces up to so many characters; longer text stays whole, with one space.
/// @param text  UTF-8 without colours.
std::string column(std::string_view text, std::size_t width);

}  // namespace ws::server
