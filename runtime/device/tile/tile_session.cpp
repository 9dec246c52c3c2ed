#include "runtime/device/tile/tile_session.h"

#include <algorithm>

#include "runtime/base/clock.h"
#include "runtime/device/tile/finding_text.h"
#include "runtime/reference/wire.h"

namespace ws {
namespace {

/// A buffer of the plan beside its tensor in the executor.
struct Tensor {
  BufferSpec spec;
  HostTensor wire;
  std::uint64_t offset = 0;  ///< In the plan's arena.
  bool zero = false;         ///< Scratch that is zero before the first launch.
};

BufferSpec spec_of(const TileBuffer& buffer) {
  const TileArg& arg = buffer.spec;
  BufferSpec spec;
  spec.name = arg.name;
  spec.type = arg.type;
  spec.role = !arg.writable ? BufferRole::kIn : arg.given ? BufferRole::kInout : BufferRole::kOut;
  spec.span = arg.span;
  if (buffer.flat) {
    spec.shape = {arg.span};
    spec.strides = {1};
    spec.elements = arg.span;
    return spec;
  }
  spec.shape = arg.shape;
  spec.strides = arg.strides;
  for (const std::int64_t size : arg.shape) {
    spec.elements *= size;
  }
  return spec;
}

class TileSession : public Session {
 public:
  TileSession(TileImage image, std::vector<Tensor> tensors, std::shared_ptr<Arena> arena,
              std::unique_ptr<HostSession> host)
      : image_(std::move(image)),
        tensors_(std::move(tensors)),
        arena_(std::move(arena)),
        host_(std::move(host)) {}

  Result<RunOutcome> run(std::uint64_t poison, std::chrono::milliseconds limit,
                         const std::stop_token& stop) override {
    RunOutcome outcome;
    if (poison == kNoLaunch) {
      return outcome;
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i].zero) {
        std::ranges::fill(bytes_of(tensors_[i]), std::byte{0});
      }
      if (tensors_[i].spec.role != BufferRole::kOut) {
        to_wire(tensors_[i].spec, bytes_of(tensors_[i]), tensors_[i].wire,
                host_->arena().buffer(i));
      }
    }
    const auto start = Clock::now();
    WS_TRY(const HostReply reply, host_->run(limit, stop));
    outcome.elapsed_us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    if (reply.verdict == HostVerdict::kTimeout) {
      outcome.end = RunOutcome::End::kTimedOut;
    } else if (!reply.ok()) {  // The executor runs no code of the kernel: its limits ended it.
      outcome.findings.push_back(
          {.kind = "executor_limit", .message = reply.message, .fix = reply.hint, .object = {}});
    }
    for (const ProgramFinding& finding : reply.findings) {
      outcome.findings.push_back(finding_of(finding));
    }
    if (outcome.ok()) {
      counters_ = in_source(reply.work);
      write_back();
    }
    return outcome;
  }

  Result<TimingOutcome> time(const TimingRequest& /*request*/, std::chrono::milliseconds /*limit*/,
                             const std::stop_token& /*stop*/) override {
    return fail(ErrorCode::kUnsupported,
                "a kernel of tiles has no time on this device: its blocks are run by an executor "
                "that checks them",
                "validate it here, and time it on a GPU with its own compiler");
  }

  [[nodiscard]] TileCounters tile_counters() const override { return counters_; }

 private:
  [[nodiscard]] std::span<std::byte> bytes_of(const Tensor& tensor) const {
    for (std::size_t i = 0; i < arena_->size(); ++i) {
      if (arena_->offset(i) == tensor.offset) {
        return arena_->buffer(i);
      }
    }
    return {};
  }

