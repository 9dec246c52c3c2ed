// The compile cache: what lies on disk, and what it has answered since the server was started.
import {ask} from "./data.js";
import {element, facts, section} from "./dom.js";
import {digits} from "./words.js";

const AGAIN_MS = 5000;
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

function size(bytes) {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return digits(bytes / 1024 ** unit) + " " + UNITS[unit];
}

function whole(value) {
  return value.toLocaleString("en");
}

function parts(look) {
  const {hits, misses} = look;
  return [
    section("On disk", facts([["Entries", whole(look.entries)], ["Size", size(look.bytes)],
      ["Damaged, put aside", look.damaged ? whole(look.damaged) : null]])),
    look.running ? section("Answers since the server was started", facts([
      ["From memory", whole(hits.memory)], ["From disk", whole(hits.disk)],
      ["Joined a compile that ran", whole(hits.joined)], ["Compiled", whole(misses)],
      ["Hits", look.hit_percent === undefined ? "nothing was compiled yet"
        : digits(look.hit_percent) + " %"]]))
      : element("p", {}, "This page shows a folder: no server runs here whose hits are counted.")];
}

/** Asks again while somebody looks; a server that does not answer for a while changes nothing. */
function follow(place, signal) {
  const timer = setInterval(async () => {
    if (!document.hidden) {
      try {
        place.replaceChildren(...parts(await ask(["cache"], {}, signal)));
      } catch {
        // The next round tries again.
      }
    }
  }, AGAIN_MS);
  signal.addEventListener("abort", () => clearInterval(timer), {once: true});
}

export async function cache(_parts, signal) {
  const look = await ask(["cache"], {}, signal);
  const place = element("div", {}, parts(look));
  if (look.running) {
    follow(place, signal);
  }
  return {title: "Compile cache", body: [place]};
}
