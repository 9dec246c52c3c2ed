// Tests of the pictures of answers: the drawings, and the PNGs that are made of them.
#include "server/picture/picture.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "runtime/base/files.h"
#include "server/picture/picture_library.h"
#include "server/picture/test_png.h"

namespace ws::server {
namespace {

constexpr std::uint32_t kBlue = 0x0a57b8;
constexpr std::uint32_t kRed = 0xa51d1d;
constexpr std::uint32_t kWhite = 0xffffff;

std::filesystem::path plug_in() {
  return executable_path().parent_path() / kPictureLibraryFile;
}

bool can_draw() {
  const bool there = std::filesystem::exists(plug_in());
  if (!there) {
    MESSAGE("left out: pictures (libgd-dev is not installed)");
  }
  return there;
}

std::string png_of(const Drawing& drawing) {
  PictureLibrary library(plug_in());
  const Result<std::string> png = library.png(drawing);
  REQUIRE_MESSAGE(png.has_value(), to_text(png.error()));
  return *png;
}

Drawing drawn(const std::string& tool, const Json& output, const Json& record = nullptr) {
  std::optional<Drawing> drawing = drawing_of(tool, output, record);
  REQUIRE(drawing.has_value());
  return *std::move(drawing);
}

bool has_text(const Drawing& drawing, const std::string& part) {
  return std::any_of(drawing.shapes().begin(), drawing.shapes().end(), [&](const Shape& shape) {
    return shape.text.find(part) != std::string::npos;
  });
}

std::size_t count_of(const Drawing& drawing, ShapeKind kind, Ink ink) {
  return static_cast<std::size_t>(
      std::count_if(drawing.shapes().begin(), drawing.shapes().end(),
                    [&](const Shape& shape) { return shape.kind == kind && shape.ink == ink; }));
}

const Json kTimed = {{"summary", "krn_a is faster"},
                     {"baseline", "reference"},
                     {"ratio", 2.0},
                     {"ratio_ci", {1.9, 2.1}},
                     {"noise_floor", 0.05},
                     {"workloads",
                      {{{"workload", {{"n", 1024}}}, {"ratio", 1.5}, {"ratio_ci", {1.4, 1.6}}},
                       {{"workload", {{"n", 4096}}}, {"ratio", 2.5}}}}};
const Json kRaced = {{"verdict", "race"},
                     {"timeline",
                      {{"workers", {"producer(0)", "consumer(0)"}},
                       {"events",
                        {{0, "copy", "sA[0]", 12},
                         {1, "wait", "full[0]", 20},
                         {0, "copied", "sA", 12},
                         {1, "pass", "full[0]", 20},
                         {1, "wait", "full[1]", 20}}},
                       {"at", 3},
                       {"other", 0}}}};
const Json kWrong = {{"verdict", "incorrect"},
                     {"worst", {{"output", "C"}}},
                     {"mismatch", {{"pattern", "the last row is wrong"}}}};
const Json kMap = {{"mismatch_map",
                    {{"levels", {"0000", "0018"}},
                     {"rows", 2},
                     {"columns", 4},
                     {"largest", 16.0},
                     {"outline", {{1, 1, 0, 3}}}}}};

/// A tuning with as many rows as any has, and texts of a hostile author.
Json large_tuning() {
  Json found = {{"summary", std::string(100'000, 'x')},
                {"convergence", Json::array()},
                {"top", Json::array()}};
  for (int i = 0; i < 5000; ++i) {
    found["convergence"].push_back({{"t_s", 0.1 * i}, {"best_us", 1e6 / (1 + i)}});
    Json params = Json::object();
    for (int name = 0; name < 20; ++name) {
      params["<b>\x1b[31m\u202e" + std::to_string(name)] = (i * 7919 + name * 31) % 97;
    }
    found["top"].push_back({{"params", params}, {"us", 10.0 + i}, {"samples", 9}});
  }
  return found;
}

}  // namespace

TEST_SUITE("server.picture") {
  TEST_CASE("a benchmark has a bar for each workload, and the noise of the device") {
    const Drawing drawing = drawn("benchmark", kTimed);
    CHECK(count_of(drawing, ShapeKind::kDot, Ink::kLink) == 3);
    CHECK(count_of(drawing, ShapeKind::kRect, Ink::kNoise) == 1);
    CHECK(has_text(drawing, "Speed-up against reference"));
    CHECK(has_text(drawing, "n=4096"));
    CHECK(has_text(drawing, "2x (1.9 to 2.1)"));
    CHECK_FALSE(drawing_of("benchmark", {{"verdict", "invalid"}}, nullptr).has_value());
  }

  TEST_CASE("a tuning is drawn from its record, which has more than its answer") {
    Json found = {{"convergence", {{{"t_s", 1}, {"best_us", 20}}, {{"t_s", 3}, {"best_us", 10}}}},
                  {"top",
                   {{{"params", {{"TILE", 8}, {"MODE", "a"}}}, {"us", 10}},
                    {{"params", {{"TILE", 16}, {"MODE", "b"}}}, {"us", 20}}}}};
    const Drawing drawing = drawn("tune", Json::object(), {{"full", found}});
    CHECK(has_text(drawing, "TILE"));
    CHECK(has_text(drawing, "16"));
    CHECK(has_text(drawing, "20 us"));
    CHECK_FALSE(drawing_of("tune", Json::object(), nullptr).has_value());
  }

  TEST_CASE("a profile shows its findings, and the lines that wait most with their ideals") {
    const Json lines = {
        {"columns",
         {"line", "instructions_percent", "latency_percent", "sectors_per_request",
          "ideal_sectors_per_request", "shared_passes_per_request",
          "ideal_shared_passes_per_request", "divergent_percent"}},
        {"rows", {{4, 10, 20, 4, 4, nullptr, nullptr, nullptr}, {9, 60, 70, 32, 4, 32, 1, 12.5}}}};
    const Drawing drawing =
        drawn("profile",
              {{"limiter", "memory"},
               {"roofline", {{"percent", 40}, {"bound", "memory"}}},
               {"findings", {{{"cause", "bank_conflicts"}, {"may_explain_percent", 33}}}}},
              {{"lines", lines}});
    CHECK(has_text(drawing, "40 % of what memory allows"));
    CHECK(has_text(drawing, "may explain 33 % of the time"));
    CHECK(has_text(drawing, "70 %  sectors 32 of ideal 4  shared 32 of ideal 1  divergent 12.5 %"));
  }

  TEST_CASE("a workflow is a tree of kernels with speed-ups") {
    const Drawing drawing =
        drawn("workflow",
              {{"tree",
                {{{"kernel_id", "krn_a"}, {"depth", 0}, {"verdict", "passed"}, {"total", 1}},
                 {{"kernel_id", "krn_b"}, {"depth", 1}, {"verdict", "incorrect"}},
                 {{"kernel_id", "krn_c"}, {"depth", 1}, {"verdict", "faster"}, {"total", 3}}}}});
    CHECK(count_of(drawing, ShapeKind::kDot, Ink::kGood) == 2);
    CHECK(count_of(drawing, ShapeKind::kDot, Ink::kBad) == 1);
    CHECK(has_text(drawing, "3x"));
    CHECK_FALSE(drawing_of("workflow", {{"passes", 2}}, nullptr).has_value());
  }

  TEST_CASE("a race marks the two places, and a wait that never ends is dashed") {
    const Drawing drawing = drawn("verify_ir", kRaced);
    CHECK(count_of(drawing, ShapeKind::kDot, Ink::kBad) == 2);
    CHECK(count_of(drawing, ShapeKind::kLine, Ink::kBad) == 1);
    CHECK(count_of(drawing, ShapeKind::kDashes, Ink::kOpen) == 1);
    CHECK(has_text(drawing, "consumer(0): pass full[0] (line 20)  <- here it was noticed"));
    CHECK(has_text(drawing, "producer(0): copy sA[0] (line 12)  <- with this it conflicts"));
    Json broken = kRaced;
    broken["timeline"]["events"][0][0] = 2;
    CHECK_FALSE(drawing_of("verify_ir", broken, nullptr).has_value());
  }

  TEST_CASE("a wrong output is a map of its errors; a right one has no picture") {
    const Drawing drawing = drawn("validate", kWrong, kMap);
    CHECK(count_of(drawing, ShapeKind::kRect, Ink::kLevel8) == 2);  // One is in the legend.
    CHECK(has_text(drawing, "error up to 16"));
    CHECK(has_text(drawing, "the last row is wrong"));
    CHECK_FALSE(drawing_of("validate", kWrong, nullptr).has_value());
    CHECK_FALSE(drawing_of("validate", {{"verdict", "passed"}}, kMap).has_value());
    for (const Json& levels :
         {Json{"00", "0"}, Json{"0x"}, Json::array(), Json("00"), Json{1, 2}}) {
      CAPTURE(levels.dump());
      Json map = kMap;
      map["mismatch_map"]["levels"] = levels;
      CHECK_FALSE(drawing_of("validate", kWrong, map).has_value());
    }
    CHECK_FALSE(drawing_of("compile_kernel", kWrong, kMap).has_value());
  }

  TEST_CASE("texts are cut, and have letters that the fonts have") {
    Drawing drawing(kPictureWidth, 100);
    drawing.text(0, 0, "a\x1b[31m\xe2\x80\xae\xff", 600);
    drawing.text(0, 0, "abcdef", 4 * kLetterWidth);
    CHECK(drawing.shapes()[0].text == "a?[31m??");
    CHECK(drawing.shapes()[1].text == "ab..");
  }

  TEST_CASE("a drawing becomes a PNG of its size and colours") {
    if (!can_draw()) {
      return;
    }
    const Drawing drawing = drawn("verify_ir", kRaced);
    const ReadPng png = read_png(png_of(drawing));
    CHECK(png.width == static_cast<std::uint32_t>(drawing.width()));
    CHECK(png.height == static_cast<std::uint32_t>(drawing.height()));
    CHECK(png.pixels.at(kRed) > 200);
    CHECK(png.pixels.at(kWhite) > std::size_t{png.width} * png.height / 2);
    CHECK(read_png(png_of(drawn("benchmark", kTimed))).pixels.at(kBlue) > 100);
    CHECK(read_png(png_of(drawn("validate", kWrong, kMap))).pixels.at(0x6b0f12) >= 24 * 24);
  }

  TEST_CASE("the picture of a large tuning is small") {
    if (!can_draw()) {
      return;
    }
    const std::string bytes = png_of(drawn("tune", large_tuning()));
    CHECK(bytes.size() < kMostPictureBytes);
    CHECK(read_png(bytes).pixels.at(kBlue) > 100);
  }

  TEST_CASE("without the plug-in it says what to install") {
    PictureLibrary library("/nowhere/libwarpsmith_picture.so");
    const Result<std::string> png = library.png(Drawing(10, 10));
    REQUIRE_FALSE(png.has_value());
    CHECK(png.error().code == ErrorCode::kUnsupported);
    CHECK(to_text(png.error()) ==
          "unsupported: the library that draws pictures cannot be loaded "
          "(/nowhere/libwarpsmith_picture.so: cannot open shared object file: No such file or "
          "directory); install libgd3, and keep libwarpsmith_picture.so beside the program");
  }
}

}  // namespace ws::server
