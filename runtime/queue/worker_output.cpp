#include "runtime/queue/worker_output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/base/log.h"

namespace ws {
namespace {

constexpr std::size_t kMostOfLine = 256;
/// The escaped text; a line of the log has 4 KiB.
constexpr std::size_t kMostOfText = 3072;

void append_escaped(std::string& text, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\n') {
    text += "\\n";
  } else if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
    text += c;
  } else {
    text.append({'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]});
  }
}

std::string escaped(std::string_view printed) {
  std::string text;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    for (const char c : printed.substr(0, std::min(end, kMostOfLine))) {
      append_escaped(text, c);
    }
    text += end > kMostOfLine ? "..." : "";
    text += end < printed.size() ? "\\n" : "";
    printed.remove_prefix(std::min(end + 1, printed.size()));
  }
  return text;
}

}  // namespace

Result<OutputPipe> OutputPipe::open() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return fail_errno("pipe2", "cannot start a worker process");
  }
  return OutputPipe{Fd(ends[0]), Fd(ends[1])};
}

std::string take_output(const Fd& pipe) {
  int bytes = 0;
  if (!pipe.valid() || ::ioctl(pipe.get(), FIONREAD, &bytes) != 0 || bytes <= 0) {
    return {};
  }
  std::string printed(static_cast<std::size_t>(bytes), '\0');
  const ssize_t count = ::read(pipe.get(), printed.data(), printed.size());
  printed.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return printed;
}

std::string quoted_output(std::string_view printed) {
  std::string text = escaped(printed);
  if (text.size() > kMostOfText) {
    // The start says what began, the end what it came to. No half of an escape is a quote.
    text = text.substr(0, kMostOfText / 2) + " ... " + text.substr(text.size() - kMostOfText / 2);
  }
  return "\"" + text + "\"";
}

void log_output(std::string_view role, pid_t pid, int signal, const std::string& printed) noexcept {
  if (printed.empty() && signal == 0) {
    return;
  }
  try {
    std::string line = "role=" + std::string(role) + " pid=" + std::to_string(pid) +
                       " signal=" + std::to_string(signal) +
                       " printed=" + std::to_string(printed.size());
    if (!printed.empty()) {
      line += " output=" + quoted_output(printed);
    }
    log(LogLevel::kWarning, "worker", line);
  } catch (const std::exception& error) {
    log(LogLevel::kWarning, "worker", error.what());
  }
}

}  // namespace ws
