#include "runtime/device/cuda/library/attention_graph.h"

namespace ws::cuda {
namespace {

/// Sixteen bytes, as every buffer is aligned at least.
constexpr std::int64_t kAlignment = 16;

using Extents = std::vector<std::int64_t>;

/// Row after row.
Extents packed(const Extents& shape) {
  return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
}

/// Adds operations one after the other; tensors between them exist only in the graph.
class AttentionWriter {
 public:
  AttentionWriter(const Cudnn& library, const AttentionCall& call)
      : library_(library),
        call_(call),
        io_(call.type == DType::kBf16 ? kCudnnBfloat16 : kCudnnHalf),
        scores_({call.batch, call.heads, call.queries, call.keys}),
        row_({call.batch, call.heads, call.queries, 1}) {}

  Status write() {
    WS_TRY(const CudnnObject q, outside(AttentionIds::kQ, call_.q,
                                        {call_.batch, call_.heads, call_.queries, call_.width}));
    WS_TRY(const CudnnObject k, transposed_keys());
    WS_TRY(const CudnnObject v,
           outside(AttentionIds::kV, call_.v,
                   {call_.batch, call_.kv_heads, call_.keys, call_.value_width}));
    WS_TRY(const CudnnObject o,
           outside(AttentionIds::kO, call_.o,
                   {call_.batch, call_.heads, call_.queries, call_.value_width}));
    WS_TRY(const CudnnObject product, inside(scores_, kCudnnFloat));
    WS_CHECK(multiply(q, k, product));
    WS_TRY(const CudnnObject factor, constant(AttentionIds::kScale));
    WS_TRY(CudnnObject scaled, inside(scores_, kCudnnFloat));
    WS_CHECK(pointwise(kCudnnMul, product, &factor, scaled));
    if (call_.causal) {
      WS_TRY(CudnnObject masked, mask(scaled));
      scaled = std::move(masked);
    }
    WS_TRY(const CudnnObject weights, softmax(scaled));
    return multiply(weights, v, o);
  }

  [[nodiscard]] const std::vector<CudnnObject>& operations() const { return operations_; }

 private:
  Result<CudnnObject> tensor(std::int64_t id, const Extents& shape, const Extents& strides,
                             int type) {
    WS_TRY(CudnnObject made, CudnnObject::make(library_, kCudnnTensor, "a tensor"));
    WS_CHECK(made.set(kCudnnTensorId, id));
    WS_CHECK(made.set(kCudnnTensorShape, shape));
    WS_CHECK(made.set(kCudnnTensorStrides, strides));
    WS_CHECK(made.set(kCudnnTensorType, kCudnnTypeDataType, type));
    WS_CHECK(made.set(kCudnnTensorAlignment, kAlignment));
    return made;
  }

  Result<CudnnObject> outside(std::int64_t id, const AttentionTensor& place, const Extents& shape) {
    WS_TRY(CudnnObject made,
           tensor(id, shape, {place.strides[0], place.strides[1], place.strides[2], 1}, io_));
    WS_CHECK(made.finish());
    return made;
  }

  /// The first product takes them as columns.
  Result<CudnnObject> transposed_keys() {
    const auto& [batch, head, row] = call_.k.strides;
    WS_TRY(CudnnObject made,
           tensor(AttentionIds::kK, {call_.batch, call_.kv_heads, call_.width, call_.keys},
                  {batch, head, 1, row}, io_));
    WS_CHECK(made.finish());
    return made;
  }

  Result<CudnnObject> inside(const Extents& shape, int type) {
    WS_TRY(CudnnObject made, tensor(next_id_++, shape, packed(shape), type));
    WS_CHECK(made.set(kCudnnTensorVirtual, true));
    WS_CHECK(made.finish());
    return made;
  }

  /// One float, whose address is the host's.
  Result<CudnnObject> constant(std::int64_t id) {
    WS_TRY(CudnnObject made, tensor(id, {1, 1, 1, 1}, {1, 1, 1, 1}, kCudnnFloat));
    WS_CHECK(made.set(kCudnnTensorByValue, true));
    WS_CHECK(made.finish());
    return made;
  }

  Status add(CudnnObject operation) {
    WS_CHECK(operation.finish());
    operations_.push_back(std::move(operation));
    return {};
  }

  Status multiply(const CudnnObject& a, const CudnnObject& b, const CudnnObject& c) {
    WS_TRY(CudnnObject how, CudnnObject::make(library_, kCudnnMatmul, "a product"));
    WS_CHECK(how.set(kCudnnMatmulMath, kCudnnTypeDataType, kCudnnFloat));
    WS_CHECK(how.finish());
    WS_TRY(CudnnObject operation, CudnnObject::make(library_, kCudnnOpMatmul, "a product"));
    WS_CHECK(operation.set(kCudnnOpMatmulA, a));
    WS_CHECK(operation.set(kCudnnOpMatmulB, b));
    WS_CHECK(operation.set(kCudnnOpMatmulC, c));
    WS_CHECK(operation.set(kCudnnOpMatmulDesc, how));
    return add(std::move(operation));
  }

  /// The settings of a pointwise operation beyond its tensors.
  struct Pointwise {
    int mode;
    int math = kCudnnFloat;
    std::int64_t axis = -1;  ///< Not negative: the axis whose index it writes.
  };

