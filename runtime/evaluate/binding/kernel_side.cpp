#include "runtime/evaluate/binding/kernel_side.h"

#include <algorithm>
#include <utility>

namespace ws {
namespace {

const BufferSpec* find_buffer(const ResolvedPlan& plan, const std::string& name) {
  const auto at = std::ranges::find_if(
      plan.buffers, [&](const BufferSpec& buffer) { return buffer.name == name; });
  return at == plan.buffers.end() ? nullptr : &*at;
}

ir::FactsRequest facts_request(const KernelSide& side, const TileProgramForm& program,
                               bool reversed) {
  ir::FactsRequest request;
  request.reversed = reversed;
  for (const TileProgramForm::Tensor& tensor : program.tensors) {
    const TileBuffer& buffer = side.image.buffers.at(tensor.buffer);
    request.args.push_back(
        {tensor.parameter, ir::Type::buffer(ir::Space::kGlobal, buffer.spec.type, tensor.shape)});
    ir::FactTensor fact{tensor.parameter, buffer.spec.name, {}, buffer.flat};
    const auto known = side.buffers.find(buffer.spec.name);
    if (known != side.buffers.end()) {
      const CommonBuffer& common = known->second;
      fact.name = common.name;
      fact.flat = buffer.flat && !common.moved;
      for (const std::int64_t stride : buffer.spec.strides) {
        const auto moved = common.strides.find(stride);
        fact.strides.push_back(moved == common.strides.end() ? stride : moved->second);
      }
    }
    if (buffer.flat && !fact.flat) {
      fact.strides.clear();  // Places in another layout cannot be compared.
    }
    request.tensors.push_back(std::move(fact));
  }
  for (const TileProgramForm::Scalar& scalar : program.scalars) {
    request.args.push_back(
        {scalar.parameter, is_float(scalar.type)
                               ? ir::Type::real()
                               : ir::Type::integer(static_cast<std::int64_t>(scalar.value))});
  }
  return request;
}

}  // namespace

CommonBuffers own_buffers(const ResolvedPlan& plan) {
  CommonBuffers buffers;
  for (const BufferSpec& buffer : plan.buffers) {
    CommonBuffer& common = buffers[buffer.name];
    common.name = buffer.name;
    for (const std::int64_t stride : buffer.strides) {
      common.strides[stride] = stride;
    }
  }
  return buffers;
}

CommonBuffers other_buffers(const Binding& binding, const ResolvedPlan& own,
                            const ResolvedPlan& other) {
  CommonBuffers buffers = own_buffers(other);  // Scratch is its own.
  for (const BoundArg& arg : binding.args) {
    const BufferSpec* const mine = find_buffer(own, arg.own);
    const BufferSpec* const theirs = find_buffer(other, arg.other);
    if (mine == nullptr || theirs == nullptr || !arg.order) {
      continue;
    }
    CommonBuffer common{arg.own, mine->strides.size() != theirs->strides.size(), {}};
    for (std::size_t i = 0; i < arg.order->size(); ++i) {
      const std::int64_t stride = mine->strides.at((*arg.order)[i]);
      common.strides[theirs->strides.at(i)] = stride;
      common.moved = common.moved || stride != theirs->strides.at(i);
    }
    buffers[arg.other] = common;
  }
  return buffers;
}

Result<std::vector<ir::Fact>> facts_of(const KernelSide& side, std::size_t index, bool reversed) {
  const TileProgramForm& program = side.image.programs.at(index);
  WS_TRY(std::vector<ir::Fact> facts,
         ir::facts_of(program.program, facts_request(side, program, reversed)));
  const auto in_source = [&program](std::uint32_t& line) {
    line = line > 0 && line <= program.lines.size()
               ? static_cast<std::uint32_t>(program.lines[line - 1])
               : 0;
  };
  for (ir::Fact& fact : facts) {
    in_source(fact.line);
    in_source(fact.computed);
    for (auto& [atom, line] : fact.origins) {
      in_source(line);
    }
  }
  return facts;
}

Result<std::optional<KernelSide>> open_side(Backend& backend, const Subject& subject,
                                            const Workload& workload, const std::stop_token& stop) {
  WS_TRY(Compiled compiled, compile_for(backend, subject.problem, subject.kernel, workload,
                                        subject.kernel.defaults, {.build = Build::kBounds}, stop));
  if (!compiled.ok() || !is_tile_image(compiled.image().blob)) {
    return std::optional<KernelSide>();
  }
  WS_TRY(TileImage image, decode_tile_image(compiled.image().blob));
  return std::optional<KernelSide>({&subject, std::move(compiled), std::move(image), {}});
}

}  // namespace ws
