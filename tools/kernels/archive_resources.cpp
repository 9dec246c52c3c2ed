#include "tools/kernels/archive_resources.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "runtime/lineage/workflow_export.h"
#include "runtime/search/kernel_source.h"
#include "runtime/search/text_diff.h"
#include "runtime/session/skills.h"
#include "tools/answer/subject_form.h"
#include "tools/kernels/guide.h"
#include "tools/kernels/kernel_views.h"
#include "tools/kernels/lifting.h"

namespace ws {
namespace {

constexpr std::size_t kDefaultLimit = 64 << 10U;  // Bytes of one read.

struct Address {
  std::string scheme;
  std::string id;
  std::string part;  ///< "source" of kernel://id/source
  std::size_t offset = 0;
  std::size_t limit = kDefaultLimit;
  ViewChoice view;     ///< The view of a kernel's PTX or SASS.
  std::string from;    ///< The kernel that a diff starts at.
  std::string device;  ///< The device whose times a report shows; empty: the default one.
};

/// One name=value of a query.
Status read_pair(std::string_view pair, Address& address) {
  const std::size_t equals = std::min(pair.find('='), pair.size());
  const std::string_view name = pair.substr(0, equals);
  const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
  if (name == "arch" || name == "evidence") {
    (name == "arch" ? address.view.arch : address.view.evidence) = value;
    return {};
  }
  if (name == "from" || name == "device") {
    (name == "from" ? address.from : address.device) = value;
    return {};
  }
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool known = name == "offset" || name == "limit";
  if (!known || error != std::errc() || stop != value.data() + value.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "`" + std::string(pair) +
                    "` is not offset=N, limit=N, arch=ARCH, evidence=ID, from=ID or device=ID");
  }
  (name == "offset" ? address.offset : address.limit) = number;
  return {};
}

Status parse_query(std::string_view query, Address& address) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    WS_CHECK(read_pair(query.substr(0, end), address));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return {};
}

Result<Address> parse_address(const std::string& uri) {
  const std::size_t scheme_end = uri.find("://");
  if (scheme_end == std::string::npos) {
    return fail(ErrorCode::kNotFound, "unknown resource `" + uri.substr(0, 200) + "`");
  }
  Address address;
  address.scheme = uri.substr(0, scheme_end);
  const std::size_t query = std::min(uri.find('?'), uri.size());
  const std::string path = uri.substr(scheme_end + 3, query - scheme_end - 3);
  const std::size_t slash = std::min(path.find('/'), path.size());
  address.id = path.substr(0, slash);
  address.part = path.substr(std::min(slash + 1, path.size()));
  if (query < uri.size()) {
    WS_CHECK(parse_query(std::string_view(uri).substr(query + 1), address));
  }
  return address;
}

class ArchiveResources : public ResourceReader {
 public:
  explicit ArchiveResources(Services& services)
      : services_(services) {}

  Result<ResourceText> read(const std::string& uri) override {
    WS_TRY(const Address address, parse_address(uri));
    std::optional<ResourceText> page = guide_text(uri.substr(0, uri.find('?')));
    WS_TRY(ResourceText resource, page ? Result<ResourceText>(*std::move(page)) : whole(address));
    resource.uri = uri;
    const std::size_t total = resource.text.size();
    const std::size_t from = std::min(address.offset, total);
    resource.text = resource.text.substr(from, address.limit);
    const std::size_t end = from + resource.text.size();
    if (end < total) {
      resource.text += "\n[" + std::to_string(total - end) +
                       " more bytes: read with ?offset=" + std::to_string(end) + "]\n";
    }
    return resource;
  }

