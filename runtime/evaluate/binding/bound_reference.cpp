#include "runtime/evaluate/binding/bound_reference.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ws {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30U;

/// A buffer of both problems, each in its own arena.
struct Link {
  std::size_t own = 0;  ///< Indices into the plans' buffers.
  std::size_t other = 0;
  std::vector<std::int64_t> strides;  ///< The other's, in the order of the own dimensions.
  std::int64_t add = 0;
  bool counted = false;  ///< An output says how many of its rows count.
};

/// One side of a copy: elements of `type`, `strides` apart.
struct Side {
  DType type;
  std::byte* data;
  const std::vector<std::int64_t>& strides;
};

/// Copies a tensor of `shape` with `add` added to each element, dimension `dim` and those inside
/// it.
void copy_elements(const std::vector<std::int64_t>& shape, const Side& from, const Side& to,
                   std::int64_t add, std::size_t dim = 0, std::int64_t read = 0,
                   std::int64_t written = 0) {
  if (dim < shape.size()) {
    for (std::int64_t i = 0; i < shape[dim]; ++i) {
      copy_elements(shape, from, to, add, dim + 1, read + i * from.strides[dim],
                    written + i * to.strides[dim]);
    }
    return;
  }
  const auto source = static_cast<std::size_t>(read);
  const auto target = static_cast<std::size_t>(written);
  if (from.type == to.type && add == 0) {
    const std::size_t size = size_of(from.type);
    std::memcpy(to.data + target * size, from.data + source * size, size);
  } else {
    store_element(to.type, to.data, target,
                  load_element(from.type, from.data, source) + static_cast<double>(add));
  }
}

/// plan.buffers.size() for a scalar.
std::size_t index_of(const ResolvedPlan& plan, const std::string& name) {
  const auto at = std::ranges::find_if(
      plan.buffers, [&](const BufferSpec& buffer) { return buffer.name == name; });
  return static_cast<std::size_t>(at - plan.buffers.begin());
}

Result<std::vector<Link>> links_of(const Binding& binding, const Problem& problem,
                                   const ResolvedPlan& own, const ResolvedPlan& other) {
  std::vector<Link> links;
  for (const BoundArg& arg : binding.args) {
    Link link{index_of(own, arg.own), index_of(other, arg.other), {}, arg.add};
    if (link.own == own.buffers.size() || link.other == other.buffers.size()) {
      continue;
    }
    const ArgSpec* const spec = problem.find_arg(arg.own);
    link.counted = spec != nullptr && spec->unordered && !spec->unordered->count.empty();
    const BufferSpec& mine = own.buffers[link.own];
    const BufferSpec& theirs = other.buffers[link.other];
    link.strides.resize(arg.order->size());
    for (std::size_t i = 0; i < arg.order->size(); ++i) {
      const std::size_t dim = (*arg.order)[i];
      if (mine.shape[dim] != theirs.shape[i]) {
        return fail(ErrorCode::kInvalidArgument,
                    "`" + arg.own + "` has " + std::to_string(mine.shape[dim]) +
                        " elements along dimension " + std::to_string(dim) + ", and `" + arg.other +
                        "` has " + std::to_string(theirs.shape[i]) + " along its dimension " +
                        std::to_string(i),
                    "change `dims` or `order` in `binding`");
      }
      link.strides[dim] = theirs.strides[i];
    }
    links.push_back(std::move(link));
  }
  return links;
}

class BoundReference : public Reference {
 public:
  BoundReference(ResolvedPlan plan, std::shared_ptr<Arena> arena, std::vector<Link> links,
                 std::unique_ptr<Reference> other)
      : plan_(std::move(plan)),
        arena_(std::move(arena)),
        links_(std::move(links)),
        other_(std::move(other)) {}

  [[nodiscard]] const ResolvedPlan& plan() const override { return plan_; }

  [[nodiscard]] const Arena& arena() const override { return *arena_; }

  Result<Ran> run(std::uint64_t seed, std::chrono::milliseconds limit,
                  const std::stop_token& stop) override {
    // A written element equals random bits once in 2^32 times, and hardly in two runs.
    WS_TRY(Checked checked, run_once(seed, derive_seed(seed, "memory"), limit, stop));
    if (!checked.unwritten.empty()) {
      WS_TRY(checked, run_once(seed, derive_seed(seed, "memory again"), limit, stop));
    }
    Ran& ran = checked.ran;
    if (!checked.unwritten.empty()) {
      ran.message = "it left elements of `" + checked.unwritten + "` unwritten";
    }
    for (const Link& link : links_) {
      if (ran.message.empty() && is_output(other_->plan().buffers[link.other])) {
        copy(link, /*to_other=*/false);
      }
    }
    return std::move(ran);
  }

