#include "runtime/compile/spirv/check_function.h"

#include "runtime/compile/spirv/bounds.h"
#include "runtime/compile/spirv/shader.h"

namespace ws::spirv {
namespace {

constexpr std::uint32_t kDeviceScope = 1;

static_assert(sizeof(BoundsReport) ==
              static_cast<std::uint32_t>(ReportWord::kWords) * sizeof(std::uint32_t));

}  // namespace

CheckFunction::CheckFunction(ModuleEditor& editor)
    : editor_(editor),
      word_(editor.type(Op::kTypeInt, {kWordBits, 0})),
      boolean_(editor.type(Op::kTypeBool, {})),
      triple_(editor.type(Op::kTypeVector, {word_, 3})),
      void_(editor.type(Op::kTypeVoid, {})),
      check_type_(editor.type(Op::kTypeFunction, {word_, word_, word_, word_})),
      turn_type_(editor.type(Op::kTypeFunction, {void_, word_})),
      end_type_(editor.type(Op::kTypeFunction, {void_})),
      report_(
          editor.variable(StorageClass::kStorageBuffer,
                          editor.block_of_words(static_cast<std::uint32_t>(ReportWord::kWords)))),
      pointer_(editor.pointer(StorageClass::kStorageBuffer, word_)),
      block_(editor.built_in(kBuiltInWorkgroupId, triple_)),
      thread_(editor.built_in(kBuiltInLocalInvocationId, triple_)),
      access_(editor.variable(StorageClass::kPrivate, word_, editor.constant(0))),
      index_(editor.variable(StorageClass::kPrivate, word_, editor.constant(0))),
      length_(editor.variable(StorageClass::kPrivate, word_, editor.constant(0))),
      turns_(editor.variable(StorageClass::kPrivate, word_, editor.constant(0))),
      loop_(editor.variable(StorageClass::kPrivate, word_, editor.constant(0))),
      check_(editor.fresh()),
      turn_(editor.fresh()),
      end_(editor.fresh()) {
  editor.decorate(report_, Decoration::kDescriptorSet, {kReportSet});
  editor.decorate(report_, Decoration::kBinding, {0});
}

Words CheckFunction::call(Id result, Id index, Id length, std::uint32_t access) {
  return instruction(Op::kFunctionCall,
                     {word_, result, check_, index, length, editor_.constant(access + 1)});
}

Id CheckFunction::as_word(Id index, const Instruction& type, Words& before) {
  const bool has_sign = type.operand(2) != 0;
  const bool narrow = type.operand(1) < kWordBits;
  if (!has_sign && !narrow) {
    return index;
  }
  const Id word = editor_.fresh();
  const Op op = !narrow ? Op::kBitcast : has_sign ? Op::kSConvert : Op::kUConvert;
  append(before, instruction(op, {word_, word, index}));
  return word;
}

Words CheckFunction::call_turn(std::uint32_t access) {
  return instruction(Op::kFunctionCall,
                     {void_, editor_.fresh(), turn_, editor_.constant(access + 1)});
}

Words CheckFunction::call_report() {
  return instruction(Op::kFunctionCall, {void_, editor_.fresh(), end_});
}

Words CheckFunction::write() {
  write_check();
  write_turn();
  write_report();
  return std::move(words_);
}

void CheckFunction::write_check() {
  begin(check_, check_type_, word_);
  const Id index = parameter();
  const Id length = parameter();
  const Id access = parameter();
  const Id zero = editor_.constant(0);
  label(editor_.fresh());
  const Id good = emit(Op::kULessThan, boolean_, {index, length});
  const Id bad = emit(Op::kUGreaterThanEqual, boolean_, {index, length});
  const Id none = emit(Op::kIEqual, boolean_, {load(access_), zero});
  const Id first = emit(Op::kLogicalAnd, boolean_, {bad, none});
  keep(first, access, access_);
  keep(first, index, index_);
  keep(first, length, length_);
  const Id safe = emit(Op::kSelect, word_, {good, index, zero});
  append(words_, instruction(Op::kReturnValue, {safe}));
  append(words_, instruction(Op::kFunctionEnd, {}));
}

void CheckFunction::write_turn() {
  begin(turn_, turn_type_, void_);
  const Id access = parameter();
  label(editor_.fresh());
  const Id now = emit(Op::kIAdd, word_, {load(turns_), editor_.constant(1)});
  append(words_, instruction(Op::kStore, {turns_, now}));
  keep(emit(Op::kUGreaterThanEqual, boolean_, {now, editor_.constant(kMostTurns)}), access, loop_);
  append(words_, instruction(Op::kReturn, {}));
  append(words_, instruction(Op::kFunctionEnd, {}));
}

void CheckFunction::write_report() {
  begin(end_, end_type_, void_);
  const Id zero = editor_.constant(0);
  label(editor_.fresh());
  const Id loop = load(loop_);
  const Id endless = editor_.fresh();
  const Id counted = editor_.fresh();
  branch_if(emit(Op::kINotEqual, boolean_, {loop, zero}), endless, counted, counted);
  label(endless);
  store(ReportWord::kTurns, 0, loop);
  append(words_, instruction(Op::kBranch, {counted}));
  label(counted);
  const Id bad = editor_.fresh();
  const Id end = editor_.fresh();
  branch_if(emit(Op::kINotEqual, boolean_, {load(access_), zero}), bad, end, end);
  label(bad);
  const Id before = emit(Op::kAtomicCompareExchange, word_,
                         {place(ReportWord::kFound, 0), editor_.constant(kDeviceScope), zero, zero,
                          editor_.constant(1), zero});
  const Id first = editor_.fresh();
  const Id reported = editor_.fresh();
  branch_if(emit(Op::kIEqual, boolean_, {before, zero}), first, reported, reported);
  label(first);
  write_access();
  append(words_, instruction(Op::kBranch, {reported}));
  label(reported);
  append(words_, instruction(Op::kBranch, {end}));
  label(end);
  append(words_, instruction(Op::kReturn, {}));
  append(words_, instruction(Op::kFunctionEnd, {}));
}

void CheckFunction::write_access() {
  const Id minus_one = editor_.constant(UINT32_MAX);
  store(ReportWord::kAccess, 0, emit(Op::kIAdd, word_, {load(access_), minus_one}));
  store(ReportWord::kIndex, 0, load(index_));
  store(ReportWord::kLength, 0, load(length_));
  store_triple(ReportWord::kBlock, block_);
  store_triple(ReportWord::kThread, thread_);
}

void CheckFunction::begin(Id function, Id type, Id result) {
  append(words_, instruction(Op::kFunction, {result, function, 0, type}));
}

Id CheckFunction::parameter() {
  const Id id = editor_.fresh();
  append(words_, instruction(Op::kFunctionParameter, {word_, id}));
  return id;
}

void CheckFunction::label(Id id) {
  append(words_, instruction(Op::kLabel, {id}));
}

void CheckFunction::branch_if(Id condition, Id yes, Id no, Id merge) {
  append(words_, instruction(Op::kSelectionMerge, {merge, 0}));
  append(words_, instruction(Op::kBranchConditional, {condition, yes, no}));
}

Id CheckFunction::emit(Op op, Id type, std::initializer_list<std::uint32_t> operands) {
  const Id id = editor_.fresh();
  Words all = {type, id};
  all.insert(all.end(), operands);
  append(words_, instruction(op, all));
  return id;
}

Id CheckFunction::place(ReportWord word, std::uint32_t further) {
  return emit(Op::kAccessChain, pointer_,
              {report_, editor_.constant(static_cast<std::uint32_t>(word) + further)});
}

void CheckFunction::store(ReportWord word, std::uint32_t further, Id value) {
  const Id at = place(word, further);
  append(words_, instruction(Op::kStore, {at, value}));
}

Id CheckFunction::load(Id variable) {
  return emit(Op::kLoad, word_, {variable});
}

/// Puts the value into the variable where the condition holds.
void CheckFunction::keep(Id condition, Id value, Id variable) {
  const Id kept = emit(Op::kSelect, word_, {condition, value, load(variable)});
  append(words_, instruction(Op::kStore, {variable, kept}));
}

void CheckFunction::store_triple(ReportWord word, Id variable) {
  const Id input = editor_.pointer(StorageClass::kInput, word_);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    const Id from = emit(Op::kAccessChain, input, {variable, editor_.constant(axis)});
    store(word, axis, emit(Op::kLoad, word_, {from}));
  }
}

}  // namespace ws::spirv
