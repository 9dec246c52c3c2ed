#include "runtime/device/tile/tile_parser.h"

#include <algorithm>
#include <filesystem>
#include <variant>

#include "runtime/compile/file_stamp.h"
#include "runtime/kernel/language.h"
#include "runtime/lift/tile/julia.h"

namespace ws {
namespace {

using lift::tile::Complaint;
using lift::tile::File;

/// Line `number` of the text, from 1, without its end.
std::string_view line_of(std::string_view text, int number) {
  for (; number > 1 && !text.empty(); --number) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.substr(0, text.find('\n'));
}

Diagnostic diagnostic_of(const Complaint& complaint, const RenderedSource& source) {
  const std::string& text =
      complaint.file.empty() ? source.source : source.headers.at(complaint.file);
  Diagnostic row;
  row.severity = "error";
  row.message = complaint.message;
  if (!complaint.hint.empty()) {
    row.message += "; " + complaint.hint;
  }
  row.region = complaint.file.empty() ? "source" : complaint.file;
  row.line = complaint.line;
  row.column = complaint.column;
  constexpr std::size_t kMaxLine = 160;
  if (complaint.line > 0) {
    const std::string line(line_of(text, complaint.line).substr(0, kMaxLine));
    const std::size_t column =
        std::min<std::size_t>(static_cast<std::size_t>(complaint.column), line.size() + 1);
    row.snippet = line + (column == 0 ? "" : "\n" + std::string(column - 1, ' ') + "^");
  }
  return row;
}

CompileService::Options syntax_service(const TileParserOptions& options,
                                       const std::string& interpreter) {
  CompileService::Options service;
  service.executable = options.executable;
  service.role = "syntax";
  service.compiler = "Python's parser";
  service.setup = interpreter;
  service.store = options.store;
  service.identity = [executable = options.executable,
                      interpreter](Stamp stamp) -> Result<std::string> {
    WS_TRY(const std::string worker, library_stamp(executable, stamp));
    WS_TRY(const std::string python, library_stamp(interpreter, stamp));
    return worker + python;
  };
  return service;
}

Language language_of(const std::string& name) {
  const LanguageInfo* const info = find_language(name);
  return info == nullptr ? Language::kTriton : info->language;
}

/// The reply with its diagnostics in a file beside the source.
CompileReply in_region(CompileReply reply, const std::string& name) {
  CompileOutcome outcome = *reply.outcome;
  for (Diagnostic& row : outcome.diagnostics) {
    row.region = name;
  }
  reply.outcome = std::make_shared<const CompileOutcome>(std::move(outcome));
  return reply;
}

}  // namespace

CompileOutcome refused(const std::vector<Complaint>& complaints, const RenderedSource& source) {
  CompileOutcome outcome;
  outcome.verdict = CompileVerdict::kCompileError;
  for (const Complaint& complaint : complaints) {
    outcome.diagnostics.push_back(diagnostic_of(complaint, source));
  }
  outcome.diagnostics_total = static_cast<int>(outcome.diagnostics.size());
  outcome.message = outcome.diagnostics.front().message;
  return outcome;
}

TileParser::TileParser(TileParserOptions options) {
  const auto interpreter = std::ranges::find_if(options.interpreters, [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
  });
  if (interpreter != options.interpreters.end()) {
    syntax_ = std::make_unique<CompileService>(syntax_service(options, *interpreter));
  }
}

Result<ParsedTiles> TileParser::parse(const RenderedSource& source, const std::stop_token& stop,
                                      bool fresh) {
  ParsedTiles parsed;
  if (language_of(source.language) == Language::kCutileJl) {
    parsed.reply.cache = CacheUse::kBypass;
    auto read = lift::tile::read_julia(source.source);
    if (auto* const file = std::get_if<File>(&read)) {
      parsed.file = std::move(*file);
    } else {
      parsed.reply.outcome = std::make_shared<const CompileOutcome>(
          refused(std::get<std::vector<Complaint>>(read), source));
    }
    return parsed;
  }
  WS_TRY(parsed, parse_python(source.source, source.language, stop, fresh));
  for (const auto& [name, text] : source.headers) {
    if (!parsed.file || !name.ends_with(".py")) {
      continue;
    }
    WS_TRY(ParsedTiles beside, parse_python(text, source.language, stop, fresh));
    if (beside.file) {
      parsed.file->add(*std::move(beside.file), name);
    } else {
      parsed.file.reset();
      parsed.reply = in_region(std::move(beside.reply), name);
    }
  }
  return parsed;
}

Result<ParsedTiles> TileParser::parse_python(const std::string& text, const std::string& language,
                                             const std::stop_token& stop, bool fresh) {
  if (syntax_ == nullptr) {
    return fail(ErrorCode::kUnsupported, "no Python is here to parse the kernel with",
                "install the package python3");
  }
  CompileRequest request;
  request.source.language = language;
  request.source.source = text;
  ParsedTiles parsed;
  WS_TRY(parsed.reply, syntax_->compile(request, stop, fresh));
  if (parsed.reply.outcome->verdict == CompileVerdict::kCompiled) {
    WS_TRY(parsed.file,
           lift::tile::read_python(parsed.reply.outcome->image.blob, language_of(language)));
  }
  return parsed;
}

}  // namespace ws
