#include "runtime/device/cuda/sanitize/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <string>

namespace ws::cuda {
namespace {

using Kind = SanitizerRecord::Kind;
using Match = std::match_results<std::string_view::const_iterator>;

constexpr std::string_view kPrefix = "=========";
/// The name of the kernel's own text: the place to show where a header's function made the access.
constexpr std::string_view kOwnText = "source";
/// Lines of this depth belong to the report that began before them.
constexpr std::string_view kIndent = "    ";

bool matches(std::string_view text, Match& match, const std::regex& pattern) {
  return std::regex_search(text.begin(), text.end(), match, pattern);
}

template <typename Number>
Number number_of(const std::string& digits, int base = 10) {
  std::string plain = digits;
  std::erase(plain, ',');
  Number number{};
  std::from_chars(plain.data(), plain.data() + plain.size(), number, base);
  return number;
}

std::array<std::uint32_t, 3> triple_of(const Match& match, std::size_t first) {
  std::array<std::uint32_t, 3> triple{};
  for (std::size_t axis = 0; axis < triple.size(); ++axis) {
    triple.at(axis) = number_of<std::uint32_t>(match[first + axis]);
  }
  return triple;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// "at k+0x70 in source:3" gives its entry and its place.
bool read_place(std::string_view line, std::string& entry, SanitizerPlace& place) {
  static const std::regex pattern(R"((?:at|Frame:) (\S+)\+0x[0-9a-f]+(?: in (\S+):(\d+))?)");
  Match match;
  if (!matches(line, match, pattern)) {
    return false;
  }
  entry = match[1];
  if (match[2].matched) {
    place = {match[2], number_of<int>(match[3])};
  }
  return true;
}

/// "Race reported between Write access at PLACE", and in the next line "and Read access at PLACE
/// [2000 hazards]".
bool read_race(std::string_view line, SanitizerRecord& record) {
  static const std::regex pattern(R"((between|and) (Read|Write) access (at .*))");
  static const std::regex hazards(R"(\[(\d+) hazards\])");
  Match match;
  if (!matches(line, match, pattern)) {
    return false;
  }
  const std::string place = match[3];
  if (match[1] == "between") {
    record.access = lower(match[2]);
    read_place(place, record.entry, record.at);
    return true;
  }
  record.other_access = lower(match[2]);
  record.other.emplace();
  read_place(place, record.entry, *record.other);
  if (matches(line, match, hazards)) {
    record.count = number_of<std::uint64_t>(match[1]);
  }
  return true;
}

/// The kind, the access and the space that a report's first line names.
SanitizerRecord begin_record(SanitizerTool tool, std::string_view line) {
  static const std::regex access(
      R"((?:__(\w+)__ )?(?:memory )?(read|write|atomic)\w* of size (\d+))");
  SanitizerRecord record;
  record.tool = tool;
  record.text = line;
  Match match;
  if (matches(line, match, access)) {
    record.space = match[1];
    record.access = match[2];
    record.access_bytes = number_of<std::uint64_t>(match[3]);
  }
  if (tool == SanitizerTool::kInitcheck && line.starts_with("Uninitialized")) {
    record.kind = Kind::kUninitialised;
  } else if (read_race(line, record)) {
    record.kind = Kind::kRace;
    record.space = "shared";
  } else if (line.find("Divergent thread(s)") != std::string_view::npos) {
    record.kind = Kind::kDivergentBarrier;
  }
  return record;
}

/// The buffer that an address lies in or, by the start of the nearest allocation, near to.
void set_buffer(SanitizerRecord& record, std::uint64_t address, const RunPlan& plan,
                const BufferAddresses& addresses,
                std::optional<std::uint64_t> nearest = std::nullopt) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::uint64_t bytes = plan.buffers.at(i).high - plan.buffers.at(i).low;
    const bool inside = address >= addresses[i] && address - addresses[i] < bytes;
    if (inside || nearest == addresses[i]) {
      record.buffer = i;
      record.offset = static_cast<std::int64_t>(address - addresses[i]);
    }
  }
}

/// A report's further lines.
class DetailReader {
 public:
  DetailReader(const RunPlan& plan, const BufferAddresses& addresses)
      : plan_(plan),
        addresses_(addresses) {}

