// Triton's random numbers, which a seed and an offset determine.
//
// Source: triton/language/random.py of Triton 3: Philox 4x32 with the seed as its key, made into
// numbers in [0, 1) by magnitude, and into normal ones by pairs (Box and Muller).
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::size_t kWords = 4;
/// As Triton writes it: the largest 31-bit number times it is below 1 in f32.
constexpr double kScale = 4.6566127342e-10;
constexpr double kLeastUniform = 1.0e-7;
constexpr double kTurn = 6.283185307179586;

Value integer_of(DType dtype, const Shape& shape, std::string text) {
  return shape.empty() ? number_of(dtype, std::move(text)) : tile_of(dtype, shape, std::move(text));
}

/// Triton takes a constant beyond 31 bits for an unsigned one.
bool has_32_bits(const Value& value) {
  return value.integer ? *value.integer >= INT32_MIN && *value.integer <= UINT32_MAX
                       : size_of(value.dtype) <= size_of(DType::kI32);
}

}  // namespace

Result<Value> Lifter::random(const Node& node, const ApiInfo& info, const Arguments& args) {
  if (info.api == Api::kUniform) {
    return uniform(node, args.first());
  }
  WS_TRY(const std::vector<Value> bits, random_bits(node, info, args));
  switch (info.api) {
    case Api::kRandInt:
      return bits.front();
    case Api::kRand:
      return uniform(node, bits.front());
    case Api::kRandN: {
      WS_TRY(const Value pair, normal_pair(node, bits[0], bits[1]));
      return pair.items.front();
    }
    case Api::kRand4x: {
      std::vector<Value> made;
      for (const Value& word : bits) {
        WS_TRY(Value number, uniform(node, word));
        made.push_back(std::move(number));
      }
      return tuple_of(std::move(made));
    }
    case Api::kRandN4x: {
      WS_TRY(Value made, normal_pair(node, bits[0], bits[1]));
      WS_TRY(const Value rest, normal_pair(node, bits[2], bits[3]));
      made.items.insert(made.items.end(), rest.items.begin(), rest.items.end());
      return made;
    }
    default:  // kRandInt4x, kPhilox
      return tuple_of(bits);
  }
}

Result<std::vector<Value>> Lifter::random_bits(const Node& node, const ApiInfo& info,
                                               const Arguments& args) {
  const auto& parameters = info.triton.parameters;
  const Value& seed = args.first();
  const Value* rounds = args.find("n_rounds");
  if (!seed.is_number() || is_float(seed.dtype)) {
    return complain(node, "a seed is one integer, got " + describe(seed));
  }
  if (rounds != nullptr && !rounds->integer) {
    return complain(node, "`n_rounds` must be a constant, got " + describe(*rounds));
  }
  std::vector<Value> counter(kWords, constant_of(std::int64_t{0}));
  std::vector<Value*> words;
  for (std::size_t i = 0; parameters[i + 1] != "n_rounds"; ++i) {
    const Value* given = args.find(parameters[i + 1]);
    if (given == nullptr || !given->is_numeric() || is_float(given->dtype)) {
      return complain(node, "`" + prefix() + info.triton.text() + "` needs integers as `" +
                                parameters[i + 1] + "`");
    }
    if (!has_32_bits(*given)) {
      return complain(node, "random numbers of an offset of 64 bits: versions of Triton differ",
                      "use offset.to(tl.uint32)");
    }
    counter[i] = named(*given, "offset", node.line);
    words.push_back(&counter[i]);
  }
  WS_TRY(const Shape shape, align(node, words));
  std::string text = "philox(" + seed.text;
  for (const Value& word : counter) {
    text += ", " + word.text;
  }
  std::vector<Value> bits;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::string last = rounds == nullptr ? ")" : ", " + rounds->text + ")";
    bits.push_back(integer_of(DType::kU32, shape, text + ", " + std::to_string(i) + last));
  }
  return bits;
}

Result<Value> Lifter::uniform(const Node& node, const Value& bits) {
  if (!bits.is_numeric() || (bits.dtype != DType::kU32 && bits.dtype != DType::kI32)) {
    return complain(node, "random bits are integers of 32 bits, got " + describe(bits));
  }
  const Value whole = named(integer_of(DType::kI32, bits.shape, "to(" + bits.text + ", \"i32\")"),
                            "random", node.line);
  WS_TRY(const Value negative, binary(node, "<", whole, constant_of(std::int64_t{0})));
  WS_TRY(const Value opposite, unary(node, "-", whole));
  WS_TRY(const Value mirrored, binary(node, "-", opposite, constant_of(std::int64_t{1})));
  WS_TRY(const Value size, select(node, negative, mirrored, whole));
  WS_TRY(const Value made, binary(node, "*", cast(size, DType::kF32), constant_of(kScale)));
  return named(made, "uniform", node.line);
}

Result<Value> Lifter::normal_pair(const Node& node, const Value& first, const Value& second) {
  WS_TRY(const Value u, uniform(node, first));
  WS_TRY(const Value v, uniform(node, second));
  WS_TRY(const Value above, zip(node, info_of(Api::kMaximum), constant_of(kLeastUniform), u));
  WS_TRY(const Value log, map(node, info_of(Api::kLog), above));
  WS_TRY(const Value square, binary(node, "*", constant_of(-2.0), log));
  WS_TRY(Value radius, map(node, info_of(Api::kSqrt), square));
  WS_TRY(Value angle, binary(node, "*", constant_of(kTurn), v));
  radius = named(radius, "radius", node.line);
  angle = named(angle, "angle", node.line);
  std::vector<Value> pair;
  for (const Api api : {Api::kCos, Api::kSin}) {
    WS_TRY(const Value turned, map(node, info_of(api), angle));
    WS_TRY(Value made, binary(node, "*", radius, turned));
    pair.push_back(named(made, "normal", node.line));
  }
  return tuple_of(std::move(pair));
}

}  // namespace ws::lift::tile
