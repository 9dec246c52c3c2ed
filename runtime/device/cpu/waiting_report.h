// The report of a block whose threads wait for each other in vain.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/device/cpu/fault.h"
#include "runtime/device/run_reply.h"

namespace ws::cpu {

class WaitingReport {
 public:
  WaitingReport(RunStatus status, const std::array<std::uint32_t, 3>& block) {
    reply_.status = status;
    reply_.block = block;
    reply_.has_block = 1;
  }

  /// A thread waits at a place of the source.
  void add(std::uint32_t site, const std::array<std::uint32_t, 3>& thread) {
    if (reply_.site == kNoPlace) {
      reply_.site = site;
      reply_.thread = thread;
      reply_.has_thread = 1;
    }
    if (site == reply_.site) {
      ++reply_.waiting;
    } else {
      reply_.other_site = reply_.other_site == kNoPlace ? site : reply_.other_site;
      ++reply_.other_waiting;
    }
  }

  [[noreturn]] void send() const { report_and_exit(reply_); }

 private:
  RunReply reply_;
};

}  // namespace ws::cpu
