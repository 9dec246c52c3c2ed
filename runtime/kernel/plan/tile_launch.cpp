#include "runtime/kernel/plan/tile_launch.h"

#include <array>
#include <charconv>

#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/round_element.h"

namespace ws {
namespace {

/// The shortest text that reads back as the same number.
std::string shortest_text(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

TileArg tensor_arg(const BufferSpec& buffer) {
  TileArg made;
  made.kind = TileArg::Kind::kTensor;
  made.name = buffer.name;
  made.type = buffer.type;
  made.shape = buffer.shape;
  made.strides = buffer.strides;
  made.span = buffer.span;
  made.given = buffer.role == BufferRole::kIn || buffer.role == BufferRole::kInout || buffer.zero;
  made.writable = buffer.role != BufferRole::kIn;
  return made;
}

/// A map has its innermost dimension first, and strides in bytes of all others.
TileArg descriptor_arg(const TensorMap& map, const ResolvedPlan& plan) {
  TileArg made = tensor_arg(plan.buffers.at(static_cast<std::size_t>(map.buffer)));
  made.kind = TileArg::Kind::kDescriptor;
  made.shape.assign(map.shape.rbegin(), map.shape.rend());
  made.shape.insert(made.shape.end(), map.box.rbegin(), map.box.rend());
  made.strides.assign(map.strides.rbegin(), map.strides.rend());
  for (std::int64_t& stride : made.strides) {
    stride /= static_cast<std::int64_t>(size_of(made.type));
  }
  made.strides.push_back(1);
  made.value = map.modes.oob != 0 ? 1 : 0;
  return made;
}

TileArg tile_arg(const LaunchArg& arg, const ResolvedPlan& plan) {
  if (arg.kind == LaunchArg::Kind::kTensorMap) {
    return descriptor_arg(plan.tensor_maps.at(static_cast<std::size_t>(arg.tensor_map)), plan);
  }
  TileArg made;
  made.type = arg.type;
  if (arg.kind == LaunchArg::Kind::kBuffer) {
    made = tensor_arg(plan.buffers.at(static_cast<std::size_t>(arg.buffer)));
    made.value = arg.byte_offset / static_cast<std::int64_t>(size_of(made.type));
  } else if (arg.kind == LaunchArg::Kind::kScalar && is_float(arg.type)) {
    made.kind = TileArg::Kind::kFloat;
    made.number = shortest_text(arg.float_value);
  } else if (arg.kind == LaunchArg::Kind::kScalar) {
    made.kind = TileArg::Kind::kInteger;
    made.value = arg.int_value;
  }
  return made;
}

}  // namespace

double TileArg::real() const {
  double read = 0;
  std::from_chars(number.data(), number.data() + number.size(), read);
  return read;
}

double TileArg::rounded() const {
  return round_element(type, real());
}

std::vector<TileLaunch> tile_launches(const ResolvedPlan& plan) {
  std::vector<TileLaunch> launches;
  for (const LaunchStep& step : plan.steps) {
    TileLaunch launch;
    launch.entry = step.entry;
    launch.grid = step.grid;
    launch.num_warps = step.num_warps;
    launch.num_stages = step.num_stages;
    for (const LaunchArg& arg : step.args) {
      launch.args.push_back(tile_arg(arg, plan));
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace ws
