#include "runtime/compile/hip/log_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "runtime/compile/diagnostics.h"
#include "runtime/compile/hip/spelling.h"
#include "runtime/compile/nvrtc/names.h"

namespace ws::hip {
namespace {

/// Where the compiler puts headers, and the program itself with its name expressions.
constexpr std::string_view kHeaderFolder = "/include/";
constexpr std::string_view kProgramFile = "/input/CompileSource";
constexpr std::string_view kNameVariable = "extern \"C\" constexpr auto __hiprtc_";

struct SeverityRow {
  std::string_view text;  // As it stands in the log.
  const char* severity;
};

constexpr std::array kSeverities = {
    SeverityRow{"fatal error: ", "error"}, SeverityRow{"error: ", "error"},
    SeverityRow{"warning: ", "warning"}, SeverityRow{"note: ", "note"}};

/// Takes a number and the colon after it from the front.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value;
}

class HipLogReader {
 public:
  HipLogReader(std::string_view log, const CompileRequest& request)
      : request_(request),
        lines_(line_views(log)) {}

  ParsedLog read() {
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      if (!read_placed()) {
        read_plain();
      }
    }
    return std::move(parsed_);
  }

 private:
  /// "FILE:LINE:COLUMN: SEVERITY: TEXT"
  bool read_placed() {
    const std::string_view line = lines_[at_];
    for (std::size_t colon = line.find(':'); colon != line.npos;
         colon = line.find(':', colon + 1)) {
      std::string_view rest = line.substr(colon + 1);
      const auto number = take_number(rest);
      const auto column = number ? take_number(rest) : std::nullopt;
      if (column && rest.starts_with(' ')) {
        return read_message(line.substr(0, colon), *number, *column, rest.substr(1));
      }
    }
    return false;
  }

  bool read_message(std::string_view file, int line, int column, std::string_view text) {
    const auto* const row =
        std::find_if(kSeverities.begin(), kSeverities.end(),
                     [&](const SeverityRow& known) { return text.starts_with(known.text); });
    if (row == kSeverities.end()) {
      return false;
    }
    Diagnostic diagnostic{.severity = row->severity,
                          .message = std::string(text.substr(row->text.size())),
                          .region = {},
                          .line = line,
                          .column = column,
                          .snippet = {}};
    if (file.ends_with(kProgramFile)) {
      add_name_error(diagnostic);
    } else {
      add(diagnostic, file);
    }
    return true;
  }

  void add(Diagnostic& diagnostic, std::string_view file) {
    const std::size_t folder = file.find(kHeaderFolder);
    const std::string name(folder == file.npos ? file : file.substr(folder + kHeaderFolder.size()));
    const std::string* text = region_text(request_, name);
    if (text == nullptr && diagnostic.severity != "error") {
      return;
    }
    if (text == nullptr) {  // In a header of the compiler's: it has no place that a client knows.
      diagnostic.line = 0;
      diagnostic.column = 0;
    } else {
      diagnostic.region = name;
      diagnostic.snippet = snippet_of(line_at(*text, diagnostic.line), diagnostic.column);
    }
    keep(std::move(diagnostic));
  }

  /// The line below the message is the variable that hiprtc makes of the name expression. Only the
  /// first message for each entry says anything.
  void add_name_error(Diagnostic& diagnostic) {
    const std::string_view shown = at_ + 1 < lines_.size() ? lines_[at_ + 1] : std::string_view();
    const std::size_t equals = shown.find(" = ");
    if (!shown.starts_with(kNameVariable) || equals == shown.npos || !shown.ends_with(';') ||
        diagnostic.severity != "error") {
      return;
    }
    const std::string entry(shown.substr(equals + 3, shown.size() - equals - 4));
    if (is_types_of(entry) || !named_.insert(entry).second) {
      return;
    }
    diagnostic.message = "entry `" + entry + "`: " + diagnostic.message;
    diagnostic.region = "entry";
    diagnostic.line = 0;
    diagnostic.column = 0;
    keep(std::move(diagnostic));
  }

  /// "error: TEXT", of LLVM and lld.
  void read_plain() {
    const std::string_view start = "error: ";
    if (!lines_[at_].starts_with(start)) {
      return;
    }
    const std::string_view text = lines_[at_].substr(start.size());
    parsed_.over_resources = parsed_.over_resources || text.find("exceeds limit") != text.npos;
    keep(Diagnostic{
        .severity = "error", .message = nvrtc::readable(text), .region = {}, .snippet = {}});
  }

  void keep(Diagnostic diagnostic) {
    if (diagnostic.severity == "error") {
      diagnostic.message = with_advice(std::move(diagnostic.message), request_.source.language);
    }
    parsed_.diagnostics.push_back(std::move(diagnostic));
  }

  const CompileRequest& request_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::set<std::string> named_;
  ParsedLog parsed_;
};

}  // namespace

ParsedLog parse_log(std::string_view log, const CompileRequest& request) {
  return HipLogReader(log, request).read();
}

}  // namespace ws::hip
