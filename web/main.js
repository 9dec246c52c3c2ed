// Chooses the view that the address names, and draws it again when the address changes.
import {NeedsToken, Unreachable, keepToken} from "./data.js";
import {address, element, shown} from "./dom.js";
import {cache} from "./cache.js";
import {devices} from "./devices.js";
import {difference} from "./difference.js";
import {evidence} from "./evidence.js";
import {job} from "./job.js";
import {kernel} from "./kernel.js";
import {problem} from "./problem.js";
import {problems} from "./problems.js";
import {search} from "./search.js";
import {source} from "./source.js";

// Each gets the parts of the address behind its name and a signal that ends with the view, and
// gives {title, body}: a promise.
const VIEWS = {problems, problem, kernel, diff: difference, evidence, source, job,
  devices, cache, search};
const AGAIN_MS = 2000;

const main = document.querySelector("main");
const state = document.querySelector("#state");
let leaving = new AbortController();

function parts() {
  const found = location.hash.replace(/^#\/?/, "").split("?")[0].split("/").filter(Boolean);
  return found.map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
}

function put(title, ...children) {
  document.title = title ? shown(title) + " - warpsmith" : "warpsmith";
  main.replaceChildren(...children);
}

function askForToken(reason) {
  const field = element("input", {id: "token", type: "password", autocomplete: "off", required: ""});
  const form = element("form", {},
      element("h1", {}, "This server wants its token"),
      element("p", {}, "It is kept in this tab only, until the tab is closed."),
      element("p", {class: "bad"}, sessionStorage.length ? reason : null),
      element("label", {for: "token"}, "Token"), field,
      element("button", {type: "submit"}, "Show"));
  form.addEventListener("submit", event => {
    event.preventDefault();
    keepToken(field.value);
    show();
  });
  put("token", form);
  field.focus();
}

/** Marks the view of the navigation that is shown. */
function markView(name) {
  for (const here of document.querySelectorAll("nav a:not(.name)")) {
    if (here.getAttribute("href") === "#/" + name) {
      here.setAttribute("aria-current", "page");
    } else {
      here.removeAttribute("aria-current");
    }
  }
}

/** @param moved  The reader has gone to another view: reading begins there. */
async function show(moved = false) {
  leaving.abort();
  leaving = new AbortController();
  const {signal} = leaving;
  const [name = "problems", ...rest] = parts();
  markView(name);
  try {
    const view = VIEWS[name];
    if (!view) {
      throw new Error("there is no view of that name");
    }
    const {title, body} = await view(rest, signal);
    if (!signal.aborted) {
      state.textContent = "";
      put(title, element("h1", {}, title), ...body);
      if (moved) {
        main.focus({preventScroll: true});
        window.scrollTo(0, 0);
      }
    }
  } catch (error) {
    if (signal.aborted) {
      return;
    }
    if (error instanceof NeedsToken) {
      askForToken(error.message);
    } else if (error instanceof Unreachable) {
      state.textContent = error.message + "; trying again";
      setTimeout(() => signal.aborted || show(), AGAIN_MS);
    } else {
      put("not shown", element("h1", {}, "This cannot be shown"),
          element("p", {class: "bad"}, error.message));
    }
  }
}

// The address names the view, so this link must not change it.
document.querySelector(".skip").addEventListener("click", event => {
  event.preventDefault();
  main.focus();
});
document.querySelector("header form").addEventListener("submit", event => {
  event.preventDefault();
  const words = document.querySelector("#words").value.trim();
  if (words) {
    location.hash = address("search", words);
  }
});
window.addEventListener("hashchange", () => show(true));
show();
