#include "runtime/compile/nvrtc/log_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "runtime/base/text.h"
#include "runtime/compile/diagnostics.h"
#include "runtime/compile/nvrtc/names.h"

namespace ws::nvrtc {
namespace {

/// The file that NVRTC makes of the name expressions, and the pragma that holds one.
constexpr std::string_view kNameFile = "__nv_name_map";
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kDetected = "detected during";
constexpr std::string_view kNamePragma = "#pragma nv_mangled_name ";

/// ptxas put wgmma instructions one after the other.
/// @source ptxas of CUDA 12 and 13: "(C7510) Potential Performance Loss: ...".
constexpr std::array kSlowCodes = {"(C7510)", "(C7511)", "(C7512)", "(C7513)", "(C7514)",
                                   "(C7515)", "(C7516)", "(C7517)", "(C7518)", "(C7519)"};

struct SeverityRow {
  std::string_view text;  // As it stands in the log.
  const char* severity;
};

constexpr SeverityRow kSeverities[] = {
    {"catastrophic error", "error"}, {"internal error", "error"}, {"error", "error"},
    {"warning", "warning"},          {"remark", "note"},          {"note", "note"},
};

constexpr SeverityRow kPtxasSeverities[] = {
    {"fatal", "error"}, {"error", "error"}, {"warning", "warning"}, {"info", "note"}};

std::optional<std::int64_t> number_at(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

class NvrtcLogReader {
 public:
  NvrtcLogReader(std::string_view log, const CompileRequest& request)
      : request_(request),
        lines_(line_views(log)) {}

  ParsedLog read() {
    while (at_ < lines_.size()) {
      if (!read_front_end() && !read_ptxas() && !read_plain()) {
        ++at_;
      }
    }
    return std::move(parsed_);
  }

 private:
  /// "FILE(LINE): SEVERITY[ #NUMBER]: TEXT" and the lines that belong to it.
  bool read_front_end() {
    const std::string_view line = lines_[at_];
    for (const SeverityRow& row : kSeverities) {
      const std::size_t place = line.find("): " + std::string(row.text));
      const std::size_t open = line.rfind('(', place);
      if (place == std::string_view::npos || open == std::string_view::npos) {
        continue;
      }
      const std::size_t after = place + 3 + row.text.size();
      const std::size_t colon = line.find(": ", after);
      const auto number = number_at(line.substr(open + 1));
      const bool numbered = after < line.size() && (line[after] == ':' || line[after] == ' ');
      if (colon == std::string_view::npos || !number || !numbered) {
        continue;
      }
      Diagnostic diagnostic{.severity = row.severity,
                            .message = std::string(line.substr(colon + 2)),
                            .region = std::string(line.substr(0, open)),
                            .line = static_cast<int>(*number),
                            .snippet = {}};
      ++at_;
      read_details(diagnostic);
      return true;
    }
    return false;
  }

  /// Reads the lines after a message: more of its text, the line, a caret, where a template was
  /// used.
  void read_details(Diagnostic& diagnostic) {
    std::string_view shown;
    std::vector<std::string_view> uses;
    bool in_uses = false;
    while (at_ < lines_.size() && lines_[at_].starts_with("  ")) {
      const std::string_view line = lines_[at_++];
      std::string_view text = trimmed(line, kBlanks);
      if (text == "^") {
        diagnostic.column = static_cast<int>(line.find('^')) - 1;  // After two blanks; 1-based.
        continue;
      }
      if (text.starts_with(kDetected)) {
        in_uses = true;
        text = trimmed(
            text.substr(std::min(text.find_first_not_of(": ", kDetected.size()), text.size())),
            kBlanks);
      }
      if (in_uses) {
        uses.push_back(text);
      } else if (line.starts_with("      ") && shown.empty() && !followed_by_caret()) {
        diagnostic.message += " " + std::string(text);
      } else {
        shown = line.substr(2);
      }
    }
    if (diagnostic.region == kNameFile) {
      add_name_error(diagnostic, shown);
    } else if (finish(diagnostic, shown)) {
      add_use(diagnostic.region, uses);
    }
  }

  [[nodiscard]] bool followed_by_caret() const {
    return at_ < lines_.size() && trimmed(lines_[at_], kBlanks) == "^";
  }

  /// Keeps what the client can fix. False: nothing was kept.
  bool finish(Diagnostic& diagnostic, std::string_view shown) {
    const std::string* text = region_text(request_, diagnostic.region);
    if (text == nullptr && diagnostic.severity != "error") {
      return false;
    }
    const std::string_view line = text == nullptr ? shown : line_at(*text, diagnostic.line);
    diagnostic.snippet = snippet_of(line, diagnostic.column);
    parsed_.diagnostics.push_back(diagnostic);
    return true;
  }

  /// "instantiation of class "F<N> [with N=1]" at line 2 of source": a note, for the innermost use
  /// that stands in the client's text. @param region  Of the error: uses in it name no file.
  void add_use(const std::string& region, const std::vector<std::string_view>& uses) {
    constexpr std::string_view mark = " at line ";
    for (const std::string_view use : uses) {
      const std::size_t at = use.rfind(mark);
      if (at == std::string_view::npos) {
        continue;
      }
      const std::string_view place = use.substr(at + mark.size());
      const std::size_t of = place.find(" of ");
      Diagnostic note{.severity = "note",
                      .message = "in the " + std::string(use.substr(0, at)),
                      .region = of == place.npos ? region : std::string(place.substr(of + 4)),
                      .line = static_cast<int>(number_at(place).value_or(0)),
                      .snippet = {}};
      if (const std::string* text = region_text(request_, note.region); text != nullptr) {
        note.snippet = line_at(*text, note.line);
        parsed_.diagnostics.push_back(std::move(note));
        return;
      }
    }
  }

  /// Only the first message for each entry says anything.
  void add_name_error(Diagnostic& diagnostic, std::string_view shown) {
    const std::string entry(
        shown.starts_with(kNamePragma) ? trimmed(shown.substr(kNamePragma.size()), kBlanks) : "");
    if (!named_.insert(entry).second) {
      return;
    }
    const std::size_t input = diagnostic.message.find(". Input name expression was");
    diagnostic.message = "entry `" + entry + "`: " + diagnostic.message.substr(0, input);
    diagnostic.region = "entry";
    diagnostic.line = 0;
    diagnostic.column = 0;
    parsed_.diagnostics.push_back(diagnostic);
  }

  /// "ptxas error   : TEXT", "ptxas application ptx input, line 26; error   : TEXT".
  bool read_ptxas() {
    const std::string_view line = lines_[at_];
    if (const std::size_t spills = line.find(" bytes spill stores");
        spills != std::string_view::npos) {
      const std::size_t begin = line.find_last_of(" \t,", spills - 1) + 1;
      parsed_.spills[function_] = number_at(line.substr(begin)).value_or(-1);
      ++at_;
      return true;
    }
    if (!line.starts_with("ptxas")) {
      return false;
    }
    ++at_;
    constexpr std::string_view properties = "Function properties for ";
    if (const std::size_t at = line.find(properties); at != std::string_view::npos) {
      function_ = line.substr(at + properties.size());
      return true;
    }
    for (const SeverityRow& row : kPtxasSeverities) {
      const std::size_t at = line.find(" " + std::string(row.text) + " ");
      const std::size_t colon = line.find(": ", at);
      if (at != std::string_view::npos && colon != std::string_view::npos) {
        add_ptxas(row.severity, line.substr(0, at), line.substr(colon + 2));
        break;
      }
    }
    return true;
  }

  void add_ptxas(const char* severity, std::string_view head, std::string_view text) {
    const bool slow = std::any_of(kSlowCodes.begin(), kSlowCodes.end(),
                                  [&](const char* code) { return text.starts_with(code); });
    const bool note = std::string_view(severity) == "note";
    // Each code stands once for each function and line; the first says it.
    if ((note && !slow) || (slow && !slow_.insert(std::string(text.substr(0, 7))).second)) {
      return;
    }
    parsed_.over_resources = parsed_.over_resources || text.find("uses too much") != text.npos;
    std::string message = readable(text);
    if (const std::size_t line = head.find("line "); line != std::string_view::npos) {
      message = "PTX " + std::string(head.substr(line, head.find(';') - line)) + ": " + message;
    }
    const bool echo = message.find("aborted due to errors") != std::string::npos;
    if (!echo || parsed_.diagnostics.empty()) {
      parsed_.diagnostics.push_back(Diagnostic{.severity = slow ? "warning" : severity,
                                               .message = std::move(message),
                                               .region = {},
                                               .snippet = {}});
    }
  }

  /// "nvrtc: error: TEXT"
  bool read_plain() {
    constexpr std::string_view start = "nvrtc: error: ";
    if (!lines_[at_].starts_with(start)) {
      return false;
    }
    parsed_.diagnostics.push_back(
        Diagnostic{.severity = "error",
                   .message = std::string(lines_[at_].substr(start.size())),
                   .region = {},
                   .snippet = {}});
    ++at_;
    return true;
  }

  const CompileRequest& request_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::string function_;  // The function that ptxas reports on.
  std::set<std::string> named_;
  std::set<std::string> slow_;
  ParsedLog parsed_;
};

}  // namespace

ParsedLog parse_log(std::string_view log, const CompileRequest& request) {
  return NvrtcLogReader(log, request).read();
}

}  // namespace ws::nvrtc
