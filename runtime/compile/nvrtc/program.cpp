#include "runtime/compile/nvrtc/program.h"

#include <algorithm>
#include <cctype>
#include <chrono>

#include "runtime/base/clock.h"
#include "runtime/base/units.h"
#include "runtime/compile/cubin/cubin.h"
#include "runtime/compile/diagnostics.h"
#include "runtime/compile/nvrtc/log_parser.h"
#include "runtime/compile/nvrtc/names.h"
#include "runtime/compile/nvrtc/prefix.h"
#include "runtime/compile/nvrtc/ptx.h"
#include "runtime/compile/nvrtc/shims.h"

namespace ws::nvrtc {
namespace {

constexpr std::int64_t kRegistersPerBlock = 65536;  // Every arch that CUDA 12 and 13 know.
constexpr std::int64_t kMostThreads = 1024;

constexpr const char* kVerbose = "--ptxas-options=-v";
constexpr const char* kDefaultDevice = "--device-as-default-execution-space";

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

/// "sm_90" of "sm_90a".
std::string_view base_arch(std::string_view target) {
  const bool suffix = target.ends_with('a') || target.ends_with('f');
  return target.substr(0, target.size() - (suffix ? 1 : 0));
}

CompileOutcome unknown_arch(const Library& library, const std::string& target) {
  CompileOutcome outcome;
  outcome.verdict = CompileVerdict::kUnsupported;
  outcome.message = library.version() + " does not compile for `" + target + "`; it knows " +
                    join(library.archs()) + ", and forms with a suffix, such as sm_90a";
  return outcome;
}

/// The kernel's own options, in the words that NVRTC knows.
std::vector<std::string> kernel_options(const CompileRequest& request) {
  std::vector<std::string> options;
  std::string standard = "--std=c++17";
  for (const std::string& option : request.source.options) {
    const bool level =
        option.starts_with("-O");  // In nvcc's words this is an option of the host's compiler.
    const bool line_info = option == "-lineinfo" || option == "--generate-line-info";
    if (option.starts_with("-std=") || option.starts_with("--std=")) {
      standard = "--std=" + option.substr(option.find('=') + 1);
    } else if (!level && !line_info) {
      options.push_back(option);
    }
  }
  options.push_back(standard);
  for (const std::string& define : request.defines) {
    options.push_back("-D" + define);
  }
  return options;
}

std::vector<std::string> all_options(const Library& library, const Toolkit& toolkit,
                                     const CompileRequest& request) {
  std::vector<std::string> options = {"--gpu-architecture=" + request.target,
                                      "--generate-line-info", kVerbose};
  options.insert(options.end(), library.base_options().begin(), library.base_options().end());
  const std::vector<std::string> own = kernel_options(request);
  options.insert(options.end(), own.begin(), own.end());
  if (!toolkit.include.empty()) {
    options.push_back("-I" + toolkit.include);
    options.push_back("-I" + toolkit.include + "/cccl");  // Where CUDA 13 keeps cuda/std.
  }
  return options;
}

bool is_plain_name(const std::string& entry) {
  return std::all_of(entry.begin(), entry.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// The symbol of an extern "C" function has no types in it; without such functions nothing is
/// added to the program.
bool may_lack_types(const CompileRequest& request) {
  constexpr std::string_view linkage = "\"C\"";
  const auto has = [&](const std::string& text) { return text.find(linkage) != text.npos; };
  const auto& headers = request.source.headers;
  return has(request.source.source) || has(request.source.macros) ||
         std::any_of(headers.begin(), headers.end(),
                     [&](const auto& header) { return has(header.second); });
}

Program program_of(const Library& library, const Toolkit& toolkit, const CompileRequest& request) {
  Program program;
  const std::string prelude = "#include \"" + std::string(kPrelude) + "\"\n";
  const std::string headers = leading_includes(request.source.source);
  (headers.empty() ? program.text : program.prefix) = prelude + headers;
  program.text += "#include \"macros\"\n#include \"source\"\n";
  const auto add = [&](std::string_view name, std::string_view text) {
    program.header_names.emplace_back(name);
    program.header_texts.emplace_back(text);
  };
  add(kMacros, request.source.macros);
  add(kSource, request.source.source);
  for (const auto& [name, text] : request.source.headers) {
    add(name, text);
  }
  for (const Shim& shim : shims()) {
    if (!request.source.headers.contains(std::string(shim.name))) {
      add(shim.name, shim.text);
    }
  }
  program.names = request.source.entries;
  if (may_lack_types(request)) {
    program.text += kSignatureText;
    for (const std::string& entry : request.source.entries) {
      if (is_plain_name(entry)) {
        program.names.push_back(signature_name(entry));
      }
    }
  }
  program.options = all_options(library, toolkit, request);
  return program;
}

/// Compiles; once more where the log says that another option would help.
Product compile_kindly(const Library& library, PrecompiledHeaders& headers, Program& program) {
  Product product = headers.compile(library, program);
  const auto failed_with = [&](std::string_view text, bool present) {
    return product.status == kCompilationFailed &&
           (product.log.find(text) != std::string::npos) == present;
  };
  // Not from the start: it makes a variable of every constexpr of the toolkit's headers.
  if (failed_with("-default-device", true)) {
    program.options.emplace_back(kDefaultDevice);
    product = headers.compile(library, program);
  }
  // Under -v ptxas keeps some errors to itself: too much shared memory is one.
  if (failed_with("error", false) && failed_with("fatal", false)) {
    std::erase(program.options, kVerbose);
    product = headers.compile(library, program);
  }
  return product;
}

/// The types of `entry`'s parameters, from its own symbol or that of its signature; empty when
/// neither says.
std::vector<std::string> types_of(const Program& program, const Product& product,
                                  std::size_t entry) {
  if (auto types = parameter_types(product.lowered[entry])) {
    return *std::move(types);
  }
  const auto at =
      std::find(program.names.begin(), program.names.end(), signature_name(program.names[entry]));
  const auto index = static_cast<std::size_t>(at - program.names.begin());
  const auto types =
      at == program.names.end() ? std::nullopt : parameter_types(product.lowered[index]);
  return types.value_or(std::vector<std::string>());
}

std::vector<EntryParam> params_of(const std::vector<PtxParam>& ptx,
                                  const std::vector<CubinParam>& binary,
                                  const std::vector<std::string>& types) {
  std::vector<EntryParam> params;
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    const bool typed = types.size() == ptx.size();
    const bool number = ptx[i].type.find('[') == std::string::npos;
    EntryParam param;
    param.type = typed ? types[i] : ptx[i].type;
    param.size = i < binary.size() ? binary[i].size : 0;
    param.pointer = ptx[i].pointer || (number && typed && types[i].find('*') != std::string::npos);
    param.integer = number && !param.pointer && !ptx[i].type.starts_with(".f");
    params.push_back(std::move(param));
  }
  return params;
}

std::int64_t threads_allowed(const CubinEntry& entry) {
  constexpr std::int64_t granule = 8;  // Registers are given out by 256 for each warp.
  if (entry.max_threads > 0 || entry.registers <= 0) {
    return entry.max_threads;
  }
  const std::int64_t registers = (entry.registers + granule - 1) / granule * granule;
  return std::min(kMostThreads, kRegistersPerBlock / registers / kWarpSize * kWarpSize);
}

Status fill_image(const Program& program, const CompileRequest& request, Product& product,
                  const ParsedLog& log, Image& image) {
  WS_TRY(const Cubin cubin, read_cubin(product.cubin));
  const auto ptx = entry_params(product.ptx);
  for (std::size_t i = 0; i < request.source.entries.size(); ++i) {
    const std::string& symbol = product.lowered[i];
    const auto binary = std::find_if(cubin.entries.begin(), cubin.entries.end(),
                                     [&](const CubinEntry& e) { return e.symbol == symbol; });
    if (binary == cubin.entries.end() || !ptx.contains(symbol)) {
      return fail(ErrorCode::kInternal,
                  "entry `" + request.source.entries[i] + "` is not in the compiler's output");
    }
    CompiledEntry entry;
    entry.name = request.source.entries[i];
    entry.lowered = symbol;
    entry.params = params_of(ptx.at(symbol), binary->params, types_of(program, product, i));
    entry.shared_bytes = binary->shared_bytes;
    entry.registers = binary->registers;
    entry.local_bytes = binary->local_bytes;
    entry.max_threads = threads_allowed(*binary);
    const auto spills = log.spills.find(symbol);
    entry.spill_bytes = spills == log.spills.end() ? -1 : spills->second;
    image.entries.push_back(std::move(entry));
  }
  // A plan can name variables of no namespace.
  for (const CubinSymbol& symbol : cubin.symbols) {
    if (is_plain_name(symbol.name) && !symbol.name.starts_with("_Z")) {
      image.symbols.push_back({symbol.name, 0, symbol.bytes});
    }
  }
  image.blob = std::move(product.cubin);
  return {};
}

/// The toolkit's headers by the names that kernels include them by.
std::string without_paths(std::string text, const Toolkit& toolkit) {
  if (toolkit.include.empty()) {
    return text;
  }
  for (const std::string& folder : {toolkit.include + "/cccl/", toolkit.include + "/"}) {
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
      text.erase(at, folder.size());
    }
  }
  return text;
}

/// The verdict of a compile that failed.
void judge_failure(const Library& library, const CompileRequest& request, const Product& product,
                   bool over_resources, CompileOutcome& outcome) {
  const auto says = [&](std::string_view text) { return product.log.find(text) != text.npos; };
  if (says("value for --gpu-architecture") || says("specified with --nv_arch flag")) {
    outcome = unknown_arch(library, request.target);
    return;
  }
  if (product.status == kOutOfMemory || over_resources) {
    outcome.verdict = CompileVerdict::kResourceLimit;
  }
  if (product.status == kOutOfMemory) {
    outcome.message = "the compiler needs more memory than it may take";
  } else if (outcome.verdict == CompileVerdict::kCompiled) {
    outcome.verdict = product.status == kCompilationFailed ? CompileVerdict::kCompileError
                                                           : CompileVerdict::kUnsupported;
    outcome.message = "the compiler gave up: " + library.name_of(product.status);
  }
}

}  // namespace

CompileOutcome compile(const Library& library, const Toolkit& toolkit, PrecompiledHeaders& headers,
                       const CompileRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const auto& archs = library.archs();
  if (std::find(archs.begin(), archs.end(), base_arch(request.target)) == archs.end()) {
    return unknown_arch(library, request.target);
  }
  Program program = program_of(library, toolkit, request);
  Product product = compile_kindly(library, headers, program);
  product.log = without_paths(std::move(product.log), toolkit);
  product.ptx = without_paths(std::move(product.ptx), toolkit);
  CompileOutcome outcome;
  ParsedLog log = parse_log(product.log, request);
  settle(std::move(log.diagnostics), outcome);
  if (product.status != 0) {
    judge_failure(library, request, product, log.over_resources, outcome);
  } else {
    outcome.instructions = count_instructions(product.ptx);
    if (const Status filled = fill_image(program, request, product, log, outcome.image); !filled) {
      outcome.verdict = CompileVerdict::kUnsupported;
      outcome.message = to_text(filled.error());
    }
    outcome.ptx = std::move(product.ptx);
  }
  outcome.log = std::move(product.log);
  outcome.compile_ms = elapsed_ms(start);
  return outcome;
}

}  // namespace ws::nvrtc
