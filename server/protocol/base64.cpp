#include "server/protocol/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ws::server {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::array kByteShifts = {16U, 8U, 0U};
constexpr std::array kDigitShifts = {18U, 12U, 6U, 0U};

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t byte =
          at + i < bytes.size() ? static_cast<std::uint8_t>(bytes[at + i]) : 0U;
      bits |= byte << kByteShifts.at(i);
    }
    const std::size_t digits = bytes.size() - at < 3 ? bytes.size() - at + 1 : 4;
    for (std::size_t i = 0; i < 4; ++i) {
      text.push_back(i < digits ? kAlphabet[(bits >> kDigitShifts.at(i)) & 0x3FU] : '=');
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return {};
  }
  std::string bytes;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool padding =
        text[i] == '=' && i + 2 >= text.size() && (i + 1 == text.size() || text.back() == '=');
    const std::size_t digit = padding ? 0 : kAlphabet.find(text[i]);
    if (digit == std::string_view::npos) {
      return {};
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    if (i % 4 == 3) {
      for (const unsigned shift : kByteShifts) {
        bytes.push_back(static_cast<char>((bits >> shift) & 0xFFU));
      }
      bits = 0;
    }
  }
  const std::size_t padding = text.empty() ? 0 : text.size() - 1 - text.find_last_not_of('=');
  for (std::size_t i = 0; i < padding; ++i) {
    if (bytes.back() != 0) {
      return {};
    }
    bytes.pop_back();
  }
  return bytes;
}

}  // namespace ws::server
