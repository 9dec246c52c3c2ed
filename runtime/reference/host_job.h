// The jobs and answers of a host worker: a program that computes tensors without a device, a CuIR
// program or a Python function, in a sandboxed process of its own.
//
// A session is one program on one set of shapes. The server sends the job with the arena's
// descriptor and gets a HostReply: is there anything wrong with the program? Then, for each
// doorbell (an empty frame), the worker reads its inputs from the arena, writes its outputs there
// and sends another HostReply. Tensors travel in memory, never as text. A Python interpreter gets
// a PythonStart first. Then it makes a copy of itself for each frame "start NUMBER", with which
// come the session's socket, its arena, its job and the pipe for what it prints, and kills that
// copy at "end NUMBER".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/problem.h"
#include "runtime/kernel/tile_work.h"

namespace ws {

enum class HostLanguage : std::uint8_t { kCuir, kPython };

/// "cuir", "python": as a problem's reference names them, and the worker's role.
std::string_view name_of(HostLanguage language);

struct HostTensor {
  std::string name;
  DType type = DType::kF32;  ///< As the problem declares it.
  BufferRole role = BufferRole::kIn;
  std::vector<std::int64_t> shape;
  DType wire = DType::kF32;  ///< How its elements lie in the arena, row-major.
  std::uint64_t offset = 0;  ///< In the arena, in bytes.
};

struct HostScalar {
  std::string name;
  DType type = DType::kI32;
  double value = 0;
};

/// Options for CuIR programs only.
struct CuirOptions {
  std::string mode = "f64";    ///< f64, f32, typed or race_only.
  std::size_t schedules = 14;  ///< Beyond the default ones: more random ones.
  /// Tensors that nobody declared: shapes from the annotations of __init__, elements from this
  /// seed. For programs without a problem.
  bool own_inputs = false;
  std::uint64_t seed = 0;
  std::string made_from;  ///< The program that this one was made from; empty: none.
};

/// A program that is one launch of a kernel of tiles.
struct HostProgram {
  struct Tensor {
    std::string parameter;            ///< A parameter of the program's __init__.
    std::size_t tensor = 0;           ///< Index into HostJob::tensors.
    std::vector<std::int64_t> shape;  ///< As the program sees it: as many elements.
  };

  std::string source;
  std::vector<Tensor> tensors;
  std::vector<HostScalar> scalars;
};

struct HostJob {
  HostLanguage language = HostLanguage::kCuir;
  std::string source;
  std::vector<HostTensor> tensors;
  std::vector<HostScalar> scalars;
  Bindings dims;
  std::uint64_t arena_bytes = 0;
  CuirOptions cuir;
  /// Not empty: they take the place of `source`, and `steps` says which run in turn.
  std::vector<HostProgram> programs;
  std::vector<std::size_t> steps;
  bool count_work = false;  ///< The programs' work is counted, on one order of the blocks.
};

/// A syntax or type error of a CuIR program.
struct ProgramDiagnostic {
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string message;
  std::string hint;
  std::string snippet;  ///< The line, and a caret below it.
};

/// One of the last events of a program's workers and engines (runtime/ir/exec/trace.h).
struct ProgramEvent {
  std::size_t worker = 0;  ///< Index into ProgramFinding::workers.
  std::string kind;
  std::string object;
  std::int64_t line = 0;
};

/// A mistake that the executor found (runtime/ir/exec/finding.h).
struct ProgramFinding {
  std::string kind;
  std::string message;
  std::int64_t line = 0;
  std::int64_t other_line = 0;  ///< 0: none.
  std::string object;
  std::string worker;
  std::string fix;
  std::string schedule;
  std::int64_t block = 0;
  std::int64_t program = 0;            ///< Index into HostJob::programs.
  std::vector<ProgramEvent> events{};  ///< Before the first finding of a CuIR program, in order.
  std::vector<std::string> workers{};
};

/// A loop of the program.
struct ProgramLoop {
  std::int64_t line = 0;
  std::int64_t rounds = 0;  ///< The most that it made at once.
};

/// Lines that an edit may touch (runtime/ir/diff/diff.h).
struct ProgramWindow {
  std::string file;  ///< The CUDA source; empty: the program that was edited.
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// The changes of a program against the one that it was made from.
struct ProgramChange {
  std::vector<std::string> rules;  ///< "R1" to "R7", in order.
  bool orchestration_kept = true;
  std::vector<std::string> breaches;  ///< Changes of parts that have to stay, one sentence each.
  std::vector<ProgramWindow> windows;
};

/// The libraries that an interpreter imports before it serves sessions of Python programs.
struct PythonStart {
  std::string interpreter;             ///< Its path.
  std::vector<std::string> libraries;  ///< "torch", "scipy"; NumPy and small ones always.
};

/// Whether a program ran, and if not why.
enum class HostVerdict : std::uint8_t {
  kFine,
  kSyntaxError,
  kCheckError,    ///< A rule of the language, or types that do not fit.
  kRuntimeError,  ///< It was told by the program's interpreter or executor.
  kTimeout,
  kDied,       ///< The process ended, as a limit does it.
  kCrashed,    ///< The process ended, as no limit does it.
  kNoLibrary,  ///< The interpreter has no NumPy.
};
/// On the wire: "", "syntax_error", "check_error", "runtime_error", "timeout", "died", "crashed",
/// "no_library".
std::string_view name_of(HostVerdict verdict);

struct HostReply {
  HostVerdict verdict = HostVerdict::kFine;
  std::string message;  ///< Why it is not kFine: one sentence.
  std::string hint;
  std::vector<ProgramDiagnostic> diagnostics;
  std::vector<ProgramFinding> findings;
  std::int64_t schedules = 0;           ///< The schedules that were run.
  std::optional<ProgramChange> change;  ///< In the answer to a job that has `made_from`.
  TileCounters work;                    ///< Where it was counted; lines are the programs'.
  std::vector<ProgramLoop> loops;       ///< Those of a CuIR program that were reached, by line.
  /// Said by the interpreter whose copy has ended: the signal that ended it, 0: none.
  std::optional<int> ended = std::nullopt;

  [[nodiscard]] bool ok() const { return verdict == HostVerdict::kFine; }
};

/// The largest frames of the protocol, in bytes. What is too long for a program, its parser says.
inline constexpr std::size_t kMaxHostJob = std::size_t{256} << 20U;
inline constexpr std::size_t kMaxHostReply = std::size_t{1} << 20U;
/// The most rows of counted work in a reply.
inline constexpr std::size_t kMaxWorkRows = 8000;

std::string encode(const HostJob& job);
/// @errors kInternal: not what encode() makes.
Result<HostJob> decode_host_job(std::string_view frame);

std::string encode(const PythonStart& start);
/// @errors kInternal: not what encode() makes.
Result<PythonStart> decode_python_start(std::string_view frame);

std::string encode(const HostReply& reply);
/// From a worker that may be hostile: texts are cut, lists too.
/// @errors kDeviceLost: not a reply.
Result<HostReply> decode_host_reply(std::string_view frame);

}  // namespace ws
