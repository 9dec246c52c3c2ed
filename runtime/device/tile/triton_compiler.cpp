#include "runtime/device/tile/triton_compiler.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "runtime/base/clock.h"
#include "runtime/device/tile/specialised.h"

namespace ws {
namespace {

using lift::tile::Complaint;
using lift::tile::File;
using lift::tile::Function;

CompileReply reply_of(CompileOutcome outcome, CacheUse cache) {
  return {std::make_shared<const CompileOutcome>(std::move(outcome)), cache};
}

CompileOutcome unsupported(std::string message) {
  CompileOutcome outcome;
  outcome.verdict = CompileVerdict::kUnsupported;
  outcome.message = std::move(message);
  return outcome;
}

/// Gives the kernel's symbol another name, where it is declared: PTX names it nowhere else.
void rename_entry(std::string& ptx, const std::string& from, const std::string& to) {
  const std::string declared = ".entry " + from + "(";
  if (const std::size_t at = ptx.find(declared); at != std::string::npos) {
    ptx.replace(at, declared.size(), ".entry " + to + "(");
  }
}

/// Whether the worker, which may be hostile, told of a launch that can be.
bool is_possible(const CompiledEntry& entry) {
  constexpr std::int64_t kMostThreads = 1024;
  constexpr std::int64_t kMostShared = std::int64_t{1} << 20U;
  constexpr std::int64_t kMostHidden = 8;
  return entry.threads > 0 && entry.threads <= kMostThreads && entry.shared_bytes <= kMostShared &&
         entry.dynamic_bytes >= 0 && entry.dynamic_bytes <= entry.shared_bytes &&
         entry.null_params >= 0 && entry.null_params <= kMostHidden;
}

/// Puts the assembler's facts about the machine code beside Triton's about the kernel.
/// @return Why the two do not go together; "" where they do.
std::string complete(CompiledEntry& entry, const CompiledEntry& binary) {
  if (!is_possible(entry)) {
    return "Triton's kernel `" + entry.name + "` has no launch that a GPU can make";
  }
  std::vector<std::uint32_t> passed;
  for (const EntryParam& param : entry.params) {
    if (!param.folded) {
      passed.push_back(param.size);
    }
  }
  passed.insert(passed.end(), static_cast<std::size_t>(entry.null_params), sizeof(std::uint64_t));
  if (!std::ranges::equal(passed, binary.params, {}, {}, &EntryParam::size)) {
    return "Triton's kernel `" + entry.name + "` takes other parameters than Triton says";
  }
  entry.lowered = binary.lowered;
  entry.registers = binary.registers;
  entry.local_bytes = binary.local_bytes;
  entry.max_threads = binary.max_threads;
  return {};
}

/// The part of a request that is not made for a GPU; "" where there is none.
std::string what_is_missing(const RenderedSource& source) {
  if (!source.headers.empty()) {
    return "the kernel has files beside its source (`" + source.headers.begin()->first +
           "`), which warpsmith does not give to Triton on a GPU yet: put what it needs of them "
           "into the source";
  }
  for (const TileLaunch& launch : source.launches) {
    for (const TileArg& arg : launch.args) {
      if (arg.kind == TileArg::Kind::kDescriptor) {
        return "`" + launch.entry + "` takes a tensor descriptor of `" + arg.name +
               "`, which warpsmith does not pass to Triton's kernels on a GPU yet";
      }
    }
  }
  return {};
}

class TritonCompiler : public LanguageCompiler {
 public:
  explicit TritonCompiler(TritonServices services)
      : services_(std::move(services)) {}

