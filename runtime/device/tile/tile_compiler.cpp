#include "runtime/device/tile/tile_compiler.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>

#include "runtime/compile/file_stamp.h"
#include "runtime/device/tile/tile_image.h"
#include "runtime/kernel/language.h"
#include "runtime/lift/tile/julia.h"
#include "runtime/lift/tile/lift_tile.h"

namespace ws {
namespace {

using lift::tile::Complaint;
using lift::tile::File;
using lift::tile::Lifted;

/// Line `number` of the text, from 1, without its end.
std::string_view line_of(std::string_view text, int number) {
  for (; number > 1 && !text.empty(); --number) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.substr(0, text.find('\n'));
}

Diagnostic diagnostic_of(const Complaint& complaint, const std::string& source) {
  Diagnostic row;
  row.severity = "error";
  row.message = complaint.message;
  if (!complaint.hint.empty()) {
    row.message += "; " + complaint.hint;
  }
  row.region = "source";
  row.line = complaint.line;
  row.column = complaint.column;
  constexpr std::size_t kMaxLine = 160;
  if (complaint.line > 0) {
    const std::string line(line_of(source, complaint.line).substr(0, kMaxLine));
    const std::size_t column =
        std::min<std::size_t>(static_cast<std::size_t>(complaint.column), line.size() + 1);
    row.snippet = line + (column == 0 ? "" : "\n" + std::string(column - 1, ' ') + "^");
  }
  return row;
}

CompileOutcome refused(const std::vector<Complaint>& complaints, const std::string& source) {
  CompileOutcome outcome;
  outcome.verdict = CompileVerdict::kCompileError;
  for (const Complaint& complaint : complaints) {
    outcome.diagnostics.push_back(diagnostic_of(complaint, source));
  }
  outcome.diagnostics_total = static_cast<int>(outcome.diagnostics.size());
  outcome.message = outcome.diagnostics.front().message;
  return outcome;
}

CompiledEntry entry_of(const TileLaunch& launch, const Lifted& lifted) {
  CompiledEntry entry;
  entry.name = launch.entry;
  for (std::size_t i = 0; i < lifted.parameters.size(); ++i) {
    const lift::tile::LiftedParameter& parameter = lifted.parameters[i];
    const bool tensor = parameter.tensor;
    entry.params.push_back({parameter.name, parameter.type,
                            tensor ? 8U : static_cast<std::uint32_t>(size_of(launch.args[i].type)),
                            tensor, !tensor && parameter.integer});
  }
  return entry;
}

/// Adds the buffers of a launch that are not there yet, and its program.
void add_program(TileImage& image, const TileLaunch& launch, const Lifted& lifted, bool flat) {
  TileProgramForm form;
  form.entry = launch.entry;
  form.program = lifted.launch->program;
  form.lines = lifted.launch->lines;
  for (const lift::tile::ProgramTensor& tensor : lifted.launch->tensors) {
    const TileArg& arg = launch.args[tensor.arg];
    const auto known = std::ranges::find_if(
        image.buffers, [&](const TileBuffer& buffer) { return buffer.spec.name == arg.name; });
    const auto index = static_cast<std::size_t>(known - image.buffers.begin());
    if (known == image.buffers.end()) {
      image.buffers.push_back({arg, flat, image.steps.size(), tensor.arg});
    }
    form.tensors.push_back({tensor.name, index, tensor.shape});
  }
  for (const lift::tile::ProgramScalar& scalar : lifted.launch->scalars) {
    const TileArg& arg = launch.args[scalar.arg];
    const double value =
        arg.kind == TileArg::Kind::kFloat ? arg.rounded() : static_cast<double>(arg.value);
    form.scalars.push_back({scalar.name, arg.type, value});
  }
  image.programs.push_back(std::move(form));
}

/// Julia sees an array as it lies in memory, its first dimension the one without gaps.
void order_by_strides(TileArg& arg) {
  std::vector<std::size_t> order(arg.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::reverse(order);
  // Strides are equal where a dimension has one element: it lies inside the other.
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(arg.strides[a], arg.shape[a] != 1) <
           std::pair(arg.strides[b], arg.shape[b] != 1);
  });
  const TileArg before = arg;
  for (std::size_t i = 0; i < order.size(); ++i) {
    arg.shape[i] = before.shape[order[i]];
    arg.strides[i] = before.strides[order[i]];
  }
}

CompileOutcome lift_all(const File& file, const RenderedSource& source) {
  TileImage image;
  image.language = source.language;
  CompileOutcome outcome;
  std::vector<TileLaunch> seen;
  const bool flat = source.language == "triton";
  for (TileLaunch launch : source.launches) {
    for (TileArg& arg : launch.args) {
      if (file.language == Language::kCutileJl && arg.kind == TileArg::Kind::kTensor) {
        order_by_strides(arg);
      }
    }
    const auto known = std::ranges::find(seen, launch);
    if (known != seen.end()) {
      image.steps.push_back(static_cast<std::size_t>(known - seen.begin()));
      continue;
    }
    const Lifted lifted = lift_launch(file, launch);
    if (!lifted.launch) {
      return refused(lifted.complaints, source.source);
    }
    add_program(image, launch, lifted, flat);
    image.steps.push_back(seen.size());
    seen.push_back(launch);
    const bool listed = std::ranges::any_of(outcome.image.entries, [&](const CompiledEntry& entry) {
      return entry.name == launch.entry;
    });
    if (!listed) {
      outcome.image.entries.push_back(entry_of(launch, lifted));
    }
  }
  outcome.image.blob = encode(image);
  return outcome;
}

CompileReply compile_julia(const RenderedSource& source) {
  const auto start = std::chrono::steady_clock::now();
  const auto read = lift::tile::read_julia(source.source);
  const auto* const file = std::get_if<File>(&read);
  CompileOutcome outcome = file != nullptr
                               ? lift_all(*file, source)
                               : refused(std::get<std::vector<Complaint>>(read), source.source);
  outcome.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return {std::make_shared<const CompileOutcome>(std::move(outcome)), CacheUse::kBypass};
}

CompileService::Options syntax_service(const TileCompilerOptions& options,
                                       const std::string& interpreter) {
  CompileService::Options service;
  service.executable = options.executable;
  service.role = "syntax";
  service.compiler = "Python's parser";
  service.setup = interpreter;
  service.store = options.store;
  service.identity = [executable = options.executable, interpreter]() -> Result<std::string> {
    WS_TRY(const std::string worker, library_stamp(executable));
    WS_TRY(const std::string python, library_stamp(interpreter));
    return worker + python;
  };
  return service;
}

}  // namespace

