#include "runtime/archive/search/page_mark.h"

#include <array>
#include <charconv>
#include <string_view>

namespace ws::store {
namespace {

template <typename Number>
bool reads_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string text_of_mark(const PageMark& mark) {
  if (!mark.speed_up) {
    return std::to_string(mark.number);
  }
  std::array<char, 32> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), *mark.speed_up);
  return std::string(digits.data(), end) + ";" + std::to_string(mark.number);
}

Result<PageMark> mark_of_text(const std::string& text) {
  PageMark mark;
  const std::size_t cut = text.find(';');
  double speed_up = 0;
  const bool timed = cut != std::string::npos;
  if ((timed && !reads_whole(std::string_view(text).substr(0, cut), speed_up)) ||
      !reads_whole(std::string_view(text).substr(timed ? cut + 1 : 0), mark.number)) {
    return fail(ErrorCode::kInvalidArgument,
                "no page ends at the mark `" + text.substr(0, 100) + "`",
                "use `next` of the page before, or none for the first page");
  }
  mark.speed_up = timed ? std::optional(speed_up) : std::nullopt;
  return mark;
}
}  // namespace ws::store
