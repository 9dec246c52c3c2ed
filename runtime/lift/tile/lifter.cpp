#include "runtime/lift/tile/lifter.h"

#include <algorithm>

#include "runtime/base/nearest.h"

namespace ws::lift::tile {
namespace {

constexpr std::size_t kMaxComplaints = 10;
/// So that the stack of a thread has room.
constexpr int kMaxNested = 500;

std::string name_of_class(const std::string& entry) {
  std::string name;
  bool upper = true;
  for (const char c : entry) {
    if (c == '_') {
      upper = true;
    } else {
      name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return name.empty() ? "Kernel" : name;
}

}  // namespace

const Value* Arguments::find(std::string_view name) const {
  const auto at =
      std::ranges::find_if(values_, [&](const auto& each) { return each.first == name; });
  return at == values_.end() || at->second.kind == ValueKind::kNone ? nullptr : &at->second;
}

tl::unexpected<Error> Lifter::silent() {
  return fail(ErrorCode::kCancelled, "");
}

tl::unexpected<Error> Lifter::complain(const Node& node, std::string message, std::string hint) {
  if (result_.complaints.size() < kMaxComplaints) {
    result_.complaints.push_back({node.line, node.column, std::move(message), std::move(hint),
                                  file_.units.at(node.unit).file});
  }
  return silent();
}

Status Lifter::count_steps(const Node& node, std::size_t steps) {
  if (stopped()) {
    return silent();
  }
  steps_ += steps;
  return stopped() ? Status(complain(node,
                                     "the kernel is too large when its calls and loops of "
                                     "constants are written out: more than " +
                                         std::to_string(kMaxSteps) + " steps",
                                     "use loops over `range`"))
                   : Status();
}

Status Lifter::go_deeper(const Node& node) {
  if (nested_ == kMaxNested) {
    return complain(node, "expressions, branches and the calls in them nest deeper than " +
                              std::to_string(kMaxNested));
  }
  ++nested_;
  return {};
}

std::string Lifter::spelled(Api api) const {
  return prefix() + info_of(api).spelling(file_.language).name;
}

void Lifter::emit(const std::string& text, int line) {
  if (writer_.count() == kMaxStatements) {
    Node node;
    node.line = line;
    static_cast<void>(complain(node, "the kernel has more than " + std::to_string(kMaxStatements) +
                                         " statements when its calls are written out"));
  }
  if (writer_.count() < kMaxStatements) {
    writer_.line(text, line_in_source(line));
  }
}

int Lifter::line_in_source(int line) const {
  return scopes_.back().called_at == 0 ? line : scopes_.back().called_at;
}

Lifted Lifter::run() {
  const Function* function = find_kernel(file_, launch_, result_.complaints);
  if (function == nullptr) {
    return std::move(result_);
  }
  Node place;
  place.line = function->line;
  if (!check_single(place, *function)) {
    return std::move(result_);
  }
  scopes_.push_back({.function = function,
                     .prefix = {},
                     .names = {},
                     .variables = {},
                     .lost = {},
                     .returned = {}});
  bind_parameters(*function);
  if (result_.complaints.empty()) {
    block(function->body);
  }
  if (!result_.complaints.empty()) {
    return std::move(result_);
  }
  head_.name = name_of_class(launch_.entry);
  const auto& [x, y, z] = launch_.grid;
  head_.grid = "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
  Writer::Text text = writer_.finish(head_);
  made_.program = std::move(text.program);
  made_.lines = std::move(text.sources);
  result_.launch = std::move(made_);
  return std::move(result_);
}

std::string Lifter::variable(const std::string& wish) {
  return writer_.take(scopes_.back().prefix + wish);
}

Lifted lift_launch(const File& file, const TileLaunch& launch) {
  return Lifter(file, launch).run();
}

}  // namespace ws::lift::tile
