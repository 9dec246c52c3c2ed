#include "runtime/ir/exec/run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <new>
#include <thread>

#include "runtime/ir/check/checker.h"
#include "runtime/ir/check/infer.h"
#include "runtime/ir/exec/cluster.h"
#include "runtime/ir/exec/interpreter.h"
#include "runtime/ir/exec/rounding.h"

namespace ws::ir {
namespace {

constexpr std::size_t kMaxThreads = 64;

// Elements of tiles and buffers that all schedules which run at once may hold, 256 MB; and what
// each of them may hold in any case.
constexpr std::int64_t kMaxLiveElements = std::int64_t{1} << 25U;
constexpr std::int64_t kLeastLiveElements = std::int64_t{1} << 22U;

std::size_t pool_size(const RunOptions& options) {
  const std::size_t cores =
      options.threads != 0 ? options.threads : std::max(std::thread::hardware_concurrency(), 1U);
  return std::max<std::size_t>(std::min({cores, options.schedules.size(), kMaxThreads}), 1);
}

struct Launch {
  Findings findings;
  Work work;
  std::map<std::int64_t, std::int64_t> rounds;
  std::vector<std::shared_ptr<Buffer>> buffers;
};

std::shared_ptr<Buffer> buffer_of(const Tensor& tensor, ValueMode mode) {
  auto buffer = std::make_shared<Buffer>();
  const auto count = static_cast<std::size_t>(count_of(tensor.shape).value_or(0));
  buffer->name = tensor.name;
  buffer->named = true;
  buffer->space = Space::kGlobal;
  buffer->dtype = tensor.dtype;
  buffer->shape = tensor.shape;
  buffer->read_only = tensor.role == TensorRole::kIn;
  buffer->written.assign(count, tensor.role == TensorRole::kOut ? 0 : 1);
  buffer->unwritten = tensor.role == TensorRole::kOut ? count : 0;
  buffer->data = tensor.data;
  if (tensor.role == TensorRole::kOut) {
    buffer->data.assign(mode == ValueMode::kNone ? 0 : count, undetermined());
  }
  round_to(mode, tensor.dtype, buffer->data);
  return buffer;
}

void check_outputs(Grid& grid, const std::vector<Tensor>& tensors, const Launch& launch) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::vector<std::uint8_t>& written = launch.buffers[i]->written;
    const std::size_t missing = launch.buffers[i]->unwritten;
    if (missing > 0) {
      const auto first = std::find(written.begin(), written.end(), 0) - written.begin();
      grid.findings.add({FindingKind::kUnwrittenOutput,
                         "`" + tensors[i].name + "`: " + std::to_string(missing) + " of " +
                             std::to_string(written.size()) +
                             " elements are never written, the first is number " +
                             std::to_string(first),
                         grid.program->place,
                         {},
                         tensors[i].name,
                         "all",
                         "the grid and the loops must cover the whole output",
                         grid.schedule.name(),
                         0});
    }
    // An atomic addition may have gone beyond.
    const std::vector<double>& data = launch.buffers[i]->data;
    if (tensors[i].role != TensorRole::kIn && std::ranges::any_of(data, is_too_large)) {
      grid.findings.add({FindingKind::kExecutorLimit,
                         "an element of `" + tensors[i].name + "`" + kDependsOnTooLarge,
                         grid.program->place,
                         {},
                         tensors[i].name,
                         "all",
                         kSmallerNumbers,
                         grid.schedule.name(),
                         0});
    }
  }
}

std::size_t size_of_all(const std::array<std::int64_t, 3>& size) {
  return static_cast<std::size_t>(size[0] * size[1] * size[2]);
}

/// In blocks.
struct LaunchSize {
  std::array<std::int64_t, 3> grid;
  std::array<std::int64_t, 3> cluster;
};

/// @param index  Of the schedule.
Launch run_schedule(const Program& program, const std::vector<Tensor>& tensors,
                    const std::vector<Scalar>& scalars, const RunOptions& options,
                    std::size_t index, const LaunchSize& size) {
  const Schedule& schedule = options.schedules[index];
  Launch launch;
  Grid grid;
  grid.program = &program;
  grid.schedule = schedule;
  grid.mode = options.mode;
  grid.steps_left = options.max_steps;
  grid.max_live = std::max(kMaxLiveElements / static_cast<std::int64_t>(pool_size(options)),
                           kLeastLiveElements);
  grid.size = size.grid;
  grid.cluster = size.cluster;
  grid.work = options.count_work && index == 0 ? &launch.work : nullptr;
  for (const Tensor& tensor : tensors) {
    launch.buffers.push_back(buffer_of(tensor, options.mode));
    grid.arguments[tensor.name] = value_of(view_of(launch.buffers.back()));
  }
  for (const Scalar& scalar : scalars) {
    grid.arguments[scalar.name] = scalar.value;
  }
  const std::array<std::int64_t, 3> clusters = clusters_of(grid);
  const std::size_t most = index == 0 ? std::numeric_limits<std::size_t>::max()
                                      : options.blocks_again / size_of_all(size.cluster);
  const std::vector<std::int64_t> chosen = blocks_again(schedule, clusters, most);
  bool good = true;
  for (const std::int64_t cluster : chosen) {
    good = good && run_cluster(grid, cluster);
    launch.work.end_block();
  }
  if (good && chosen.size() == size_of_all(clusters)) {
    check_outputs(grid, tensors, launch);
  }
  launch.findings = std::move(grid.findings);
  launch.rounds = std::move(grid.rounds);
  return launch;
}