  [[nodiscard]] Json templates() const override {
    const auto row = [](const char* uri, const char* name, const char* text, const char* type) {
      return Json{{"uriTemplate", uri}, {"name", name}, {"description", text}, {"mimeType", type}};
    };
    return Json::array({
        row("kernel://{id}/source", "kernel source", "Device source, macros first", "text/plain"),
        row("kernel://{id}/log", "compile log", "All diagnostics of the last compile",
            "text/plain"),
        row("kernel://{id}/ptx{?arch}", "PTX",
            "Of the last compile for that NVIDIA GPU, or for any", "text/plain"),
        row("kernel://{id}/sass{?arch}", "SASS", "The same compile's machine code, disassembled",
            "text/plain"),
        row("kernel://{id}/isa{?arch}", "ISA", "The code for an AMD GPU, disassembled",
            "text/plain"),
        row("kernel://{id}/ir", "CuIR", "The kernel lifted to a CuIR program", "text/plain"),
        row("kernel://{id}/annotated", "annotated source",
            "The source with the meaning of its PTX and intrinsics after each line", "text/plain"),
        row("kernel://{id}/regions", "regions",
            "Its parts, by lines: threads, memory, synchronisation", "text/plain"),
        row("kernel://{id}/diff{?from}", "diff", "What was changed in its source since another one",
            "text/plain"),
        row("kernel://{id}/report{?device}", "report",
            "How it was made, and what each step gained: tables, diffs, a chart", "text/markdown"),
        row("kernel://{id}/workflow", "workflow", "The same as a script for warpsmith replay",
            "application/json"),
        row("problem://{id}", "problem", "The problem as it was sent", "application/json"),
        row("evidence://{id}", "evidence", "One measurement, with its seed and samples",
            "application/json"),
        row("profile://{id}/report", "profile",
            "Findings, model, all counts, and every source line's; id of the evidence",
            "text/markdown"),
        row("profile://{id}/roofline", "roofline", "The same profile's place under the limits",
            "image/svg+xml"),
        row("device://{id}", "device", "One device, as list_devices shows it", "application/json"),
        row("job://{id}/log", "job log", "State of a job", "text/plain"),
        row("example://{name}", "example", "A whole call of compile_kernel", "application/json"),
        row("doc://{name}", "reference", "A page on forms or languages", "text/markdown"),
        row("schema://{name}", "schema", "The JSON Schema of a problem or kernel",
            "application/json"),
        row("skill://{name}", "transformation",
            "Its text; `index` lists all, lib/NAME.cuh is a helper file", "text/markdown"),
    });
  }

 private:
  Result<ResourceText> whole(const Address& address) {
    ResourceText resource;
    if (address.scheme == "kernel" && address.part == "source") {
      WS_TRY(const Subject subject, load_subject(*services_.archive, address.id));
      resource.text = subject.kernel.macros + subject.kernel.source;
      resource.immutable = address.id == subject.kernel.id;  // A ref or a beginning may move.
      return resource;
    }
    if (address.scheme == "kernel" && address.part == "diff") {
      WS_TRY(const KernelRow from, services_.archive->kernel(address.from));
      WS_TRY(const KernelRow to, services_.archive->kernel(address.id));
      resource.text = unified_diff(kernel_source(from.json), kernel_source(to.json)).text;
      return resource;
    }
    if (address.scheme == "kernel" && address.part == "log") {
      return recorded_text(address.id, "compile", "log");
    }
    if (address.scheme == "kernel" && (address.part == "ptx" || address.part == "sass")) {
      WS_TRY(resource.text, address.part == "ptx" ? ptx_view(services_, address.id, address.view)
                                                  : sass_view(services_, address.id, address.view));
      return resource;
    }
    if (address.scheme == "kernel" && address.part == "isa") {
      WS_TRY(resource.text, isa_view(services_, address.id, address.view));
      return resource;
    }
    if (address.scheme == "kernel" &&
        (address.part == "ir" || address.part == "annotated" || address.part == "regions")) {
      WS_TRY(resource.text, lifted_view(services_, address.id, address.part));
      return resource;
    }
    if (address.scheme == "kernel" && (address.part == "report" || address.part == "workflow")) {
      return line_resource(address);
    }
    if (address.scheme == "problem" && address.part.empty()) {
      WS_TRY(const ProblemRow row, services_.archive->problem(address.id));
      return json_text(row.json, true);
    }
    if (address.scheme == "evidence" && address.part.empty()) {
      WS_TRY(const EvidenceRow row, services_.archive->evidence(address.id));
      return json_text(row.json, true);
    }
    if (address.scheme == "profile" && (address.part == "report" || address.part == "roofline")) {
      return profile_part(address);
    }
    if (address.scheme == "device" && address.part.empty()) {
      WS_TRY(Device* const device, services_.device(address.id));
      WS_TRY(const DeviceInfo info, device->backend->info());
      Json form = device_form(info);
      form["emulated"] = info.emulated;
      return json_text(form.dump(), false);
    }
    if (address.scheme == "skill") {
      const std::string name = address.id + (address.part.empty() ? "" : "/" + address.part);
      WS_TRY(resource.text, current_skills(services_.options).text(name));
      resource.mime_type = "text/markdown";
      return resource;
    }
    if (address.scheme == "job" && address.part == "log") {
      WS_TRY(const JobSnapshot job, services_.jobs->snapshot(address.id));
      resource.text =
          job.tool + " " + std::string(name_of(job.state)) + ": " + job.progress.message + "\n";
      return resource;
    }
    return fail(ErrorCode::kNotFound,
                "unknown resource `" + address.scheme + "://" + address.id + "`");
  }