 private:
  struct Checked {
    Ran ran;
    std::string unwritten;  ///< An output of the other kernel that has its poison somewhere.
  };

  Result<Checked> run_once(std::uint64_t seed, std::uint64_t poison,
                           std::chrono::milliseconds limit, const std::stop_token& stop) {
    for (const Link& link : links_) {
      if (plan_.buffers[link.own].role != BufferRole::kOut) {
        copy(link, /*to_other=*/true);
      }
    }
    // Whole numbers would equal a poison that looks like data.
    const MemoryGuard guard(other_->plan(), other_->arena(), poison, {.random_bits = true});
    Checked checked;
    WS_TRY(checked.ran, other_->run(seed, limit, stop));
    if (!checked.ran.message.empty()) {
      return checked;
    }
    if (const auto damage = guard.damage()) {
      checked.ran.message = damage->message;
      return checked;
    }
    for (const Link& link : links_) {
      if (!link.counted && guard.unwritten(link.other)) {
        checked.unwritten = other_->plan().buffers[link.other].name;
      }
    }
    return checked;
  }

  void copy(const Link& link, bool to_other) const {
    const BufferSpec& mine = plan_.buffers[link.own];
    const BufferSpec& theirs = other_->plan().buffers[link.other];
    const Side own{mine.type, arena_->buffer(link.own).data(), mine.strides};
    const Side other{theirs.type, other_->arena().buffer(link.other).data(), link.strides};
    copy_elements(mine.shape, to_other ? own : other, to_other ? other : own,
                  to_other ? link.add : -link.add);
  }

  ResolvedPlan plan_;
  std::shared_ptr<Arena> arena_;
  std::vector<Link> links_;
  std::unique_ptr<Reference> other_;
};

Result<OpenedReference> open_bound(Backend& backend, const Problem& own, const Subject& other,
                                   const Binding& binding, const Workload& workload,
                                   const std::stop_token& stop) {
  WS_TRY(const Workload theirs, other_workload(binding, own, other.problem, workload));
  WS_TRY(OpenedReference opened,
         open_kernel_reference(backend, other.problem, other.kernel, theirs, other.kernel.defaults,
                               Build::kBounds, stop));
  if (!opened.reference) {
    opened.message = "the other kernel does not compile: " + opened.message;
    return opened;
  }
  WS_TRY(opened.reference, bound_to(own, binding, workload, std::move(opened.reference)));
  return opened;
}

/// An expression of the binding may fit some sizes only.
bool same_shapes(const Binding& binding, const Problem& own, const Workload& workload,
                 const Problem& other, const Workload& theirs) {
  const Result<ResolvedPlan> mine = resolve_plan(own, Kernel{}, workload, {});
  const Result<ResolvedPlan> plan = resolve_plan(other, Kernel{}, theirs, {});
  return mine && plan && links_of(binding, own, *mine, *plan);
}

}  // namespace

Result<std::unique_ptr<Reference>> bound_to(const Problem& own, const Binding& binding,
                                            const Workload& workload,
                                            std::unique_ptr<Reference> other) {
  WS_TRY(ResolvedPlan plan, resolve_plan(own, Kernel{}, workload, {}));
  WS_TRY(std::shared_ptr<Arena> arena, Arena::create(plan.buffers, kMaxBytes));
  WS_TRY(std::vector<Link> links, links_of(binding, own, plan, other->plan()));
  return std::make_unique<BoundReference>(std::move(plan), std::move(arena), std::move(links),
                                          std::move(other));
}

OtherReference bound_reference(Backend& backend, const Problem& own, const Subject& other,
                               Binding binding, std::string who) {
  const auto shared = std::make_shared<const Binding>(std::move(binding));
  return {.who = std::move(who),
          .open = [&backend, &own, &other, shared](
                      const Workload& workload,
                      const std::stop_token& stop) -> Result<OpenedReference> {
            return open_bound(backend, own, other, *shared, workload, stop);
          },
          .takes =
              [&own, &other, shared](const Workload& workload) {
                const auto theirs = other_workload(*shared, own, other.problem, workload);
                return theirs && takes(other.problem, other.kernel, *theirs) &&
                       same_shapes(*shared, own, workload, other.problem, *theirs);
              }};
}

}  // namespace ws