  void read(std::string_view line, SanitizerRecord& record) {
    static const std::regex thread(
        R"(by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\))");
    static const std::regex address(R"(A(?:ccess (?:at|to)|ddress) 0x([0-9a-f]+))");
    static const std::regex nearest(R"(nearest allocation at 0x([0-9a-f]+))");
    Match match;
    if (record.kind == Kind::kRace && read_race(line, record)) {
      return;
    }
    if (matches(line, match, thread)) {
      record.thread = triple_of(match, 1);
      record.block = triple_of(match, 4);
      return;
    }
    if (matches(line, match, address)) {
      address_ = number_of<std::uint64_t>(match[1], 16);
      set_buffer(record, address_, plan_, addresses_);
      read_reason(line, record);
      return;
    }
    if (matches(line, match, nearest)) {
      set_buffer(record, address_, plan_, addresses_, number_of<std::uint64_t>(match[1], 16));
      return;
    }
    if (record.kind != Kind::kRace && record.at.file != kOwnText) {
      read_place(line, record.entry, record.at);  // A function of a header was called from here.
    }
  }

 private:
  static void read_reason(std::string_view line, SanitizerRecord& record) {
    if (line.find("out of bounds") != std::string_view::npos) {
      record.kind = Kind::kOutOfBounds;
    } else if (line.find("misaligned") != std::string_view::npos) {
      record.kind = Kind::kMisaligned;
    }
  }

  const RunPlan& plan_;
  const BufferAddresses& addresses_;
  std::uint64_t address_ = 0;
};

bool same_mistake(const SanitizerRecord& a, const SanitizerRecord& b) {
  const auto place = [](const SanitizerPlace& at) { return std::pair(at.file, at.line); };
  const auto other = [&](const SanitizerRecord& record) {
    return record.other ? place(*record.other) : std::pair(std::string(), 0);
  };
  return a.kind == b.kind && a.text == b.text && a.entry == b.entry && place(a.at) == place(b.at) &&
         other(a) == other(b);
}

void add_record(std::vector<SanitizerRecord>& records, SanitizerRecord record) {
  const auto known = std::ranges::find_if(
      records, [&](const SanitizerRecord& each) { return same_mistake(each, record); });
  if (known == records.end()) {
    records.push_back(std::move(record));
  } else {
    known->count += record.count;
  }
}

/// Lines about the program itself and the sums at its end.
bool is_frame(std::string_view line) {
  return line.empty() || line.starts_with("COMPUTE-SANITIZER") || line.starts_with("Target ") ||
         line.starts_with("Error: Target ") || line.find("SUMMARY") != std::string_view::npos ||
         line.starts_with("Warning:") || line.starts_with("Internal Sanitizer");
}

}  // namespace

std::vector<SanitizerRecord> read_report(SanitizerTool tool, std::string_view report,
                                         const RunPlan& plan, const BufferAddresses& addresses) {
  std::vector<SanitizerRecord> records;
  std::optional<SanitizerRecord> current;
  DetailReader details(plan, addresses);
  const auto finish = [&] {
    if (current) {
      add_record(records, *std::move(current));
      current.reset();
    }
  };
  while (!report.empty()) {
    const std::size_t end = std::min(report.find('\n'), report.size());
    std::string_view line = report.substr(0, end);
    report.remove_prefix(std::min(end + 1, report.size()));
    if (!line.starts_with(kPrefix)) {
      continue;  // The kernel's own output.
    }
    line.remove_prefix(std::min(line.size(), kPrefix.size() + 1));
    if (line.starts_with(kIndent)) {
      if (current) {
        details.read(line, *current);
      }
      continue;
    }
    finish();
    if (!is_frame(line)) {
      current = begin_record(tool, line);
    }
  }
  finish();
  return records;
}

}  // namespace ws::cuda
