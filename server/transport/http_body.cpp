#include "server/transport/http_body.h"

#include <algorithm>
#include <charconv>

namespace ws::server {
namespace {

/// A chunk's line has its size, and may have extensions, which mean nothing here.
constexpr std::size_t kMaxLine = 256;
constexpr std::size_t kMaxTrailers = std::size_t{8} << 10U;
constexpr int kHex = 16;

}  // namespace

HttpBody::HttpBody(std::optional<std::uint64_t> length, std::size_t limit)
    : chunked_(!length),
      limit_(limit),
      part_(length ? Part::kData : Part::kSize),
      left_(length.value_or(0)) {
  if (left_ > limit_) {
    state_ = State::kTooLarge;
  } else if (length && left_ == 0) {
    state_ = State::kWhole;
  }
}

std::size_t HttpBody::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (state_ == State::kMore && taken < bytes.size()) {
    const std::string_view rest = bytes.substr(taken);
    taken += part_ == Part::kData ? take_data(rest) : take_line(rest);
  }
  return taken;
}

std::size_t HttpBody::take_data(std::string_view bytes) {
  const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_));
  text_.append(bytes.substr(0, count));
  left_ -= count;
  if (left_ == 0) {
    part_ = Part::kDataEnd;
    state_ = chunked_ ? State::kMore : State::kWhole;
  }
  return count;
}

std::size_t HttpBody::take_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::size_t count = end == std::string_view::npos ? bytes.size() : end + 1;
  if (line_.size() + count > kMaxLine) {
    state_ = State::kBroken;
    return count;
  }
  line_.append(bytes.substr(0, count));
  if (end != std::string_view::npos) {
    read_line();
    line_.clear();
  }
  return count;
}

void HttpBody::read_line() {
  if (!line_.ends_with("\r\n") || line_.find('\r') != line_.size() - 2) {
    state_ = State::kBroken;
    return;
  }
  line_.resize(line_.size() - 2);
  if (part_ == Part::kSize) {
    read_size();
  } else if (part_ == Part::kDataEnd) {
    part_ = Part::kSize;
    state_ = line_.empty() ? State::kMore : State::kBroken;
  } else if (line_.empty()) {
    state_ = State::kWhole;
  } else if (trailers_ += line_.size(); trailers_ > kMaxTrailers) {
    state_ = State::kBroken;
  }
}

void HttpBody::read_size() {
  const char* end = line_.data() + line_.size();
  const auto [stop, error] = std::from_chars(line_.data(), end, left_, kHex);
  const bool closed = stop == end || *stop == ';' || *stop == ' ' || *stop == '\t';
  if (error != std::errc{} || !closed) {
    state_ = State::kBroken;
  } else if (left_ > limit_ - text_.size()) {
    state_ = State::kTooLarge;
  } else {
    part_ = left_ == 0 ? Part::kTrailer : Part::kData;
  }
}

}  // namespace ws::server
