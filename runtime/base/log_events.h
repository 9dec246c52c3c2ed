// Events whose lines are made later, by who writes them; for runtime/base only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/log_line.h"

namespace ws {

/// In the order in which they were added. Their values stand one after the other, so that one more
/// seldom takes memory. One thread at a time.
class LogEvents {
 public:
  /// @param event  Has fields. Of what is too long to be shown, no more is kept.
  void add(const LogEvent& event) {
    const Entry entry{.unix_ms = event.unix_ms,
                      .level = event.level,
                      .module = event.module,
                      .first = fields_.size(),
                      .fields = event.fields.size(),
                      .request = kept(event.request)};
    for (const LogField& field : event.fields) {
      fields_.push_back({field.key, kept(field.value)});
    }
    entries_.push_back(entry);
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  [[nodiscard]] std::size_t bytes() const {
    return values_.size() + fields_.size() * sizeof(Field) + entries_.size() * sizeof(Entry);
  }

  /// @param see  Called with each LogEvent.
  template <typename See>
  void each(const See& see) const {
    std::vector<LogField> fields;
    for (const Entry& entry : entries_) {
      fields.clear();
      for (std::size_t i = 0; i < entry.fields; ++i) {
        const Field& field = fields_[entry.first + i];
        fields.push_back({field.key, view(field.value)});
      }
      see(LogEvent{.unix_ms = entry.unix_ms,
                   .level = entry.level,
                   .module = entry.module,
                   .text = {},
                   .request = view(entry.request),
                   .fields = fields});
    }
  }

  /// Keeps its memory.
  void clear() {
    entries_.clear();
    fields_.clear();
    values_.clear();
  }

 private:
  /// A part of values_.
  struct Part {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  struct Field {
    std::string_view key;
    Part value;
  };

  struct Entry {
    std::int64_t unix_ms = 0;
    LogLevel level = LogLevel::kInfo;
    std::string_view module;
    std::size_t first = 0;  ///< The place of its fields.
    std::size_t fields = 0;
    Part request;
  };

  Part kept(std::string_view text) {
    const Part part{values_.size(), std::min(text.size(), kMaxLogLine)};
    values_.append(text.substr(0, part.size));
    return part;
  }

  [[nodiscard]] std::string_view view(const Part& part) const {
    return std::string_view(values_).substr(part.begin, part.size);
  }

  std::vector<Entry> entries_;
  std::vector<Field> fields_;
  std::string values_;
};

}  // namespace ws
