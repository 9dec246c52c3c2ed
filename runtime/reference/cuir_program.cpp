#include "runtime/reference/cuir_program.h"

#include <algorithm>
#include <cstring>

#include "runtime/ir/check/checker.h"
#include "runtime/ir/diff/diff.h"
#include "runtime/ir/syntax/parser.h"

namespace ws {
namespace {

HostReply refused(std::string verdict, const Error& error) {
  HostReply reply;
  reply.verdict = std::move(verdict);
  reply.message = error.message;
  reply.hint = error.hint;
  return reply;
}

std::string snippet_of(const ir::Diagnostic& row, const std::string& text) {
  constexpr std::size_t kMaxLine = 160;
  const std::string line(ir::line_of(text, row.place.line).substr(0, kMaxLine));
  const std::size_t column = std::min<std::size_t>(row.place.column, line.size() + 1);
  return line + "\n" + std::string(column == 0 ? 0 : column - 1, ' ') + "^";
}

HostReply refused(std::string verdict, const ir::Diagnostics& diagnostics,
                  const std::string& text) {
  HostReply reply;
  reply.verdict = std::move(verdict);
  std::vector<ir::Diagnostic> rows = diagnostics.rows();
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  for (const ir::Diagnostic& row : rows) {
    reply.diagnostics.push_back(
        {row.place.line, row.place.column, row.message, row.hint, snippet_of(row, text)});
  }
  if (!rows.empty()) {
    reply.message = ir::to_text(rows.front().place) + ": " + rows.front().message;
  }
  return reply;
}

ir::TensorRole role_of(BufferRole role) {
  if (role == BufferRole::kIn) {
    return ir::TensorRole::kIn;
  }
  return role == BufferRole::kOut ? ir::TensorRole::kOut : ir::TensorRole::kInOut;
}

ir::Value value_of(DType type, double value) {
  if (type == DType::kBool) {
    return ir::Value::truth(value != 0);
  }
  return is_float(type) ? ir::Value::real(value) : ir::Value::of(static_cast<std::int64_t>(value));
}

ProgramFinding to_row(const ir::Finding& finding) {
  return {std::string(ir::word_of(finding.kind)),
          finding.message,
          finding.place.line,
          finding.other.line,
          finding.object,
          finding.worker,
          finding.fix,
          finding.schedule,
          finding.block};
}

/// `f32[128, 64]` as an argument that is read and written.
Result<ir::Tensor> tensor_of(const ir::Program& program, const ir::Param& param) {
  const std::string needs =
      "parameter `" + param.name + "` of __init__ has no type and sizes of its own";
  const std::string hint =
      "annotate it, as in `" + param.name + ": f32[128, 64]`, or send a problem_id";
  if (param.annotation == ir::kNoExpr) {
    return fail(ErrorCode::kInvalidArgument, needs, hint);
  }
  const ir::Expr& expr = program.expr(param.annotation);
  const auto dtype = expr.kind == ir::ExprKind::kIndex
                         ? parse_dtype(program.expr(expr.kids[0]).text)
                         : std::nullopt;
  if (!dtype) {
    return fail(ErrorCode::kInvalidArgument, needs, hint);
  }
  ir::Tensor tensor{param.name, *dtype, {}, ir::TensorRole::kInOut, {}};
  for (std::size_t i = 1; i < expr.kids.size(); ++i) {
    const ir::Expr& size = program.expr(expr.kids[i]);
    if (size.kind != ir::ExprKind::kInteger) {
      return fail(ErrorCode::kInvalidArgument,
                  "size " + std::to_string(i) + " of parameter `" + param.name +
                      "` of __init__ is not a number",
                  hint);
    }
    tensor.shape.push_back(size.integer);
  }
  return tensor;
}

/// " (line 12, was line 9)"; "" where neither is known.
std::string place_text(const ir::Breach& breach) {
  if (breach.target.line == 0) {
    return breach.source.line == 0 ? "" : " (was line " + std::to_string(breach.source.line) + ")";
  }
  return " (line " + std::to_string(breach.target.line) +
         (breach.source.line == 0 ? "" : ", was line " + std::to_string(breach.source.line)) + ")";
}

}  // namespace

ir::ValueMode mode_of(const std::string& word) {
  if (word == "f32") {
    return ir::ValueMode::kF32;
  }
  if (word == "typed") {
    return ir::ValueMode::kTyped;
  }
  return word == "race_only" ? ir::ValueMode::kNone : ir::ValueMode::kF64;
}

std::vector<ir::Schedule> schedules_of(std::size_t count) {
  std::vector<ir::Schedule> schedules = ir::default_schedules();
  while (schedules.size() < count) {
    ir::Schedule next = schedules.back();  // The default ones end with random ones.
    ++next.seed;
    schedules.push_back(next);
  }
  schedules.resize(count);
  return schedules;
}

HostReply CuirProgram::prepare() {
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program = ir::parse(job_.source, diagnostics);
  if (!program) {
    return refused("syntax_error", diagnostics, job_.source);
  }
  program_ = *std::move(program);
  HostReply compared = compare();
  if (!compared.ok()) {
    return compared;
  }
  if (const Status bound = bind(); !bound) {
    return refused("check_error", bound.error());
  }
  std::vector<ir::KernelArg> args;
  for (const ir::Tensor& tensor : tensors_) {
    args.push_back({tensor.name, ir::Type::buffer(ir::Space::kGlobal, tensor.dtype, tensor.shape)});
  }
  for (const ir::Scalar& scalar : scalars_) {
    args.push_back({scalar.name, ir::type_of(scalar.value)});
  }
  if (!ir::check(program_, args, diagnostics)) {
    HostReply reply = refused("check_error", diagnostics, job_.source);
    reply.change = std::move(compared.change);
    return reply;
  }
  return compared;
}

HostReply CuirProgram::compare() const {
  if (job_.cuir.made_from.empty()) {
    return {};
  }
  ir::Diagnostics diagnostics;
  const std::optional<ir::Program> source = ir::parse(job_.cuir.made_from, diagnostics);
  if (!source) {
    HostReply reply = refused("syntax_error", diagnostics, job_.cuir.made_from);
    reply.message = "the program that this one was made from: " + reply.message;
    return reply;
  }
  const Result<ir::ProgramDiff> diff = ir::diff_programs(*source, program_);
  if (!diff) {
    return refused("check_error", diff.error());
  }
  ProgramChange change;
  change.orchestration_kept = diff->orchestration_kept;
  for (const ir::Rule rule : diff->rules.list()) {
    change.rules.emplace_back(ir::word_of(rule));
  }
  for (const ir::Breach& breach : diff->breaches) {
    change.breaches.push_back(std::string(ir::word_of(breach.rule)) + ": " + breach.message +
                              place_text(breach));
  }
  for (const ir::Window& window : diff->windows) {
    change.windows.push_back({window.file, window.lines.first, window.lines.last});
  }
  HostReply reply;
  reply.change = std::move(change);
  return reply;
}

Status CuirProgram::bind() {
  for (const HostTensor& tensor : job_.tensors) {
    tensors_.push_back({tensor.name, tensor.type, tensor.shape, role_of(tensor.role), {}});
  }
  const ir::Method* init = program_.find_method("__init__");
  if (init == nullptr) {
    return {};  // The checker says so.
  }
  bind_numbers(*init);
  return job_.cuir.own_inputs ? bind_own_inputs(*init) : Status();
}

void CuirProgram::bind_numbers(const ir::Method& init) {
  for (const ir::Param& param : init.params) {
    const auto scalar =
        std::find_if(job_.scalars.begin(), job_.scalars.end(),
                     [&](const HostScalar& candidate) { return candidate.name == param.name; });
    const auto dim = job_.dims.find(param.name);
    if (scalar != job_.scalars.end()) {
      scalars_.push_back({scalar->name, value_of(scalar->type, scalar->value)});
    } else if (dim != job_.dims.end()) {
      scalars_.push_back({dim->first, ir::Value::of(dim->second)});
    }
  }
}

Status CuirProgram::bind_own_inputs(const ir::Method& init) {
  for (const ir::Param& param : init.params) {
    if (param.default_value == ir::kNoExpr) {
      WS_TRY(ir::Tensor tensor, tensor_of(program_, param));
      tensors_.push_back(std::move(tensor));
    }
  }
  return {};
}

void CuirProgram::load_inputs(std::span<const std::byte> arena) {
  for (std::size_t i = 0; i < job_.tensors.size(); ++i) {
    if (tensors_[i].role == ir::TensorRole::kOut) {
      continue;
    }
    const std::byte* const data = arena.data() + job_.tensors[i].offset;
    tensors_[i].data.resize(static_cast<std::size_t>(ir::count_of(tensors_[i].shape).value_or(0)));
    for (std::size_t at = 0; at < tensors_[i].data.size(); ++at) {
      tensors_[i].data[at] = load_element(job_.tensors[i].wire, data, at);
    }
  }
}

// No zeros: they would hide what is multiplied by them. Integers are small, as they may be indices.
void CuirProgram::draw_inputs() {
  constexpr double kUnit = 0x1p-10;
  constexpr std::uint64_t kSteps = 1024;
  constexpr std::uint64_t kIntegers = 4;
  std::uint64_t state = job_.cuir.seed;
  for (ir::Tensor& tensor : tensors_) {
    const std::int64_t count =
        std::min(ir::count_of(tensor.shape).value_or(0), ir::kMaxTensorElements);
    tensor.data.resize(static_cast<std::size_t>(count));
    for (double& element : tensor.data) {
      const std::uint64_t random = ir::next_random(state);
      const double size = static_cast<double>(random % kSteps + 1) * kUnit;
      element = is_float(tensor.dtype) ? (random >> 63U == 0 ? size : -size)
                                       : static_cast<double>(random % kIntegers + 1);
    }
  }
}

void CuirProgram::store_outputs(const ir::RunReport& report, std::span<std::byte> arena) const {
  for (const ir::Tensor& output : report.outputs) {
    for (const HostTensor& tensor : job_.tensors) {
      for (std::size_t i = 0; tensor.name == output.name && i < output.data.size(); ++i) {
        store_element(tensor.wire, arena.data() + tensor.offset, i, output.data[i]);
      }
    }
  }
}

HostReply CuirProgram::run(std::span<std::byte> arena, unsigned threads) {
  if (job_.cuir.own_inputs) {
    draw_inputs();
  } else {
    load_inputs(arena);
  }
  ir::RunOptions options;
  options.mode = mode_of(job_.cuir.mode);
  options.schedules = schedules_of(job_.cuir.schedules);
  options.threads = threads;
  const Result<ir::RunReport> report = ir::run_program(program_, tensors_, scalars_, options);
  if (!report) {
    return refused("runtime_error", report.error());
  }
  HostReply reply;
  for (const ir::Finding& finding : report->findings) {
    reply.findings.push_back(to_row(finding));
  }
  reply.schedules = static_cast<std::int64_t>(report->schedules);
  store_outputs(*report, arena);
  return reply;
}

}  // namespace ws