  Status pointwise(Pointwise settings, const CudnnObject& x, const CudnnObject* b,
                   const CudnnObject& y, const CudnnObject* selector = nullptr) {
    const std::string step = "pointwise operation " + std::to_string(settings.mode);
    WS_TRY(CudnnObject how, CudnnObject::make(library_, kCudnnPointwise, step));
    WS_CHECK(how.set(kCudnnPointwiseMode, kCudnnTypePointwiseMode, settings.mode));
    WS_CHECK(how.set(kCudnnPointwiseMath, kCudnnTypeDataType, settings.math));
    if (settings.axis >= 0) {
      WS_CHECK(how.set(kCudnnPointwiseAxis, settings.axis));
    }
    WS_CHECK(how.finish());
    WS_TRY(CudnnObject operation, CudnnObject::make(library_, kCudnnOpPointwise, step));
    WS_CHECK(operation.set(kCudnnOpPointwiseDesc, how));
    WS_CHECK(operation.set(kCudnnOpPointwiseX, x));
    if (b != nullptr) {
      WS_CHECK(operation.set(kCudnnOpPointwiseB, *b));
    }
    if (selector != nullptr) {
      WS_CHECK(operation.set(kCudnnOpPointwiseT, *selector));
    }
    WS_CHECK(operation.set(kCudnnOpPointwiseY, y));
    return add(std::move(operation));
  }

  Status pointwise(int mode, const CudnnObject& x, const CudnnObject* b, const CudnnObject& y) {
    return pointwise(Pointwise{.mode = mode}, x, b, y);
  }

  Status reduce(int mode, const CudnnObject& x, const CudnnObject& y) {
    WS_TRY(CudnnObject how, CudnnObject::make(library_, kCudnnReduction, "a reduction"));
    WS_CHECK(how.set(kCudnnReductionOperator, kCudnnTypeReduction, mode));
    WS_CHECK(how.set(kCudnnReductionMath, kCudnnTypeDataType, kCudnnFloat));
    WS_CHECK(how.finish());
    WS_TRY(CudnnObject operation, CudnnObject::make(library_, kCudnnOpReduction, "a reduction"));
    WS_CHECK(operation.set(kCudnnOpReductionDesc, how));
    WS_CHECK(operation.set(kCudnnOpReductionX, x));
    WS_CHECK(operation.set(kCudnnOpReductionY, y));
    return add(std::move(operation));
  }

  /// Scores of keys after the query become those of AttentionIds::kHidden.
  Result<CudnnObject> mask(const CudnnObject& scores) {
    constexpr std::int64_t kQueryAxis = 2;
    constexpr std::int64_t kKeyAxis = 3;
    WS_TRY(const CudnnObject query, inside(scores_, kCudnnInt32));
    WS_CHECK(pointwise({.mode = kCudnnGenIndex, .axis = kQueryAxis}, scores, nullptr, query));
    WS_TRY(const CudnnObject key, inside(scores_, kCudnnInt32));
    WS_CHECK(pointwise({.mode = kCudnnGenIndex, .axis = kKeyAxis}, scores, nullptr, key));
    WS_TRY(const CudnnObject seen, inside(scores_, kCudnnBoolean));
    WS_CHECK(pointwise({.mode = kCudnnCmpGe, .math = kCudnnBoolean}, query, &key, seen));
    WS_TRY(const CudnnObject hidden, constant(AttentionIds::kHidden));
    WS_TRY(CudnnObject masked, inside(scores_, kCudnnFloat));
    WS_CHECK(pointwise({.mode = kCudnnBinarySelect}, scores, &hidden, masked, &seen));
    return masked;
  }

  Result<CudnnObject> softmax(const CudnnObject& scores) {
    WS_TRY(const CudnnObject most, inside(row_, kCudnnFloat));
    WS_CHECK(reduce(kCudnnReduceMax, scores, most));
    WS_TRY(const CudnnObject below, inside(scores_, kCudnnFloat));
    WS_CHECK(pointwise(kCudnnSub, scores, &most, below));
    WS_TRY(const CudnnObject power, inside(scores_, kCudnnFloat));
    WS_CHECK(pointwise(kCudnnExp, below, nullptr, power));
    WS_TRY(const CudnnObject sum, inside(row_, kCudnnFloat));
    WS_CHECK(reduce(kCudnnReduceAdd, power, sum));
    WS_TRY(const CudnnObject log, inside(row_, kCudnnFloat));
    WS_CHECK(pointwise(kCudnnLog, sum, nullptr, log));
    WS_TRY(const CudnnObject statistics, inside(row_, kCudnnFloat));
    WS_CHECK(pointwise(kCudnnAdd, most, &log, statistics));
    WS_TRY(CudnnObject weights, inside(scores_, io_));
    WS_CHECK(pointwise(kCudnnDiv, power, &sum, weights));
    return weights;
  }

  const Cudnn& library_;
  const AttentionCall& call_;
  const int io_;
  const Extents scores_;
  const Extents row_;
  std::int64_t next_id_ = AttentionIds::kFirstOther;
  std::vector<CudnnObject> operations_;
};

}  // namespace

Result<CudnnObject> attention_graph(const Cudnn& library, CudnnHandle handle,
                                    const AttentionCall& call) {
  AttentionWriter writer(library, call);
  WS_CHECK(writer.write());
  WS_TRY(CudnnObject graph, CudnnObject::make(library, kCudnnGraph, "the graph"));
  if (handle != nullptr) {
    WS_CHECK(graph.set(kCudnnGraphHandle, kCudnnTypeHandle, 1, static_cast<const void*>(&handle)));
  }
  WS_CHECK(graph.set(kCudnnGraphOps, writer.operations()));
  WS_CHECK(graph.finish());
  return graph;
}

}  // namespace ws::cuda
