import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";
import { widgetParts } from "./scripts/build-targets.ts";

const widget = join(import.meta.dirname, "packages/widget/src");
const base = "/dashboard/";

/** The address at which Vite serves a file outside of its root. */
const addressOf = (file: string) => `${base}@fs${file}`;

/**
 * `npm run dev`: the dashboard and the widget from their sources, with hot reload. Every other request goes to the API
 * server, so the browser sees a single origin as in production. `scripts/build-*.ts` build what production serves.
 */
export default defineConfig({
  root: join(import.meta.dirname, "packages/dashboard"),
  base,
  cacheDir: join(import.meta.dirname, "node_modules/.vite"),
  publicDir: false,
  resolve: { conditions: ["foyer-source", ...defaultClientConditions] },
  plugins: [react({ exclude: /\/node_modules\/|\/packages\/widget\// }), tailwindcss(), widgetFromSource()],
  define: {
    // The loader appends these to `/widget/`.
    PART_FILES: Object.fromEntries(
      Object.entries(widgetParts).map(([name, entry]) => [name, `..${addressOf(join(widget, entry))}`]),
    ),
  },
  server: {
    proxy: {
      "^/(?!dashboard(?:[/?]|$)|widget\\.js)": process.env.FOYER_API_URL ?? "http://127.0.0.1:3001",
    },
  },
});

/** Serves `/widget.js`: a script that loads the widget's source as modules and hands it the script element. */
function widgetFromSource(): Plugin {
  const imports = [`${base}@vite/client`, addressOf(join(widget, "embed.ts"))];
  const script = `
const script = document.currentScript;
Object.defineProperty(document, "currentScript", { configurable: true, get: () => script });
(async () => {
  for (const path of ${JSON.stringify(imports)}) await import(new URL(path, script.src).href);
  delete document.currentScript;
})();`;
  return {
    name: "foyer-widget",
    // The server fills this in when it serves the built page.
    transformIndexHtml: (html) => html.replace("{{basePath}}", ""),
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? "/", "http://localhost");
        if (pathname === "/widget.js") response.setHeader("content-type", "text/javascript").end(script);
        else if (pathname === "/dashboard") response.writeHead(302, { location: base }).end();
        else next();
      });
    },
  };
}
