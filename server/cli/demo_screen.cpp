#include "server/cli/demo_screen.h"

#include <cstdio>

#include <unistd.h>

#include "runtime/base/units.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr std::size_t kNumberWidth = 4;
constexpr std::size_t kTitleWidth = 34;
constexpr std::size_t kToolWidth = 16;
constexpr std::size_t kVerdictWidth = 15;
constexpr std::size_t kRatioWidth = 23;
constexpr std::size_t kMaxProgress = 24;  // The row must not wrap.
constexpr std::string_view kIndent = "      ";
constexpr std::string_view kEraseLine = "\r\x1b[K";

std::string first_half(std::string_view number, std::string_view title, std::string_view tool) {
  return padded(number, kNumberWidth) + padded(title, kTitleWidth) + padded(tool, kToolWidth);
}

std::string second_half(std::string_view verdict, std::string_view ratio, std::string_view time) {
  return padded(verdict, kVerdictWidth) + padded(ratio, kRatioWidth) + std::string(time) + "\n";
}

}  // namespace

DemoScreen::Kind DemoScreen::kind_of_stdout() {
  return ::isatty(STDOUT_FILENO) != 0 ? Kind::kTerminal : Kind::kPlain;
}

DemoScreen::DemoScreen(Kind kind)
    : kind_(kind) {}

void DemoScreen::write(std::string_view text) const {
  if (kind_ != Kind::kNothing) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);  // A row is seen while its step runs.
  }
}

void DemoScreen::line(std::string_view text) const {
  write(std::string(text) + "\n");
}

void DemoScreen::headings() const {
  write(first_half(" #", "step", "tool") + second_half("verdict", "ratio (95 %)", "time"));
}

std::string DemoScreen::begin(std::size_t number, std::string_view title,
                              std::string_view tool) const {
  const std::string digits = std::to_string(number);
  std::string half = first_half((digits.size() < 2 ? " " : "") + digits, title, tool);
  write(half);
  return half;
}

void DemoScreen::progress(const std::string& half, const std::string& message) const {
  if (kind_ == Kind::kTerminal) {
    write(std::string(kEraseLine) + half + message.substr(0, kMaxProgress));
  }
}

void DemoScreen::end(const std::string& half, const DemoRow& row) const {
  write((kind_ == Kind::kTerminal ? std::string(kEraseLine) + half : std::string()) +
        second_half(row.verdict, row.ratio, decimal(row.ms / kMsPerS, 2) + " s"));
  for (const std::string& detail : row.details) {
    write(std::string(kIndent) + detail + "\n");
  }
}

}  // namespace ws::server
