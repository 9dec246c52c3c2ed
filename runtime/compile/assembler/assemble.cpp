#include "runtime/compile/assembler/assemble.h"

#include <algorithm>
#include <chrono>

#include "runtime/base/clock.h"
#include "runtime/compile/cubin/cubin.h"
#include "runtime/compile/nvrtc/ptx.h"

namespace ws::assembler {
namespace {

constexpr std::size_t kMaxLog = 500;

std::vector<EntryParam> params_of(const std::vector<nvrtc::PtxParam>& ptx,
                                  const std::vector<CubinParam>& binary) {
  std::vector<EntryParam> params;
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    EntryParam param;
    param.type = ptx[i].type;
    param.size = i < binary.size() ? binary[i].size : 0;
    param.pointer = ptx[i].pointer;
    param.integer = !param.pointer && !ptx[i].type.starts_with(".f");
    params.push_back(std::move(param));
  }
  return params;
}

Status fill_image(const CompileRequest& request, const std::string& ptx, Image& image) {
  WS_TRY(const Cubin cubin, read_cubin(image.blob));
  const auto params = nvrtc::entry_params(ptx);
  for (const std::string& symbol : request.source.entries) {
    const auto binary = std::ranges::find(cubin.entries, symbol, &CubinEntry::symbol);
    if (binary == cubin.entries.end() || !params.contains(symbol)) {
      return fail(ErrorCode::kInternal, "entry `" + symbol + "` is not in the linker's output");
    }
    CompiledEntry entry;
    entry.name = symbol;
    entry.lowered = symbol;
    entry.params = params_of(params.at(symbol), binary->params);
    entry.shared_bytes = binary->shared_bytes;
    entry.registers = binary->registers;
    entry.local_bytes = binary->local_bytes;
    entry.max_threads = binary->max_threads;
    image.entries.push_back(std::move(entry));
  }
  return {};
}

}  // namespace

CompileOutcome assemble(const Linker& linker, const CompileRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> texts;
  CompileOutcome outcome;
  for (const auto& [name, text] : request.source.headers) {
    texts.push_back(text);
    outcome.ptx += text;
  }
  Linked linked = linker.link(texts, request.target);
  if (linked.status != 0) {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = linker.version() + " does not take the compiler's PTX for " + request.target +
                      ": " + linked.log.substr(0, kMaxLog);
    return outcome;
  }
  outcome.instructions = nvrtc::count_instructions(outcome.ptx);
  outcome.image.blob = std::move(linked.cubin);
  if (const Status filled = fill_image(request, outcome.ptx, outcome.image); !filled) {
    outcome.verdict = CompileVerdict::kUnsupported;
    outcome.message = to_text(filled.error());
  }
  outcome.log = std::move(linked.log);
  outcome.compile_ms = elapsed_ms(start);
  return outcome;
}

}  // namespace ws::assembler
