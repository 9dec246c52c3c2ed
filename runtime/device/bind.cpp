#include "runtime/device/bind.h"

#include <algorithm>

#include "runtime/device/bind_argument.h"
#include "runtime/device/bind_names.h"
#include "runtime/device/plan_limits.h"

namespace ws {
namespace {

RunStep bind_step(const LaunchStep& step, const CompiledEntry& entry, const Arena& arena) {
  RunStep run;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    run.grid.at(axis) = static_cast<std::uint32_t>(step.grid.at(axis));
    run.block.at(axis) = static_cast<std::uint32_t>(step.block.at(axis));
    run.cluster.at(axis) = static_cast<std::uint32_t>(step.cluster.at(axis));
  }
  run.dynamic_shared_bytes = static_cast<std::uint32_t>(step.shared_bytes + entry.dynamic_bytes);
  if (entry.threads > 0) {
    run.block = {static_cast<std::uint32_t>(entry.threads), 1, 1};
  }
  run.cooperative = step.cooperative;
  run.pdl = step.pdl;
  for (std::size_t k = 0; k < step.args.size(); ++k) {
    if (!entry.params[k].folded) {
      const LaunchArg& arg =
          entry.by_name ? argument_named(step, entry.params[k].name) : step.args[k];
      run.args.push_back(bind_argument(arg, entry.params[k], arena));
    }
  }
  RunArg null;
  null.pointer = true;
  null.null = true;
  run.args.insert(run.args.end(), static_cast<std::size_t>(entry.null_params), null);
  return run;
}

const ImageSymbol* find_symbol(const Image& image, const std::string& name) {
  const auto at = std::find_if(image.symbols.begin(), image.symbols.end(),
                               [&](const ImageSymbol& symbol) { return symbol.name == name; });
  return at == image.symbols.end() ? nullptr : &*at;
}

Status check_symbol(const SymbolFill& fill, const ResolvedPlan& plan, const Image& image) {
  const ImageSymbol* symbol = find_symbol(image, fill.name);
  if (symbol == nullptr) {
    return fail(
        ErrorCode::kInvalidArgument,
        "symbols: the source uses no __constant__ or __device__ variable `" + fill.name + "`",
        "declare it at file scope and read it in the kernel");
  }
  const BufferSpec& buffer = plan.buffers.at(static_cast<std::size_t>(fill.buffer));
  if (buffer.bytes() > symbol->bytes) {
    return fail(ErrorCode::kInvalidArgument, "symbols: `" + fill.name + "` has " +
                                                 std::to_string(symbol->bytes) +
                                                 " bytes, its argument `" + buffer.name + "` has " +
                                                 std::to_string(buffer.bytes()));
  }
  return {};
}

RunTensorMap bind_tensor_map(const TensorMap& map, const Arena& arena) {
  RunTensorMap bound;
  bound.offset = arena.offset(static_cast<std::size_t>(map.buffer));
  bound.type = map.type;
  bound.shape = map.shape;
  bound.strides = map.strides;
  bound.box = map.box;
  bound.element_strides = map.element_strides;
  bound.modes = map.modes;
  return bound;
}

RunTexture bind_texture(const Texture& texture) {
  return {.buffer = static_cast<std::uint32_t>(texture.buffer),
          .type = texture.type,
          .channels = texture.channels,
          .size = texture.size,
          .modes = texture.modes};
}

}  // namespace

const CompiledEntry* find_entry(const Image& image, const ResolvedPlan& plan, std::size_t step) {
  if (!image.steps.empty()) {
    return &image.entries.at(image.steps.at(step));
  }
  const auto at = std::ranges::find(image.entries, plan.steps[step].entry, &CompiledEntry::name);
  return at == image.entries.end() ? nullptr : &*at;
}

Status check_arguments(const ResolvedPlan& plan, const Image& image) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const LaunchStep& step = plan.steps[i];
    const CompiledEntry* entry = find_entry(image, plan, i);
    if (entry == nullptr) {
      return fail(ErrorCode::kInternal, "entry `" + step.entry + "` was not compiled");
    }
    if (entry->by_name) {
      WS_CHECK(check_names(step, *entry, plan.buffers, launch_name(i)));
    }
    if (entry->params.size() != step.args.size()) {
      return fail(ErrorCode::kInvalidArgument,
                  launch_name(i) + " passes " + std::to_string(step.args.size()) + " arguments, `" +
                      step.entry + "` takes " + std::to_string(entry->params.size()) + ": " +
                      parameter_list(*entry),
                  "match the launch's args with the entry's parameters");
    }
    for (std::size_t k = 0; k < step.args.size(); ++k) {
      const EntryParam& param = entry->params[k];
      const LaunchArg& arg = entry->by_name ? argument_named(step, param.name) : step.args[k];
      WS_CHECK(check_argument(
          arg, param, launch_name(i) + ".args[" + std::to_string(&arg - step.args.data()) + "]"));
    }
  }
  for (const SymbolFill& fill : plan.symbols) {
    WS_CHECK(check_symbol(fill, plan, image));
  }
  return {};
}

std::vector<RunRange> bind_buffers(const ResolvedPlan& plan, const Arena& arena) {
  std::vector<RunRange> ranges;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& spec = plan.buffers[i];
    const bool inout = spec.role == BufferRole::kInout;
    ranges.push_back(
        {.low = arena.offset(i),
         .high = arena.offset(i) + arena.buffer(i).size(),
         .given = spec.role == BufferRole::kIn || inout,
         .zero = spec.zero,
         .rotation_step = static_cast<std::uint64_t>(spec.rotation_step) * size_of(spec.type),
         .digested =
             (spec.role == BufferRole::kOut || inout) && spec.contiguous() && has_digest(spec.type),
         .type = spec.type});
  }
  return ranges;
}

Result<RunPlan> bind_plan(const ResolvedPlan& plan, const Image& image, const Arena& arena) {
  WS_CHECK(check_arguments(plan, image));
  RunPlan bound;
  bound.arena_bytes = arena.bytes();
  bound.buffers = bind_buffers(plan, arena);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const CompiledEntry* entry = find_entry(image, plan, i);
    bound.steps.push_back(bind_step(plan.steps[i], *entry, arena));
    bound.steps.back().entry = static_cast<std::uint32_t>(entry - image.entries.data());
  }
  for (const SymbolFill& fill : plan.symbols) {
    const auto buffer = static_cast<std::size_t>(fill.buffer);
    const ImageSymbol* symbol = find_symbol(image, fill.name);
    bound.symbols.push_back({static_cast<std::uint32_t>(symbol - image.symbols.data()),
                             symbol->offset, arena.offset(buffer), arena.buffer(buffer).size()});
  }
  for (const TensorMap& map : plan.tensor_maps) {
    bound.tensor_maps.push_back(bind_tensor_map(map, arena));
  }
  for (const Texture& texture : plan.textures) {
    bound.textures.push_back(bind_texture(texture));
  }
  return bound;
}

}  // namespace ws
