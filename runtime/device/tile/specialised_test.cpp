#include "runtime/device/tile/specialised.h"

#include <doctest/doctest.h>

namespace ws {
namespace {

using lift::tile::File;
using lift::tile::Function;
using lift::tile::Node;
using lift::tile::NodeKind;

/// A kernel of one parameter, which is a constant or not.
std::string line_of(TileArg arg, bool constant = false) {
  File file;
  Node annotation;
  annotation.kind = NodeKind::kName;
  annotation.text = "constexpr";
  file.nodes.push_back(annotation);
  Function kernel;
  kernel.parameters.push_back({.name = "p", .annotation = constant ? 0 : lift::tile::kNoNode});
  TileLaunch launch;
  launch.args.push_back(std::move(arg));
  const std::vector<std::string> lines = specialised(file, kernel, launch);
  CHECK(lines.size() == 3);
  CHECK(lines[1] == "4");
  CHECK(lines[2] == "3");
  return lines[0];
}

TileArg number(std::int64_t value, DType type = DType::kI32) {
  TileArg arg;
  arg.kind = TileArg::Kind::kInteger;
  arg.type = type;
  arg.value = value;
  return arg;
}

TileArg real(const std::string& text, DType type = DType::kF32) {
  TileArg arg;
  arg.kind = TileArg::Kind::kFloat;
  arg.type = type;
  arg.number = text;
  return arg;
}

TileArg tensor(DType type, std::int64_t offset) {
  TileArg arg;
  arg.kind = TileArg::Kind::kTensor;
  arg.type = type;
  arg.value = offset;
  return arg;
}

}  // namespace

TEST_SUITE("device.tile.specialised") {
  TEST_CASE("numbers and addresses are told by what Triton's launcher looks at") {
    CHECK(line_of(number(7)) == "number:i32=");
    CHECK(line_of(number(1)) == "number:i32=1");
    CHECK(line_of(number(0)) == "number:i32=16");
    CHECK(line_of(number(-32)) == "number:i32=16");
    CHECK(line_of(number(std::int64_t{1} << 31U)) == "number:i64=16");
    CHECK(line_of(number(3, DType::kI64)) == "number:i64=");
    CHECK(line_of(number(3, DType::kI16)) == "number:i32=");
    CHECK(line_of(number(1, DType::kBool)) == "number:bool=");
    CHECK(line_of(real("0.5")) == "number:f32=");
    CHECK(line_of(real("1", DType::kF64)) == "number:f64=");
    CHECK(line_of(tensor(DType::kF16, 0)) == "buffer:f16=16");
    CHECK(line_of(tensor(DType::kF16, 8)) == "buffer:f16=16");
    CHECK(line_of(tensor(DType::kF16, 4)) == "buffer:f16=");
    CHECK(line_of({}) == "constant:null");
  }

  TEST_CASE("constants are values of JSON that keep their types") {
    CHECK(line_of(number(64), true) == "constant:64");
    CHECK(line_of(number(1, DType::kBool), true) == "constant:true");
    CHECK(line_of(real("2"), true) == "constant:2.0");
    CHECK(line_of(real("1e+20"), true) == "constant:1e+20");
    CHECK(line_of(real("-inf"), true) == "constant:-Infinity");
    CHECK(line_of(real("nan"), true) == "constant:NaN");
  }
}

}  // namespace ws
