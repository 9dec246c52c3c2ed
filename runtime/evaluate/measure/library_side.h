// A vendor's library as the other side of a kernel: what it is called with, and the problems that
// it cannot be called for.
#pragma once

#include <memory>

#include "runtime/device/library_run.h"
#include "runtime/evaluate/prepared.h"

namespace ws {

/// The call that computes the output of a problem of the baseline's op, where its arguments say
/// enough: for a matmul two
/// inputs of two or three extents, whose names tell what is multiplied by what; for attention q, k
/// and v, in this order or by these first letters, as [heads, rows, width] or
/// [batch, heads, rows, width]. A scalar `alpha` is a matmul's factor, a scalar `scale` that of
/// attention's scores, which is 1/sqrt(width) without it.
/// @param plan  Its buffers are resolved for `workload`.
/// @errors kUnsupported: a type, a layout or an argument that the library has no place for, each
/// named.
Result<LibraryCall> library_call(const LibraryBaseline& baseline, const Problem& problem,
                                 const ResolvedPlan& plan, const Workload& workload);

/// The problem's buffers as `kernel` has them, without its launches. @param kernel  ok().
Compiled library_side(const Problem& problem, const Compiled& kernel);

struct PreparedLibrary {
  Prepared prepared;
  LibraryFacts facts;
};

/// A worker that calls the library. @param side  library_side().
/// @errors As CallsLibraries::open_library; kUnsupported: the device has no such libraries.
Result<PreparedLibrary> prepare_library(Backend& backend, const LibraryCall& call,
                                        const Compiled& side, const std::stop_token& stop);

}  // namespace ws
