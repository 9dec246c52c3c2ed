#include "server/cli/operate_text.h"

#include <algorithm>
#include <map>

#include "runtime/base/text.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

constexpr std::size_t kIdWidth = 38;
constexpr std::size_t kWordWidth = 12;
constexpr std::size_t kMostJobsOnTop = 20;

/// Text of a client cannot draw on the terminal.
std::string text_in(const Json& form, const char* key) {
  const Json value = form.value(key, Json());
  return value.is_string() ? quoted(value.get<std::string>(), 60) : std::string();
}

double number_in(const Json& form, const char* key) {
  const Json value = form.value(key, Json());
  return value.is_number() ? value.get<double>() : 0;
}

std::string seconds(double value) {
  return decimal(value, value < 10 ? 1 : 0) + " s";
}

std::string share(double part, double whole) {
  return whole > 0 ? decimal(std::min(100.0, 100 * part / whole), 0) + " %" : "";
}

/// Says in words what the job does.
std::string doing(const Json& job) {
  if (job.contains("updated_at")) {
    return "at " + text_in(job, "updated_at");
  }
  if (text_in(job, "state") == "queued") {
    return "behind " + decimal(number_in(job, "queue_position"), 0);
  }
  return share(number_in(job, "progress"), 1) + " " + text_in(job, "message");
}

std::string job_line(const Json& job) {
  const bool stored = job.contains("updated_at");
  return padded(text_in(job, "job_id"), kIdWidth) + padded(text_in(job, "tool"), 22) +
         padded(text_in(job, "state"), kWordWidth) + padded(text_in(job, "lane"), kWordWidth) +
         padded(stored ? "" : seconds(number_in(job, "age_s")), kWordWidth) + doing(job) + "\n";
}

std::string jobs_table(const Json& jobs, std::size_t most) {
  if (jobs.empty()) {
    return "no jobs\n";
  }
  std::string text = padded("job", kIdWidth) + padded("tool", 22) + padded("state", kWordWidth) +
                     padded("lane", kWordWidth) + padded("age", kWordWidth) + "doing\n";
  for (std::size_t i = 0; i < std::min(most, jobs.size()); ++i) {
    text += job_line(jobs[i]);
  }
  return jobs.size() > most ? text + "and " + std::to_string(jobs.size() - most) + " more\n" : text;
}

std::map<std::string, Json> jobs_by_id(const Json& status) {
  std::map<std::string, Json> jobs;
  for (const Json& job : status.value("jobs", Json::array())) {
    jobs[job.value("job_id", "")] = job;
  }
  return jobs;
}

double busy_before(const Json& before, const Json& name) {
  for (const Json& lane : before.is_object() ? before["lanes"] : Json::array()) {
    if (lane["name"] == name) {
      return number_in(lane, "busy_s");
    }
  }
  return 0;
}

}  // namespace

std::string jobs_text(const Json& status) {
  return jobs_table(status.value("jobs", Json::array()), std::string::npos);
}

std::string sessions_text(const Json& status) {
  const Json sessions = status.value("sessions", Json::array());
  if (sessions.empty()) {
    return "no sessions: clients of 2026-07-28 have none\n";
  }
  std::string text = padded("session", kWordWidth) + padded("idle", kWordWidth) + "client\n";
  for (const Json& session : sessions) {
    text += padded(text_in(session, "session"), kWordWidth) +
            padded(seconds(number_in(session, "idle_s")), kWordWidth) + text_in(session, "client") +
            "\n";
  }
  return text;
}

std::string top_text(const Json& status, const Json& before) {
  const double passed =
      number_in(status, "up_s") - (before.is_object() ? number_in(before, "up_s") : 0);
  std::string text =
      "warpsmith " + text_in(status, "version") + ", pid " + decimal(number_in(status, "pid"), 0) +
      ", up " + seconds(number_in(status, "up_s")) +
      (status.value("draining", false) ? ", stopping" : "") + "\n" +
      decimal(number_in(status, "connections"), 0) + " connections, " +
      decimal(number_in(status, "open_calls"), 0) + " open calls, " +
      std::to_string(status.value("sessions", Json::array()).size()) + " sessions\nworkers:";
  const Json workers = status.value("workers", Json::object());
  for (const auto& [role, count] : workers.items()) {
    text += count == 0 ? "" : " " + role + " " + decimal(count.get<double>(), 0);
  }
  text += "\n\n" + padded("lane", kWordWidth) + padded("queued", kWordWidth) +
          padded("running", kWordWidth) + "busy\n";
  for (const Json& lane : status.value("lanes", Json::array())) {
    const double busy = number_in(lane, "busy_s") - busy_before(before, lane["name"]);
    text += padded(text_in(lane, "name"), kWordWidth) +
            padded(decimal(number_in(lane, "queued"), 0), kWordWidth) +
            padded(decimal(number_in(lane, "running"), 0), kWordWidth) + share(busy, passed) + "\n";
  }
  return text + "\n" + jobs_table(status.value("jobs", Json::array()), kMostJobsOnTop);
}

std::string changes_text(const Json& before, const Json& status) {
  const auto was = jobs_by_id(before);
  const auto is = jobs_by_id(status);
  std::string text;
  for (const auto& [id, job] : is) {
    const auto old = was.find(id);
    if (old == was.end() || old->second["state"] != job["state"] ||
        old->second.value("message", "") != job.value("message", "")) {
      text += job_line(job);
    }
  }
  for (const auto& [id, job] : was) {
    if (!is.contains(id)) {
      Json ended = job;
      ended["state"] = "ended";
      ended["message"] = "";
      text += job_line(ended);
    }
  }
  return text;
}

}  // namespace ws::server
