// A page in Debian's Chromium, and what is looked for in each view.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
const WIDTHS = [400, 1000, 1900];
const HEIGHT = 900;

export class Browser {
  /** @param modules  A folder with node_modules.  @param chromium  The executable. */
  static async open(modules, chromium) {
    const require = createRequire(modules + "/");
    const browser = new Browser();
    browser.axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
    // Root may not use Chromium's own sandbox; nothing but the page is opened.
    browser.chromium = await require("playwright-core").chromium.launch(
        {executablePath: chromium, args: ["--no-sandbox"]});
    return browser;
  }

  close() {
    return this.chromium.close();
  }

  /** A page whose complaints are kept in `complaints`. @param options  Of a context. */
  async page(options = {}) {
    const context = await this.chromium.newContext({viewport: {width: 1000, height: HEIGHT},
      ...options});
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.complaints = [];
    page.on("console", said => {
      if (said.type() === "error" || said.type() === "warning") {
        page.complaints.push(said.text());
      }
    });
    page.on("pageerror", error => page.complaints.push(error.message));
    page.on("dialog", dialog => {
      page.complaints.push("a dialog: " + dialog.message());
      dialog.dismiss();
    });
    return page;
  }

  /** Each view at each width, light and dark: no complaint, no sideways scrolling, no finding. */
  async looksRight(url, address, heading) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await this.page({colorScheme});
      for (const width of WIDTHS) {
        await page.setViewportSize({width, height: HEIGHT});
        await page.goto("about:blank");
        await page.goto(url + address);
        await page.waitForFunction(
            want => document.querySelector("h1")?.textContent.includes(want), heading);
        const where = `${address} at ${width}, ${colorScheme}`;
        const wide = await page.evaluate("document.documentElement.scrollWidth");
        assert.ok(wide <= width, `${where}: ${wide} pixels wide`);
        assert.deepEqual(page.complaints, [], where);
        await page.evaluate(this.axe);
        const found = await page.evaluate(rules => axe.run({runOnly: rules}), RULES);
        assert.deepEqual(found.violations.map(one => one.id + ": " + one.nodes[0].html), [], where);
      }
      await page.context().close();
    }
  }
}
