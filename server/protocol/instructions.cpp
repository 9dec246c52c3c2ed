#include "server/protocol/instructions.h"

namespace ws::server {

std::string_view instructions() {
  return R"(warpsmith compiles, checks and times GPU kernels. Answers begin with a summary and end with next_steps. A whole call to copy: example://vadd.

Workflow
1. list_devices: what each device can do, and what is missing.
2. compile_kernel with a problem (what to compute: dims, args, reference, tolerance) and a kernel (how: CUDA source, launches as expressions, tuning params). You send device code and a declarative launch plan, never host code. A kernel that does not compile is a result with diagnostics, and its kernel_id can be the base of the next try.
3. validate with the kernel_id: fresh random inputs against the reference. On a mismatch read mismatch.hint and worst; on a fault read fault (line, thread, block).
4. benchmark with the kernel_id: timed against a baseline (parent, root, reference, or any kernel). Trust the verdict, not the bare ratio.
evaluate does 2 to 4 in one call, for many kernels too, with a reward. search_prior_kernels: earlier ones. profile: what limits a kernel, by line. tune: the best params.
apply_transformation leads a kernel through tiling, pipelining, tensor cores, one judged pass at a time. workflow shows, names and compares kernels.
verify_ir runs tiles, copies and barriers (CuIR) on many schedules: races, missing waits, deadlocks before there is CUDA. lift_to_ir makes such a program of a kernel.

Change a kernel by compile_kernel with base (a kernel_id), edits (replace, delete or insert lines of source or macros; old must repeat the lines exactly) and set (replaces whole plan fields such as launches or params). It remembers the parent; the problem may be left out.

Long work: a call waits up to wait_ms. A result with status running has a job_id: call job with action wait or cancel.

isError: the server gave no answer; the text starts with a word (invalid_argument, not_found, busy, ...) and says what to change. A wrong, slow or broken kernel is not an error but a verdict.

emulated: true means the kernel ran on the CPU: its results are right, its times say little about a GPU.)";
}

Identity product_identity() {
  return {.name = "warpsmith",
          .title = "warpsmith GPU kernel tools",
          .instructions = std::string(instructions())};
}

}  // namespace ws::server
