#include "runtime/kernel/plan/plan.h"

#include <algorithm>
#include <charconv>

#include "runtime/base/nearest.h"
#include "runtime/kernel/expr/evaluate.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/language.h"
#include "runtime/kernel/plan/buffer_spec.h"
#include "runtime/kernel/plan/placeholders.h"
#include "runtime/kernel/plan/tensor_map.h"
#include "runtime/kernel/plan/texture.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

// Keeps a plan small; a repeat of a few hundred launches is much already.
constexpr std::size_t kMaxSteps = 4096;

BufferRole buffer_role(Role role) {
  return role == Role::kIn ? BufferRole::kIn
                           : (role == Role::kOut ? BufferRole::kOut : BufferRole::kInout);
}

class Resolver {
 public:
  Resolver(const Problem& problem, const Kernel& kernel, const Workload& workload,
           const Params& params)
      : problem_(problem),
        kernel_(kernel),
        workload_(workload),
        names_(bindings_of(problem, workload, params)) {}

  Result<ResolvedPlan> resolve() {
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role != Role::kScalar) {
        WS_CHECK(add_argument(arg));
      }
    }
    for (std::size_t i = 0; i < kernel_.scratch.size(); ++i) {
      WS_CHECK(add_scratch(kernel_.scratch[i], item("scratch", i)));
    }
    for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) {
      const SymbolSpec& symbol = kernel_.symbols[i];
      WS_TRY(const int buffer, find_buffer(symbol.of, item("symbols", i) + ".of"));
      plan_.symbols.push_back({symbol.name, buffer});
    }
    for (std::size_t i = 0; i < kernel_.tensor_maps.size(); ++i) {
      const TensorMapSpec& spec = kernel_.tensor_maps[i];
      const std::string path = item("tensor_maps", i);
      WS_TRY(const int buffer, find_buffer(spec.of, path + ".of"));
      WS_TRY(TensorMap map,
             resolve_tensor_map(spec, plan_.buffers[static_cast<std::size_t>(buffer)], buffer,
                                names_, path));
      plan_.tensor_maps.push_back(std::move(map));
    }
    for (std::size_t i = 0; i < kernel_.launches.size(); ++i) {
      WS_CHECK(add_launch(kernel_.launches[i], item("launches", i)));
    }
    return std::move(plan_);
  }

 private:
  Status add_buffer(BufferSpec buffer, const std::string& path) {
    if (const Status measured = measure_buffer(buffer); !measured) {
      return at_path(path, measured.error());
    }
    plan_.buffers.push_back(std::move(buffer));
    return {};
  }

  Status add_argument(const ArgSpec& arg) {
    const std::string path = "argument `" + arg.name + "`";
    BufferSpec buffer;
    buffer.name = arg.name;
    buffer.type = arg.type;
    buffer.role = buffer_role(arg.role);
    WS_TRY(buffer.shape, evaluate_sizes(arg.shape, names_, path + ": shape", 0));
    if (arg.strides) {
      WS_TRY(buffer.strides, evaluate_sizes(*arg.strides, names_, path + ": strides", 0));
    }
    if (arg.fill.kind == "computed") {
      for (const auto& [name, value] : names_) {
        buffer.fill_sizes[name] = static_cast<double>(value);  // For each element's expression.
      }
      return add_buffer(std::move(buffer), path);
    }
    for (const auto& [name, text] : arg.fill.sizes) {
      WS_TRY(const std::int64_t value, evaluate(text, names_, path + ": fill." + name));
      buffer.fill_sizes[name] = static_cast<double>(value);
    }
    return add_buffer(std::move(buffer), path);
  }

  Status add_scratch(const ScratchSpec& scratch, const std::string& path) {
    BufferSpec buffer;
    buffer.name = scratch.name;
    buffer.type = scratch.type;
    buffer.role = BufferRole::kScratch;
    buffer.zero = scratch.zero;
    WS_TRY(buffer.shape, evaluate_sizes(scratch.shape, names_, path + ".shape", 0));
    return add_buffer(std::move(buffer), path);
  }

  Status add_launch(const LaunchSpec& launch, const std::string& path) {
    Bindings names = names_;
    return add_repeated(launch, 0, path, names);
  }

  /// The launches of all repeats from one on, with the variables of those around it in `names`.
  Status add_repeated(const LaunchSpec& launch, std::size_t from, const std::string& path,
                      Bindings& names) {
    if (from == launch.repeats.size()) {
      return add_step(launch, path, names);
    }
    const RepeatSpec& repeat = launch.repeats[from];
    const std::string field =
        path + (launch.repeats.size() == 1 ? ".repeat" : item(".repeat", from));
    WS_TRY(const std::int64_t count, evaluate_size(repeat.count, names, field + ".count", 0));
    for (std::int64_t i = 0; i < count; ++i) {
      names[repeat.var] = i;
      WS_CHECK(add_repeated(launch, from + 1, path, names));
    }
    names.erase(repeat.var);
    return {};
  }

  Status add_step(const LaunchSpec& launch, const std::string& path, const Bindings& names) {
    if (plan_.steps.size() >= kMaxSteps) {
      return bad(path, "more than " + std::to_string(kMaxSteps) + " launches in all");
    }
    LaunchStep step;
    step.entry = launch.entry;
    WS_TRY(const std::vector<std::int64_t> grid,
           evaluate_sizes(launch.grid, names, path + ".grid", 1));
    std::copy(grid.begin(), grid.end(), step.grid.begin());
    WS_TRY(const std::vector<std::int64_t> block,
           evaluate_sizes(launch.block, names, path + ".block", 1));
    std::copy(block.begin(), block.end(), step.block.begin());
    WS_TRY(step.shared_bytes, evaluate_size(launch.shared_bytes, names, path + ".shared_bytes", 0));
    WS_CHECK(add_cluster(launch, path + ".cluster", names, step));
    WS_TRY(step.num_warps, evaluate_size(launch.num_warps, names, path + ".num_warps", 1));
    WS_TRY(step.num_stages, evaluate_size(launch.num_stages, names, path + ".num_stages", 1));
    step.cooperative = launch.cooperative;
    step.pdl = launch.pdl;
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      const LaunchArgSpec& spec = launch.args[i];
      WS_TRY(LaunchArg arg, resolve_arg(spec, item(path + ".args", i), names));
      arg.as = spec.as.empty() ? spec.name : spec.as;
      step.args.push_back(std::move(arg));
    }
    plan_.steps.push_back(std::move(step));
    return {};
  }

  /// Whole clusters only: the driver refuses a grid that they do not divide.
  static Status add_cluster(const LaunchSpec& launch, const std::string& path,
                            const Bindings& names, LaunchStep& step) {
    WS_TRY(const std::vector<std::int64_t> cluster, evaluate_sizes(launch.cluster, names, path, 1));
    std::copy(cluster.begin(), cluster.end(), step.cluster.begin());
    for (std::size_t axis = 0; axis < cluster.size(); ++axis) {
      if (step.grid.at(axis) % cluster[axis] != 0) {
        return bad(item(path, axis), std::to_string(cluster[axis]) +
                                         " does not divide the grid's " +
                                         std::to_string(step.grid.at(axis)) + " blocks");
      }
    }
    return {};
  }

  Result<LaunchArg> resolve_arg(const LaunchArgSpec& spec, const std::string& path,
                                const Bindings& names) {
    switch (spec.kind) {
      case LaunchArgSpec::Kind::kName:
        return resolve_name(spec, path, names);
      case LaunchArgSpec::Kind::kValue:
        return resolve_value(spec, path, names);
      case LaunchArgSpec::Kind::kBuffer:
        return resolve_buffer(spec, path, names);
      case LaunchArgSpec::Kind::kStruct:
        return resolve_struct(spec, path, names);
      case LaunchArgSpec::Kind::kTexture:
        return resolve_texture_arg(spec, path, names);
      case LaunchArgSpec::Kind::kNull:
        break;
    }
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::kNull;
    arg.text = "null";
    return arg;
  }

  Result<LaunchArg> resolve_struct(const LaunchArgSpec& spec, const std::string& path,
                                   const Bindings& names) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::kStruct;
    for (std::size_t i = 0; i < spec.members.size(); ++i) {
      WS_TRY(LaunchArg member, resolve_arg(spec.members[i], item(path + ".struct", i), names));
      arg.text += (i == 0 ? "{" : ", ") + member.text;
      arg.members.push_back(std::move(member));
    }
    arg.text += "}";
    return arg;
  }

  Result<LaunchArg> resolve_texture_arg(const LaunchArgSpec& spec, const std::string& path,
                                        const Bindings& names) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::kTexture;
    arg.text = spec.name;
    WS_TRY(const int buffer, find_buffer(spec.name, path + ".texture"));
    WS_TRY(const Texture made,
           resolve_texture(spec.texture, plan_.buffers[static_cast<std::size_t>(buffer)], buffer,
                           names, path));
    const auto at = std::ranges::find(plan_.textures, made);
    arg.texture = static_cast<int>(at - plan_.textures.begin());
    if (at == plan_.textures.end()) {
      plan_.textures.push_back(made);
    }
    return arg;
  }

  Result<LaunchArg> resolve_name(const LaunchArgSpec& spec, const std::string& path,
                                 const Bindings& names) {
    LaunchArg arg;
    arg.text = spec.name;
    const ArgSpec* declared = problem_.find_arg(spec.name);
    if (declared != nullptr && declared->role == Role::kScalar) {
      arg.type = declared->type;
      const auto value = workload_.scalars.find(spec.name);
      if (value == workload_.scalars.end()) {
        return bad(path, "the workload has no value for `" + spec.name + "`");
      }
      arg.float_value = is_float(arg.type) ? value->second : 0.0;
      arg.int_value = is_float(arg.type) ? 0 : static_cast<std::int64_t>(value->second);
      return arg;
    }
    if (const auto number = names.find(spec.name); number != names.end()) {
      arg.any_int = true;
      arg.int_value = number->second;
      return arg;
    }
    for (std::size_t i = 0; i < plan_.tensor_maps.size(); ++i) {
      if (plan_.tensor_maps[i].name == spec.name) {
        arg.kind = LaunchArg::Kind::kTensorMap;
        arg.tensor_map = static_cast<int>(i);
        return arg;
      }
    }
    WS_TRY(arg.buffer, find_buffer(spec.name, path));
    arg.kind = LaunchArg::Kind::kBuffer;
    return arg;
  }

  static Result<LaunchArg> resolve_value(const LaunchArgSpec& spec, const std::string& path,
                                         const Bindings& names) {
    LaunchArg arg;
    arg.type = spec.type;
    arg.text = spec.value;
    const char* const end = spec.value.data() + spec.value.size();
    if (is_float(spec.type)) {
      const auto [stop, code] = std::from_chars(spec.value.data(), end, arg.float_value);
      if (code == std::errc() && stop == end) {
        return arg;
      }
    }
    WS_TRY(const std::int64_t value, evaluate(spec.value, names, path));
    if (is_float(spec.type)) {
      arg.float_value = static_cast<double>(value);
      return arg;
    }
    arg.int_value = value;
    return check_range(arg, path);
  }

  /// An integer that its type does not hold would reach the kernel as another number.
  static Result<LaunchArg> check_range(const LaunchArg& arg, const std::string& path) {
    const bool is_signed = name_of(arg.type).front() == 'i';
    const unsigned bits =
        arg.type == DType::kBool ? 1U : static_cast<unsigned>(size_of(arg.type)) * 8U;
    const unsigned magnitude = bits - (is_signed ? 1U : 0U);
    const std::int64_t high = magnitude >= 63U ? INT64_MAX : (std::int64_t{1} << magnitude) - 1;
    const std::int64_t low = is_signed ? -high - 1 : 0;
    if (arg.int_value < low || arg.int_value > high) {
      return bad(path, "`" + arg.text + "` is " + std::to_string(arg.int_value) +
                           ", which does not fit in " + std::string(name_of(arg.type)));
    }
    return arg;
  }

  Result<LaunchArg> resolve_buffer(const LaunchArgSpec& spec, const std::string& path,
                                   const Bindings& names) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::kBuffer;
    arg.text = spec.offset == "0" ? spec.name : spec.name + " + " + spec.offset;
    WS_TRY(arg.buffer, find_buffer(spec.name, path));
    WS_TRY(const std::int64_t offset, evaluate(spec.offset, names, path + ".offset"));
    const BufferSpec& buffer = plan_.buffers[static_cast<std::size_t>(arg.buffer)];
    if (offset < 0 || offset >= std::max<std::int64_t>(buffer.span, 1)) {
      return bad(path + ".offset", "`" + spec.offset + "` is " + std::to_string(offset) +
                                       ", outside `" + spec.name + "` of " +
                                       std::to_string(buffer.span) + " elements");
    }
    arg.byte_offset = offset * static_cast<std::int64_t>(size_of(buffer.type));
    return arg;
  }

  Result<int> find_buffer(const std::string& name, const std::string& path) const {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      if (plan_.buffers[i].name == name) {
        return static_cast<int>(i);
      }
      known.push_back(plan_.buffers[i].name);
    }
    return bad(path, "unknown argument `" + name + "`", suggest(name, known));
  }

  const Problem& problem_;
  const Kernel& kernel_;
  const Workload& workload_;
  Bindings names_;
  ResolvedPlan plan_;
};

}  // namespace

std::vector<std::string> features_of(const ResolvedPlan& plan) {
  const auto any = [&](const auto& asks) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), asks);
  };
  std::vector<std::string> features;
  if (!plan.tensor_maps.empty()) {
    features.emplace_back("tensor_maps");
  }
  if (any([](const LaunchStep& step) { return step.cluster_blocks() > 1; })) {
    features.emplace_back("cluster");
  }
  if (any([](const LaunchStep& step) { return step.cooperative; })) {
    features.emplace_back("cooperative");
  }
  if (any([](const LaunchStep& step) { return step.pdl; })) {
    features.emplace_back("pdl");
  }
  if (!plan.textures.empty()) {
    features.emplace_back("textures");
  }
  return features;
}

Result<ResolvedPlan> resolve_plan(const Problem& problem, const Kernel& kernel,
                                  const Workload& workload, const Params& params) {
  WS_TRY(ResolvedPlan plan, Resolver(problem, kernel, workload, params).resolve());
  if (is_tile_language(kernel.language)) {
    return plan;
  }
  for (LaunchStep& step : plan.steps) {
    WS_TRY(step.entry, substitute_entry(kernel, workload, params, step.entry));
  }
  return plan;
}

}  // namespace ws
