#include "runtime/compile/hip/msgpack.h"

#include <cstdint>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

namespace ws::hip {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 16;
constexpr std::size_t kMostValues = 65536;

/// Reads along before a value is made of the bytes, and stops where they cannot be a code
/// object's: memory and the reader's stack grow with what is read, not with what is promised.
class Check : public nlohmann::json_sax<Json> {
 public:
  [[nodiscard]] const std::string& why() const { return why_; }

  bool null() override { return count(); }

  bool boolean(bool /*value*/) override { return count(); }

  bool number_integer(std::int64_t /*value*/) override { return count(); }

  bool number_unsigned(std::uint64_t value) override {
    return value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}
               ? count()
               : stop("a number over 2^63 - 1");
  }

  bool number_float(double /*value*/, const std::string& /*text*/) override { return strange(); }

  bool string(std::string& /*value*/) override { return count(); }

  bool binary(Json::binary_t& /*value*/) override { return strange(); }

  bool start_object(std::size_t /*elements*/) override { return count() && enter(); }

  bool key(std::string& /*value*/) override { return count(); }

  bool end_object() override { return leave(); }

  bool start_array(std::size_t /*elements*/) override { return count() && enter(); }

  bool end_array() override { return leave(); }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& error) override {
    constexpr int kEndsEarly = 110;
    return error.id == kEndsEarly ? stop("it ends early") : strange();
  }

 private:
  bool stop(const char* why) {
    why_ = why;
    return false;
  }

  bool strange() { return stop("a type that code objects do not use"); }

  bool count() { return ++values_ <= kMostValues || stop("too deep, or too many values"); }

  bool enter() { return ++depth_ <= kDeepest || stop("too deep, or too many values"); }

  bool leave() {
    --depth_;
    return true;
  }

  std::string why_;
  std::size_t values_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Json> parse_msgpack(std::string_view bytes) {
  Check check;
  constexpr bool kStrict = false;  // Bytes after the value are no error.
  if (!Json::sax_parse(bytes, &check, Json::input_format_t::msgpack, kStrict)) {
    return fail(ErrorCode::kInternal, "not MessagePack: " + check.why());
  }
  return Json::from_msgpack(bytes, kStrict, /*allow_exceptions=*/false);
}

}  // namespace ws::hip
