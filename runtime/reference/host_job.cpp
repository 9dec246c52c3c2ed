#include "runtime/reference/host_job.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"
#include "runtime/base/text.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxText = 2000;
constexpr std::size_t kMaxRows = 32;
constexpr std::size_t kMaxEvents = 64;

Json form_of(const HostTensor& tensor) {
  return {{"name", tensor.name},   {"type", name_of(tensor.type)},
          {"shape", tensor.shape}, {"wire", name_of(tensor.wire)},
          {"role", tensor.role},   {"offset", tensor.offset}};
}

HostTensor host_tensor_of(const Json& form) {
  HostTensor tensor;
  tensor.name = form.at("name");
  tensor.type = parse_dtype(form.at("type").get<std::string>()).value_or(DType::kF32);
  tensor.role = form.at("role");
  tensor.shape = form.at("shape").get<std::vector<std::int64_t>>();
  tensor.wire = parse_dtype(form.at("wire").get<std::string>()).value_or(DType::kF32);
  tensor.offset = form.at("offset");
  return tensor;
}

Json form_of(const HostScalar& scalar) {
  return {{"name", scalar.name}, {"type", name_of(scalar.type)}, {"value", scalar.value}};
}

std::vector<HostScalar> scalars_of(const Json& rows) {
  std::vector<HostScalar> scalars;
  for (const Json& row : rows) {
    scalars.push_back({row.at("name"),
                       parse_dtype(row.at("type").get<std::string>()).value_or(DType::kI32),
                       row.at("value")});
  }
  return scalars;
}

Json form_of(const HostProgram& program) {
  Json tensors = Json::array();
  for (const HostProgram::Tensor& tensor : program.tensors) {
    tensors.push_back(
        {{"parameter", tensor.parameter}, {"tensor", tensor.tensor}, {"shape", tensor.shape}});
  }
  Json scalars = Json::array();
  for (const HostScalar& scalar : program.scalars) {
    scalars.push_back(form_of(scalar));
  }
  return {{"source", program.source}, {"tensors", tensors}, {"scalars", scalars}};
}

HostProgram program_of(const Json& form) {
  HostProgram program;
  program.source = form.at("source");
  for (const Json& row : form.at("tensors")) {
    program.tensors.push_back(
        {row.at("parameter"), row.at("tensor"), row.at("shape").get<std::vector<std::int64_t>>()});
  }
  program.scalars = scalars_of(form.at("scalars"));
  return program;
}

Json form_of(const TileWork& row) {
  Json form = {row.program, row.line, row.kind, row.type};
  for (double TileWork::* const amount : TileWork::amounts()) {
    form.push_back(row.*amount);
  }
  return form;
}

/// @throws Json::exception  Not what form_of() makes, or less than nothing.
double amount_of(const Json& form) {
  const auto amount = form.get<double>();
  if (!(amount >= 0)) {
    throw Json::other_error::create(0, "an amount below zero", &form);
  }
  return amount;
}

TileWork work_of(const Json& form) {
  TileWork row;
  row.program = form.at(0);
  row.line = form.at(1);
  row.kind = std::min(form.at(2).get<TileWorkKind>(), TileWorkKind::kConvert);
  row.type = std::min(form.at(3).get<DType>(), DType::kBool);
  std::size_t column = 4;
  for (double TileWork::* const amount : TileWork::amounts()) {
    row.*amount = amount_of(form.at(column++));
  }
  return row;
}

Json form_of(const TileProgramWork& row) {
  return {row.launches, row.blocks, row.work, row.longest_work};
}

TileProgramWork program_work_of(const Json& form) {
  return {amount_of(form.at(0)), amount_of(form.at(1)), amount_of(form.at(2)),
          amount_of(form.at(3))};
}

struct HostVerdictRow {
  HostVerdict verdict;
  std::string_view name;
};

constexpr std::array<HostVerdictRow, 8> kHostVerdicts = {
    {{HostVerdict::kFine, ""},
     {HostVerdict::kSyntaxError, "syntax_error"},
     {HostVerdict::kCheckError, "check_error"},
     {HostVerdict::kRuntimeError, "runtime_error"},
     {HostVerdict::kTimeout, "timeout"},
     {HostVerdict::kDied, "died"},
     {HostVerdict::kCrashed, "crashed"},
     {HostVerdict::kNoLibrary, "no_library"}}};

