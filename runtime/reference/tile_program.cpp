#include "runtime/reference/tile_program.h"

#include "runtime/ir/check/checker.h"
#include "runtime/ir/syntax/parser.h"
#include "runtime/reference/cuir_reply.h"

namespace ws {
namespace {

/// Statements that one launch may run: some 15 s of work.
constexpr std::int64_t kMostStatements = 20'000'000;

/// Nothing is asynchronous in a kernel of tiles: what can differ is the order of the blocks.
std::vector<ir::Schedule> block_orders(bool one) {
  std::vector<ir::Schedule> orders(one ? 1 : 3);
  if (one) {
    return orders;
  }
  orders[1].blocks = ir::BlockOrder::kBackward;
  orders[2].blocks = ir::BlockOrder::kShuffled;
  orders[2].seed = 1;
  return orders;
}

ir::Value scalar_value(const HostScalar& scalar) {
  if (scalar.type == DType::kBool) {
    return ir::Value::truth(scalar.value != 0);
  }
  return is_float(scalar.type) ? ir::Value::real(scalar.value)
                               : ir::Value::of(static_cast<std::int64_t>(scalar.value));
}

std::vector<ir::KernelArg> arguments(const std::vector<ir::Tensor>& tensors,
                                     const std::vector<ir::Scalar>& scalars) {
  std::vector<ir::KernelArg> args;
  args.reserve(tensors.size() + scalars.size());
  for (const ir::Tensor& tensor : tensors) {
    args.push_back({tensor.name, ir::Type::buffer(ir::Space::kGlobal, tensor.dtype, tensor.shape)});
  }
  for (const ir::Scalar& scalar : scalars) {
    args.push_back({scalar.name, ir::type_of(scalar.value)});
  }
  return args;
}

}  // namespace

HostReply TileProgram::prepare() {
  for (const HostProgram& form : job_.programs) {
    ir::Diagnostics diagnostics;
    std::optional<ir::Program> program = ir::parse(form.source, diagnostics);
    if (!program) {
      return refused(HostVerdict::kSyntaxError, diagnostics, form.source);
    }
    Step step{*std::move(program), {}, {}};
    for (const HostProgram::Tensor& tensor : form.tensors) {
      const HostTensor& whole = job_.tensors.at(tensor.tensor);
      step.tensors.push_back(
          {tensor.parameter,
           whole.type,
           tensor.shape,
           whole.role == BufferRole::kIn ? ir::TensorRole::kIn : ir::TensorRole::kInOut,
           {}});
    }
    for (const HostScalar& scalar : form.scalars) {
      step.scalars.push_back({scalar.name, scalar_value(scalar)});
    }
    if (!ir::check(step.program, arguments(step.tensors, step.scalars), diagnostics)) {
      return refused(HostVerdict::kCheckError, diagnostics, form.source);
    }
    steps_.push_back(std::move(step));
  }
  return {};
}

std::vector<TileProgram::Elements> TileProgram::load(std::span<const std::byte> arena) const {
  std::vector<Elements> data;
  for (const HostTensor& tensor : job_.tensors) {
    Elements elements(static_cast<std::size_t>(ir::count_of(tensor.shape).value_or(0)),
                      ir::undetermined());
    for (std::size_t i = 0; tensor.role != BufferRole::kOut && i < elements.size(); ++i) {
      elements[i] = load_element(tensor.wire, arena.data() + tensor.offset, i);
    }
    data.push_back(std::move(elements));
  }
  return data;
}

void TileProgram::store(const std::vector<Elements>& data, std::span<std::byte> arena) const {
  for (std::size_t t = 0; t < data.size(); ++t) {
    const HostTensor& tensor = job_.tensors[t];
    for (std::size_t i = 0; tensor.role != BufferRole::kIn && i < data[t].size(); ++i) {
      // Elements that nothing wrote keep the judge's poison.
      if (!ir::is_undetermined(data[t][i])) {
        store_element(tensor.wire, arena.data() + tensor.offset, i, data[t][i]);
      }
    }
  }
}

bool TileProgram::run_program(std::size_t index, std::vector<Elements>& data, unsigned threads,
                              HostReply& reply) const {
  const HostProgram& form = job_.programs.at(index);
  const Step& step = steps_.at(index);
  std::vector<ir::Tensor> tensors = step.tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].data = data[form.tensors[i].tensor];
  }
  ir::RunOptions options;
  options.mode = ir::ValueMode::kTyped;
  options.schedules = block_orders(job_.count_work);
  options.count_work = job_.count_work;
  options.threads = threads;
  options.max_blocks = std::int64_t{1} << 16U;
  options.max_steps = kMostStatements;
  const Result<ir::RunReport> report =
      ir::run_program(step.program, tensors, step.scalars, options);
  if (!report) {  // The program is right as prepare() found, so that only its size is refused.
    reply.findings.push_back(limit_row(report.error()));
    reply.findings.back().program = static_cast<std::int64_t>(index);
    return false;
  }
  for (const ir::Finding& finding : report->findings) {
    reply.findings.push_back(to_row(finding));
    reply.findings.back().program = static_cast<std::int64_t>(index);
  }
  for (const ir::Tensor& output : report->outputs) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name == output.name) {
        data[form.tensors[i].tensor] = output.data;
      }
    }
  }
  reply.schedules = static_cast<std::int64_t>(report->schedules);
  if (job_.count_work) {
    add_work(index, report->work, reply.work);
  }
  return reply.findings.empty();
}

void TileProgram::add_work(std::size_t index, const ir::Work& work, TileCounters& counters) const {
  counters.programs.resize(job_.programs.size());
  TileProgramWork& program = counters.programs[index];
  program.launches += 1;
  program.blocks += work.blocks().blocks;
  program.work += work.blocks().work;
  program.longest_work = std::max(program.longest_work, work.blocks().longest_work);
  if (program.launches > 1) {
    return;  // Its rows are those of the first launch, as often as it is launched.
  }
  for (TileWork row : work.rows()) {
    row.program = index;
    counters.rows.push_back(row);
  }
}

HostReply TileProgram::run(std::span<std::byte> arena, unsigned threads) {
  HostReply reply;
  std::vector<Elements> data = load(arena);
  for (const std::size_t step : job_.steps) {
    if (!run_program(step, data, threads, reply)) {
      return reply;
    }
  }
  if (reply.work.rows.size() > kMaxWorkRows) {
    return refused(HostVerdict::kRuntimeError,
                   Error{ErrorCode::kInvalidArgument,
                         "the work of " + std::to_string(job_.programs.size()) +
                             " different launches is too much for one profile",
                         "profile a workload with fewer launches",
                         {}});
  }
  store(data, arena);
  return reply;
}

}  // namespace ws
