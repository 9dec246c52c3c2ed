// The devices of a running server and what they do now.
import {ask} from "./data.js";
import {element, section, table} from "./dom.js";
import {digits, seconds} from "./words.js";

const AGAIN_MS = 2000;

function deviceRow(device) {
  return [device.id, device.error ?? device.name, device.arch ?? "",
    device.error ? "cannot be used" : device.emulated ? "emulates a GPU" : "hardware"];
}

function laneRow(lane) {
  return [lane.name, String(lane.running), String(lane.queued), seconds(lane.busy_s)];
}

function jobRow(job) {
  const progress = element("progress", {max: 1, value: job.progress, "aria-label": "done"});
  return [job.job_id, job.tool, job.lane, job.state === "queued"
      ? "queued, place " + job.queue_position : job.state, element("div", {}, progress, " ",
      digits(job.progress * 100) + " %"), job.message, seconds(job.age_s),
  job.eta_s === undefined ? "" : "in " + seconds(job.eta_s)];
}

function drawWork(place, work) {
  place.replaceChildren(
      section("Queue", work.jobs.length
          ? table("Jobs", ["Job", "Tool", "Lane", "State", "Done", "", "Age", "Ends"],
              work.jobs.map(jobRow))
          : element("p", {}, "Nothing waits or runs.")),
      section("Lanes", table("Lanes", ["Lane", "Run", "Wait", "Busy so far"],
          work.lanes.map(laneRow))));
}

/** Asks again until the view is left. */
async function follow(place, signal) {
  while (!signal.aborted) {
    await new Promise(go => setTimeout(go, AGAIN_MS));
    if (document.hidden || signal.aborted) {
      continue;
    }
    try {
      drawWork(place, await ask(["work"], {}, signal));
    } catch (error) {
      if (!signal.aborted) {
        place.replaceChildren(element("p", {class: "bad"}, error.message + "; trying again"));
      }
    }
  }
}

export async function devices(_parts, signal) {
  const found = await ask(["devices"], {}, signal);
  if (!found.running) {
    return {title: "Devices and queue", body: [element("p", {},
        "This page shows a folder: no server runs here that has devices and a queue.")]};
  }
  const place = element("div", {});
  drawWork(place, await ask(["work"], {}, signal));
  follow(place, signal);
  return {title: "Devices and queue", body: [
    section("Devices", table("Devices", ["Device", "Name", "Architecture", ""],
        found.devices.map(deviceRow))), place]};
}