Status check_arguments(const Program& program, const std::vector<Tensor>& tensors,
                       const std::vector<Scalar>& scalars) {
  std::vector<KernelArg> args;
  for (const Tensor& tensor : tensors) {
    const std::optional<std::int64_t> count = count_of(tensor.shape);
    if (!count || *count > kMaxTensorElements || *count == 0) {
      return fail(count == 0 ? ErrorCode::kInvalidArgument : ErrorCode::kUnsupported,
                  "`" + tensor.name + "` of shape " + to_text(tensor.shape) +
                      " has no or more than " + std::to_string(kMaxTensorElements) + " elements");
    }
    if (tensor.role != TensorRole::kOut && tensor.data.size() != static_cast<std::size_t>(*count)) {
      return bad("`" + tensor.name + "` of shape " + to_text(tensor.shape) + " has " +
                 std::to_string(tensor.data.size()) + " elements of data");
    }
    args.push_back({tensor.name, Type::buffer(Space::kGlobal, tensor.dtype, tensor.shape)});
  }
  for (const Scalar& scalar : scalars) {
    args.push_back({scalar.name, type_of(scalar.value)});
  }
  Diagnostics diagnostics;
  return check(program, args, diagnostics) ? Status()
                                           : Status(fail(diagnostics.to_error(program.text)));
}

std::string text_of(const std::array<std::int64_t, 3>& size) {
  return "(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
         std::to_string(size[2]) + ")";
}

// PTX 8.0, clusters: at most 8 blocks, 16 where the kernel asks for it.
Status check_cluster(const Grid& grid) {
  constexpr std::int64_t most = 16;
  std::int64_t blocks = 1;
  for (const std::int64_t size : grid.cluster) {
    blocks = size < 1 || size > most ? most + 1 : blocks * size;
    if (blocks > most) {
      return bad("clusters of " + text_of(grid.cluster) + " blocks: they have 1 to 16",
                 "self.clusterDim says how many blocks of the grid are a cluster");
    }
  }
  for (std::size_t i = 0; i < grid.size.size(); ++i) {
    if (grid.size.at(i) % grid.cluster.at(i) != 0) {
      return bad("a grid of " + text_of(grid.size) + " blocks is no whole number of clusters of " +
                     text_of(grid.cluster),
                 "round the grid up to a multiple of self.clusterDim");
    }
  }
  return {};
}

// The sizes of grid and cluster, or why __init__ did not say them.
Result<LaunchSize> launch_size(const Program& program, const std::vector<Tensor>& tensors,
                               const std::vector<Scalar>& scalars, const RunOptions& options) {
  Grid grid;
  grid.program = &program;
  grid.mode = ValueMode::kNone;
  grid.steps_left = options.max_steps;
  for (const Tensor& tensor : tensors) {
    grid.arguments[tensor.name] = value_of(view_of(buffer_of(tensor, options.mode)));
  }
  for (const Scalar& scalar : scalars) {
    grid.arguments[scalar.name] = scalar.value;
  }
  if (!measure_grid(grid)) {
    std::string text;
    for (const Finding& finding : grid.findings.rows()) {
      text += render(finding, program.text);
    }
    return bad("__init__ does not finish", text);
  }
  std::int64_t blocks = 1;
  for (const std::int64_t size : grid.size) {
    const bool overflow = size < 1 || __builtin_mul_overflow(blocks, size, &blocks);
    if (overflow || blocks > options.max_blocks) {
      return fail(size < 1 ? ErrorCode::kInvalidArgument : ErrorCode::kUnsupported,
                  "a grid of " + text_of(grid.size) + " blocks: the executor runs 1 to " +
                      std::to_string(options.max_blocks),
                  "run it on smaller shapes, or give each block more to do");
    }
  }
  WS_CHECK(check_cluster(grid));
  return LaunchSize{grid.size, grid.cluster};
}

}  // namespace

std::string RunReport::render(std::string_view text) const {
  std::string result;
  for (const Finding& finding : findings) {
    result += ws::ir::render(finding, text);
  }
  return result;
}

Result<RunReport> run_program(const Program& program, const std::vector<Tensor>& tensors,
                              const std::vector<Scalar>& scalars, const RunOptions& options) {
  WS_CHECK(check_arguments(program, tensors, scalars));
  WS_TRY(const LaunchSize size, launch_size(program, tensors, scalars, options));
  std::vector<Launch> launches(options.schedules.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> exhausted = false;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < launches.size(); i = next++) {
        launches[i] = run_schedule(program, tensors, scalars, options, i, size);
        if (i > 0) {
          launches[i].buffers.clear();  // Only the first schedule's outputs are kept.
        }
      }
    } catch (const std::bad_alloc&) {
      exhausted = true;
    }
  };
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < pool_size(options); ++i) {
      pool.emplace_back(work);
    }
    work();
  }
  if (exhausted) {
    return fail(ErrorCode::kBusy, "there is not enough memory to run the program",
                "run it on smaller shapes, or with values off");
  }
  RunReport report;
  Findings all;
  for (const Launch& launch : launches) {
    all.merge(launch.findings);
  }
  report.findings = all.rows();
  report.schedules = launches.size();
  report.work = launches.empty() ? Work() : std::move(launches.front().work);
  if (!launches.empty()) {
    for (const auto& [line, rounds] : launches.front().rounds) {
      report.loops.push_back({line, rounds});
    }
  }
  for (std::size_t i = 0; i < tensors.size() && !launches.empty(); ++i) {
    if (tensors[i].role != TensorRole::kIn) {
      report.outputs.push_back(tensors[i]);
      report.outputs.back().data = launches.front().buffers[i]->data;
    }
  }
  return report;
}

}  // namespace ws::ir
