// The input and the outcome of a compile, and their form between processes. Shared by the server,
// the compile worker and the plug-in.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/profile_map.h"
#include "runtime/kernel/plan/plan.h"

namespace ws {

/// How the CPU engine builds a kernel.
enum class Build : std::uint8_t {
  kFast,     ///< For benchmark and references: optimised, unchecked.
  kBounds,   ///< For validate: each global and shared access is checked first.
  kProfile,  ///< For profile: checked as kBounds, and tells the worker what it does.
  kWatched,  ///< Checked as kBounds, and tells the worker of each access, to find races.
};

struct CompileRequest {
  RenderedSource source;
  std::string target;  ///< "sm_90a", for NVRTC; empty: this machine, by the CPU engine.
  Build build = Build::kFast;
  std::vector<std::string> defines;  ///< "acc_t=double"
};

struct Diagnostic {
  std::string severity;  ///< error | warning | note
  std::string message;
  std::string region;  ///< source | macros | entry | a header's name
  int line = 0;        ///< 1-based, as the client sent the text; 0 = no place.
  int column = 0;
  std::string snippet;  ///< The line and a caret line.
};

enum class CompileVerdict : std::uint8_t {
  kCompiled,
  kCompileError,
  kTimeout,
  kResourceLimit,
  kUnsupported,
  kPruned,  ///< The kernel said so: "ws_invalid: reason".
};

/// The word of the wire contract.
std::string_view name_of(CompileVerdict verdict);

struct EntryParam {
  std::string name;  ///< Empty where the binary does not keep it (NVRTC).
  std::string type;  ///< As written: "const float *"; from a binary "float const*", else ".u64".
  std::uint32_t size = 0;
  bool pointer = false;
  bool integer = false;
  bool folded = false;  ///< Its value is part of the code, and no launch passes it.
  /// A buffer of a shader: the only element type that it takes, as name_of(DType) says it; empty:
  /// any.
  std::string element;
};

/// A place where the threads of a block or a warp wait for each other.
struct PhaseStop {
  bool warp = false;       ///< A warp operation; else a barrier.
  std::uint32_t mode = 0;  ///< cpu_abi::WarpMode or cpu_abi::BarrierMode.
  std::uint32_t site = 0;
};

/// On the CPU engine, a kernel with barriers or warp operations is cut at them into phases, which
/// the threads of a block run one after another, without a stack of their own. A thread that waits
/// at stop k goes on from phase k + 1; phase 0 is the kernel's start.
struct PhasedCode {
  std::uint64_t turn_offset = 0;   ///< In the image: a phase of one thread; 0: not cut.
  std::uint64_t rows_offset = 0;   ///< In the image: phases of all threads of a unit; 0: none.
  std::uint64_t thread_bytes = 0;  ///< For values that a thread carries over stops.
  std::uint64_t unit_bytes = 0;    ///< The same for values that all threads of a unit share.
  bool warps = false;              ///< A unit is a warp; else a block.
  /// The warps of a block must lie along its x axis and begin at multiples of 32 there; a launch
  /// with others does not take this code.
  bool aligned = false;
  std::vector<PhaseStop> stops;
};

struct CompiledEntry {
  std::string name;  ///< The name expression asked for.
  std::vector<EntryParam> params;
  std::int64_t shared_bytes = 0;  ///< Static shared memory.
  std::uint64_t stack_bytes =
      0;  ///< The stack of one thread, when known exactly (no recursion); else 0.
  /// On the CPU engine: local memory of one thread, for its own arrays.
  std::uint64_t private_bytes = 0;
  bool barriers = false;            ///< Has barriers or warp operations: runs on fibers.
  std::uint64_t thread_offset = 0;  ///< In the image: one thread.
  std::uint64_t block_offset = 0;   ///< In the image: a whole block; 0 when `barriers`.
  PhasedCode phases;                ///< When `barriers`, where the kernel can be cut.
  std::string lowered;              ///< Its symbol in a cubin.
  std::int64_t registers = -1;      ///< The registers of one thread; -1 = unknown, as below.
  std::int64_t local_bytes = -1;    ///< Local memory of one thread: stack frame and spills.
  std::int64_t spill_bytes = -1;    ///< Spilled registers: bytes stored, over the whole code.
  std::int64_t max_threads =
      -1;  ///< The limit of a block, by __launch_bounds__ or the device's own limit.
  // From a language of tiles, for a GPU:
  std::int64_t threads = 0;        ///< The size of a block, where the compiler chose it; else 0.
  std::int64_t dynamic_bytes = 0;  ///< The part of `shared_bytes` that a launch must ask for.
  std::int64_t null_params = 0;    ///< Pointers behind `params`, which a launch sets to null.
  // From a shader language:
  bool by_name = false;  ///< A launch's arguments go to the parameters of their names.
  std::array<std::int64_t, 3> block = {0, 0, 0};  ///< A block's threads, as the source says them.
};

/// A place in the client's text that a runtime fault can name.
struct Site {
  std::string region;
  int line = 0;
  int column = 0;
};

/// A `__device__` or `__constant__` variable.
struct ImageSymbol {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// From NVRTC: `blob` is a cubin, and only `symbols` (offset 0) and `entries` are filled in.
/// From a language of tiles for a GPU: the same, and `steps`.
/// From a shader language: `blob` holds a SPIR-V module for each of `entries`
/// (spirv/module.h), and `sites` and `objects` are those of a build that checks.
/// From a language of tiles: `blob` is a TileImage (device/tile/tile_image.h), with `entries`.
/// From the CPU engine: machine code, position independent but for `rebases` and `imports`.
/// Layout of `blob`: [0, ro_offset) code, [ro_offset, rw_offset) constants and the addresses of
/// functions, [rw_offset, blob.size()) data, each page aligned; a loader copies it, patches it, and
/// makes the first part executable and the second one read-only.
struct Image {
  std::string blob;
  std::uint64_t ro_offset = 0;
  std::uint64_t rw_offset = 0;
  std::vector<std::pair<std::uint64_t, std::string>> imports;  ///< Slot of 8 bytes <- function.
  std::vector<std::pair<std::uint64_t, std::uint64_t>>
      rebases;  ///< 8 bytes at first <- base+second.
  std::vector<ImageSymbol> symbols;
  std::vector<CompiledEntry> entries;
  std::vector<std::uint32_t> steps;  ///< For each launch its entry; empty: they go by name.
  std::vector<std::pair<std::uint64_t, Site>> lines;  ///< Code offset -> place, ascending.
  std::vector<Site> sites;                            ///< By the site number that a fault carries.
  std::vector<std::string> objects;                   ///< Names of shared and device variables.
  ProfileMap profile;                                 ///< Only for Build::kProfile.
  /// The results may depend on where the code's memory lies; the CPU engine only.
  bool looks_at_addresses = false;
};

struct CompileOutcome {
  CompileVerdict verdict = CompileVerdict::kCompiled;
  std::string message;                  ///< Why not, when it is not kCompiled: one sentence.
  std::vector<Diagnostic> diagnostics;  ///< At most kMaxDiagnostics, errors first.
  int diagnostics_total = 0;
  std::map<std::string, std::int64_t> instructions;  ///< Class -> static count.
  std::string ptx;                                   ///< From NVRTC, when it is kCompiled.
  std::string log;  ///< The compiler's output; empty from the CPU engine.
  Image image;      ///< kCompiled only.
  double compile_ms = 0;
};

inline constexpr std::size_t kMaxDiagnostics = 10;

/// One frame each: JSON; of an outcome a zero byte, then PTX, log and code, raw.
std::string encode(const CompileRequest& request);
std::string encode(const CompileOutcome& outcome);
/// @errors kInternal: not what encode() writes.
Result<CompileRequest> decode_compile_request(std::string_view frame);
Result<CompileOutcome> decode_compile_outcome(std::string_view frame);

}  // namespace ws