std::optional<HostVerdict> host_verdict_of(std::string_view name) {
  const auto* const row =
      std::find_if(kHostVerdicts.begin(), kHostVerdicts.end(),
                   [&](const HostVerdictRow& each) { return each.name == name; });
  return row == kHostVerdicts.end() ? std::nullopt : std::optional(row->verdict);
}

std::string text_of(const Json& form, const char* key) {
  std::string text = form.value(key, "");
  text.resize(utf8_cut(text, kMaxText));
  return text;
}

std::string line_of(const Json& form) {
  auto text = form.get<std::string>();
  text.resize(utf8_cut(text, kMaxText));
  return text;
}

Json form_of(const ProgramDiagnostic& row) {
  return {{"line", row.line},
          {"column", row.column},
          {"message", row.message},
          {"hint", row.hint},
          {"snippet", row.snippet}};
}

ProgramDiagnostic diagnostic_of(const Json& form) {
  return {form.value("line", std::int64_t{0}), form.value("column", std::int64_t{0}),
          text_of(form, "message"), text_of(form, "hint"), text_of(form, "snippet")};
}

Json form_of(const ProgramFinding& row) {
  Json form = {{"kind", row.kind},     {"message", row.message},
               {"line", row.line},     {"other_line", row.other_line},
               {"object", row.object}, {"worker", row.worker},
               {"fix", row.fix},       {"schedule", row.schedule},
               {"block", row.block},   {"program", row.program}};
  if (!row.events.empty()) {
    form["workers"] = row.workers;
    form["events"] = Json::array();
    for (const ProgramEvent& event : row.events) {
      form["events"].push_back(Json::array({event.worker, event.kind, event.object, event.line}));
    }
  }
  return form;
}

/// Those whose worker has no name are left out.
void add_events(const Json& form, ProgramFinding& row) {
  for (const Json& name : form.value("workers", Json::array())) {
    if (row.workers.size() < kMaxEvents) {
      row.workers.push_back(line_of(name));
    }
  }
  for (const Json& event : form.value("events", Json::array())) {
    const auto worker = event.at(0).get<std::size_t>();
    if (row.events.size() < kMaxEvents && worker < row.workers.size()) {
      row.events.push_back(
          {worker, line_of(event.at(1)), line_of(event.at(2)), event.at(3).get<std::int64_t>()});
    }
  }
}

ProgramFinding finding_of(const Json& form) {
  ProgramFinding row{text_of(form, "kind"),
                     text_of(form, "message"),
                     form.value("line", std::int64_t{0}),
                     form.value("other_line", std::int64_t{0}),
                     text_of(form, "object"),
                     text_of(form, "worker"),
                     text_of(form, "fix"),
                     text_of(form, "schedule"),
                     form.value("block", std::int64_t{0}),
                     form.value("program", std::int64_t{0})};
  add_events(form, row);
  return row;
}

Json form_of(const ProgramWindow& row) {
  return {{"file", row.file}, {"first", row.first}, {"last", row.last}};
}

Json form_of(const ProgramLoop& row) {
  return {row.line, row.rounds};
}

ProgramLoop loop_of(const Json& form) {
  return {form.at(0), form.at(1)};
}

ProgramWindow window_of(const Json& form) {
  return {text_of(form, "file"), form.value("first", std::int64_t{0}),
          form.value("last", std::int64_t{0})};
}

template <typename Row, typename Read>
std::vector<Row> rows_of(const Json& form, const char* key, Read read,
                         std::size_t most = kMaxRows) {
  std::vector<Row> rows;
  const Json list = form.value(key, Json::array());
  for (std::size_t i = 0; i < std::min(list.size(), most); ++i) {
    rows.push_back(read(list.at(i)));
  }
  return rows;
}

template <typename Row>
Json list_of(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    list.push_back(form_of(row));
  }
  return list;
}

Json form_of(const ProgramChange& change) {
  return {{"rules", change.rules},
          {"orchestration_kept", change.orchestration_kept},
          {"breaches", change.breaches},
          {"windows", list_of(change.windows)}};
}

