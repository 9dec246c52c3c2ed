// The plan part of a kernel's form, shared by kernels and by references of kind `kernel`.
#pragma once

#include <span>
#include <string>

#include "runtime/base/result.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// Sizes that no honest kernel needs more of; they bound memory and time before either is spent.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20U;
inline constexpr std::size_t kMaxNameBytes = 64;
inline constexpr std::size_t kMaxEntryBytes = 512;
inline constexpr std::size_t kMaxLaunches = 64;
inline constexpr std::size_t kMaxLaunchArgs = 128;
inline constexpr std::size_t kMaxListItems = 64;  ///< Scratch, symbols, params, constraints, ...
inline constexpr std::size_t kMaxParamValues = 1024;
inline constexpr std::size_t kMaxRank = 8;

/// The fields that read_plan reads.
Names plan_fields();

/// Reads everything but `name` and `problem_id`. Of `problem`, dims and args are used.
/// @param entry  When not empty, a default launch of this entry stands in for an empty `launches`.
/// @errors kInvalidArgument, kUnsupported.
Result<Kernel> read_plan(const JsonReader& form, const Problem& problem,
                         const std::string& entry = {});

/// The names that launches of a kernel may use.
struct LaunchScope {
  Names integers;  ///< Dims, integer scalars and parameters: the names of expressions.
  Names buffers;   ///< Buffer arguments and scratch.
  Names scalars;   ///< Scalar arguments.
  Names tensor_maps;
  bool tiles = false;   ///< In a language of tiles: launches have no block of threads.
  bool shader = false;  ///< In a shader language: arguments go by the names that they have there.
  std::string language = "cuda";
  Names outputs;  ///< Those of `buffers` that are results of the problem.
};

/// The place of a word in a list. @errors kInvalidArgument: it is none of them.
Result<std::uint32_t> read_word(const JsonReader& form, std::span<const char* const> words);

/// Refuses fields of an item of `tensor_maps` that a compiler of tiles decides, or its descriptors
/// do not have. @errors kInvalidArgument.
Status check_descriptor(const JsonReader& form);

/// Reads one item of `tensor_maps`; its name may still be taken. @errors kInvalidArgument.
Result<TensorMapSpec> read_tensor_map(const JsonReader& form, const LaunchScope& scope);

/// Reads an argument of a launch that has the field `texture`.
/// @errors kInvalidArgument; kUnsupported: the kernel's language has none.
Result<LaunchArgSpec> read_texture(const JsonReader& form, const LaunchScope& scope);

/// Reads one item of `launches`. @errors kInvalidArgument, kUnsupported.
Result<LaunchSpec> read_launch(const JsonReader& form, const LaunchScope& outer);

/// Dims and integer scalars: what shapes and costs may use.
Names integer_names(const Problem& problem);

}  // namespace ws
