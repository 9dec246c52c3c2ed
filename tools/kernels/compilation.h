// The result of compiling a kernel, and its JSON form.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/verdict.h"
#include "runtime/compile/compile.h"
#include "tools/answer/typed_job.h"

namespace ws {

/// The resources that an entry takes. A field has no value if the compiler does not report it.
struct EntryUse {
  std::string entry;
  std::optional<std::int64_t> registers;
  std::int64_t shared_bytes = 0;
  std::optional<std::int64_t> local_bytes;
  std::int64_t spill_bytes = 0;
  std::int64_t max_threads = 0;
  std::optional<double> occupancy;  ///< At its first launch.
};

/// Another choice of parameters, compiled for its resources alone.
struct VariantUse {
  Json params = Json::object();  ///< All of them, those by default too.
  Verdict verdict = Verdict::kCompiled;
  std::string message;  ///< Why it is not kCompiled.
  std::vector<EntryUse> entries;
};

/// A compile and the evidence that records it.
struct Compilation {
  Verdict verdict = Verdict::kCompiled;
  std::string message;  ///< Why it is not kCompiled. Not part of the form.
  std::string problem_id;
  std::string kernel_id;
  std::string parent;  ///< Empty for a kernel without one.
  std::vector<EntryUse> entries;
  std::vector<Diagnostic> diagnostics;  ///< A misfit of the plan or the device stands first.
  std::size_t diagnostics_total = 0;
  bool emulated = false;
  std::map<std::string, std::int64_t> instructions;  ///< Class to static count.
  std::string instructions_from;                     ///< "ptx", "sass"; empty: the CPU engine.
  std::vector<VariantUse> variants;                  ///< Those that were asked for; not recorded.
  std::string evidence_id;
  std::string cache;  ///< As CacheUse's names.
  double compile_ms = 0;
};

/// {verdict, problem_id, kernel_id, parent, entries, diagnostics, diagnostics_total, emulated,
/// instructions, instructions_from}, and evidence_id, cache and compile_ms where it is recorded.
/// Fields that do not apply are left out.
void to_json(Json& form, const Compilation& compilation);

/// Reads that form. Throws nlohmann's exception if the form is another one.
void from_json(const Json& form, Compilation& compilation);

/// The answer that shows a compile to a client.
Answer answer_of(const Compilation& compilation);

/// The compiler's first diagnostic, with its place; empty if there is none.
std::string first_complaint(const Compilation& compilation);

}  // namespace ws