  void write_back() {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      if (tensor.spec.role != BufferRole::kIn) {
        from_wire(tensor.wire, host_->arena().buffer(i), tensor.spec, bytes_of(tensor));
      }
    }
  }

  /// The source's line for a line of a program; 0: none. The worker may say anything.
  [[nodiscard]] int source_line(std::size_t program, std::int64_t at) const {
    const TileProgramForm& form = image_.programs.at(std::min(program, image_.programs.size() - 1));
    return at > 0 && at <= static_cast<std::int64_t>(form.lines.size())
               ? form.lines[static_cast<std::size_t>(at - 1)]
               : 0;
  }

  [[nodiscard]] TileCounters in_source(TileCounters counters) const {
    for (TileWork& row : counters.rows) {
      row.program = std::min(row.program, image_.programs.size() - 1);
      row.line = source_line(row.program, row.line);
    }
    counters.programs.resize(image_.programs.size());
    counters.steps = image_.steps;
    return counters;
  }

  [[nodiscard]] TileFinding finding_of(const ProgramFinding& row) const {
    const auto line = [&](std::int64_t at) {
      return source_line(static_cast<std::size_t>(row.program), at);
    };
    return in_words_of(image_.language, {.kind = row.kind,
                                         .message = row.message,
                                         .fix = row.fix,
                                         .object = row.object,
                                         .line = line(row.line),
                                         .other_line = line(row.other_line),
                                         .block = row.block});
  }

  TileImage image_;
  std::vector<Tensor> tensors_;
  std::shared_ptr<Arena> arena_;
  std::unique_ptr<HostSession> host_;
  TileCounters counters_;  // The last run's.
};

Result<HostJob> job_of(const TileImage& image, const std::vector<Tensor>& tensors) {
  HostJob job;
  for (const Tensor& tensor : tensors) {
    job.tensors.push_back(tensor.wire);
  }
  for (const TileProgramForm& form : image.programs) {
    HostProgram program;
    program.source = form.program;
    for (const TileProgramForm::Tensor& tensor : form.tensors) {
      program.tensors.push_back({tensor.parameter, tensor.buffer, tensor.shape});
    }
    for (const TileProgramForm::Scalar& scalar : form.scalars) {
      program.scalars.push_back({scalar.parameter, scalar.type, scalar.value});
    }
    job.programs.push_back(std::move(program));
  }
  job.steps = image.steps;
  job.count_work = image.counts;
  return job;
}

}  // namespace

Result<std::unique_ptr<Session>> open_tile_session(HostWorkers& workers, const Image& image,
                                                   const RunPlan& plan,
                                                   std::shared_ptr<Arena> arena) {
  WS_TRY(TileImage tiles, decode_tile_image(image.blob));
  std::vector<Tensor> tensors;
  for (const TileBuffer& buffer : tiles.buffers) {
    Tensor tensor;
    tensor.spec = spec_of(buffer);
    // Its own type: what is rounded on a GPU is rounded here too.
    tensor.wire = {tensor.spec.name,  tensor.spec.type, tensor.spec.role,
                   tensor.spec.shape, tensor.spec.type, 0};
    const RunArg& arg = plan.steps.at(buffer.step).args.at(buffer.arg);
    const auto map = static_cast<std::size_t>(arg.tensor_map);
    tensor.offset = arg.tensor_map < 0 ? arg.low : plan.tensor_maps.at(map).offset;
    tensor.zero = std::ranges::any_of(plan.buffers, [&](const RunRange& range) {
      return range.zero && range.low == tensor.offset;
    });
    tensors.push_back(std::move(tensor));
  }
  WS_TRY(HostJob job, job_of(tiles, tensors));
  WS_TRY(HostWorkers::Opened opened, workers.open(std::move(job), {}));
  if (!opened.session) {
    return fail(ErrorCode::kInternal,
                "the kernel's CuIR program has an error: " + opened.refusal.message,
                "this is a fault of the server: please report the kernel");
  }
  return std::make_unique<TileSession>(std::move(tiles), std::move(tensors), std::move(arena),
                                       std::move(opened.session));
}

}  // namespace ws
