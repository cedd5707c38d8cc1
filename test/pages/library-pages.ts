import { contents, type Parts, renderPage } from "./page-source.ts";
import type { HostPage } from "./visit-page.ts";

/** A page whose library is a script that needs no build. */
function libraryPage(name: string, parts: Parts): HostPage {
  return { name, start: async () => ({ find: (path) => renderPage(path, parts) }) };
}

const script = (path: string) => `<script src="/lib/${path}"></script>`;
const style = (path: string) => `<link rel="stylesheet" href="/lib/${path}">`;
/** Contents for the pages that render in the browser. */
const routes = `<script>const contents = ${JSON.stringify(contents).replaceAll("</", "<\\/")}</script>`;

export const libraryPages: HostPage[] = [
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
  libraryPage("Locomotive Scroll 5", {
    head:
      style("locomotive-scroll/bundled/locomotive-scroll.css") +
      script("locomotive-scroll/bundled/locomotive-scroll.min.js"),
    end: "<script>new LocomotiveScroll()</script>",
  }),
  libraryPage("GSAP ScrollSmoother", {
    head: script("gsap/dist/gsap.js") + script("gsap/dist/ScrollTrigger.js") + script("gsap/dist/ScrollSmoother.js"),
    around: (main) => `<div id="smooth-wrapper"><div id="smooth-content"><main>${main}</main></div></div>`,
    end: "<script>gsap.registerPlugin(ScrollTrigger, ScrollSmoother); ScrollSmoother.create({ smooth: 0.2, normalizeScroll: true })</script>",
  }),
  libraryPage("focus-trap", {
    head: script("tabbable/dist/index.umd.js") + script("focus-trap/dist/focus-trap.umd.js"),
    end: `<div id="dialog"><input id="inner"></div>
      <script>focusTrap.createFocusTrap("#dialog", { allowOutsideClick: true }).activate()</script>`,
  }),
  jQueryPage("jQuery 1", "jquery-1/dist/jquery.js"),
  jQueryPage("jQuery 3", "jquery-3/dist/jquery.js"),
  libraryPage("Alpine 3", {
    head: '<script defer src="/lib/alpinejs/dist/cdn.js"></script>',
    body: ' x-data="{ size: \'M\', keys: 0 }" @keyup.window="keys++"',
    end: '<p><input id="inner" x-model="size"> <span x-text="size + keys"></span></p>',
  }),
  libraryPage("Swup 4", {
    head: script("swup/dist/Swup.umd.js"),
    around: (main) => `<main id="swup" class="transition-main">${main}</main>`,
    end: "<script>new Swup({ animationSelector: false })</script>",
  }),
  libraryPage("barba.js 2", {
    head: script("@barba/core/dist/barba.umd.js"),
    body: ' data-barba="wrapper"',
    around: (main) => `<main data-barba="container" data-barba-namespace="page">${main}</main>`,
    end: "<script>barba.init({ transitions: [{ leave() {}, enter() { scrollTo(0, 0) } }] })</script>",
  }),
];

/** Loads its links into the page, and focuses a search field with a shortcut, as many shops do. */
function jQueryPage(name: string, path: string): HostPage {
  return libraryPage(name, {
    head: script(path),
    end: `<form id="search"><input id="query"></form><script>
      const show = (url) => $.get(url, (html) => $("main").html($("<div>").html(html).find("main").html()));
      $(document).on("click", "a", function (event) {
        event.preventDefault();
        history.pushState({}, "", this.href);
        show(this.href);
      });
      $(window).on("popstate", () => show(location.href));
      $(document).on("keydown keypress keyup", (event) => { if (event.key === "/") $("#query").trigger("focus"); });
    </script>`,
  });
}
