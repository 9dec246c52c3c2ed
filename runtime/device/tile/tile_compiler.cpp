#include "runtime/device/tile/tile_compiler.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "runtime/base/clock.h"
#include "runtime/device/tensor_map_size.h"
#include "runtime/device/tile/tile_image.h"
#include "runtime/kernel/language.h"
#include "runtime/lift/tile/lift_tile.h"

namespace ws {
namespace {

using lift::tile::File;
using lift::tile::Lifted;

CompiledEntry entry_of(const TileLaunch& launch, const Lifted& lifted) {
  CompiledEntry entry;
  entry.name = launch.entry;
  for (std::size_t i = 0; i < lifted.parameters.size(); ++i) {
    const lift::tile::LiftedParameter& parameter = lifted.parameters[i];
    const bool tensor = parameter.tensor;
    const std::size_t bytes = tensor                 ? sizeof(std::uint64_t)
                              : parameter.descriptor ? kTensorMapBytes
                                                     : size_of(launch.args[i].type);
    entry.params.push_back({.name = parameter.name,
                            .type = parameter.type,
                            .size = static_cast<std::uint32_t>(bytes),
                            .pointer = tensor,
                            .integer = !tensor && parameter.integer,
                            .element = {}});
  }
  return entry;
}

/// Adds the buffers of a launch that are not there yet, and its program.
void add_program(TileImage& image, const TileLaunch& launch, const Lifted& lifted, bool flat) {
  TileProgramForm form;
  form.entry = launch.entry;
  form.program = lifted.launch->program;
  form.lines = lifted.launch->lines;
  for (const lift::tile::ProgramTensor& tensor : lifted.launch->tensors) {
    const TileArg& arg = launch.args[tensor.arg];
    const auto known = std::ranges::find_if(
        image.buffers, [&](const TileBuffer& buffer) { return buffer.spec.name == arg.name; });
    const auto index = static_cast<std::size_t>(known - image.buffers.begin());
    if (known == image.buffers.end()) {
      image.buffers.push_back({arg, flat, image.steps.size(), tensor.arg});
    }
    form.tensors.push_back({tensor.name, index, tensor.shape});
  }
  for (const lift::tile::ProgramScalar& scalar : lifted.launch->scalars) {
    const TileArg& arg = launch.args[scalar.arg];
    const double value =
        arg.kind == TileArg::Kind::kFloat ? arg.rounded() : static_cast<double>(arg.value);
    form.scalars.push_back({scalar.name, arg.type, value});
  }
  image.programs.push_back(std::move(form));
}

/// Julia sees an array as it lies in memory, its first dimension the one without gaps.
void order_by_strides(TileArg& arg) {
  std::vector<std::size_t> order(arg.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::reverse(order);
  // Strides are equal where a dimension has one element: it lies inside the other.
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(arg.strides[a], arg.shape[a] != 1) <
           std::pair(arg.strides[b], arg.shape[b] != 1);
  });
  const TileArg before = arg;
  for (std::size_t i = 0; i < order.size(); ++i) {
    arg.shape[i] = before.shape[order[i]];
    arg.strides[i] = before.strides[order[i]];
  }
}

CompileOutcome lift_all(const File& file, const RenderedSource& source, Build build) {
  TileImage image;
  image.counts = build == Build::kProfile;
  image.language = source.language;
  CompileOutcome outcome;
  std::vector<TileLaunch> seen;
  const bool flat = source.language == "triton";
  for (TileLaunch launch : source.launches) {
    for (TileArg& arg : launch.args) {
      if (file.language == Language::kCutileJl && arg.kind == TileArg::Kind::kTensor) {
        order_by_strides(arg);
      }
    }
    const auto known = std::ranges::find(seen, launch);
    if (known != seen.end()) {
      image.steps.push_back(static_cast<std::size_t>(known - seen.begin()));
      continue;
    }
    const Lifted lifted = lift_launch(file, launch);
    if (!lifted.launch) {
      return refused(lifted.complaints, source);
    }
    add_program(image, launch, lifted, flat);
    image.steps.push_back(seen.size());
    seen.push_back(launch);
    const bool listed = std::ranges::any_of(outcome.image.entries, [&](const CompiledEntry& entry) {
      return entry.name == launch.entry;
    });
    if (!listed) {
      outcome.image.entries.push_back(entry_of(launch, lifted));
    }
  }
  outcome.image.blob = encode(image);
  return outcome;
}

}  // namespace

Result<CompileReply> TileCompiler::compile(const CompileRequest& request,
                                           const std::stop_token& stop, bool fresh) {
  const auto start = std::chrono::steady_clock::now();
  WS_TRY(ParsedTiles parsed, parser_->parse(request.source, stop, fresh));
  if (parsed.file) {
    CompileOutcome outcome = lift_all(*parsed.file, request.source, request.build);
    outcome.compile_ms = elapsed_ms(start);
    parsed.reply.outcome = std::make_shared<const CompileOutcome>(std::move(outcome));
  }
  return parsed.reply;
}

}  // namespace ws
