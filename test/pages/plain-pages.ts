import { contents, type Parts, renderPage } from "./page-source.ts";
import type { HostPage } from "./visit-page.ts";

function plainPage(name: string, parts: Parts): HostPage {
  return { name, start: async () => ({ find: (path) => renderPage(path, parts) }) };
}

const routes = `<script>
  const contents = ${JSON.stringify(contents).replaceAll("</", "<\\/")};
  const render = () => { document.querySelector("main").innerHTML = contents[location.pathname]; scrollTo(0, 0); };
</script>`;

/** Pages that need no package: each does by hand what some kind of library does. */
export const plainPages: HostPage[] = [
  plainPage("pages without a script", {}),
  plainPage("a router on the History API", {
    head: `${routes}<script>
      history.scrollRestoration = "manual";
      addEventListener("popstate", render);
      addEventListener("click", (event) => {
        const link = event.target.closest("a");
        if (!link) return;
        event.preventDefault();
        history.pushState({ router: 1 }, "", link.href);
        render();
      });
    </script>`,
  }),
  plainPage("a router on the Navigation API", {
    head: `${routes}<script>
      navigation.addEventListener("navigate", (event) => {
        if (event.canIntercept && event.navigationType !== "reload") event.intercept({ handler: async () => render() });
      });
    </script>`,
  }),
  plainPage("a dialog that keeps the focus", {
    end: `<div id="dialog" tabindex="-1"><input id="inner"></div><script>
      const dialog = document.getElementById("dialog");
      document.addEventListener("focusin", (event) => {
        if (event.target !== dialog && !dialog.contains(event.target)) document.getElementById("inner").focus();
      });
      for (const type of ["keydown", "keypress", "keyup"]) {
        document.addEventListener(type, (event) => {
          if (event.key === "/") document.getElementById("inner").focus();
        });
      }
    </script>`,
  }),
  plainPage("style sheets that reset everything", {
    head: `<style>
      * { all: revert !important; }
      html { font-size: 62.5%; }
      *, *::before, *::after { box-sizing: content-box !important; margin: 0 !important; letter-spacing: 0.3em !important; }
      div:empty, span:empty, p:empty { display: none !important; }
      button, input, textarea { appearance: none !important; text-transform: uppercase !important; opacity: 0.99 !important; }
      body > *, html > * { z-index: 2147483647; }
    </style>`,
  }),
  plainPage("a replaced document element", {
    end: `<script>
      addEventListener("load", () => {
        const html = document.documentElement.cloneNode(true);
        for (const element of html.querySelectorAll("script, foyer-widget")) element.remove();
        document.replaceChild(html, document.documentElement);
      });
    </script>`,
  }),
  plainPage("document.open after the page has loaded", {
    end: `<script>
      addEventListener("load", () => {
        if (document.querySelector("meta[name=written]")) return;
        const html = document.documentElement.cloneNode(true);
        for (const element of html.querySelectorAll("script, foyer-widget")) element.remove();
        document.open();
        document.write('<!doctype html><meta name="written">' + html.outerHTML);
        document.close();
      });
    </script>`,
  }),
  plainPage("prototypes and globals that an old library replaced", {
    head: `<script>
      Array.prototype.toJSON = function () { return "[" + this.map((item) => JSON.stringify(item)).join(", ") + "]"; };
      Array.prototype.each = function (iterator) { for (let i = 0; i < this.length; i++) iterator(this[i], i); return this; };
      String.prototype.toJSON = function () { return String(this); };
      Object.prototype.inspect = function () { return "object"; };
      Array.from = (list) => { const all = []; for (let i = 0; i < (list?.length ?? 0); i++) all.push(list[i]); return all; };
      Function.prototype.bind = function (self, ...first) { const run = this; return (...args) => run.apply(self, [...first, ...args]); };
      Element.prototype.remove = function () { this.parentNode?.removeChild(this); return this; };
      Element.prototype.matches = function (selector) { return [...document.querySelectorAll(selector)].indexOf(this) >= 0; };
    </script>`,
  }),
];
