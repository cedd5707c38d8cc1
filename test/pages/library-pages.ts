import { contents, type Parts, renderPage } from "./page-source.ts";
import type { HostPage } from "./visit-page.ts";

/** A page whose library is a script that needs no build. */
function libraryPage(name: string, parts: Parts): HostPage {
  return { name, start: async () => ({ render: (path, script) => renderPage(path, script, parts) }) };
}

const script = (path: string) => `<script src="/lib/${path}"></script>`;
const style = (path: string) => `<link rel="stylesheet" href="/lib/${path}">`;
/** Contents for the pages that render in the browser. */
const routes = `<script>const contents = ${JSON.stringify(contents).replaceAll("</", "<\\/")}</script>`;

export const libraryPages: HostPage[] = [
  libraryPage("pages without a script", {}),
  libraryPage("Turbo 8", { head: script("@hotwired/turbo/dist/turbo.es2017-umd.js") }),
  libraryPage("htmx 2", {
    head: script("htmx.org/dist/htmx.js"),
    body: ' hx-boost="true"',
  }),
  libraryPage("Vue Router 4", {
    head: script("vue/dist/vue.global.prod.js") + script("vue-router/dist/vue-router.global.js") + routes,
    around: () => '<div id="app"><router-view></router-view></div>',
    end: `<script>
      const component = (path) => ({ template: "<main>" + contents[path] + "</main>" });
      const router = VueRouter.createRouter({
        history: VueRouter.createWebHistory(),
        routes: Object.keys(contents).map((path) => ({ path, component: component(path) })),
        scrollBehavior: (to, from, saved) => saved ?? { top: 0 },
      });
      document.addEventListener("click", (event) => {
        const link = event.target.closest("a");
        if (!link) return;
        event.preventDefault();
        router.push(link.pathname);
      });
      Vue.createApp({ template: "<router-view/>" }).use(router).mount("#app");
    </script>`,
  }),
  libraryPage("Bootstrap 5 with an open modal", {
    head: style("bootstrap/dist/css/bootstrap.css") + script("bootstrap/dist/js/bootstrap.bundle.js"),
    end: `<div class="modal" id="dialog" tabindex="-1"><div class="modal-dialog"><div class="modal-content"><input id="inner"></div></div></div>
      <script>new bootstrap.Modal("#dialog").show()</script>`,
  }),
  libraryPage("Lenis", {
    head: style("lenis/dist/lenis.css") + script("lenis/dist/lenis.js"),
    end: "<script>new Lenis({ autoRaf: true })</script>",
  }),
];