TileCompiler::TileCompiler(TileCompilerOptions options) {
  const auto interpreter = std::ranges::find_if(options.interpreters, [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
  });
  if (interpreter != options.interpreters.end()) {
    syntax_ = std::make_unique<CompileService>(syntax_service(options, *interpreter));
  }
}

Result<CompileReply> TileCompiler::compile(const CompileRequest& request,
                                           const std::stop_token& stop, bool fresh) {
  const LanguageInfo* info = find_language(request.source.language);
  const Language language = info == nullptr ? Language::kTriton : info->language;
  if (language == Language::kCutileJl) {
    return compile_julia(request.source);
  }
  if (syntax_ == nullptr) {
    return fail(ErrorCode::kUnsupported, "no Python is here to parse the kernel with",
                "install the package python3");
  }
  CompileRequest parse;
  parse.source.language = request.source.language;
  parse.source.source = request.source.source;
  const auto start = std::chrono::steady_clock::now();
  WS_TRY(CompileReply reply, syntax_->compile(parse, stop, fresh));
  if (reply.outcome->verdict != CompileVerdict::kCompiled) {
    return reply;
  }
  WS_TRY(const File file, lift::tile::read_python(reply.outcome->image.blob, language));
  CompileOutcome outcome = lift_all(file, request.source);
  outcome.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  reply.outcome = std::make_shared<const CompileOutcome>(std::move(outcome));
  return reply;
}

}  // namespace ws
