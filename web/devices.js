// The devices of a running server and what they do now.
import {NeedsToken, ask, listen} from "./data.js";
import {element, section, table} from "./dom.js";
import {digits, seconds} from "./words.js";

const AGAIN_MS = 1000;
const MOST_MS = 30_000;
const TICK_MS = 1000;

function doing(lane) {
  if (!lane) {
    return "";
  }
  const waits = lane.queued ? `, ${lane.queued} waiting` : "";
  return (lane.running ? `runs ${lane.running}` : "idle") + waits;
}

function deviceRow(device, lanes) {
  return [device.id, device.error ?? device.name, device.arch ?? "",
    device.error ? "cannot be used" : device.emulated ? "emulates a GPU" : "hardware",
    doing(lanes.find(lane => lane.name === device.id))];
}

/** @param since  Seconds since the numbers came. */
function laneRow(lane, since) {
  return [lane.name, String(lane.running), String(lane.queued),
    seconds(lane.busy_s + (lane.running ? since : 0))];
}

function jobRow(job, since) {
  const progress = element("progress", {max: 1, value: job.progress, "aria-label": "done"});
  const left = job.eta_s === undefined ? null : Math.max(0, Math.round(job.eta_s - since));
  const state = job.state === "queued" && job.queue_position
      ? `queued behind ${job.queue_position}` : job.state;
  return [element("span", {class: "id"}, job.job_id), job.tool, job.lane, state,
    element("div", {}, progress, " ", digits(job.progress * 100) + " %"), job.message,
    seconds(Math.round(job.age_s + since)),
  left === null ? "" : "in " + seconds(left)];
}

function queue(work, since) {
  if (!work.jobs.length) {
    return element("p", {}, "Nothing waits or runs.");
  }
  return [table("Jobs", ["Job", "Tool", "Lane", "State", "Done", "Message", "Age", "Ends"],
      work.jobs.map(job => jobRow(job, since))),
  work.jobs_left_out ? element("p", {}, `${work.jobs_left_out} more are waiting.`) : null];
}

/** All that the stream has told so far, in one place of the page. */
class Board {
  constructor() {
    this.place = element("div", {});
    this.devices = [];
    this.work = null;
    this.trouble = "";
  }

  take(name, data) {
    this.trouble = "";
    if (name === "devices") {
      this.devices = data;
    } else if (name === "work") {
      this.work = data;
      this.at = performance.now();
      this.draw();
    }
  }

  /** Drawn again by the clock, too: ages grow, and the server does not send them. */
  draw() {
    if (!this.work) {
      this.place.replaceChildren(element("p", {}, this.trouble || "Asks the server\u2026"));
      return;
    }
    const since = (performance.now() - this.at) / 1000;
    const {lanes} = this.work;
    const scrolled = [...this.place.querySelectorAll(".wide")].map(one => one.scrollLeft);
    const focused = [...this.place.querySelectorAll(".wide")].indexOf(document.activeElement);
    this.place.replaceChildren(...[
      this.trouble ? element("p", {class: "bad", role: "status"}, this.trouble) : null,
      section("Devices", table("Devices", ["Device", "Name", "Architecture", "Kind", "Now"],
          this.devices.map(device => deviceRow(device, lanes)))),
      section("Queue", queue(this.work, since)),
      section("Lanes", table("Lanes", ["Lane", "Run", "Wait", "Busy so far"],
          lanes.map(lane => laneRow(lane, since)))),
    ].filter(Boolean));
    const tables = this.place.querySelectorAll(".wide");
    scrolled.forEach((left, at) => tables[at]?.scrollTo({left}));
    tables[focused]?.focus({preventScroll: true});
  }

  fail(words) {
    this.trouble = words;
    this.draw();
  }
}

function pause(ms, signal) {
  return new Promise(go => {
    const timer = setTimeout(go, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), go()), {once: true});
  });
}

/** Ends when the page can be seen, or the view is left. */
function seen(signal) {
  return new Promise(go => {
    const look = () => !document.hidden && go();
    document.addEventListener("visibilitychange", look, {signal});
    signal.addEventListener("abort", go, {once: true});
    look();
  });
}

/** Holds a stream as long as somebody sees the page, and takes it up again when it breaks. */
async function follow(board, signal) {
  let wait = AGAIN_MS;
  while (!signal.aborted) {
    await seen(signal);
    const look = new AbortController();
    const hide = () => document.hidden && look.abort();
    document.addEventListener("visibilitychange", hide, {signal: look.signal});
    signal.addEventListener("abort", () => look.abort(), {once: true, signal: look.signal});
    try {
      await listen((name, data) => {
        wait = AGAIN_MS;
        board.take(name, data);
      }, look.signal);
    } catch (error) {
      if (error instanceof NeedsToken) {
        window.dispatchEvent(new Event("hashchange"));  // The view is drawn again, and asks for it.
        return;
      }
      if (!look.signal.aborted) {
        board.fail(error.message + "; trying again");
        await pause(wait, signal);
        wait = Math.min(2 * wait, MOST_MS);
      }
    }
    look.abort();
  }
}

function tick(board, signal) {
  const timer = setInterval(() => {
    if (!document.hidden && board.work?.jobs.length && !board.trouble) {
      board.draw();
    }
  }, TICK_MS);
  signal.addEventListener("abort", () => clearInterval(timer), {once: true});
}

export async function devices(_parts, signal) {
  const title = "Devices and queue";
  const found = await ask(["devices"], {}, signal);
  if (!found.running) {
    return {title, body: [element("p", {},
        "This page shows a folder: no server runs here that has devices and a queue.")]};
  }
  const board = new Board();
  board.draw();
  follow(board, signal);
  tick(board, signal);
  return {title, body: [board.place]};
}
