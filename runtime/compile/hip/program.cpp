#include "runtime/compile/hip/program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>

#include "runtime/base/clock.h"
#include "runtime/compile/diagnostics.h"
#include "runtime/compile/hip/code_object.h"
#include "runtime/compile/hip/log_parser.h"
#include "runtime/compile/hip/spelling.h"
#include "runtime/compile/nvrtc/names.h"

namespace ws::hip {
namespace {

constexpr std::int64_t kRegisterBytes = 4;

struct OptionRow {
  std::string_view kernel;  ///< In nvcc's words.
  const char* clang;
};

// Options that are missing here have no equivalent in clang, or are the compiler's default: line
// tables, -O3, and a register limit, which __launch_bounds__ sets.
constexpr std::array kOptions = {
    OptionRow{"use_fast_math", "-ffast-math"},
    OptionRow{"fmad=false", "-ffp-contract=off"},
    OptionRow{"ftz=true", "-fgpu-flush-denormals-to-zero"},
    OptionRow{"prec-div=false", "-fno-hip-fp32-correctly-rounded-divide-sqrt"},
    OptionRow{"prec-sqrt=false", "-fno-hip-fp32-correctly-rounded-divide-sqrt"},
};

std::vector<std::string> options_of(const CompileRequest& request) {
  std::vector<std::string> options = {"--offload-arch=" + request.target, "-O3"};
  std::string standard = "c++17";
  for (const std::string& option : request.source.options) {
    const std::string_view bare =
        std::string_view(option).substr(std::min(option.find_first_not_of('-'), option.size()));
    constexpr std::string_view kMacro = "define-macro=";
    if (bare.starts_with("std=")) {
      standard = bare.substr(bare.find('=') + 1);
    } else if (option.starts_with("-D")) {
      options.push_back(option);
    } else if (bare.starts_with(kMacro)) {
      options.push_back("-D" + std::string(bare.substr(kMacro.size())));
    }
    for (const OptionRow& row : kOptions) {
      if (bare == row.kernel) {
        options.emplace_back(row.clang);
      }
    }
  }
  options.push_back("-std=" + standard);
  for (const std::string& define : request.defines) {
    options.push_back("-D" + define);
  }
  return options;
}

bool is_plain_name(const std::string& entry) {
  return std::all_of(entry.begin(), entry.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// hiprtc crashes with a header that is empty.
std::string never_empty(const std::string& text) {
  return text.empty() ? "\n" : text;
}

Program program_of(const CompileRequest& request) {
  Program program;
  const auto add = [&](std::string_view name, const std::string& text) {
    program.header_names.emplace_back(name);
    program.header_texts.push_back(never_empty(text));
  };
  program.text = "#include \"" + std::string(kPrelude) +
                 "\"\n#include \"macros\"\n#include \"source\"\n" + kTypesText;
  add(kPrelude, std::string(prelude(request.source.language)));
  add("macros", request.source.macros);
  add("source", request.source.source);
  for (const auto& [name, text] : request.source.headers) {
    add(name, text);
  }
  for (const Shim& shim : shims()) {
    if (!request.source.headers.contains(std::string(shim.name))) {
      add(shim.name, std::string(shim.text));
    }
  }
  program.names = request.source.entries;
  for (std::size_t i = 0; i < request.source.entries.size(); ++i) {
    if (is_plain_name(request.source.entries[i])) {  // It may be extern "C".
      program.names.push_back(types_of(i, request.source.entries[i]));
    }
  }
  program.options = options_of(request);
  return program;
}

/// The types of `entry`'s parameters: from its own symbol, or from that of the function that bears
/// its type.
std::vector<std::string> parameter_types(const CodeObject& object, const std::string& symbol,
                                         std::size_t entry) {
  if (auto types = nvrtc::parameter_types(symbol)) {
    return *std::move(types);
  }
  for (const CodeEntry& candidate : object.entries) {
    const std::string name = nvrtc::demangled(candidate.symbol);
    if (const std::string_view type = type_in(entry, name); !type.empty()) {
      return nvrtc::types_in(type).value_or(std::vector<std::string>());
    }
  }
  return {};
}

bool is_integer(std::string_view type) {
  constexpr std::array kIntegers = {
      "char", "signed char",   "unsigned char", "short", "unsigned short",    "int", "unsigned int",
      "long", "unsigned long", "long long",     "bool",  "unsigned long long"};
  return std::find(kIntegers.begin(), kIntegers.end(), type) != kIntegers.end();
}

std::vector<EntryParam> entry_params(const CodeEntry& code, const std::vector<std::string>& types) {
  std::vector<EntryParam> params;
  for (std::size_t i = 0; i < code.params.size(); ++i) {
    EntryParam param;
    param.type = types.size() == code.params.size() ? types[i] : "";
    param.size = code.params[i].size;
    param.pointer = code.params[i].pointer;
    param.integer = !param.pointer && is_integer(param.type);
    params.push_back(std::move(param));
  }
  return params;
}

Status fill_image(const CompileRequest& request, Product& product, Image& image) {
  WS_TRY(const CodeObject object, read_code_object(product.code));
  for (std::size_t i = 0; i < request.source.entries.size(); ++i) {
    const std::string& symbol = product.lowered[i];
    if (symbol.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "entry `" + request.source.entries[i] +
                      "`: hiprtc finds no kernel of that name; write template arguments as plain "
                      "values");
    }
    const auto code = std::find_if(object.entries.begin(), object.entries.end(),
                                   [&](const CodeEntry& e) { return e.symbol == symbol; });
    if (code == object.entries.end()) {
      return fail(ErrorCode::kInvalidArgument,
                  "entry `" + request.source.entries[i] + "`: not a __global__ function");
    }
    CompiledEntry entry;
    entry.name = request.source.entries[i];
    entry.lowered = symbol;
    entry.params = entry_params(*code, parameter_types(object, symbol, i));
    entry.shared_bytes = code->shared_bytes;
    entry.registers = code->registers;
    entry.local_bytes = code->local_bytes;
    entry.max_threads = code->max_threads;
    entry.spill_bytes = code->spills < 0 ? -1 : code->spills * kRegisterBytes;
    image.entries.push_back(std::move(entry));
  }
  // A plan can name variables of no namespace.
  for (const CodeSymbol& symbol : object.symbols) {
    if (is_plain_name(symbol.name) && !symbol.name.starts_with("_Z")) {
      image.symbols.push_back({symbol.name, 0, symbol.bytes});
    }
  }
  image.blob = std::move(product.code);
  return {};
}

/// The verdict of a compile that failed.
void judge_failure(const Library& library, const Product& product, bool over_resources,
                   CompileOutcome& outcome) {
  if (product.status == kOutOfMemory || over_resources) {
    outcome.verdict = CompileVerdict::kResourceLimit;
  }
  if (outcome.message.empty()) {
    if (outcome.verdict == CompileVerdict::kCompiled) {
      outcome.verdict = product.status == kCompilationFailed ? CompileVerdict::kCompileError
                                                             : CompileVerdict::kUnsupported;
    }
    outcome.message = "the compiler gave up: " + library.name_of(product.status);
  }
}

}  // namespace

CompileOutcome compile(const Library& library, const CompileRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const Program program = program_of(request);
  Product product = library.compile(program);
  CompileOutcome outcome;
  ParsedLog log = parse_log(product.log, request);
  settle(std::move(log.diagnostics), outcome);
  if (product.status != 0) {
    judge_failure(library, product, log.over_resources, outcome);
  } else if (const Status filled = fill_image(request, product, outcome.image); !filled) {
    outcome.image = Image();
    outcome.verdict = filled.error().code == ErrorCode::kInvalidArgument
                          ? CompileVerdict::kCompileError
                          : CompileVerdict::kUnsupported;
    outcome.message = filled.error().message;
  }
  outcome.compile_ms = elapsed_ms(start);
  return outcome;
}

}  // namespace ws::hip
