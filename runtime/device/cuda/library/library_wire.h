// The frames about a library's call between the CUDA backend and a worker.
#pragma once

#include <string>
#include <string_view>

#include "runtime/device/cuda/library/library_launch.h"

namespace ws::cuda {

/// Precedes a load whose plan has no launches: the call takes their place. Nothing answers it.
std::string encode_library(const LibraryJob& job);

/// Whether a frame is encode_library()'s, not a load.
bool is_library(std::string_view frame);

/// @errors kInternal: not what encode_library() writes.
Result<LibraryJob> decode_library(std::string_view frame);

/// The answer to the load, unless it is an error.
std::string encode_facts(const LibraryFacts& facts);
/// @errors what the worker sent; kInternal: neither facts nor an error.
Result<LibraryFacts> decode_facts(std::string_view frame);

}  // namespace ws::cuda
