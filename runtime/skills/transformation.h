// A natural transformation: a specification in words of how a kernel is changed, pass by pass. An
// agent makes the edits; the server confines them to the pass's regions, compiles and validates.
//
// One file each, docs/transformations.md has the form. Immutable once read; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/skills/loop_nest.h"

namespace ws {

/// The languages that translation tables may have columns for.
std::vector<std::string> transformation_languages();

/// The machine-made passes: "introduce_parameters", "unroll", "block_swizzle", "pad_shared".
std::vector<std::string> builtin_passes();

/// One condition of a transformation. At most one of the checks is set; with none a machine cannot
/// tell, and the reader decides.
struct Requirement {
  std::string text;                 ///< "one thread computes one element".
  std::vector<std::string> source;  ///< Source or macros contain one of these.
  std::vector<std::string> lacks;   ///< They contain none of these.
  std::vector<std::string> arch;    ///< "sm_80" and later ones; "sm_90a", "gfx90a" alone.
  std::vector<std::string> after;   ///< The kernel descends from one of these transformations.
  std::vector<std::string> params;  ///< The kernel has all of these parameters.
  std::vector<std::string> types;   ///< All input buffers have one of these element types.
  std::optional<LoopNeed> loop;     ///< The kernel has such a loop.
};

/// How a pass is checked before the next one.
enum class PassCheck : std::uint8_t { kCompile, kQuick, kStandard };

struct Pass {
  std::string name;
  std::vector<std::string> regions;  ///< The parts that its edits may change; never empty.
  /// By language, in their place: for kernels that say there what others say elsewhere.
  std::map<std::string, std::vector<std::string>> regions_in;
  PassCheck check = PassCheck::kQuick;
  std::vector<std::string> adds;  ///< Parameters that it adds, of Transformation::introduces.
  std::vector<std::string> constraints;  ///< Expressions that it adds.
  std::vector<std::string> lifts;        ///< Expressions that held until now and need not any more.
  std::vector<std::string> imports;      ///< Files of the library that it adds to the headers.
  std::string builtin;  ///< One of builtin_passes(); empty when an agent does the work.

  // From its section in the text:
  std::string instruction;  ///< Markdown with {{NAME}} places; code of several languages.
  std::vector<std::string> keep;
  std::vector<std::string> pitfalls;
  std::string test;                                       ///< How to see that it is right.
  std::vector<std::map<std::string, std::string>> words;  ///< Rows: "what" and each language.

  /// The parts that its edits of a kernel in `language` may change.
  [[nodiscard]] const std::vector<std::string>& regions_for(const std::string& language) const;
};

struct Transformation {
  std::string name;
  std::string summary;
  std::vector<std::string> languages;
  std::vector<std::string> ops;  ///< Empty: any problem.
  std::vector<Requirement> requirements;
  std::map<std::string, std::vector<std::int64_t>> introduces;  ///< The first value is the default.
  std::vector<Pass> passes;
  std::vector<std::map<std::string, std::string>> words;  ///< For all passes.
  std::string text;                                       ///< The whole file.
};

/// Reads one file and checks all that it names: languages, regions, parameters, sections.
///
/// @param library  Names of the helper files that passes may import.
/// @errors kInvalidArgument: "line 12: ...", the first thing that is wrong.
Result<Transformation> parse_transformation(const std::string& text,
                                            const std::vector<std::string>& library);

/// Reads the sections of `lines` after the front matter into the passes, which are known by name.
/// @param first  Where they begin, from 0. @errors as parse_transformation.
Status read_sections(const std::vector<std::string>& lines, std::size_t first,
                     Transformation& transformation);

/// Names within `open` and `close` in a text ("{{BM}}"), each once, in order.
std::vector<std::string> names_between(const std::string& text, const std::string& open,
                                       const std::string& close);

/// Whether `names` holds `name`.
bool has(const std::vector<std::string>& names, const std::string& name);

/// The facts of the kernel and the device that {{NAME}} may name beside parameters.
std::vector<std::string> instruction_facts();

}  // namespace ws