std::optional<ProgramChange> change_of(const Json& form) {
  if (!form.contains("change")) {
    return std::nullopt;
  }
  const Json& change = form["change"];
  return ProgramChange{rows_of<std::string>(change, "rules", line_of),
                       change.value("orchestration_kept", false),
                       rows_of<std::string>(change, "breaches", line_of),
                       rows_of<ProgramWindow>(change, "windows", window_of)};
}

}  // namespace

std::string_view name_of(HostLanguage language) {
  return language == HostLanguage::kCuir ? "cuir" : "python";
}

std::string encode(const HostJob& job) {
  return json_line({{"language", job.language},
                    {"source", job.source},
                    {"tensors", list_of(job.tensors)},
                    {"scalars", list_of(job.scalars)},
                    {"dims", Json(job.dims)},
                    {"arena_bytes", job.arena_bytes},
                    {"mode", job.cuir.mode},
                    {"schedules", job.cuir.schedules},
                    {"own_inputs", job.cuir.own_inputs},
                    {"seed", job.cuir.seed},
                    {"made_from", job.cuir.made_from},
                    {"programs", list_of(job.programs)},
                    {"steps", job.steps},
                    {"count_work", job.count_work}});
}

Result<HostJob> decode_host_job(std::string_view frame) {
  try {
    const Json form = Json::parse(frame);
    HostJob job;
    job.language = form.at("language");
    job.source = form.at("source");
    for (const Json& tensor : form.at("tensors")) {
      job.tensors.push_back(host_tensor_of(tensor));
    }
    job.scalars = scalars_of(form.at("scalars"));
    job.dims = form.at("dims").get<Bindings>();
    job.arena_bytes = form.at("arena_bytes");
    job.cuir = {form.at("mode"), form.at("schedules"), form.at("own_inputs"), form.at("seed"),
                form.at("made_from")};
    for (const Json& program : form.at("programs")) {
      job.programs.push_back(program_of(program));
    }
    job.steps = form.at("steps").get<std::vector<std::size_t>>();
    job.count_work = form.at("count_work");
    return job;
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInternal, "a host worker got an invalid job", {}, error.what());
  }
}

std::string encode(const PythonStart& start) {
  return json_line({{"interpreter", start.interpreter}, {"libraries", start.libraries}});
}

Result<PythonStart> decode_python_start(std::string_view frame) {
  try {
    const Json form = Json::parse(frame);
    return PythonStart{form.at("interpreter"),
                       form.at("libraries").get<std::vector<std::string>>()};
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInternal, "a Python worker got an invalid start", {}, error.what());
  }
}

std::string_view name_of(HostVerdict verdict) {
  return kHostVerdicts.at(static_cast<std::size_t>(verdict)).name;
}

std::string encode(const HostReply& reply) {
  Json form = {{"verdict", name_of(reply.verdict)},
               {"message", reply.message},
               {"hint", reply.hint},
               {"diagnostics", list_of(reply.diagnostics)},
               {"findings", list_of(reply.findings)},
               {"schedules", reply.schedules},
               {"loops", list_of(reply.loops)}};
  if (reply.change) {
    form["change"] = form_of(*reply.change);
  }
  if (!reply.work.programs.empty()) {
    form["work"] = list_of(reply.work.rows);
    form["program_work"] = list_of(reply.work.programs);
  }
  return json_line(form);
}

Result<HostReply> decode_host_reply(std::string_view frame) {
  try {
    const Json form = Json::parse(frame);
    const std::optional<HostVerdict> verdict = host_verdict_of(text_of(form, "verdict"));
    if (!verdict) {
      return fail(ErrorCode::kDeviceLost, "a host worker gave a verdict that does not exist");
    }
    return HostReply{
        *verdict,
        text_of(form, "message"),
        text_of(form, "hint"),
        rows_of<ProgramDiagnostic>(form, "diagnostics", diagnostic_of),
        rows_of<ProgramFinding>(form, "findings", finding_of),
        form.value("schedules", std::int64_t{0}),
        change_of(form),
        {rows_of<TileWork>(form, "work", work_of, kMaxWorkRows),
         rows_of<TileProgramWork>(form, "program_work", program_work_of, kMaxWorkRows),
         {}},
        rows_of<ProgramLoop>(form, "loops", loop_of),
        form.contains("ended") ? std::optional(form["ended"].get<int>()) : std::nullopt};
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kDeviceLost, "a host worker gave no answer", {}, error.what());
  }
}

}  // namespace ws