  [[nodiscard]] std::string_view language() const override { return "triton"; }

  Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                               bool fresh) override {
    const auto start = std::chrono::steady_clock::now();
    if (std::string why = what_is_missing(request.source); !why.empty()) {
      return reply_of(unsupported(std::move(why)), CacheUse::kBypass);
    }
    WS_TRY(ParsedTiles parsed, services_.parser->parse(request.source, stop, fresh));
    if (!parsed.file) {
      return parsed.reply;
    }
    std::vector<Complaint> complaints;
    const std::vector<CompileRequest> requests = requests_of(*parsed.file, request, complaints);
    if (!complaints.empty()) {
      return reply_of(refused(complaints, request.source), parsed.reply.cache);
    }
    Image image;
    CompileRequest assembly;
    assembly.source.language = "ptx";
    assembly.target = request.target;
    CacheUse cache = CacheUse::kHit;
    WS_TRY(const CompilerInfo linker, services_.assembler->info());
    std::vector<CompileRequest> seen;
    for (CompileRequest single : requests) {
      const auto known = std::ranges::find(seen, single.source, &CompileRequest::source);
      image.steps.push_back(static_cast<std::uint32_t>(known - seen.begin()));
      if (known != seen.end()) {
        continue;
      }
      seen.push_back(single);
      single.defines = {linker.arch};
      WS_TRY(CompileReply reply, services_.triton->compile(single, stop, fresh));
      if (reply.outcome->verdict != CompileVerdict::kCompiled) {
        return reply;
      }
      if (reply.outcome->image.entries.size() != 1) {
        return reply_of(unsupported("Triton's worker told of no kernel"), reply.cache);
      }
      cache = reply.cache == CacheUse::kHit ? cache : reply.cache;
      add_kernel(*reply.outcome, image, assembly);
    }
    WS_TRY(CompileReply linked, services_.assembler->compile(assembly, stop, fresh));
    if (linked.outcome->verdict != CompileVerdict::kCompiled) {
      return linked;
    }
    cache = linked.cache == CacheUse::kHit ? cache : linked.cache;
    return reply_of(finished(*linked.outcome, std::move(image), elapsed_ms(start)), cache);
  }

 private:
  /// One for each launch, as triton_service() takes them but for the version of PTX.
  static std::vector<CompileRequest> requests_of(const File& file, const CompileRequest& request,
                                                 std::vector<Complaint>& complaints) {
    std::vector<CompileRequest> requests;
    for (const TileLaunch& launch : request.source.launches) {
      const Function* const kernel = find_kernel(file, launch, complaints);
      if (kernel == nullptr) {
        return {};
      }
      std::ranges::move(check_launch(file, *kernel, launch), std::back_inserter(complaints));
      if (!complaints.empty()) {
        return {};
      }
      CompileRequest single;
      single.source.language = request.source.language;
      single.source.source = request.source.source;
      single.source.entries = {launch.entry};
      single.source.options = specialised(file, *kernel, launch);
      single.target = request.target;
      requests.push_back(std::move(single));
    }
    return requests;
  }

  static void add_kernel(const CompileOutcome& outcome, Image& image, CompileRequest& assembly) {
    CompiledEntry entry = outcome.image.entries.front();
    std::string ptx = outcome.ptx;
    const std::string symbol = entry.lowered + "_" + std::to_string(image.entries.size());
    rename_entry(ptx, entry.lowered, symbol);
    // Names of headers are in alphabetical order, which is of no importance.
    assembly.source.headers[symbol] = std::move(ptx);
    assembly.source.entries.push_back(symbol);
    image.entries.push_back(std::move(entry));
  }

  static CompileOutcome finished(const CompileOutcome& linked, Image image, double ms) {
    CompileOutcome outcome = linked;
    for (std::size_t i = 0; i < image.entries.size(); ++i) {
      if (std::string why = complete(image.entries[i], linked.image.entries.at(i)); !why.empty()) {
        return unsupported(std::move(why));
      }
    }
    image.blob = linked.image.blob;
    outcome.image = std::move(image);
    outcome.compile_ms = ms;
    return outcome;
  }

  const TritonServices services_;
};

}  // namespace

std::shared_ptr<LanguageCompiler> make_triton_compiler(TritonServices services) {
  return std::make_shared<TritonCompiler>(std::move(services));
}

}  // namespace ws