  /// How a kernel came to be, as a report or as a script.
  Result<ResourceText> line_resource(const Address& address) {
    WS_TRY(const Device* const device, services_.device(address.device));
    WS_TRY(const DeviceInfo info, device->backend->info());
    Archive& archive = *services_.archive;
    WS_TRY(const auto lines, LineStore::open(services_.options.archive()));
    WS_TRY(const std::vector<LineKernel> line, line_of({archive, *lines}, address.id, info.key()));
    if (address.part == "report") {
      ResourceText resource;
      resource.mime_type = "text/markdown";
      resource.text = whole_report(line, device->id);
      return resource;
    }
    WS_TRY(const Workflow workflow, workflow_of(archive, line, current_skills(services_.options)));
    constexpr int kIndent = 1;
    return json_text(
        to_json(workflow).dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n", false);
  }

  /// The text that profile wrote for people; `id` is the evidence's.
  Result<ResourceText> profile_part(const Address& address) {
    WS_TRY(const EvidenceRow row, services_.archive->evidence(address.id));
    if (row.kind != "profile") {
      return fail(ErrorCode::kNotFound,
                  row.id + " is evidence of " + row.kind + ", not of profile");
    }
    ResourceText resource;
    resource.mime_type = address.part == "report" ? "text/markdown" : "image/svg+xml";
    resource.text = Json::parse(row.json, nullptr, false).value(address.part, "");
    resource.immutable = true;
    return resource;
  }

  /// A text of the newest record of that kind; empty when there is none.
  Result<ResourceText> recorded_text(const std::string& kernel_id, const char* kind,
                                     const char* field) {
    WS_TRY(const KernelRow kernel, services_.archive->kernel(kernel_id));
    WS_TRY(const auto evidence, services_.archive->latest_evidence(kernel.id, {}, kind));
    ResourceText resource;
    if (evidence) {
      resource.text = Json::parse(evidence->json, nullptr, false).value(field, "");
    }
    return resource;
  }

  static ResourceText json_text(const std::string& text, bool immutable) {
    ResourceText resource;
    resource.mime_type = "application/json";
    resource.text = text;
    resource.immutable = immutable;
    return resource;
  }

  Services& services_;
};

}  // namespace

std::unique_ptr<ResourceReader> make_archive_resources(Services& services) {
  return std::make_unique<ArchiveResources>(services);
}

}  // namespace ws
