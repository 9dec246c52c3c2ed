#include "runtime/device/cuda/library/attention.h"

#include <limits>
#include <optional>

#include "runtime/device/cuda/library/attention_graph.h"
#include "runtime/device/cuda/library/fastest.h"

namespace ws::cuda {
namespace {

constexpr std::int64_t kAttentionCandidates = 8;
constexpr std::int64_t kMostKnobs = 64;

/// The library's handle, given back at the end.
class CudnnContext {
 public:
  explicit CudnnContext(const Cudnn& library)
      : library_(library) {}

  CudnnContext(const CudnnContext&) = delete;
  CudnnContext& operator=(const CudnnContext&) = delete;
  CudnnContext(CudnnContext&&) = delete;
  CudnnContext& operator=(CudnnContext&&) = delete;

  ~CudnnContext() {
    if (handle_ != nullptr) {
      library_.api().cudnnDestroy(handle_);
    }
  }

  Status open(CuStream stream) {
    WS_CHECK(library_.check(library_.api().cudnnCreate(&handle_), "cudnnCreate"));
    return library_.check(library_.api().cudnnSetStream(handle_, stream), "cudnnSetStream");
  }

  [[nodiscard]] CudnnHandle get() const { return handle_; }

 private:
  const Cudnn& library_;
  CudnnHandle handle_ = nullptr;
};

/// An engine with its settings, ready to run.
struct AttentionPlan {
  std::string name;  ///< "engine 8, knob 24 = 1"
  CudnnObject plan;
  CudnnObject pack;
};

class Attention : public LibraryLaunch {
 public:
  Attention(Context& context, Cudnn library)
      : context_(context),
        library_(library) {}

  Status prepare(const AttentionCall& call, const std::vector<CuDevicePtr>& buffers) {
    scale_ = static_cast<float>(call.scale);
    WS_CHECK(handle_.open(context_.stream()));
    WS_TRY(graph_, attention_graph(library_, handle_.get(), call));
    ids_ = {AttentionIds::kQ, AttentionIds::kK, AttentionIds::kV, AttentionIds::kO,
            AttentionIds::kScale};
    for (const AttentionTensor* tensor : {&call.q, &call.k, &call.v, &call.o}) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the ABI's type
      addresses_.push_back(reinterpret_cast<void*>(buffers.at(tensor->buffer)));
    }
    addresses_.push_back(&scale_);
    if (call.causal) {
      ids_.push_back(AttentionIds::kHidden);
      addresses_.push_back(&hidden_);
    }
    return choose();
  }

  Status enqueue() override { return run(plans_.at(chosen_)); }

 private:
  Result<std::vector<CudnnObject>> engines() {
    WS_TRY(CudnnObject heuristic, CudnnObject::make(library_, kCudnnEngineHeur, "the heuristic"));
    WS_CHECK(heuristic.set(kCudnnHeurGraph, *graph_));
    WS_CHECK(heuristic.set(kCudnnHeurMode, kCudnnTypeHeurMode, kCudnnHeurA));
    WS_CHECK(heuristic.finish());
    return heuristic.objects(kCudnnHeurResults, kCudnnEngineCfg, kAttentionCandidates);
  }

  Result<AttentionPlan> plan_of(const CudnnObject& engine) {
    WS_TRY(CudnnObject plan, CudnnObject::make(library_, kCudnnPlan, "an engine"));
    CudnnHandle handle = handle_.get();
    WS_CHECK(plan.set(kCudnnPlanHandle, kCudnnTypeHandle, 1, static_cast<const void*>(&handle)));
    WS_CHECK(plan.set(kCudnnPlanCfg, engine));
    WS_CHECK(plan.finish());
    WS_TRY(const std::int64_t bytes, plan.number(kCudnnPlanWorkspace));
    WS_TRY(Region workspace, allocate_pages(context_.driver(), static_cast<std::uint64_t>(bytes)));
    WS_TRY(CudnnObject pack, CudnnObject::make(library_, kCudnnVariantPack, "the tensors' places"));
    WS_CHECK(pack.set(kCudnnPackIds, ids_));
    WS_CHECK(pack.set(kCudnnPackPointers, kCudnnTypeVoidPtr,
                      static_cast<std::int64_t>(addresses_.size()),
                      static_cast<const void*>(addresses_.data())));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the ABI's type
    void* const place = reinterpret_cast<void*>(workspace.get());
    WS_CHECK(pack.set(kCudnnPackWorkspace, kCudnnTypeVoidPtr, 1, static_cast<const void*>(&place)));
    WS_CHECK(pack.finish());
    workspaces_.push_back(std::move(workspace));
    return AttentionPlan{name_of_engine(engine), std::move(plan), std::move(pack)};
  }

  Status choose() {
    WS_TRY(const std::vector<CudnnObject> engines, this->engines());
    Error why{ErrorCode::kUnsupported,
              "cuDNN has no engine for this attention",
              "choose another baseline or other workloads",
              {}};
    for (const CudnnObject& engine : engines) {
      Result<AttentionPlan> plan = plan_of(engine);
      if (plan) {
        plans_.push_back(*std::move(plan));
      } else {
        why = plan.error();
      }
    }
    if (plans_.empty()) {
      return fail(std::move(why));
    }
    WS_TRY(chosen_,
           fastest(context_, plans_.size(), [this](std::size_t i) { return run(plans_.at(i)); }));
    facts_ = {.name = "cuDNN",
              .version = library_.version(),
              .algorithm = plans_.at(chosen_).name + ", candidate " + std::to_string(chosen_ + 1) +
                           " of " + std::to_string(plans_.size())};
    return {};
  }

  /// The parts that the library does not tell are left out.
  std::string name_of_engine(const CudnnObject& config) const {
    std::string name = "engine";
    const auto engine = config.objects(kCudnnCfgEngine, kCudnnEngine, 1);
    if (engine && !engine->empty()) {
      if (const auto index = engine->front().number(kCudnnEngineIndex)) {
        name += " " + std::to_string(*index);
      }
    }
    const auto knobs = config.objects(kCudnnCfgKnobs, kCudnnKnobChoice, kMostKnobs);
    if (!knobs) {
      return name;
    }
    for (const CudnnObject& knob : *knobs) {
      const auto type = knob.number(kCudnnKnobType, kCudnnTypeKnobType);
      const auto value = knob.number(kCudnnKnobValue);
      if (type && value) {
        name += ", knob " + std::to_string(*type) + " = " + std::to_string(*value);
      }
    }
    return name;
  }

  Status run(const AttentionPlan& plan) {
    return library_.check(
        library_.api().cudnnBackendExecute(handle_.get(), plan.plan.get(), plan.pack.get()),
        "cudnnBackendExecute");
  }

  Context& context_;
  const Cudnn library_;
  CudnnContext handle_{library_};
  float scale_ = 1;
  float hidden_ = std::numeric_limits<float>::lowest();
  std::optional<CudnnObject> graph_;
  std::vector<std::int64_t> ids_;
  std::vector<void*> addresses_;
  std::vector<Region> workspaces_;
  std::vector<AttentionPlan> plans_;
  std::size_t chosen_ = 0;
};

}  // namespace

Result<std::unique_ptr<LibraryLaunch>> make_attention(Context& context, const std::string& path,
                                                      const AttentionCall& call,
                                                      const std::vector<CuDevicePtr>& buffers) {
  WS_TRY(const Cudnn library, Cudnn::open(path));
  auto attention = std::make_unique<Attention>(context, library);
  WS_CHECK(attention->prepare(call, buffers));
  return attention;
}

}  // namespace ws::cuda
