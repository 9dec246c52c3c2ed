// The body of an HTTP/1 request, as its bytes come in: of a known length, or in chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ws::server {

/// One thread.
class HttpBody {
 public:
  enum class State : std::uint8_t { kMore, kWhole, kTooLarge, kBroken };

  /// @param length  Nothing: it comes in chunks. @param limit  Of its bytes; more is kTooLarge.
  HttpBody(std::optional<std::uint64_t> length, std::size_t limit);

  /// Takes from the front of `bytes` what belongs to the body. @return  How many that were.
  std::size_t take(std::string_view bytes);

  [[nodiscard]] State state() const { return state_; }

  /// All of it, when it is whole.
  [[nodiscard]] std::string& text() { return text_; }

 private:
  /// The part that comes next.
  enum class Part : std::uint8_t { kSize, kData, kDataEnd, kTrailer };

  std::size_t take_data(std::string_view bytes);
  std::size_t take_line(std::string_view bytes);
  void read_line();
  void read_size();

  const bool chunked_;
  const std::size_t limit_;
  Part part_;
  std::uint64_t left_;        ///< The bytes left in the body, or in the chunk.
  std::size_t trailers_ = 0;  ///< Bytes.
  std::string line_;          ///< So far.
  std::string text_;
  State state_ = State::kMore;
};

}  // namespace ws::server
